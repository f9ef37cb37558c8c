import { Result } from "effect"
import { BadRequest, ValidationFailed } from "../../../../contract/errors.ts"
import { addDays, dateInZone, daysInRange } from "../../../../contract/time.ts"
import { AVAILABILITY_END_DAYS, AVAILABILITY_START_DAYS, STAY_NIGHTS } from "../../../../platform/limits.ts"
import { listDates } from "../../../calendars/availability/rules.ts"
import type { create_quote } from "../contract.ts"
import type { StayRequest } from "./listing-violations.ts"

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
      : failUnreadable("property_id: must not be sent with channel_type or listing_id.")
  }
  if (channel_type === undefined && listing_id === undefined) {
    return failUnreadable("property_id: is required, unless channel_type and listing_id are sent.")
  }
  if (channel_type === undefined) return failUnreadable("channel_type: is required with listing_id.")
  if (listing_id === undefined) return failUnreadable("listing_id: is required with channel_type.")
  return Result.succeed({ channel_type, listing_id })
}

const failUnreadable = (message: string) => Result.fail(new BadRequest({ message }))

const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))

export const toStayRequest = (
  { check_in_date, check_out_date, number_of_guests }: QuotePayload,
  { timeZone, now }: { readonly timeZone: string; readonly now: Date }
): Result.Result<StayRequest, ValidationFailed> => {
  const nightCount = daysInRange(check_in_date, check_out_date) - 1
  if (nightCount < 1) return failValidation("check_out_date: must be after check_in_date.")
  if (nightCount > STAY_NIGHTS) {
    return failValidation(`check_out_date: must be within ${STAY_NIGHTS} nights of check_in_date.`)
  }
  const today = dateInZone(now, timeZone)
  if (check_in_date < addDays(today, -AVAILABILITY_START_DAYS)) {
    return failValidation(`check_in_date: must be within ${AVAILABILITY_START_DAYS} days of today.`)
  }
  if (check_out_date > addDays(today, AVAILABILITY_END_DAYS)) {
    return failValidation(`check_out_date: must be within ${AVAILABILITY_END_DAYS} days of today.`)
  }
  const nights = listDates(check_in_date, addDays(check_out_date, -1))
  return Result.succeed({ check_in_date, check_out_date, number_of_guests, nights, timeZone, now })
}
