import { Result } from "effect"
import { formatUtcInstant } from "../../contract/time.ts"
import type {
  CreatedOffer,
  MessageSendResult,
  OutboundMessage,
  OutboundOffer,
  OutboundReview
} from "../../domain/channels/port/connector.ts"
import { ChannelRefused } from "../../domain/channels/port/errors.ts"
import { SANDBOX_MESSAGES_MAX, SANDBOX_OFFERS_MAX } from "../../platform/limits.ts"
import { CHANNEL_PROFILES } from "./channel-profiles.ts"
import { failRefused, requireRemoteListing, requireRemoteOrder } from "./host-order-rules.ts"
import { type RuleError, takeOfferedRoom } from "./marketplace-snapshot.ts"
import { toMajorUnits, toUnits } from "./minor-units.ts"
import { computeOfferStatus, createOffer, withOfferStatus } from "./offers.ts"
import { priceStandardRoom, type RoomRequest, toRoomId } from "./order-transitions.ts"
import { computeHostActionDueTime } from "./outbox-due-times.ts"
import { isSameReview, isStayOver, mergeReview, toHostReviewSide } from "./reviews.ts"
import type { SandboxListing, SandboxOffer, SandboxThread } from "./rows.ts"
import {
  type RuleContext,
  type RuleOutcome,
  toMessageOutboxEvent,
  toOfferOutboxEvent,
  toReviewOutboxEvent
} from "./rule-runner.ts"
import { appendMessage } from "./threads.ts"

type HostRuleResult<A> = Result.Result<RuleOutcome<A>, ChannelRefused>

const requireRemoteThread = ({ thread }: RuleContext): Result.Result<SandboxThread, ChannelRefused> =>
  thread === undefined ? failRefused("there is no such thread") : Result.succeed(thread)

/** On a channel without deduplication, a retry sends nothing and returns `unknown`. */
export const sendMessageRule =
  (outboundMessage: OutboundMessage) =>
  (context: RuleContext): HostRuleResult<MessageSendResult> =>
    Result.gen(function* () {
      const { account, now } = context.snapshot
      const { deduplicatesMessages } = CHANNEL_PROFILES[account.channel_type]
      if (outboundMessage.again && !deduplicatesMessages) return { answer: { outcome: "unknown" } }
      if (context.message !== undefined) return { answer: toSendResult(context.message.said.message_id) }
      const before = yield* requireRemoteThread(context)
      if (before.messages >= SANDBOX_MESSAGES_MAX)
        return yield* failRefused(`a thread has at most ${SANDBOX_MESSAGES_MAX} messages`)
      const hostMessageId = deduplicatesMessages ? outboundMessage.messageId : undefined
      const { thread: after, message } = appendMessage(
        before,
        { sender: "host", text: outboundMessage.text, attachmentUrl: outboundMessage.imageUrl, hostMessageId },
        now
      )
      const outboxEvents = [toMessageOutboxEvent(message, computeHostActionDueTime(now))]
      const write = { threads: [{ before, after }], messages: [message], outboxEvents }
      return { write, answer: toSendResult(message.said.message_id) }
    })

const toSendResult = (channelMessageId: string): MessageSendResult => ({ outcome: "sent", channelMessageId })

const toCreatedOffer = ({ said }: SandboxOffer): CreatedOffer => ({
  offerId: said.offer_id,
  price: said.price,
  currency: said.currency,
  createdAt: said.created_at,
  expiresAt: said.expires_at
})

/** Removes our field name, which a real channel would not use. */
const toChannelRefusal = ({ message }: RuleError): ChannelRefused =>
  new ChannelRefused({ reason: message.replace(/^listing_id: /, "").replace(/\.$/, "") })

const toRoomRequest = (offer: OutboundOffer): RoomRequest => ({
  listing_id: offer.listingId,
  check_in_date: offer.checkInDate,
  check_out_date: offer.checkOutDate,
  adults: offer.numberOfAdults,
  children: offer.numberOfChildren
})

const requireOfferPrice = (
  { snapshot }: RuleContext,
  offer: OutboundOffer,
  listing: SandboxListing,
  request: RoomRequest
): Result.Result<number, ChannelRefused> => {
  const { account, days } = snapshot
  if (offer.offerType === "preapproval") {
    const listingDays = days.get(listing.listing_id) ?? new Map()
    return Result.succeed(priceStandardRoom(account.channel_type, listing, listingDays, request, toRoomId(1)).rate)
  }
  const units = offer.price === null ? undefined : toUnits(offer.price, listing.currency)
  return units === undefined || units <= 0n
    ? failRefused(`${offer.price} is not a valid price in ${listing.currency}`)
    : Result.succeed(toMajorUnits(units, listing.currency))
}

export const createOfferRule =
  (outboundOffer: OutboundOffer, offerId: string) =>
  (context: RuleContext): HostRuleResult<CreatedOffer> =>
    Result.gen(function* () {
      if (context.offer !== undefined) return { answer: toCreatedOffer(context.offer) }
      const { account, now } = context.snapshot
      if (!CHANNEL_PROFILES[account.channel_type].offerTypes.includes(outboundOffer.offerType)) {
        return yield* failRefused(`${account.channel_type} does not support such offers`)
      }
      const before = yield* requireRemoteThread(context)
      if (before.offers >= SANDBOX_OFFERS_MAX)
        return yield* failRefused(`a thread has at most ${SANDBOX_OFFERS_MAX} offers`)
      const listing = yield* requireRemoteListing(context, outboundOffer.listingId)
      if (outboundOffer.currency !== null && outboundOffer.currency !== listing.currency) {
        const reason = `the listing is sold in ${listing.currency}`
        return yield* Result.fail(new ChannelRefused({ field: "currency", reason }))
      }
      const { currency } = listing
      const request = toRoomRequest(outboundOffer)
      yield* Result.mapError(takeOfferedRoom(context.snapshot, request), toChannelRefusal)
      const price = yield* requireOfferPrice(context, outboundOffer, listing, request)
      const offer = createOffer(offerId, outboundOffer, { price, currency }, now)
      const after = { ...before, offers: before.offers + 1 }
      const outboxEvents = [toOfferOutboxEvent(offer, computeHostActionDueTime(now))]
      return { write: { threads: [{ before, after }], offers: [offer], outboxEvents }, answer: toCreatedOffer(offer) }
    })

export const withdrawOfferRule =
  (threadId: string) =>
  (context: RuleContext): HostRuleResult<void> =>
    Result.gen(function* () {
      const thread = yield* requireRemoteThread(context)
      const { offer } = context
      if (offer === undefined || offer.thread_id !== threadId) return yield* failRefused("there is no such offer")
      const status = computeOfferStatus(offer, context.snapshot.now)
      if (status === "withdrawn") return { answer: undefined }
      if (status !== "active") return yield* failRefused(`the offer is ${status}`)
      const after = withOfferStatus(offer, "withdrawn")
      const outboxEvents = [toOfferOutboxEvent(after, computeHostActionDueTime(context.snapshot.now))]
      return {
        write: { threads: [{ before: thread, after: thread }], offers: [after], outboxEvents },
        answer: undefined
      }
    })

/** Writes the review and the reply, or neither. Repeating the same content succeeds. */
export const writeHostReviewRule =
  ({ review, reply }: OutboundReview) =>
  (context: RuleContext): HostRuleResult<void> =>
    Result.gen(function* () {
      const { account, now } = context.snapshot
      const order = yield* requireRemoteOrder(context)
      if (!CHANNEL_PROFILES[account.channel_type].allowsHostReviews) {
        return yield* failRefused(`${account.channel_type} does not accept reviews from hosts`)
      }
      if (!isStayOver(order, account, now)) return yield* failRefused("the stay is not over")
      const { guest_review, host_review, host_reply } = context.review?.said ?? {}
      const side = review === null ? undefined : toHostReviewSide(review, now)
      if (side !== undefined && host_review && !isSameReview(side, host_review)) {
        return yield* failRefused("the host has already reviewed the stay")
      }
      if (reply !== null && !guest_review) return yield* failRefused("the guest has written no review")
      if (reply !== null && host_reply && host_reply.content !== reply) {
        return yield* failRefused("the host has already replied")
      }
      const parts = {
        ...(side === undefined || host_review ? {} : { host_review: side }),
        ...(reply === null || host_reply ? {} : { host_reply: { content: reply, created_at: formatUtcInstant(now) } })
      }
      if (Object.keys(parts).length === 0) return { answer: undefined }
      const after = mergeReview(order, context.review, parts)
      return {
        write: { reviews: [after], outboxEvents: [toReviewOutboxEvent(after, computeHostActionDueTime(now))] },
        answer: undefined
      }
    })
