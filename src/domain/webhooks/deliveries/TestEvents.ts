import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { awayWhileActing } from "../../../contract/away-from-place.ts"
import { messageOf } from "../../../jobs/events/message.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { WEBHOOK_TESTS, WEBHOOK_TESTS_OF_OPERATOR } from "../../../platform/limits.ts"
import { Sealing } from "../../../platform/sealing/Sealing.ts"
import { Signing, type Tried } from "./delivery.ts"
import { Outbound } from "./Outbound.ts"
import { signedTry } from "./signed-try.ts"
import { sending } from "./taking.ts"

/** What a receiver is told that is tried out; no subscription can ask for it. */
const TEST_EVENT = "webhook_test"

/** A subscription, and whose. */
export interface Tested {
  readonly operatorId: number
  readonly id: number
}

/** What became of a test event. */
export type Test =
  | ({ readonly _tag: "Tried" } & Tried)
  /** There is no such subscription. */
  | { readonly _tag: "Gone" }
  /** Too many of the operator's, or of all together, are under way. */
  | { readonly _tag: "Busy" }
  /** Too many were sent; another may be after so many seconds. */
  | { readonly _tag: "TooMany"; readonly seconds: number }

/** Counts one more; the seconds to wait where there were too many. */
type Counted = Effect.Effect<Option.Option<number>>

const gone: Test = { _tag: "Gone" }
const busy: Test = { _tag: "Busy" }

/** Test events under way in this process. */
class UnderWay {
  readonly #ofOperator = new Map<number, number>()
  #all = 0

  /** Whether there is room for another; then it is taken. */
  begin(operatorId: number): boolean {
    const own = this.#ofOperator.get(operatorId) ?? 0
    if (own >= WEBHOOK_TESTS_OF_OPERATOR || this.#all >= WEBHOOK_TESTS) return false
    this.#ofOperator.set(operatorId, own + 1)
    this.#all += 1
    return true
  }

  end(operatorId: number): void {
    const own = (this.#ofOperator.get(operatorId) ?? 0) - 1
    if (own > 0) this.#ofOperator.set(operatorId, own)
    else this.#ofOperator.delete(operatorId)
    this.#all -= 1
  }
}

const readSigning = rowOf(Signing)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [outbound, seals] = [yield* Outbound, yield* Sealing]
  const underWay = new UnderWay()

  const signingOf = ({ operatorId, id }: Tested, now: Date) =>
    readSigning(sql`
      SELECT ${sending(sql, now)} FROM webhook_subscriptions s
      WHERE s.operator_id = ${operatorId} AND s.id = ${id} AND s.deleted_at IS NULL`)

  const tried = Effect.fnUntraced(function* (tested: Tested, counted: Counted): Effect.fn.Return<Test> {
    const now = yield* DateTime.nowAsDate
    const signing = yield* signingOf(tested, now)
    if (signing === undefined) return gone
    const wait = yield* counted
    if (Option.isSome(wait)) return { _tag: "TooMany", seconds: wait.value }
    const body = messageOf({ event: TEST_EVENT, payload: { webhook_id: tested.id }, queued_at: now })
    const known = `test_${tested.id}_${now.getTime()}`
    const kept = { ...signing, operator_id: tested.operatorId, subscription_id: tested.id }
    const sent = signedTry(kept, known, JSON.stringify(body)).pipe(
      Effect.provideService(Outbound, outbound),
      Effect.provideService(Sealing, seals)
    )
    const ended = yield* awayWhileActing(sent)
    return { _tag: "Tried", ...ended }
  })

  return {
    send: (tested: Tested, counted: Counted = Effect.succeedNone) =>
      Effect.acquireUseRelease(
        Effect.sync(() => underWay.begin(tested.operatorId)),
        (begun) => (begun ? tried(tested, counted) : Effect.succeed(busy)),
        (begun) => (begun ? Effect.sync(() => underWay.end(tested.operatorId)) : Effect.void)
      )
  }
})

/**
 * Sends an event that never happened, so that a host sees what a receiver answers: once, at once and signed as any other, to a
 * paused subscription too. It is no delivery: nothing of it is queued, tried again or kept, and it says nothing of the health.
 *
 * Takes no place; who shows a page does, and has it back when the receiver has answered.
 */
export class TestEvents extends Context.Service<
  TestEvents,
  {
    /** `counted` is asked once there is room for it, so what is not sent does not count. */
    readonly send: (tested: Tested, counted?: Counted) => Effect.Effect<Test>
  }
>()("latchkey/deliveries/TestEvents") {
  static readonly layer: Layer.Layer<TestEvents, never, SqlClient.SqlClient | Outbound> = Layer.effect(TestEvents, make)
}
