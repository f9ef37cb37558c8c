import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeNextFailures, NEXT_FAILURES_MAX } from "../../../src/connectors/sandbox/NextFailures.ts"

const ACCOUNT = { operator_id: 1, account_id: 2, channel_type: "airbnb", username: "host", time_zone: "UTC" } as const
const READ = { isChange: false }
const CHANGE = { isChange: true }

it.effect("a failure is used once, by the first call that matches", () =>
  Effect.gen(function* () {
    const { add, take } = yield* makeNextFailures
    assert.isUndefined(yield* take(ACCOUNT, CHANGE))
    yield* add({ channel_type: "vrbo" })
    yield* add({ operator_id: 9 })
    yield* add({ failure: "refuses", reason: "no" })
    yield* add({})
    assert.strictEqual((yield* take(ACCOUNT, READ))?.mood, "503")
    assert.isUndefined(yield* take(ACCOUNT, READ))
    assert.deepStrictEqual(yield* take(ACCOUNT, CHANGE), { mood: "refuses", mood_ms: 0, mood_reason: "no" })
    assert.isUndefined(yield* take(ACCOUNT, CHANGE))
    assert.strictEqual((yield* take({ ...ACCOUNT, channel_type: "vrbo" }, READ))?.mood, "503")
    assert.strictEqual((yield* take({ ...ACCOUNT, operator_id: 9 }, READ))?.mood, "503")
  }).pipe(Effect.scoped)
)

it.effect("a failure that is unknown, or one too many, is refused", () =>
  Effect.gen(function* () {
    const { add, take } = yield* makeNextFailures
    assert.match((yield* Effect.flip(add({ failure: "late" }))).message, /^failure: /)
    for (let index = 0; index < NEXT_FAILURES_MAX; index++) yield* add({})
    assert.match((yield* Effect.flip(add({}))).message, /^failure: at most 100 /)
    yield* take(ACCOUNT, READ)
    yield* add({})
  }).pipe(Effect.scoped)
)
