import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeRunLimiter } from "../../../admission/concurrency/run-limit.ts"
import { RateWindows } from "../../../admission/windows/RateWindows.ts"
import { type Bucket, windowOf } from "../../../admission/windows/rate-window.ts"
import { releasePermitForExternalAct } from "../../../contract/permit-release.ts"
import { toEventMessage } from "../../../jobs/events/event-message.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { WEBHOOK_TESTS_A_MINUTE, WEBHOOK_TESTS_MAX, WEBHOOK_TESTS_OF_OPERATOR_MAX } from "../../../platform/limits.ts"
import { CurrentSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { signingColumnsSql } from "./claim-statements.ts"
import { type DeliveryAttempt, WebhookSigning } from "./delivery.ts"
import { OutboundHttp } from "./OutboundHttp.ts"
import { postSignedBody } from "./signed-post.ts"
import { type SubscriptionViewer, viewerCondition } from "./subscription-viewer.ts"

/** What a receiver is told that is tried out; no subscription can ask for it. */
const TEST_EVENT = "webhook_test"

/** A subscription, and who sends it a test event. */
interface TestEventTarget extends SubscriptionViewer {
  readonly id: number
}

/** What became of a test event. */
type TestEventResult =
  | ({ readonly _tag: "Tried" } & DeliveryAttempt)
  /** There is no such subscription, or the viewer does not see it. */
  | { readonly _tag: "Gone" }
  /** Too many of the operator's, or of all together, are under way. */
  | { readonly _tag: "Busy" }
  /** Too many were sent; another may be after so many seconds. */
  | { readonly _tag: "TooMany"; readonly seconds: number }

const testEventBucket = (operatorId: number): Bucket => ({
  key: `{op:${operatorId}}:webhook_test`,
  scope: "webhook_test",
  window: windowOf("1m"),
  max: WEBHOOK_TESTS_A_MINUTE
})

const subscriptionMissingResult: TestEventResult = { _tag: "Gone" }
const tooManyRunningResult: TestEventResult = { _tag: "Busy" }

const readSigning = makeOptionalRowReader(WebhookSigning)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [outbound, sealer, windows] = [yield* OutboundHttp, yield* CurrentSealer, yield* RateWindows]
  const runWithinLimits = makeRunLimiter({ perOperator: WEBHOOK_TESTS_OF_OPERATOR_MAX, total: WEBHOOK_TESTS_MAX })

  const findSigning = ({ id, ...viewer }: TestEventTarget, now: Date) =>
    readSigning(sql`
      SELECT ${signingColumnsSql(sql, now)} FROM webhook_subscriptions s
      WHERE ${viewerCondition(sql, viewer)} AND s.id = ${id}`)

  const sendTestEvent = Effect.fnUntraced(function* (target: TestEventTarget): Effect.fn.Return<TestEventResult> {
    const now = yield* DateTime.nowAsDate
    const signing = yield* findSigning(target, now)
    if (signing === undefined) return subscriptionMissingResult
    // Asked once there is room for it and somewhere to send it to: what is not sent does not count.
    const admission = yield* windows.admit([testEventBucket(target.operatorId)], [])
    if (admission._tag === "Refused") return { _tag: "TooMany", seconds: admission.retryAfterSeconds }
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
    send: (target: TestEventTarget) =>
      runWithinLimits(target.operatorId, sendTestEvent(target), () => Effect.succeed(tooManyRunningResult))
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
    /** At most {@link WEBHOOK_TESTS_A_MINUTE} a minute of an operator, and {@link WEBHOOK_TESTS_OF_OPERATOR_MAX} at once. */
    readonly send: (target: TestEventTarget) => Effect.Effect<TestEventResult>
  }
>()("latchkey/domain/webhooks/deliveries/TestEvents") {
  static readonly layer: Layer.Layer<TestEvents, never, SqlClient.SqlClient | OutboundHttp | RateWindows> =
    Layer.effect(TestEvents, make)
}
