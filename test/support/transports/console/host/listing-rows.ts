import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What channels were told of listings, written directly, and where the pages find them.

/** The row of a listing, by which its page is asked for. */
export const findListingRowId = Effect.fn("rowOfListing")(function* (operatorId: number, listingId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: number }>`
    SELECT id FROM listings WHERE operator_id = ${operatorId} AND listing_id = ${listingId}`
  return row === undefined ? yield* Effect.die(new Error(`there is no listing ${listingId}`)) : row.id
}, Effect.orDie)

/** So many listings of an account. */
export const insertListings = Effect.fn("listingsOf")(function* (operatorId: number, accountId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, created_at, updated_at)
    SELECT ${operatorId}, ${accountId}, 'airbnb', 'of-many-' || at, 'Number ' || at, 'EUR', 'on', now(), now()
    FROM generate_series(1, ${count}) at`
}, Effect.orDie)

export interface PushOptions {
  readonly state: "waiting" | "pushed" | "refused" | "dead"
  readonly reason?: string
  /** When it was settled. */
  readonly settledAt: string
}

/** Pushes of a price of two days of May, as they stand. */
export const insertPushes = Effect.fn("pushedThen")(function* (
  operatorId: number,
  listingRow: number,
  { state, reason, settledAt }: PushOptions,
  count = 1
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, state, reason, attempts, created_at, settled_at)
    SELECT ${operatorId}, ${listingRow}, 'prices', '[{"start_date": "2027-05-01", "end_date": "2027-05-02", "price": 120}]',
      ${state}, ${reason ?? null}, 1, ${settledAt}::timestamptz, ${state === "waiting" ? null : settledAt}::timestamptz
    FROM generate_series(1, ${count})`
}, Effect.orDie)
