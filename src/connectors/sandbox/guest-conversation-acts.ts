import { Effect } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { SANDBOX_ORDERS } from "../../platform/limits.ts"
import { makeAccountLookup } from "./account-lookup.ts"
import { makeGuestActRunner, makePrepareNewThread } from "./guest-act-runner.ts"
import { acceptOfferRule, declineOfferRule } from "./guest-offer-rules.ts"
import { writeGuestReviewRule } from "./guest-review-rules.ts"
import { inquireRule, type SandboxMessageView, writeMessageRule, writeOrderMessageRule } from "./guest-thread-rules.ts"
import { generateOrderId } from "./id-generation.ts"
import {
  DEFAULT_ADULTS,
  decodeInquiryRequest,
  decodeMessageRequest,
  decodeOfferRequest,
  decodeReviewRequest,
  type SandboxInquiryRequest,
  type SandboxMessageRequest,
  type SandboxOfferRequest,
  type SandboxReviewRequest,
  toGuest,
  toSubScores
} from "./requests.ts"
import { SandboxRepository } from "./SandboxRepository.ts"
import { guestKey } from "./threads.ts"

// What guests do beside booking: they ask, write, answer offers and review.

const toMessageKey = ({ message_id }: SandboxMessageView) => ({ kind: "message", subject: message_id }) as const

const makeMessageActs = Effect.gen(function* () {
  const accountLookup = yield* makeAccountLookup
  const { moved: runAct } = yield* makeGuestActRunner
  const prepareNewThread = yield* makePrepareNewThread
  const inquire = Effect.fnUntraced(function* (input: typeof SandboxInquiryRequest.Encoded) {
    const request = yield* decodeInquiryRequest(input)
    const { listing_id, check_in_date, check_out_date } = request
    const account = yield* accountLookup.byListing(listing_id, request)
    const guest = toGuest(request)
    const adults = request.adults ?? DEFAULT_ADULTS
    const room = { listing_id, check_in_date, check_out_date, adults, children: request.children ?? 0 }
    const guestMessage = { text: request.text, attachmentUrl: undefined }
    const rule = inquireRule({ guest, room, guestMessage, ...(yield* prepareNewThread(account)) })
    return yield* runAct(account, { listings: [listing_id], thread: { guest: guestKey(guest) } }, rule, toMessageKey)
  })
  const write = Effect.fnUntraced(function* (input: typeof SandboxMessageRequest.Encoded) {
    const request = yield* decodeMessageRequest(input)
    const { thread_id: threadId, order_id: orderId } = request
    const guestMessage = { text: request.text, attachmentUrl: request.attachment_url }
    if (threadId !== undefined && orderId === undefined) {
      const account = yield* accountLookup.byThread(threadId, request)
      return yield* runAct(account, { thread: { threadId } }, writeMessageRule(guestMessage), toMessageKey)
    }
    if (orderId === undefined || threadId !== undefined) return yield* threadOrOrderRequired
    const account = yield* accountLookup.byOrder(orderId, request)
    const rule = writeOrderMessageRule(guestMessage, yield* prepareNewThread(account))
    return yield* runAct(account, { orderId, thread: "of the order" }, rule, toMessageKey)
  })
  return { inquire, write }
})

const threadOrOrderRequired = new BadRequest({ message: "thread_id, order_id: send exactly one of them." })

export const makeConversationActs = Effect.gen(function* () {
  const accountLookup = yield* makeAccountLookup
  const repository = yield* SandboxRepository
  const { moved: runAct, runOrderAct } = yield* makeGuestActRunner
  const findAccount = (request: typeof SandboxOfferRequest.Type) => accountLookup.byOffer(request.offer_id, request)
  const acceptOffer = Effect.fnUntraced(function* (input: typeof SandboxOfferRequest.Encoded) {
    const request = yield* decodeOfferRequest(input)
    const { offer_id: offerId } = request
    const account = yield* findAccount(request)
    if ((yield* repository.countOrders(account)) >= SANDBOX_ORDERS) return yield* orderLimitReached
    const orderId = yield* generateOrderId(account.channel_type)
    const scope = { orderId, thread: { offerId }, offer: { offerId } }
    return yield* runOrderAct(account, scope, acceptOfferRule(orderId))
  })
  const declineOffer = Effect.fnUntraced(function* (input: typeof SandboxOfferRequest.Encoded) {
    const request = yield* decodeOfferRequest(input)
    const { offer_id: offerId } = request
    return yield* runAct(
      yield* findAccount(request),
      { thread: { offerId }, offer: { offerId } },
      declineOfferRule,
      () => ({
        kind: "offer",
        subject: offerId
      })
    )
  })
  const review = Effect.fnUntraced(function* (input: typeof SandboxReviewRequest.Encoded) {
    const request = yield* decodeReviewRequest(input)
    const { order_id: orderId } = request
    const account = yield* accountLookup.byOrder(orderId, request)
    const rule = writeGuestReviewRule({ score: request.score, content: request.text, subScores: toSubScores(request) })
    return yield* runAct(account, { orderId, reviews: true }, rule, () => ({ kind: "review", subject: orderId }))
  })
  return { ...(yield* makeMessageActs), acceptOffer, declineOffer, review }
})

const orderLimitReached = new ValidationFailed({
  message: `offer_id: an account of the sandbox keeps at most ${SANDBOX_ORDERS} orders.`
})
