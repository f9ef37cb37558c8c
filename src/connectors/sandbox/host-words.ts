import { Result } from "effect"
import { instantText } from "../../contract/time.ts"
import type {
  MessageTaken,
  MessageThere,
  OfferMade,
  OfferThere,
  ReviewThere
} from "../../domain/channels/port/connector.ts"
import { ChannelRefused } from "../../domain/channels/port/errors.ts"
import { SANDBOX_MESSAGES, SANDBOX_OFFERS } from "../../platform/limits.ts"
import { majorOf, unitsOfNumber } from "./amounts.ts"
import { type Becomes, type Found, messageWord, offerWord, reviewWord } from "./changing.ts"
import { DIFFERENCES } from "./channels.ts"
import { saidLater } from "./due.ts"
import { listingIn, orderIn, refused } from "./host-acts.ts"
import { newOffer, offerWith, standsAt } from "./offers.ts"
import { pricedRoom, type RoomAsked, roomName } from "./order.ts"
import { hostSide, isOver, reviewWith, saysSame } from "./reviews.ts"
import type { Listing, Offer, Thread } from "./rows.ts"
import { type Refusal, takeOffered } from "./scene.ts"
import { withMessage } from "./threads.ts"

// What the host says to guests and of them by the service, and what becomes of it: pure rules over what was read.

type Answered<A> = Result.Result<Becomes<A>, ChannelRefused>

const threadIn = ({ thread }: Found): Result.Result<Thread, ChannelRefused> =>
  thread === undefined ? refused("there is no such thread") : Result.succeed(thread)

/** A channel that keeps our name of a message knows it again; any other is not told twice what may be there. */
export const sending =
  (sent: MessageThere) =>
  (found: Found): Answered<MessageTaken> =>
    Result.gen(function* () {
      const { account, now } = found.scene
      const { knowsMessages } = DIFFERENCES[account.channel_type]
      if (sent.again && !knowsMessages) return { answer: { outcome: "unknown" } }
      if (found.message !== undefined) return { answer: takenAs(found.message.said.message_id) }
      const before = yield* threadIn(found)
      if (before.messages >= SANDBOX_MESSAGES)
        return yield* refused(`a thread has at most ${SANDBOX_MESSAGES} messages`)
      const sentAs = knowsMessages ? sent.messageId : undefined
      const { thread: after, message } = withMessage(
        before,
        { sender: "host", text: sent.text, attachmentUrl: sent.imageUrl, sentAs },
        now
      )
      const words = [messageWord(message, saidLater(now))]
      const writing = { threads: [{ before, after }], messages: [message], words }
      return { writing, answer: takenAs(message.said.message_id) }
    })

const takenAs = (channelMessageId: string): MessageTaken => ({ outcome: "sent", channelMessageId })

const madeOf = ({ said }: Offer): OfferMade => ({
  offerId: said.offer_id,
  price: said.price,
  currency: said.currency,
  createdAt: said.created_at,
  expiresAt: said.expires_at
})

/** In the words of a channel, which know nothing of our fields. */
const inItsWords = ({ message }: Refusal): ChannelRefused =>
  new ChannelRefused({ reason: message.replace(/^listing_id: /, "").replace(/\.$/, "") })

const roomMeant = (offered: OfferThere): RoomAsked => ({
  listing_id: offered.listingId,
  check_in_date: offered.checkInDate,
  check_out_date: offered.checkOutDate,
  adults: offered.numberOfAdults,
  children: offered.numberOfChildren
})

/** What the offer costs: a price of the host's own, or the standard one. */
const priceOf = (
  { scene }: Found,
  offered: OfferThere,
  listing: Listing,
  asked: RoomAsked
): Result.Result<number, ChannelRefused> => {
  const { account, days } = scene
  if (offered.offerType === "preapproval") {
    const known = days.get(listing.listing_id) ?? new Map()
    return Result.succeed(pricedRoom(account.channel_type, listing, known, asked, roomName(1)).rate)
  }
  const units = offered.price === null ? undefined : unitsOfNumber(offered.price, listing.currency)
  return units === undefined || units <= 0n
    ? refused(`${offered.price} is not a valid price in ${listing.currency}`)
    : Result.succeed(majorOf(units, listing.currency))
}

/** One reference is one offer, however often it is asked for. */
export const offering =
  (offered: OfferThere, offerId: string) =>
  (found: Found): Answered<OfferMade> =>
    Result.gen(function* () {
      if (found.offer !== undefined) return { answer: madeOf(found.offer) }
      const { account, now } = found.scene
      if (!DIFFERENCES[account.channel_type].offers.includes(offered.offerType)) {
        return yield* refused(`${account.channel_type} does not support such offers`)
      }
      const before = yield* threadIn(found)
      if (before.offers >= SANDBOX_OFFERS) return yield* refused(`a thread has at most ${SANDBOX_OFFERS} offers`)
      const listing = yield* listingIn(found, offered.listingId)
      if (offered.currency !== null && offered.currency !== listing.currency) {
        const reason = `the listing is sold in ${listing.currency}`
        return yield* Result.fail(new ChannelRefused({ field: "currency", reason }))
      }
      const { currency } = listing
      const asked = roomMeant(offered)
      yield* Result.mapError(takeOffered(found.scene, asked), inItsWords)
      const price = yield* priceOf(found, offered, listing, asked)
      const offer = newOffer(offerId, offered, { price, currency }, now)
      const after = { ...before, offers: before.offers + 1 }
      const words = [offerWord(offer, saidLater(now))]
      return { writing: { threads: [{ before, after }], offers: [offer], words }, answer: madeOf(offer) }
    })

/** One that is withdrawn already stays so. */
export const withdrawing =
  (threadId: string) =>
  (found: Found): Answered<void> =>
    Result.gen(function* () {
      const thread = yield* threadIn(found)
      const { offer } = found
      if (offer === undefined || offer.thread_id !== threadId) return yield* refused("there is no such offer")
      const status = standsAt(offer, found.scene.now)
      if (status === "withdrawn") return { answer: undefined }
      if (status !== "active") return yield* refused(`the offer is ${status}`)
      const after = offerWith(offer, "withdrawn")
      const words = [offerWord(after, saidLater(found.scene.now))]
      return { writing: { threads: [{ before: thread, after: thread }], offers: [after], words }, answer: undefined }
    })

/** Both parts or none; what is there already is taken again if it says the same. */
export const hostReviewing =
  ({ review, reply }: ReviewThere) =>
  (found: Found): Answered<void> =>
    Result.gen(function* () {
      const { account, now } = found.scene
      const order = yield* orderIn(found)
      if (!DIFFERENCES[account.channel_type].hostsReview) {
        return yield* refused(`${account.channel_type} does not accept reviews from hosts`)
      }
      if (!isOver(order, account, now)) return yield* refused("the stay is not over")
      const { guest_review, host_review, host_reply } = found.review?.said ?? {}
      const side = review === null ? undefined : hostSide(review, now)
      if (side !== undefined && host_review && !saysSame(side, host_review)) {
        return yield* refused("the host has already reviewed the stay")
      }
      if (reply !== null && !guest_review) return yield* refused("the guest has written no review")
      if (reply !== null && host_reply && host_reply.content !== reply) {
        return yield* refused("the host has already replied")
      }
      const parts = {
        ...(side === undefined || host_review ? {} : { host_review: side }),
        ...(reply === null || host_reply ? {} : { host_reply: { content: reply, created_at: instantText(now) } })
      }
      if (Object.keys(parts).length === 0) return { answer: undefined }
      const after = reviewWith(order, found.review, parts)
      return { writing: { reviews: [after], words: [reviewWord(after, saidLater(now))] }, answer: undefined }
    })
