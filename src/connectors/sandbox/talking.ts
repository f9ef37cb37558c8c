import { Effect } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { SANDBOX_ORDERS } from "../../platform/limits.ts"
import {
  guestIn,
  type InquireAsked,
  type OfferAsked,
  type ReviewAsked,
  readInquire,
  readOffer,
  readReview,
  readWrite,
  scoresIn,
  USUAL_ADULTS,
  type WriteAsked
} from "./asked.ts"
import { Books } from "./Books.ts"
import { makeFinding } from "./finding.ts"
import { makeMoving, makeNewcomer } from "./moving.ts"
import { drawOrderName } from "./names.ts"
import { accepting, decliningOffer } from "./offer-acts.ts"
import { reviewing } from "./review-acts.ts"
import { inquiring, type MessageSeen, writing, writingOfOrder } from "./thread-acts.ts"
import { guestKey } from "./threads.ts"

// What guests do beside booking: they ask, write, answer offers and review.

const asMessage = ({ message_id }: MessageSeen) => ({ kind: "message", subject: message_id }) as const

const makeWriting = Effect.gen(function* () {
  const finding = yield* makeFinding
  const { moved } = yield* makeMoving
  const newcomerAt = yield* makeNewcomer
  const inquire = Effect.fnUntraced(function* (input: typeof InquireAsked.Encoded) {
    const asked = yield* readInquire(input)
    const { listing_id, check_in_date, check_out_date } = asked
    const account = yield* finding.listing(listing_id, asked)
    const guest = guestIn(asked)
    const adults = asked.adults ?? USUAL_ADULTS
    const room = { listing_id, check_in_date, check_out_date, adults, children: asked.children ?? 0 }
    const letter = { text: asked.text, attachmentUrl: undefined }
    const rule = inquiring({ guest, room, letter, ...(yield* newcomerAt(account)) })
    return yield* moved(account, { listings: [listing_id], thread: { guest: guestKey(guest) } }, rule, asMessage)
  })
  const write = Effect.fnUntraced(function* (input: typeof WriteAsked.Encoded) {
    const asked = yield* readWrite(input)
    const { thread_id: threadId, order_id: orderId } = asked
    const letter = { text: asked.text, attachmentUrl: asked.attachment_url }
    if (threadId !== undefined && orderId === undefined) {
      const account = yield* finding.thread(threadId, asked)
      return yield* moved(account, { thread: { threadId } }, writing(letter), asMessage)
    }
    if (orderId === undefined || threadId !== undefined) return yield* oneOfThem
    const account = yield* finding.order(orderId, asked)
    const rule = writingOfOrder(letter, yield* newcomerAt(account))
    return yield* moved(account, { orderId, thread: "of the order" }, rule, asMessage)
  })
  return { inquire, write }
})

const oneOfThem = new BadRequest({ message: "thread_id, order_id: send exactly one of them." })

export const makeTalking = Effect.gen(function* () {
  const finding = yield* makeFinding
  const books = yield* Books
  const { moved, orderMoved } = yield* makeMoving
  const named = (asked: typeof OfferAsked.Type) => finding.offer(asked.offer_id, asked)
  const acceptOffer = Effect.fnUntraced(function* (input: typeof OfferAsked.Encoded) {
    const asked = yield* readOffer(input)
    const { offer_id: offerId } = asked
    const account = yield* named(asked)
    if ((yield* books.orderCount(account)) >= SANDBOX_ORDERS) return yield* noMoreOrders
    const orderId = yield* drawOrderName(account.channel_type)
    const about = { orderId, thread: { offerId }, offer: { offerId } }
    return yield* orderMoved(account, about, accepting(orderId))
  })
  const declineOffer = Effect.fnUntraced(function* (input: typeof OfferAsked.Encoded) {
    const asked = yield* readOffer(input)
    const { offer_id: offerId } = asked
    return yield* moved(yield* named(asked), { thread: { offerId }, offer: { offerId } }, decliningOffer, () => ({
      kind: "offer",
      subject: offerId
    }))
  })
  const review = Effect.fnUntraced(function* (input: typeof ReviewAsked.Encoded) {
    const asked = yield* readReview(input)
    const { order_id: orderId } = asked
    const account = yield* finding.order(orderId, asked)
    const rule = reviewing({ score: asked.score, content: asked.text, subScores: scoresIn(asked) })
    return yield* moved(account, { orderId, reviews: true }, rule, () => ({ kind: "review", subject: orderId }))
  })
  return { ...(yield* makeWriting), acceptOffer, declineOffer, review }
})

const noMoreOrders = new ValidationFailed({
  message: `offer_id: an account of the sandbox keeps at most ${SANDBOX_ORDERS} orders.`
})
