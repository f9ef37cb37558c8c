import { Option, Result } from "effect"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { decimalText, minorUnits, splitByWeights } from "../../contract/money.ts"
import { daysInRange } from "../../contract/time.ts"
import { TRANSACTION_DAYS } from "../../limits.ts"

/** A future time makes an entry outstanding (specification, Transaction status). Both in milliseconds. */
export const statusAt = (actionAt: number, now: number): "paid" | "outstanding" =>
  actionAt > now ? "outstanding" : "paid"

/** The amount in the currency's smallest units, unless it is finer than those. */
export const unitsOf = (amount: number, currency: string): Result.Result<bigint, ValidationFailed> =>
  Option.match(minorUnits(amount, currency), {
    onNone: () => Result.fail(new ValidationFailed({ message: `amount: has more decimals than ${currency} has.` })),
    onSome: Result.succeed
  })

/** What one stay of an order carries of an entry on the whole order; the amount is decimal text. */
export interface Share {
  readonly stayId: number
  readonly amount: string
}

export interface Stay {
  readonly id: number
  /** Accommodation revenue as `numeric(18, 4)` text. */
  readonly revenue: string
}

/**
 * Splits an entry's amount (in smallest units) over the stays of its order in proportion to their accommodation
 * revenue, to the cent, nothing lost or invented (specification, Transaction rule 1).
 */
export const sharesOf = (units: bigint, currency: string, stays: ReadonlyArray<Stay>): ReadonlyArray<Share> => {
  const parts = splitByWeights(
    units,
    stays.map((stay) => BigInt(stay.revenue.replace(".", "")))
  )
  return stays.map((stay, index) => ({ stayId: stay.id, amount: decimalText(parts[index] ?? 0n, currency) }))
}

/** Which order a caller means: stay_code is the deprecated name, and both together are a contradiction. */
export const orderCodeOf = (payload: {
  readonly reservation_code?: string
  readonly stay_code?: string
}): Result.Result<string | undefined, BadRequest> =>
  payload.reservation_code !== undefined && payload.stay_code !== undefined
    ? Result.fail(new BadRequest({ message: "reservation_code: cannot be given together with stay_code." }))
    : Result.succeed(payload.reservation_code ?? payload.stay_code)

/** The days a search covers; none with an id, which finds its entry at any time. */
export const rangeOf = (payload: {
  readonly id?: number
  readonly start_date?: string
  readonly end_date?: string
}): Result.Result<{ readonly start: string; readonly end: string } | undefined, BadRequest | ValidationFailed> => {
  const { start_date: start, end_date: end } = payload
  if (start === undefined && end === undefined && payload.id !== undefined) return Result.succeed(undefined)
  if (start === undefined) {
    const why = end === undefined ? "is required without id" : "is required with end_date"
    return Result.fail(new BadRequest({ message: `start_date: ${why}.` }))
  }
  if (end === undefined) return Result.fail(new BadRequest({ message: "end_date: is required with start_date." }))
  const days = daysInRange(start, end)
  if (days < 1) return Result.fail(new ValidationFailed({ message: "start_date: must not be after end_date." }))
  return days > TRANSACTION_DAYS
    ? Result.fail(new ValidationFailed({ message: `end_date: must be within ${TRANSACTION_DAYS} days of start_date.` }))
    : Result.succeed({ start, end })
}

/** The parts of an entry that never change (specification, Transaction rule 2). */
export interface Fixed {
  readonly direction: string
  readonly currency: string
  readonly property_id: number | null
  readonly reservation_code: string | null
}

/** The name of the first field sent with a value the entry does not have, if any. */
export const changedFixedField = (
  entry: Fixed,
  sent: Partial<Fixed> & { readonly stay_code?: string | null }
): string | undefined =>
  Object.entries({ ...entry, stay_code: entry.reservation_code }).find(([field, value]) =>
    Object.entries(sent).some(([name, given]) => name === field && given !== undefined && given !== value)
  )?.[0]

/** Whether an edit sends any field it can change; one that does not is no change, and no event tells of it. */
export const changesSomething = (sent: {
  readonly amount?: number
  readonly item_id?: number
  readonly payment_method_id?: number
  readonly action_at?: string
  readonly note?: string
}): boolean =>
  [sent.amount, sent.item_id, sent.payment_method_id, sent.action_at, sent.note].some((each) => each !== undefined)
