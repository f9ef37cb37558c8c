import { Result } from "effect"
import { ValidationFailed } from "../../../../contract/errors.ts"
import { STAY_NIGHTS } from "../../../../platform/limits.ts"
import type { ExistingStay } from "../../stays/stay.ts"
import { countNights, type StayDates } from "./nights.ts"

export type ValidationResult<A> = Result.Result<A, ValidationFailed>

export const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))

export const validateStayDates = (dates: StayDates): ValidationResult<StayDates> => {
  const nights = countNights(dates)
  if (nights < 1) return failValidation("check_out_date: must be after check_in_date.")
  return nights > STAY_NIGHTS
    ? failValidation(`check_out_date: must be within ${STAY_NIGHTS} nights of check_in_date.`)
    : Result.succeed(dates)
}

/** Every stay has at least one adult. Infants are not counted. */
export const validateGuestCount = (
  guests: number,
  stay: Pick<ExistingStay, "number_of_children">
): ValidationResult<Pick<ExistingStay, "number_of_guests" | "number_of_adults">> => {
  const children = stay.number_of_children
  return guests < children + 1
    ? failValidation(
        `number_of_guests: must be at least ${children + 1}: the stay has ${children} children, and an adult.`
      )
    : Result.succeed({ number_of_guests: guests, number_of_adults: guests - children })
}

export const emptyToNull = (text: string): string | null => (text === "" ? null : text)
