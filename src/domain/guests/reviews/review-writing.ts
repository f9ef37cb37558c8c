import { Effect } from "effect"
import type { runAtMostOnce } from "../../../changes/external-action.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { currentSecond, dateInZone } from "../../../contract/time.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import {
  CHANNEL_ACT_TIMEOUT_MS,
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
  toHostReview,
  withSupportedRatings
} from "./rules/host-review.ts"
import { hasSameContent, retryWhileReviewChanges } from "./rules/review-changes.ts"
import type { ReviewedOrder, ReviewStore } from "./store.ts"

// What a host writes of a guest, and answers to one, is told to the channel first: from then on nothing of ours can refuse.

/** The field of a call that the channel is told of. */
const CODE_FIELD = "reservation_code"

type Gateway = ChannelGateway["Service"]
type RunOutwardAct = ReturnType<typeof runAtMostOnce>

/** A host's words about an order, on the day it is where he is. */
export interface WriteReviewRequest {
  readonly operatorId: number
  /** IANA name. */
  readonly timeZone: string
  readonly reservationCode: string
  readonly writing: HostReview
}

/**
 * Tells the channel, once under the call's key. It takes the same again, and no other: so whoever was cut off tells it again,
 * unless the channel has told of it in the meantime.
 */
const sendReview = (
  gateway: Gateway,
  runOutwardAct: RunOutwardAct,
  { operatorId, timeZone }: WriteReviewRequest,
  order: ReviewedOrder,
  review: HostReview,
  at: Date
) => {
  const obstacle = findReviewObstacle(order, review, dateInZone(at, timeZone))
  const { channel_account_id: accountId, channel_type: channelType, reservation_code, channel_id } = order
  const remoteReview = { reservationCode: reservation_code, channelId: channel_id, ...review }
  return runOutwardAct<ChannelApiError, never>({
    check: obstacle === undefined ? Effect.void : Effect.fail(obstacle),
    run: withChannelTimeout(gateway.writeReview({ operatorId, accountId, channelType }, remoteReview), CODE_FIELD),
    hasHappened: Effect.succeed(containsHostReview(order.written, review)),
    maxDurationMs: CHANNEL_ACT_TIMEOUT_MS,
    stateAfterError: () => "nothing"
  })
}

/** Who is cut off between channel and record leaves that as it was: the same again mends it, or the channel's next word. */
export const writeReview = (store: ReviewStore["Service"], gateway: Gateway, runOutwardAct: RunOutwardAct) =>
  Effect.fnUntraced(function* (request: WriteReviewRequest) {
    const { operatorId, reservationCode } = request
    let isSent = false
    const attempt = Effect.gen(function* () {
      const order = yield* store.find(operatorId, reservationCode)
      if (order === undefined) return yield* noSuchOrder
      const now = yield* currentSecond
      const review = withSupportedRatings(order.channel_type, request.writing)
      if (!isSent) yield* sendReview(gateway, runOutwardAct, request, order, review, now)
      isSent = true
      const before = order.written ?? EMPTY_REVIEW
      const written = applyHostReview(before, review, now)
      // Told, and the channel's own word of it was faster.
      if (hasSameContent(before, written)) return order
      const content = { ...written, channel_version: order.channel_version ?? 0 }
      return yield* store.write(operatorId, order, content, order.written === null ? "created" : "updated", now)
    })
    yield* retryWhileReviewChanges(attempt)
  })

export const createReview = (write: ReturnType<typeof writeReview>) =>
  Effect.fnUntraced(function* (payload: typeof create_review.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const writing = yield* Effect.fromResult(toHostReview(payload))
    yield* write({ operatorId, timeZone, reservationCode: payload.reservation_code, writing })
  })

const noSuchOrder = new NotFound({ message: `${CODE_FIELD}: no such order.` })
