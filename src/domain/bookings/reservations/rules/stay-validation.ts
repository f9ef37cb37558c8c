import { Result } from "effect"
import { ValidationFailed } from "../../../../contract/errors.ts"
import { STAY_NIGHTS } from "../../../../platform/limits.ts"
import type { ExistingStay } from "../../stays/stay.ts"
import { countNights, type StayDates } from "./nights.ts"

// What holds for a stay whose details a caller says, when it is created and when it is changed.

export type ValidationResult<A> = Result.Result<A, ValidationFailed>

/** 422 for what is broken: the message begins with the field. */
export const failValidation = (message: string) => Result.fail(new ValidationFailed({ message }))

/** Dates that are both readable: leaving comes after arriving, and not too long after. */
export const validateStayDates = (dates: StayDates): ValidationResult<StayDates> => {
  const nights = countNights(dates)
  if (nights < 1) return failValidation("check_out_date: must be after check_in_date.")
  return nights > STAY_NIGHTS
    ? failValidation(`check_out_date: must be within ${STAY_NIGHTS} nights of check_in_date.`)
    : Result.succeed(dates)
}

/** So many guests, of whom the stay's children are known: an adult at least comes with them. Infants count as nobody. */
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

/** An empty text is none. */
export const emptyToNull = (text: string): string | null => (text === "" ? null : text)
