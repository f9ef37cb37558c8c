import { Effect } from "effect"
import { BadRequest } from "../../contract/errors.ts"
import { SANDBOX_ORDERS_MAX } from "../../platform/limits.ts"
import { makeAccountLookup } from "./account-lookup.ts"
import { makeGuestActionRunner, makePrepareNewThread } from "./guest-action-runner.ts"
import { acceptOfferRule, declineOfferRule } from "./guest-offer-rules.ts"
import { writeGuestReviewRule } from "./guest-review-rules.ts"
import {
  type SandboxMessageView,
  sendInquiryRule,
  writeMessageRule,
  writeOrderMessageRule
} from "./guest-thread-rules.ts"
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
} from "./marketplace-requests.ts"
import { toOrderLimitError } from "./rule-results.ts"
import { SandboxRepository } from "./SandboxRepository.ts"
import { toGuestKey } from "./threads.ts"

const toMessageEventKey = ({ message_id }: SandboxMessageView) => ({ kind: "message", subject: message_id }) as const

const makeMessageActions = Effect.gen(function* () {
  const accountLookup = yield* makeAccountLookup
  const { runAction } = yield* makeGuestActionRunner
  const prepareNewThread = yield* makePrepareNewThread
  const sendInquiry = Effect.fnUntraced(function* (input: typeof SandboxInquiryRequest.Encoded) {
    const request = yield* decodeInquiryRequest(input)
    const { listing_id, check_in_date, check_out_date } = request
    const account = yield* accountLookup.byListing(listing_id, request)
    const guest = toGuest(request)
    const adults = request.adults ?? DEFAULT_ADULTS
    const room = { listing_id, check_in_date, check_out_date, adults, children: request.children ?? 0 }
    const guestMessage = { text: request.text, attachmentUrl: undefined }
    const rule = sendInquiryRule({ guest, room, guestMessage, ...(yield* prepareNewThread(account)) })
    return yield* runAction(
      account,
      { listings: [listing_id], thread: { guest: toGuestKey(guest) } },
      rule,
      toMessageEventKey
    )
  })
  const writeMessage = Effect.fnUntraced(function* (input: typeof SandboxMessageRequest.Encoded) {
    const request = yield* decodeMessageRequest(input)
    const { thread_id: threadId, order_id: orderId } = request
    const guestMessage = { text: request.text, attachmentUrl: request.attachment_url }
    if (threadId !== undefined && orderId === undefined) {
      const account = yield* accountLookup.byThread(threadId, request)
      return yield* runAction(account, { thread: { threadId } }, writeMessageRule(guestMessage), toMessageEventKey)
    }
    if (orderId === undefined || threadId !== undefined) return yield* threadOrOrderRequiredError
    const account = yield* accountLookup.byOrder(orderId, request)
    const rule = writeOrderMessageRule(guestMessage, yield* prepareNewThread(account))
    return yield* runAction(account, { orderId, thread: "of the order" }, rule, toMessageEventKey)
  })
  return { sendInquiry, writeMessage }
})

const threadOrOrderRequiredError = new BadRequest({ message: "thread_id, order_id: send exactly one of them." })

export const makeConversationActions = Effect.gen(function* () {
  const accountLookup = yield* makeAccountLookup
  const repository = yield* SandboxRepository
  const { runAction, runOrderAction } = yield* makeGuestActionRunner
  const findAccount = (request: typeof SandboxOfferRequest.Type) => accountLookup.byOffer(request.offer_id, request)
  const acceptOffer = Effect.fnUntraced(function* (input: typeof SandboxOfferRequest.Encoded) {
    const request = yield* decodeOfferRequest(input)
    const { offer_id: offerId } = request
    const account = yield* findAccount(request)
    if ((yield* repository.countOrders(account)) >= SANDBOX_ORDERS_MAX) return yield* toOrderLimitError("offer_id")
    const orderId = yield* generateOrderId(account.channel_type)
    const scope = { orderId, thread: { offerId }, offer: { offerId } }
    return yield* runOrderAction(account, scope, acceptOfferRule(orderId))
  })
  const declineOffer = Effect.fnUntraced(function* (input: typeof SandboxOfferRequest.Encoded) {
    const request = yield* decodeOfferRequest(input)
    const { offer_id: offerId } = request
    return yield* runAction(
      yield* findAccount(request),
      { thread: { offerId }, offer: { offerId } },
      declineOfferRule,
      () => ({
        kind: "offer",
        subject: offerId
      })
    )
  })
  const writeReview = Effect.fnUntraced(function* (input: typeof SandboxReviewRequest.Encoded) {
    const request = yield* decodeReviewRequest(input)
    const { order_id: orderId } = request
    const account = yield* accountLookup.byOrder(orderId, request)
    const rule = writeGuestReviewRule({ score: request.score, content: request.text, subScores: toSubScores(request) })
    return yield* runAction(account, { orderId, includesReview: true }, rule, () => ({
      kind: "review",
      subject: orderId
    }))
  })
  return { ...(yield* makeMessageActions), acceptOffer, declineOffer, writeReview }
})
