import { Option, Result } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { decimalText, minorUnits } from "../../contract/money.ts"
import { daysInRange } from "../../contract/time.ts"

/** The days of expected_date a search covers, both ends included; the two come together (contract facts 9.1). */
export const rangeOf = (payload: {
  readonly start_date?: string
  readonly end_date?: string
}): Result.Result<{ readonly start: string; readonly end: string } | undefined, BadRequest | ValidationFailed> => {
  const { start_date: start, end_date: end } = payload
  if (start === undefined && end === undefined) return Result.succeed(undefined)
  if (start === undefined) return Result.fail(new BadRequest({ message: "start_date: is required with end_date." }))
  if (end === undefined) return Result.fail(new BadRequest({ message: "end_date: is required with start_date." }))
  return daysInRange(start, end) < 1
    ? Result.fail(new ValidationFailed({ message: "start_date: must not be after end_date." }))
    : Result.succeed({ start, end })
}

/** The fee as decimal text, unless it is finer than its currency. */
export const feeText = (fee: number, currency: string): Result.Result<string, ValidationFailed> =>
  Option.match(minorUnits(fee, currency), {
    onNone: () => Result.fail(new ValidationFailed({ message: `fee: has more decimals than ${currency} has.` })),
    onSome: (units) => Result.succeed(decimalText(units, currency))
  })

/** The stay a task belongs to. */
export interface Stay {
  /** Where the stay is; null while it is not allocated. */
  readonly propertyId: number | null
}

/**
 * The property of a task: the one asked for, or that of its stay. Both together must be the same one (specification,
 * POST /tasks); a stay that is not allocated contradicts nothing.
 */
export const propertyOf = (asked: number | null, stay: Stay | null): Result.Result<number | null, ValidationFailed> =>
  asked !== null && stay !== null && stay.propertyId !== null && stay.propertyId !== asked
    ? Result.fail(new ValidationFailed({ message: "property_id: is not the property of the stay." }))
    : Result.succeed(asked ?? stay?.propertyId ?? null)
