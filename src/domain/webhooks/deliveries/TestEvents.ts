import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { releasePermitForExternalAct } from "../../../contract/permit-release.ts"
import { toEventMessage } from "../../../jobs/events/event-message.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { WEBHOOK_TESTS, WEBHOOK_TESTS_OF_OPERATOR } from "../../../platform/limits.ts"
import { CurrentSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { type DeliveryAttempt, WebhookSigning } from "./delivery.ts"
import { Outbound } from "./Outbound.ts"
import { postSigned } from "./signed-post.ts"
import { sending } from "./taking.ts"

/** What a receiver is told that is tried out; no subscription can ask for it. */
const TEST_EVENT = "webhook_test"

/** A subscription, and whose. */
export interface TestTarget {
  readonly operatorId: number
  readonly id: number
}

/** What became of a test event. */
export type TestResult =
  | ({ readonly _tag: "Tried" } & DeliveryAttempt)
  /** There is no such subscription. */
  | { readonly _tag: "Gone" }
  /** Too many of the operator's, or of all together, are under way. */
  | { readonly _tag: "Busy" }
  /** Too many were sent; another may be after so many seconds. */
  | { readonly _tag: "TooMany"; readonly seconds: number }

/** Counts one more; the seconds to wait where there were too many. */
type RateCheck = Effect.Effect<Option.Option<number>>

const subscriptionMissing: TestResult = { _tag: "Gone" }
const tooManyRunning: TestResult = { _tag: "Busy" }

/** Test events under way in this process. */
class RunningTests {
  readonly #ofOperator = new Map<number, number>()
  #all = 0

  /** Whether there is room for another; then it is taken. */
  begin(operatorId: number): boolean {
    const ofOperator = this.#ofOperator.get(operatorId) ?? 0
    if (ofOperator >= WEBHOOK_TESTS_OF_OPERATOR || this.#all >= WEBHOOK_TESTS) return false
    this.#ofOperator.set(operatorId, ofOperator + 1)
    this.#all += 1
    return true
  }

  end(operatorId: number): void {
    const ofOperator = (this.#ofOperator.get(operatorId) ?? 0) - 1
    if (ofOperator > 0) this.#ofOperator.set(operatorId, ofOperator)
    else this.#ofOperator.delete(operatorId)
    this.#all -= 1
  }
}

const readSigning = makeOptionalRowReader(WebhookSigning)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [outbound, seals] = [yield* Outbound, yield* CurrentSealer]
  const runningTests = new RunningTests()

  const findSigning = ({ operatorId, id }: TestTarget, now: Date) =>
    readSigning(sql`
      SELECT ${sending(sql, now)} FROM webhook_subscriptions s
      WHERE s.operator_id = ${operatorId} AND s.id = ${id} AND s.deleted_at IS NULL`)

  const sendTest = Effect.fnUntraced(function* (
    target: TestTarget,
    rateCheck: RateCheck
  ): Effect.fn.Return<TestResult> {
    const now = yield* DateTime.nowAsDate
    const signing = yield* findSigning(target, now)
    if (signing === undefined) return subscriptionMissing
    const wait = yield* rateCheck
    if (Option.isSome(wait)) return { _tag: "TooMany", seconds: wait.value }
    const body = toEventMessage({ event: TEST_EVENT, payload: { webhook_id: target.id }, queued_at: now })
    const webhookId = `test_${target.id}_${now.getTime()}`
    const keyedSigning = { ...signing, operator_id: target.operatorId, subscription_id: target.id }
    const attempt = postSigned(keyedSigning, webhookId, JSON.stringify(body)).pipe(
      Effect.provideService(Outbound, outbound),
      Effect.provideService(CurrentSealer, seals)
    )
    const result = yield* releasePermitForExternalAct(attempt)
    return { _tag: "Tried", ...result }
  })

  return {
    send: (target: TestTarget, rateCheck: RateCheck = Effect.succeedNone) =>
      Effect.acquireUseRelease(
        Effect.sync(() => runningTests.begin(target.operatorId)),
        (hasBegun) => (hasBegun ? sendTest(target, rateCheck) : Effect.succeed(tooManyRunning)),
        (hasBegun) => (hasBegun ? Effect.sync(() => runningTests.end(target.operatorId)) : Effect.void)
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
    /** `rateCheck` is asked once there is room for it, so what is not sent does not count. */
    readonly send: (target: TestTarget, rateCheck?: RateCheck) => Effect.Effect<TestResult>
  }
>()("latchkey/domain/webhooks/deliveries/TestEvents") {
  static readonly layer: Layer.Layer<TestEvents, never, SqlClient.SqlClient | Outbound> = Layer.effect(TestEvents, make)
}
