import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { CONCURRENCY_PERMITS } from "../../src/platform/limits.ts"
import type { OperationName } from "../../src/service/Api.ts"
import {
  call,
  callForResponse,
  createOperator,
  insertOrder,
  insertProperty,
  layerService,
  layerTest,
  type TestOperator
} from "../support/harness.ts"
import { formatWithoutOneTimeValues } from "../support/operation-samples.ts"
import {
  awaitBlockedTaskInserts,
  canOverlap,
  lockProperty,
  withServerNote
} from "../support/overlapping-transactions.ts"

// Two hundred calls with one key at the same moment: one of them makes the change, all are told of it, and nobody else
// waits for them.

const CROWD = 200
const WIDE = {
  user: { "1m": 10_000 },
  endpoint: { "POST /tasks": { "1m": 10_000 }, "POST /reservations": { "1m": 10_000 } }
} as const

/** An operator with a property, an order of it and a task. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator({ rateLimits: WIDE })
  const { operatorId, token } = operator
  const property_id = yield* insertProperty(operatorId, "Loft")
  const code = yield* insertOrder(operatorId, [{ propertyId: property_id }])
  yield* call(token, "create_task", { type: "cleaning" })
  const sql = yield* SqlClient.SqlClient
  const [task] = yield* sql<{ id: number }>`SELECT id FROM tasks WHERE operator_id = ${operatorId}`
  return { ...operator, property_id, code, task: task?.id ?? 0 }
})

type Ready = Effect.Success<typeof ready>

const crowd = (token: string, operation: OperationName, fields: object) =>
  Effect.forEach(Array.from({ length: CROWD }), () => callForResponse(token, operation, fields, "crowd"), {
    concurrency: "unbounded"
  })

const BY_HAND = {
  custom_channel_id: 30,
  check_in_date: "2027-06-01",
  check_out_date: "2027-06-03",
  guest_name: "Ada Lovelace",
  currency: "EUR",
  rate_amount: 420,
  commission_amount: 0,
  received_amount: 100,
  income_method_id: 197
}
const ENTRY = { direction: "income", amount: 5, item_id: 11, payment_method_id: 197 }

interface Crowded {
  readonly operation: OperationName
  readonly fields: (of: Ready) => object
  /** The events of one such change. */
  readonly events: ReadonlyArray<string>
  /** The kinds of the records in the trail of one such change. */
  readonly trail: ReadonlyArray<string>
}

const CROWDED: ReadonlyArray<Crowded> = [
  {
    operation: "create_transaction",
    fields: ({ code }) => ({ ...ENTRY, reservation_code: code }),
    events: ["transaction_created"],
    trail: ["transaction"]
  },
  {
    operation: "create_reservation",
    fields: ({ property_id }) => ({ ...BY_HAND, property_id }),
    events: ["property_availability_updated", "reservation_created", "transaction_created"],
    trail: ["reservation", "transaction"]
  },
  { operation: "delete_task", fields: ({ task }) => ({ id: task }), events: [], trail: ["task"] },
  {
    operation: "update_reservation_basic",
    fields: ({ code }) => ({ stay_code: code, remarks: "late arrival" }),
    events: ["reservation_updated"],
    trail: ["reservation"]
  },
  {
    operation: "create_webhook",
    fields: () => ({ url: "https://hooks.example.com/in" }),
    events: [],
    trail: ["webhook"]
  }
]

/** What one call has left: its events and the kinds of the records it touched. */
const leftBy = Effect.fnUntraced(function* ({ operatorId }: TestOperator, operation: OperationName) {
  const sql = yield* SqlClient.SqlClient
  const events = yield* sql<{ event: string }>`SELECT event FROM events WHERE operator_id = ${operatorId}`
  const trail = yield* sql<{ kind: string }>`
    SELECT split_part(record, ':', 1) AS kind FROM trail
    WHERE operator_id = ${operatorId} AND operation = ${operation}`
  return { events: events.map(({ event }) => event).toSorted(), trail: trail.map(({ kind }) => kind).toSorted() }
})

layer(layerTest)("two hundred calls with one key at once", (it) => {
  for (const { operation, fields, events, trail } of CROWDED) {
    it.effect(`make one ${operation}, and all are answered the same`, () =>
      Effect.gen(function* () {
        const operator = yield* ready
        const answers = yield* crowd(operator.token, operation, fields(operator))
        assert.deepStrictEqual(new Set(answers.map(({ envelope }) => envelope.error_msg)), new Set([""]))
        const firsts = answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined)
        assert.lengthOf(firsts, 1)
        // A secret is shown once, and the others are told so.
        const shown = answers.filter(({ envelope }) => "secret" in Object(envelope.data))
        assert.deepStrictEqual(shown, operation === "create_webhook" ? firsts : [])
        assert.strictEqual(new Set(answers.map(({ envelope }) => formatWithoutOneTimeValues(envelope.data))).size, 1)
        assert.deepStrictEqual(yield* leftBy(operator, operation), { events, trail })
      })
    )
  }

  it.effect("hold up nobody else: of another operator's calls each passes most of them", () =>
    Effect.gen(function* () {
      const [greedy, quiet] = [yield* ready, yield* ready]
      let answered = 0
      const ask = callForResponse(greedy.token, "create_task", { type: "other" }, "crowd").pipe(
        Effect.tap(() => Effect.sync(() => answered++))
      )
      const crowded = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: CROWD }), () => ask, { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      const passed: Array<number> = []
      while (answered < CROWD / 2) {
        const before = answered
        assert.deepInclude(yield* call(quiet.token, "create_task", { type: "other" }), { error_code: 0 })
        passed.push(answered - before)
      }
      assert.isAbove(passed.length, 1)
      // Those that had a place already, and, at each of a call's two statements, those that go on meanwhile.
      assert.isAtMost(Math.max(...passed), 3 * CONCURRENCY_PERMITS)
      yield* Fiber.join(crowded)
    })
  )
})

describe.skipIf(!canOverlap)(withServerNote("two hundred calls with one key, the first of which hangs"), () => {
  // As the real process has it: a connection for each place.
  const layerRoomy = Layer.suspend(() => layerService(layerPostgres({ url: Redacted.make(inject("testDatabaseUrl")) })))
  layer(layerRoomy)((it) => {
    it.effect("hold up nobody else, and are all answered once it goes on", () =>
      Effect.gen(function* () {
        const _sql = yield* SqlClient.SqlClient
        const [greedy, quiet] = [yield* ready, yield* ready]
        const { operatorId, property_id } = greedy
        const letGo = yield* lockProperty(operatorId, property_id)
        yield* call(quiet.token, "search_tasks")
        const crowded = yield* Effect.forkChild(crowd(greedy.token, "create_task", { type: "cleaning", property_id }))
        yield* awaitBlockedTaskInserts(CONCURRENCY_PERMITS / 2)
        for (let nth = 0; nth < 20; nth++) {
          assert.deepInclude(yield* call(quiet.token, "create_task", { type: "other" }), { error_code: 0 })
        }
        assert.isUndefined(crowded.pollUnsafe(), "the crowd still waits")
        yield* letGo
        const answers = yield* Fiber.join(crowded)
        assert.strictEqual(new Set(answers.map(({ envelope }) => JSON.stringify(envelope.data))).size, 1)
        assert.deepStrictEqual(new Set(answers.map(({ envelope }) => envelope.error_msg)), new Set([""]))
      })
    )
  })
})

describe.skipIf(!canOverlap)(withServerNote("a call with a key that another call keeps waiting"), () => {
  const layerHurried = Layer.suspend(() =>
    layerService(layerPostgres({ url: Redacted.make(inject("testDatabaseUrl")), statementTimeout: "300 millis" }))
  )
  layer(layerHurried)((it) => {
    it.effect("is 409 with Retry-After once its statement may take no longer, and is done once when repeated", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { token, operatorId, property_id } = yield* ready
        const letGo = yield* lockProperty(operatorId, property_id)
        const ask = callForResponse(token, "create_task", { type: "cleaning", property_id }, "hurried")
        for (const { envelope, headers } of yield* Effect.all([ask, ask], { concurrency: 2 })) {
          assert.strictEqual(envelope.error_code, 409)
          assert.match(envelope.error_msg, /^Idempotency-Key: /)
          assert.strictEqual(headers["retry-after"], "1")
        }
        yield* letGo
        assert.strictEqual((yield* ask).headers["idempotent-replayed"], undefined)
        assert.strictEqual((yield* ask).headers["idempotent-replayed"], "true")
        const [tasks] = yield* sql`
          SELECT count(*)::int AS made FROM tasks WHERE operator_id = ${operatorId} AND property_id = ${property_id}`
        assert.deepStrictEqual(tasks, { made: 1 })
      })
    )
  })
})
