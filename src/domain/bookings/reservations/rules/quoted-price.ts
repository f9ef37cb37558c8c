import { Result } from "effect"
import { BadRequest, Conflict, NotFound, ValidationFailed } from "../../../../contract/errors.ts"
import type { QuoteTerms } from "../../quotes/contract.ts"
import type { StoredQuote } from "../../quotes/quote-use.ts"
import { toAmount, toUnits } from "../../quotes/rules/stay-price.ts"
import type { NewStay } from "../../stays/stay.ts"
import type { create_reservation } from "../contract.ts"

type Payload = typeof create_reservation.payloadSchema.Type

export interface ReservationPrice {
  readonly currency: string
  readonly rate_amount: number
  readonly commission_amount: number
  readonly number_of_guests: number
  /** The part of `rate_amount` that is paid for the nights. */
  readonly accommodation_amount: number
  readonly rate_details: NewStay["rate_details"]
}

type PriceResult = Result.Result<ReservationPrice, BadRequest | Conflict | NotFound | ValidationFailed>

const QUOTED_COMMISSION = 0
const DEFAULT_GUESTS = 1

/** Returns the price that the caller sent. The contract requires its fields without `quote_id`. */
export const toReservationPrice = ({
  currency,
  rate_amount,
  commission_amount,
  number_of_guests = DEFAULT_GUESTS
}: Payload): PriceResult => {
  if (currency === undefined) return failMissing("currency")
  if (rate_amount === undefined) return failMissing("rate_amount")
  if (commission_amount === undefined) return failMissing("commission_amount")
  // The whole rate of an order without a quote is accommodation revenue.
  const parts = { accommodation_amount: rate_amount, rate_details: null }
  return Result.succeed({ currency, rate_amount, commission_amount, number_of_guests, ...parts })
}

const failMissing = (field: string) => Result.fail(new BadRequest({ message: `${field}: is required.` }))

const toParts = ({
  currency,
  nights,
  fees,
  taxes
}: QuoteTerms): Pick<ReservationPrice, "accommodation_amount" | "rate_details"> => {
  const units = nights.reduce((sum, { price }) => sum + toUnits(price ?? 0, currency), 0n)
  const accommodation_amount = toAmount(units, currency)
  if (fees.length === 0 && taxes.length === 0) return { accommodation_amount, rate_details: null }
  const rate_details = [
    { type: "ACCOMMODATION", description: "Nights", amount: accommodation_amount },
    ...fees.map(({ name, amount }) => ({ type: "FEE", description: name, amount })),
    ...taxes.map(({ name, amount }) => ({ type: "TAXES", description: name, amount }))
  ]
  return { accommodation_amount, rate_details }
}

/**
 * Returns the price of the quote. Fails with
 * - 404 if there is no quote
 * - 409 if the quote is used, expired at `now`, or not bookable
 * - 422 if a field of the call differs from the quote
 */
export const toQuotedPrice = (payload: Payload, quote: StoredQuote | undefined, now: Date): PriceResult => {
  if (quote === undefined) return Result.fail(new NotFound({ message: "quote_id: no such quote." }))
  const { terms, number_of_guests: quotedGuests } = quote
  if (quote.used_at !== null) return failConflict("has been used for a reservation")
  if (quote.expires_at <= now) return failConflict("has expired")
  const [violation] = terms.violations
  if (violation !== undefined || terms.total === null) {
    const reason = violation === undefined ? "" : ` (${violation.rule})`
    return failConflict(`does not allow the stay${reason}`)
  }
  const price = { currency: terms.currency, rate_amount: terms.total, commission_amount: QUOTED_COMMISSION }
  const quotedFields: Readonly<Record<string, string | number | null>> = {
    property_id: terms.property_id,
    check_in_date: quote.check_in_date,
    check_out_date: quote.check_out_date,
    ...price
  }
  const sentFields: Readonly<Record<string, unknown>> = payload
  const differingField = Object.keys(quotedFields).find(
    (name) => sentFields[name] !== undefined && sentFields[name] !== quotedFields[name]
  )
  if (differingField !== undefined) {
    return failValidation(`${differingField}: must be ${quotedFields[differingField]}, as in the quote.`)
  }
  const number_of_guests = payload.number_of_guests ?? quotedGuests
  return number_of_guests > quotedGuests
    ? failValidation(`number_of_guests: must be at most ${quotedGuests}, as in the quote.`)
    : Result.succeed({ ...price, number_of_guests, ...toParts(terms) })
}

const failConflict = (reason: string) =>
  Result.fail(new Conflict({ message: `quote_id: the quote ${reason}. Create another quote.` }))

const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))
