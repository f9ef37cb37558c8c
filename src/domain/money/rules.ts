import { Result } from "effect"
import { type DateRange, parseDateRange, validateRangeLength } from "../../contract/date-range.ts"
import { BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { makeChangeDetector } from "../../contract/immutable-fields.ts"
import { formatMinorUnits, splitByWeights } from "../../contract/money.ts"
import { TRANSACTION_DAYS } from "../../platform/limits.ts"
import { type TransactionStatus, update_transaction } from "./contract.ts"

/** Both times are in milliseconds (specification, Transaction status). */
export const toTransactionStatus = (actionAt: number, now: number): TransactionStatus =>
  actionAt > now ? "outstanding" : "paid"

/** Returns whether an edit marks its entry as paid. Fails if it would make a paid entry outstanding. */
export const checkMarkedPaid = (
  sentStatus: TransactionStatus | undefined,
  current: TransactionStatus
): Result.Result<boolean, ValidationFailed> =>
  sentStatus === "outstanding" && current !== sentStatus
    ? Result.fail(
        new ValidationFailed({ message: "status: cannot be changed to outstanding; send paid, or leave it out." })
      )
    : Result.succeed(sentStatus === "paid")

const MICROSECONDS_PATTERN = /\.\d{4,6}Z$/

/** A client with millisecond precision may send the present time back without its microseconds. That is no change. */
export const isSameActionTime = (sent: string, current: string): boolean =>
  sent === current || (!MICROSECONDS_PATTERN.test(sent) && Date.parse(sent) === Date.parse(current))

/**
 * Returns undefined to keep the status. A changed `action_at` determines the status as for a new entry. Fails with 422
 * if `outstanding` is sent with a past time.
 */
export const resolveEditedStatus = (
  edit: { readonly status: TransactionStatus | undefined; readonly action_at: string | undefined },
  current: { readonly action_at: string },
  now: number
): Result.Result<TransactionStatus | undefined, ValidationFailed> => {
  if (edit.status === "paid") return Result.succeed("paid")
  const { action_at } = edit
  if (action_at === undefined || isSameActionTime(action_at, current.action_at)) return Result.succeed(undefined)
  const status = toTransactionStatus(Date.parse(action_at), now)
  return edit.status === undefined || edit.status === status
    ? Result.succeed(status)
    : Result.fail(
        new ValidationFailed({ message: "status: cannot be outstanding with an action_at that is not in the future." })
      )
}

export interface EntryShare {
  readonly stay_id: number
  readonly amount: string
}

interface StayWeight {
  readonly id: number
  /** Accommodation revenue as `numeric(18, 4)` text. */
  readonly revenue: string
}

/** Splits minor units in proportion to revenue. The shares add up exactly (specification, Transaction rule 1). */
export const splitIntoShares = (
  units: bigint,
  currency: string,
  stays: ReadonlyArray<StayWeight>
): ReadonlyArray<EntryShare> => {
  const parts = splitByWeights(
    units,
    stays.map((stay) => BigInt(stay.revenue.replace(".", "")))
  )
  return stays.map((stay, index) => ({ stay_id: stay.id, amount: formatMinorUnits(parts[index] ?? 0n, currency) }))
}

export interface OrderCodeFields {
  readonly reservation_code?: string | undefined
  readonly stay_code?: string | undefined
}

/** `stay_code` is the deprecated name of `reservation_code`. */
export const parseOrderCode = (payload: OrderCodeFields): Result.Result<string | undefined, BadRequest> =>
  payload.reservation_code !== undefined && payload.stay_code !== undefined
    ? Result.fail(new BadRequest({ message: "reservation_code: cannot be given together with stay_code." }))
    : Result.succeed(payload.reservation_code ?? payload.stay_code)

export const getOrderCodeField = (payload: OrderCodeFields): "reservation_code" | "stay_code" =>
  payload.stay_code === undefined ? "reservation_code" : "stay_code"

/** Returns undefined for a search by id, which has no date limit. */
export const parseSearchDays = (payload: {
  readonly id?: number
  readonly start_date?: string
  readonly end_date?: string
}): Result.Result<DateRange | undefined, BadRequest | ValidationFailed> => {
  const range = parseDateRange(payload)
  if (Result.isFailure(range)) return range
  if (range.success !== undefined) return validateRangeLength(range.success, TRANSACTION_DAYS)
  return payload.id === undefined
    ? Result.fail(new BadRequest({ message: "start_date: is required without id." }))
    : Result.succeed(undefined)
}

export const hasChanges = makeChangeDetector(update_transaction.payloadSchema, "id")
