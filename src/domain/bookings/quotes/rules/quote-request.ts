import { Result } from "effect"
import { BadRequest, ValidationFailed } from "../../../../contract/errors.ts"
import { addDays, dateInZone, daysInRange } from "../../../../contract/time.ts"
import { AVAILABILITY_END_DAYS, AVAILABILITY_START_DAYS, STAY_NIGHTS } from "../../../../platform/limits.ts"
import { listDates } from "../../../calendars/availability/rules.ts"
import type { create_quote } from "../contract.ts"

export interface StayRequest {
  readonly check_in_date: string
  readonly check_out_date: string
  readonly number_of_guests: number
  /** All dates from `check_in_date` to the day before `check_out_date`. */
  readonly nights: ReadonlyArray<string>
  readonly timeZone: string
  readonly now: Date
}

type QuotePayload = typeof create_quote.payloadSchema.Type

type QuoteSubject = { readonly property_id: number } | { readonly channel_type: string; readonly listing_id: string }

/** Fails with 400 unless the call names either a property or a listing. */
export const toQuoteSubject = ({
  property_id,
  channel_type,
  listing_id
}: QuotePayload): Result.Result<QuoteSubject, BadRequest> => {
  if (property_id !== undefined) {
    return channel_type === undefined && listing_id === undefined
      ? Result.succeed({ property_id })
      : failBadRequest("property_id: must not be sent with channel_type or listing_id.")
  }
  if (channel_type === undefined && listing_id === undefined) {
    return failBadRequest("property_id: is required, unless channel_type and listing_id are sent.")
  }
  if (channel_type === undefined) return failBadRequest("channel_type: is required with listing_id.")
  if (listing_id === undefined) return failBadRequest("listing_id: is required with channel_type.")
  return Result.succeed({ channel_type, listing_id })
}

const failBadRequest = (message: string) => Result.fail(new BadRequest({ message }))

const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))

/** Fails with 422 if the stay has no night or too many, or is too far from today. */
export const toStayRequest = (
  { check_in_date, check_out_date, number_of_guests }: QuotePayload,
  { timeZone, now }: { readonly timeZone: string; readonly now: Date }
): Result.Result<StayRequest, ValidationFailed> => {
  const nightCount = daysInRange(check_in_date, check_out_date) - 1
  if (nightCount < 1) return failValidation("check_out_date: must be after check_in_date.")
  if (nightCount > STAY_NIGHTS) {
    return failValidation(`check_out_date: must be at most ${STAY_NIGHTS} nights after check_in_date.`)
  }
  const today = dateInZone(now, timeZone)
  if (check_in_date < addDays(today, -AVAILABILITY_START_DAYS)) {
    return failValidation(`check_in_date: must be at most ${AVAILABILITY_START_DAYS} days before today.`)
  }
  if (check_out_date > addDays(today, AVAILABILITY_END_DAYS)) {
    return failValidation(`check_out_date: must be at most ${AVAILABILITY_END_DAYS} days after today.`)
  }
  const nights = listDates(check_in_date, addDays(check_out_date, -1))
  return Result.succeed({ check_in_date, check_out_date, number_of_guests, nights, timeZone, now })
}
