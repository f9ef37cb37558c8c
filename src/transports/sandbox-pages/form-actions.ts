import { Effect } from "effect"
import type { Marketplace, MarketplaceError, OrderActionResult } from "../../connectors/sandbox/Marketplace.ts"
import {
  decodeBookingRequest,
  decodeChangeRequest,
  decodeFailureModeRequest,
  decodeInquiryRequest,
  decodeListingRequest,
  decodeMessageRequest,
  decodeMoneyRequest,
  decodeOfferRequest,
  decodeOrderRequest,
  decodeReviewRequest
} from "../../connectors/sandbox/marketplace-requests.ts"
import type { SandboxForm } from "./submitted-form.ts"

type SandboxFormAction = (form: SandboxForm) => Effect.Effect<string, MarketplaceError>

const ingestText = (ingestResult: string | null): string => {
  if (ingestResult === null) return "the service has not received it yet"
  return ingestResult === "applied" ? "the service applied it" : `the service: ${ingestResult}`
}

const orderText =
  (change: string) =>
  ({ order_id, status, total, currency, paid, heard }: OrderActionResult): string =>
    `Order ${order_id} ${change}: ${status}, ${total} ${currency}, ${paid} paid; ${ingestText(heard)}.`

const messageText = ({ thread_id, heard }: { readonly thread_id: string; readonly heard: string | null }): string =>
  `Written in thread ${thread_id}; ${ingestText(heard)}.`

const makeAction =
  <Input, Result>(
    parse: (form: unknown) => Effect.Effect<Input, MarketplaceError>,
    run: (request: Input) => Effect.Effect<Result, MarketplaceError>,
    describe: (result: Result) => string
  ): SandboxFormAction =>
  (form) =>
    Effect.map(Effect.flatMap(parse(form), run), describe)

/**
 * Returns the actions by the last path segment of the form's URL. A form that is posted to the page itself books an
 * order.
 */
export const makeFormActions = (market: Marketplace["Service"]): ReadonlyMap<string, SandboxFormAction> => {
  const book = makeAction(decodeBookingRequest, market.bookOrder, orderText("is booked"))
  return new Map([
    ["", book],
    ["book", book],
    ["change", makeAction(decodeChangeRequest, market.changeOrder, orderText("is changed"))],
    ["pay", makeAction(decodeMoneyRequest, market.payOrder, orderText("is paid"))],
    ["refund", makeAction(decodeMoneyRequest, market.refundOrder, orderText("is paid back"))],
    ["cancel", makeAction(decodeOrderRequest, market.cancelOrder, orderText("is cancelled"))],
    ["time-out", makeAction(decodeOrderRequest, market.timeOutOrder, orderText("has timed out"))],
    ["inquire", makeAction(decodeInquiryRequest, market.sendInquiry, messageText)],
    ["write", makeAction(decodeMessageRequest, market.writeMessage, messageText)],
    ["accept-offer", makeAction(decodeOfferRequest, market.acceptOffer, orderText("is booked"))],
    [
      "decline-offer",
      makeAction(
        decodeOfferRequest,
        market.declineOffer,
        ({ offer_id, status, heard }) => `Offer ${offer_id}: ${status}; ${ingestText(heard)}.`
      )
    ],
    [
      "review",
      makeAction(
        decodeReviewRequest,
        market.writeReview,
        ({ order_id, score, heard }) => `The guest of order ${order_id} gives it ${score} of 5; ${ingestText(heard)}.`
      )
    ],
    [
      "mood",
      makeAction(
        decodeFailureModeRequest,
        market.setFailureMode,
        ({ channel_account_id, mood }) => `Account ${channel_account_id} now: ${mood}.`
      )
    ],
    [
      "open",
      makeAction(
        decodeListingRequest,
        market.openListing,
        ({ channel_type, listing_id, heard }) =>
          `Listing ${listing_id} is open on ${channel_type}; ${ingestText(heard)}.`
      )
    ]
  ])
}
