import { Effect } from "effect"
import type { runAtMostOnce } from "../../../changes/external-action.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { currentSecond, dateInZone } from "../../../contract/time.ts"
import { orderNotFoundError } from "../../bookings/orders/order.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import {
  CHANNEL_ACTION_TIMEOUT_MS,
  type ChannelApiError,
  withChannelTimeout
} from "../../channels/port/channel-api-errors.ts"
import type { create_review } from "./contract.ts"
import { EMPTY_REVIEW } from "./review.ts"
import {
  applyHostReview,
  containsHostReview,
  findReviewObstacle,
  type HostReview,
  keepSupportedRatings,
  toHostReview
} from "./rules/host-review.ts"
import { isSameReviewContent, retryWhileReviewChanges } from "./rules/review-changes.ts"
import type { ReviewedOrder, ReviewStore } from "./store.ts"

// All checks come before the channel call. Afterwards nothing may reject a review that the channel has.

const RESERVATION_CODE_FIELD = "reservation_code"

type Gateway = ChannelGateway["Service"]
type RunExternalAction = ReturnType<typeof runAtMostOnce>

interface WriteReviewRequest {
  readonly operatorId: number
  readonly timeZone: string
  readonly reservationCode: string
  readonly hostReview: HostReview
}

/**
 * Channels accept the same review again. So after a crash it is sent again, unless the channel has already reported it.
 */
const sendReview = (
  gateway: Gateway,
  runExternalAction: RunExternalAction,
  { operatorId, timeZone }: WriteReviewRequest,
  order: ReviewedOrder,
  review: HostReview,
  at: Date
) => {
  const obstacle = findReviewObstacle(order, review, dateInZone(at, timeZone))
  const { channel_account_id: accountId, channel_type: channelType, reservation_code, channel_id } = order
  const remoteReview = { reservationCode: reservation_code, channelId: channel_id, ...review }
  return runExternalAction<ChannelApiError, never>({
    check: obstacle === undefined ? Effect.void : Effect.fail(obstacle),
    run: withChannelTimeout(
      gateway.writeReview({ operatorId, accountId, channelType }, remoteReview),
      RESERVATION_CODE_FIELD
    ),
    hasHappened: Effect.succeed(containsHostReview(order.written, review)),
    maxDurationMs: CHANNEL_ACTION_TIMEOUT_MS,
    stateAfterError: () => "nothing"
  })
}

/** After a crash, a repeated call or the channel's next event stores the review. */
export const writeReview = (store: ReviewStore["Service"], gateway: Gateway, runExternalAction: RunExternalAction) =>
  Effect.fnUntraced(function* (request: WriteReviewRequest) {
    const { operatorId, reservationCode } = request
    let isSent = false
    const attempt = Effect.gen(function* () {
      const order = yield* store.findByReservationCode(operatorId, reservationCode)
      if (order === undefined) return yield* orderNotFoundError
      const now = yield* currentSecond
      const review = keepSupportedRatings(order.channel_type, request.hostReview)
      if (!isSent) yield* sendReview(gateway, runExternalAction, request, order, review, now)
      isSent = true
      const before = order.written ?? EMPTY_REVIEW
      const written = applyHostReview(before, review, now)
      // The channel's event has already stored the review.
      if (isSameReviewContent(before, written)) return order
      const content = { ...written, channel_version: order.channel_version ?? 0 }
      return yield* store.writeContent(operatorId, order, content, order.written === null ? "created" : "updated", now)
    })
    yield* retryWhileReviewChanges(attempt)
  })

export const createReview = (write: ReturnType<typeof writeReview>) =>
  Effect.fnUntraced(function* (payload: typeof create_review.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const hostReview = yield* Effect.fromResult(toHostReview(payload))
    yield* write({ operatorId, timeZone, reservationCode: payload.reservation_code, hostReview })
  })
