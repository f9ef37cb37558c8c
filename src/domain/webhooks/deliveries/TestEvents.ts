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

/** Subscriptions cannot select this event. */
const TEST_EVENT = "webhook_test"

interface TestEventTarget extends SubscriptionViewer {
  readonly id: number
}

type TestEventResult =
  | ({ readonly _tag: "Tried" } & DeliveryAttempt)
  /** The subscription does not exist or is hidden from the viewer. */
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Busy" }
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
    // Checked last, so that only sent events count.
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
 * Sends a signed test event once, even if the subscription is paused. The event is not stored or retried, and does not
 * affect the circuit breaker.
 */
export class TestEvents extends Context.Service<
  TestEvents,
  {
    readonly send: (target: TestEventTarget) => Effect.Effect<TestEventResult>
  }
>()("latchkey/domain/webhooks/deliveries/TestEvents") {
  static readonly layer: Layer.Layer<TestEvents, never, SqlClient.SqlClient | OutboundHttp | RateWindows> =
    Layer.effect(TestEvents, make)
}
