import { Result } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../../../contract/errors.ts"
import { toDecimalText } from "../../../../contract/money.ts"
import type { StayDates } from "../../../bookings/reservations/rules/nights.ts"
import { validateStayDates } from "../../../bookings/reservations/rules/stay-validation.ts"
import type { OutboundOffer } from "../../../channels/port/connector.ts"

const OFFER_CHANNELS: ReadonlySet<string> = new Set(["airbnb", "booking_site"])

export const checkOffersSupported = (channelType: string): Result.Result<void, ValidationFailed> =>
  OFFER_CHANNELS.has(channelType) ? Result.void : Result.fail(offersNotSupportedError)

export const checkPreapprovalsSupported = (channelType: string): Result.Result<void, ValidationFailed> =>
  channelType === "airbnb" ? Result.void : Result.fail(preapprovalsNotSupportedError)

const offersNotSupportedError = new ValidationFailed({
  message: "conversation_id: offers can only be sent to guests of airbnb and of the booking site."
})
const preapprovalsNotSupportedError = new ValidationFailed({
  message: "conversation_id: only inquiries of airbnb can be pre-approved."
})

export const checkOfferDates = (dates: StayDates, today: string): Result.Result<StayDates, ValidationFailed> =>
  dates.check_in_date < today
    ? Result.fail(new ValidationFailed({ message: "check_in_date: must be today or later." }))
    : validateStayDates(dates)

interface OfferPreconditions {
  /** Null if the channel account has no such listing. */
  readonly listing_currency: string | null
  readonly nights_taken: boolean
}

export const checkBookable = (
  { listing_currency, nights_taken }: OfferPreconditions,
  field: string
): Result.Result<string, NotFound | Conflict> => {
  if (listing_currency === null) {
    return Result.fail(new NotFound({ message: `${field}: the conversation's account has no such listing.` }))
  }
  return nights_taken
    ? Result.fail(new Conflict({ message: `${field}: not all nights from check-in to check-out are free.` }))
    : Result.succeed(listing_currency)
}

interface PriceRequest {
  readonly price: number
  readonly currency?: string
  readonly rate_plan_id?: string
}

/** A null currency means the listing's currency. */
type OfferPrice = Pick<OutboundOffer, "price" | "currency" | "ratePlanId">

export const toOfferPrice = (channelType: string, request: PriceRequest): Result.Result<OfferPrice, BadRequest> => {
  const { price, currency, rate_plan_id } = request
  if (channelType !== "booking_site") return Result.succeed({ price, currency: null, ratePlanId: null })
  if (rate_plan_id === undefined) return failMissingField("rate_plan_id")
  return currency === undefined
    ? failMissingField("currency")
    : Result.succeed({ price, currency, ratePlanId: rate_plan_id })
}

const failMissingField = (field: string) =>
  Result.fail(new BadRequest({ message: `${field}: is required in a conversation of the booking site.` }))

export const checkPriceDecimals = (price: number, currency: string): Result.Result<void, ValidationFailed> =>
  Result.map(toDecimalText("price", price, currency), () => undefined)

interface Inquiry extends StayDates {
  readonly listing_id: string
  readonly number_of_adults: number
  readonly number_of_children: number
  readonly number_of_infants: number
  readonly number_of_pets: number
}

export const checkInquiryOpen = (inquiry: Inquiry | null, today: string): Result.Result<Inquiry, ValidationFailed> => {
  if (inquiry === null) return Result.fail(noInquiryError)
  return inquiry.check_in_date < today ? Result.fail(inquiryHasBegunError) : Result.succeed(inquiry)
}

const noInquiryError = new ValidationFailed({ message: "conversation_id: the guest has no open inquiry." })
const inquiryHasBegunError = new ValidationFailed({
  message: "conversation_id: the dates of the inquiry have already begun."
})
