import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { releasePermitForExternalAct } from "../../../contract/permit-release.ts"
import { toEventMessage } from "../../../jobs/events/event-message.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { WEBHOOK_TESTS_MAX, WEBHOOK_TESTS_OF_OPERATOR_MAX } from "../../../platform/limits.ts"
import { CurrentSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { type DeliveryAttempt, WebhookSigning } from "./delivery.ts"
import { OutboundHttp } from "./OutboundHttp.ts"
import { postSignedBody } from "./signed-post.ts"
import { signingColumnsSql } from "./taking.ts"

/** What a receiver is told that is tried out; no subscription can ask for it. */
const TEST_EVENT = "webhook_test"

/** A subscription, and whose. */
export interface TestEventTarget {
  readonly operatorId: number
  readonly id: number
}

/** What became of a test event. */
export type TestEventResult =
  | ({ readonly _tag: "Tried" } & DeliveryAttempt)
  /** There is no such subscription. */
  | { readonly _tag: "Gone" }
  /** Too many of the operator's, or of all together, are under way. */
  | { readonly _tag: "Busy" }
  /** Too many were sent; another may be after so many seconds. */
  | { readonly _tag: "TooMany"; readonly seconds: number }

/** Counts one more; the seconds to wait where there were too many. */
type RateCheck = Effect.Effect<Option.Option<number>>

const subscriptionMissingResult: TestEventResult = { _tag: "Gone" }
const tooManyRunningResult: TestEventResult = { _tag: "Busy" }

/** Test events under way in this process. */
class RunningTestEvents {
  readonly #countByOperator = new Map<number, number>()
  #totalCount = 0

  /** Whether there is room for another; then it is taken. */
  tryBegin(operatorId: number): boolean {
    const operatorCount = this.#countByOperator.get(operatorId) ?? 0
    if (operatorCount >= WEBHOOK_TESTS_OF_OPERATOR_MAX || this.#totalCount >= WEBHOOK_TESTS_MAX) return false
    this.#countByOperator.set(operatorId, operatorCount + 1)
    this.#totalCount += 1
    return true
  }

  end(operatorId: number): void {
    const operatorCount = (this.#countByOperator.get(operatorId) ?? 0) - 1
    if (operatorCount > 0) this.#countByOperator.set(operatorId, operatorCount)
    else this.#countByOperator.delete(operatorId)
    this.#totalCount -= 1
  }
}

const readSigning = makeOptionalRowReader(WebhookSigning)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [outbound, sealer] = [yield* OutboundHttp, yield* CurrentSealer]
  const runningTestEvents = new RunningTestEvents()

  const findSigning = ({ operatorId, id }: TestEventTarget, now: Date) =>
    readSigning(sql`
      SELECT ${signingColumnsSql(sql, now)} FROM webhook_subscriptions s
      WHERE s.operator_id = ${operatorId} AND s.id = ${id} AND s.deleted_at IS NULL`)

  const sendTestEvent = Effect.fnUntraced(function* (
    target: TestEventTarget,
    rateCheck: RateCheck
  ): Effect.fn.Return<TestEventResult> {
    const now = yield* DateTime.nowAsDate
    const signing = yield* findSigning(target, now)
    if (signing === undefined) return subscriptionMissingResult
    const waitSeconds = yield* rateCheck
    if (Option.isSome(waitSeconds)) return { _tag: "TooMany", seconds: waitSeconds.value }
    const body = toEventMessage({ event: TEST_EVENT, payload: { webhook_id: target.id }, queued_at: now })
    const webhookId = `test_${target.id}_${now.getTime()}`
    const keyedSigning = { ...signing, operator_id: target.operatorId, subscription_id: target.id }
    const attempt = postSignedBody(keyedSigning, webhookId, JSON.stringify(body)).pipe(
      Effect.provideService(OutboundHttp, outbound),
      Effect.provideService(CurrentSealer, sealer)
    )
    const result = yield* releasePermitForExternalAct(attempt)
    return { _tag: "Tried", ...result }
  })

  return {
    send: (target: TestEventTarget, rateCheck: RateCheck = Effect.succeedNone) =>
      Effect.acquireUseRelease(
        Effect.sync(() => runningTestEvents.tryBegin(target.operatorId)),
        (hasBegun) => (hasBegun ? sendTestEvent(target, rateCheck) : Effect.succeed(tooManyRunningResult)),
        (hasBegun) => (hasBegun ? Effect.sync(() => runningTestEvents.end(target.operatorId)) : Effect.void)
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
    readonly send: (target: TestEventTarget, rateCheck?: RateCheck) => Effect.Effect<TestEventResult>
  }
>()("latchkey/domain/webhooks/deliveries/TestEvents") {
  static readonly layer: Layer.Layer<TestEvents, never, SqlClient.SqlClient | OutboundHttp> = Layer.effect(
    TestEvents,
    make
  )
}
