import { Context, DateTime, Effect, Layer } from "effect"
import { BadRequest, type Conflict, NotFound } from "../../contract/errors.ts"
import { SANDBOX_ORDERS_MAX } from "../../platform/limits.ts"
import { makeAccountLookup } from "./account-lookup.ts"
import {
  makeGuestActionRunner,
  makePrepareNewThread,
  toOrderScope,
  type WithIngestOutcome
} from "./guest-action-runner.ts"
import { makeConversationActions } from "./guest-conversation-actions.ts"
import type { SandboxOfferView } from "./guest-offer-rules.ts"
import {
  bookOrderRule,
  cancelOrderRule,
  changeOrderRule,
  moveMoneyRule,
  timeOutOrderRule
} from "./guest-order-rules.ts"
import type { SandboxReviewView } from "./guest-review-rules.ts"
import type { SandboxMessageView } from "./guest-thread-rules.ts"
import { type AccountHistory, makeImportHistory } from "./history-import.ts"
import { generateOrderId, generatePaymentId } from "./id-generation.ts"
import { makeOpenListing, type OpenedListing } from "./listing-opening.ts"
import {
  DEFAULT_ADULTS,
  decodeBookingRequest,
  decodeChangeRequest,
  decodeFailureModeRequest,
  decodeMoneyRequest,
  decodeOrderRequest,
  type FailureModeRequest,
  parseListingIds,
  type SandboxBookingRequest,
  type SandboxChangeRequest,
  type SandboxInquiryRequest,
  type SandboxListingRequest,
  type SandboxMessageRequest,
  type SandboxMoneyRequest,
  type SandboxOfferRequest,
  type SandboxOrderRequest,
  type SandboxReviewRequest,
  toGuest
} from "./marketplace-requests.ts"
import type { RuleError } from "./marketplace-snapshot.ts"
import type { RoomRequest } from "./order-transitions.ts"
import { type SandboxOrderView, toOrderLimitError } from "./rule-results.ts"
import type { MarketplaceRule } from "./rule-runner.ts"
import { SandboxAccounts } from "./SandboxAccounts.ts"
import { SandboxOutbox } from "./SandboxOutbox.ts"
import { SandboxRepository } from "./SandboxRepository.ts"
import { toGuestKey } from "./threads.ts"

export type MarketplaceError = RuleError | BadRequest

export type OrderActionResult = WithIngestOutcome<SandboxOrderView>

type MarketplaceAction<Input, View = SandboxOrderView> = (
  input: Input
) => Effect.Effect<WithIngestOutcome<View>, MarketplaceError>

/** Actions of the simulated channels and their guests. Each change commits together with its channel event. */
export class Marketplace extends Context.Service<
  Marketplace,
  {
    readonly bookOrder: MarketplaceAction<typeof SandboxBookingRequest.Encoded>
    readonly changeOrder: MarketplaceAction<typeof SandboxChangeRequest.Encoded>
    readonly payOrder: MarketplaceAction<typeof SandboxMoneyRequest.Encoded>
    readonly refundOrder: MarketplaceAction<typeof SandboxMoneyRequest.Encoded>
    readonly cancelOrder: MarketplaceAction<typeof SandboxOrderRequest.Encoded>
    readonly timeOutOrder: MarketplaceAction<typeof SandboxOrderRequest.Encoded>
    readonly sendInquiry: MarketplaceAction<typeof SandboxInquiryRequest.Encoded, SandboxMessageView>
    readonly writeMessage: MarketplaceAction<typeof SandboxMessageRequest.Encoded, SandboxMessageView>
    readonly acceptOffer: MarketplaceAction<typeof SandboxOfferRequest.Encoded>
    readonly declineOffer: MarketplaceAction<typeof SandboxOfferRequest.Encoded, SandboxOfferView>
    readonly writeReview: MarketplaceAction<typeof SandboxReviewRequest.Encoded, SandboxReviewView>
    readonly openListing: (
      input: typeof SandboxListingRequest.Encoded
    ) => Effect.Effect<OpenedListing, MarketplaceError>
    /** Imports orders, threads and reviews without checking booking rules. */
    readonly importHistory: (accountId: number, history: AccountHistory) => Effect.Effect<void, NotFound | Conflict>
    readonly setFailureMode: (
      input: typeof FailureModeRequest.Encoded
    ) => Effect.Effect<typeof FailureModeRequest.Type, MarketplaceError>
  }
>()("latchkey/connectors/sandbox/Marketplace") {
  static readonly layer = Layer.effect(
    Marketplace,
    Effect.gen(function* () {
      const { findAccount, runAction, runOrderAction } = yield* makeOrderActions
      const makeMoneyAction = (kind: "payment" | "refund") =>
        Effect.fnUntraced(function* (input: typeof SandboxMoneyRequest.Encoded) {
          const request = yield* decodeMoneyRequest(input)
          const account = yield* findAccount(request)
          const paymentId = yield* generatePaymentId
          const rule = moveMoneyRule(kind, { paymentId, amount: request.amount })
          return yield* runAction(account, { orderId: request.order_id }, rule, () => ({ kind, subject: paymentId }))
        })
      const makeOrderAction = (rule: MarketplaceRule<SandboxOrderView, RuleError>) =>
        Effect.fnUntraced(function* (input: typeof SandboxOrderRequest.Encoded) {
          const request = yield* decodeOrderRequest(input)
          return yield* runOrderAction(yield* findAccount(request), { orderId: request.order_id }, rule)
        })
      return {
        bookOrder: yield* makeBookOrder,
        changeOrder: Effect.fnUntraced(function* (input) {
          const request = yield* decodeChangeRequest(input)
          if (CHANGE_FIELDS.every((name) => request[name] === undefined)) return yield* noChangeRequestedError
          const listings = request.listing_id === undefined ? undefined : parseListingIds(request.listing_id)
          const change = {
            checkIn: request.check_in_date,
            checkOut: request.check_out_date,
            listings,
            adults: request.adults
          }
          const days = [request.check_in_date, request.check_out_date].filter((day) => day !== undefined)
          const scope = toOrderScope(request.order_id, listings ?? [], days)
          return yield* runOrderAction(yield* findAccount(request), scope, changeOrderRule(change))
        }),
        payOrder: makeMoneyAction("payment"),
        refundOrder: makeMoneyAction("refund"),
        cancelOrder: makeOrderAction(cancelOrderRule),
        timeOutOrder: makeOrderAction(timeOutOrderRule),
        ...(yield* makeConversationActions),
        openListing: yield* makeOpenListing,
        importHistory: yield* makeImportHistory,
        setFailureMode: yield* makeSetFailureMode
      }
    })
  )
}

const CHANGE_FIELDS = ["check_in_date", "check_out_date", "listing_id", "adults"] as const

const noChangeRequestedError = new BadRequest({
  message: `Send at least one of these fields: ${CHANGE_FIELDS.join(", ")}.`
})

const makeOrderActions = Effect.gen(function* () {
  const accountLookup = yield* makeAccountLookup
  return {
    findAccount: (request: SandboxOrderRequest) => accountLookup.byOrder(request.order_id, request),
    ...(yield* makeGuestActionRunner)
  }
})

const makeBookOrder = Effect.gen(function* () {
  const accountLookup = yield* makeAccountLookup
  const repository = yield* SandboxRepository
  const prepareNewThread = yield* makePrepareNewThread
  const { runOrderAction } = yield* makeGuestActionRunner
  return Effect.fnUntraced(function* (input: typeof SandboxBookingRequest.Encoded) {
    const request = yield* decodeBookingRequest(input)
    const listingIds = parseListingIds(request.listing_id)
    const [first] = listingIds
    if (first === undefined) return yield* new BadRequest({ message: "listing_id: is required." })
    const account = yield* accountLookup.byListing(first, request)
    if ((yield* repository.countOrders(account)) >= SANDBOX_ORDERS_MAX) return yield* toOrderLimitError("listing_id")
    const orderId = yield* generateOrderId(account.channel_type)
    const newThread = yield* prepareNewThread(account)
    const booker = toGuest(request)
    const rule = bookOrderRule({
      orderId,
      rooms: toRoomRequests(request, listingIds),
      booker,
      remarks: request.remarks,
      ...newThread
    })
    const scope = toOrderScope(orderId, listingIds, [request.check_in_date, request.check_out_date])
    return yield* runOrderAction(account, { ...scope, thread: { guest: toGuestKey(booker) } }, rule)
  })
})

const toRoomRequests = (
  request: SandboxBookingRequest,
  listingIds: ReadonlyArray<string>
): ReadonlyArray<RoomRequest> =>
  listingIds.flatMap((listing_id) =>
    Array.from({ length: request.rooms ?? 1 }, () => ({
      listing_id,
      check_in_date: request.check_in_date,
      check_out_date: request.check_out_date,
      adults: request.adults ?? DEFAULT_ADULTS,
      children: request.children ?? 0
    }))
  )

const DEFAULT_DELAY_MS = 5_000
const DEFAULT_REFUSAL_REASON = "the channel rejects it"

const makeSetFailureMode = Effect.gen(function* () {
  const accountLookup = yield* makeAccountLookup
  const accounts = yield* SandboxAccounts
  const outbox = yield* SandboxOutbox
  return Effect.fnUntraced(function* (input: typeof FailureModeRequest.Encoded) {
    const request = yield* decodeFailureModeRequest(input)
    const account = yield* accountLookup.byAccountId(request.channel_account_id)
    if (account === undefined) {
      return yield* new NotFound({ message: "channel_account_id: the sandbox has no such account." })
    }
    const failureMode = {
      mood: request.mood,
      mood_ms: request.ms ?? DEFAULT_DELAY_MS,
      mood_reason: request.reason ?? DEFAULT_REFUSAL_REASON
    }
    yield* accounts.saveFailureMode(account, failureMode, yield* DateTime.nowAsDate)
    yield* outbox.flush(account)
    return { ...request, ms: failureMode.mood_ms, reason: failureMode.mood_reason }
  })
})
