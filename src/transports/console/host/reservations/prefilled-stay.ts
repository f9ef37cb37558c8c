import { isCalendarDate } from "../../../../contract/fields.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import type { FailedSubmission } from "../host-page.ts"

export interface PrefilledStay {
  readonly property: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly guests: string
  /** Undefined unless both dates are valid and in order. */
  readonly nights: { readonly from: string; readonly before: string } | undefined
  /** Quote that sets the property, dates, guests and price of the reservation, or an empty text. */
  readonly quote_id: string
}

const toNights = (from: string, before: string): PrefilledStay["nights"] =>
  isCalendarDate(from) && isCalendarDate(before) && from < before ? { from, before } : undefined

export const readFormStay = (form: SubmittedForm): PrefilledStay => {
  const [check_in_date, check_out_date] = [form.get("check_in_date") ?? "", form.get("check_out_date") ?? ""]
  return {
    ...{ property: form.get("property_id") ?? "", check_in_date, check_out_date },
    guests: form.get("number_of_guests") ?? "",
    nights: toNights(check_in_date, check_out_date),
    quote_id: form.get("quote_id") ?? ""
  }
}

/** Reads a form that came back, or the parameters of `newReservationUrl`. */
export const readPrefilledStay = (
  { query }: SignedInVisit,
  failedSubmission: FailedSubmission | undefined
): PrefilledStay => {
  if (failedSubmission !== undefined) return readFormStay(failedSubmission.form)
  const [check_in_date, check_out_date] = [query.get("check_in_date") ?? "", query.get("check_out_date") ?? ""]
  return {
    ...{ property: query.get("property") ?? "", check_in_date, check_out_date },
    ...{ guests: "", nights: toNights(check_in_date, check_out_date), quote_id: "" }
  }
}
