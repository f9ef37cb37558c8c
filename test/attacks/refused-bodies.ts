import type { AnyOperation } from "../../src/contract/operation.ts"
import { update_listing_restrictions } from "../../src/domain/calendars/listing-calendars/contract.ts"
import { create_transaction } from "../../src/domain/money/contract.ts"
import { LISTING_RANGES_MAX, TRANSACTION_NOTE_LENGTH } from "../../src/platform/limits.ts"
import type { Fields } from "./doors.ts"

// Bodies within all limits that are expensive to read and then get 422, because their error comes last.

/** The approximate size of each body: half of the limit of REST. */
const BODY_BYTES = 476 * 1024

/** A call that gets 422. */
interface RefusedCall {
  readonly operation: AnyOperation
  /** The path of the same call over REST. */
  readonly path: string
  readonly fields: Fields
}

const entry = { direction: "income", amount: 1, currency: "EUR", item_id: 11, payment_method_id: 197 }
const tooLongNote = "n".repeat(TRANSACTION_NOTE_LENGTH + 1)

/** The number of unknown fields: almost as many as a body may have. */
const UNKNOWN_FIELDS = 19_900
const unknownName = (n: number): string => `unknown_field_${String(n).padStart(6, "0")}`

const manyUnknownFields: RefusedCall = {
  operation: create_transaction,
  path: "/v3/transactions",
  fields: {
    ...Object.fromEntries(Array.from({ length: UNKNOWN_FIELDS }, (_, n) => [unknownName(n), 0])),
    ...entry,
    note: tooLongNote
  }
}

const restriction = (n: number) => ({
  start_date: "2027-01-01",
  end_date: "2027-12-31",
  closed_on_arrival: true,
  closed_on_departure: false,
  min_stay_on_arrival: 1,
  max_stay_on_arrival: 30,
  min_stay_through: n === LISTING_RANGES_MAX - 1 ? -1 : 1,
  padding: "x".repeat(BODY_BYTES / LISTING_RANGES_MAX - 200)
})

const wrongLastRange: RefusedCall = {
  operation: update_listing_restrictions,
  path: "/v3/listings/restrictions",
  fields: {
    channel_type: "airbnb",
    listing_id: "1",
    restrictions: Array.from({ length: LISTING_RANGES_MAX }, (_, n) => restriction(n))
  }
}

const longText: RefusedCall = {
  operation: create_transaction,
  path: "/v3/transactions",
  fields: { ...entry, note: "n".repeat(BODY_BYTES) }
}

/** The calls of the attack. Each gets 422 over REST and over MCP. */
export const REFUSED_CALLS: readonly [RefusedCall, ...ReadonlyArray<RefusedCall>] = [
  manyUnknownFields,
  wrongLastRange,
  longText
]
