import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { column, columnDefinitions, columnNames, rowParameterSql } from "../../platform/database/columns.ts"
import { jsonParameter } from "../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import { SANDBOX_LISTINGS_MAX } from "../../platform/limits.ts"
import { CHANNEL_PROFILES } from "./channel-profiles.ts"
import { computeGuestActionDueTime } from "./outbox-due-times.ts"
import { type SandboxAccount, SandboxListing } from "./rows.ts"
import { toListingOutboxEvent } from "./rule-runner.ts"

const ListingColumns = Schema.Struct({
  listing_id: column("text", SandboxListing.fields.listing_id),
  title: column("text", SandboxListing.fields.title),
  currency: column("text", SandboxListing.fields.currency),
  rooms: column("integer", SandboxListing.fields.rooms),
  instant: column("boolean", SandboxListing.fields.instant),
  commission: column("integer", SandboxListing.fields.commission),
  tax: column("integer", SandboxListing.fields.tax),
  settings: column("jsonb", SandboxListing.fields.settings),
  version: column("bigint", SandboxListing.fields.version)
})

const OutboxColumns = Schema.Struct({ said: column("jsonb", Schema.Json) })

const readInsertResult = makeSingleRowReader(Schema.Struct({ added: Schema.Int, full: Schema.Boolean }))

/** Adds nothing if the account already has the listing id, or has too many listings (`full`). */
export const makeAddListing =
  (sql: SqlClient.SqlClient) =>
  ({ operator_id, account_id, channel_type }: SandboxAccount, listing: SandboxListing, now: Date) => {
    const { said, due_at: due } = toListingOutboxEvent(
      listing,
      CHANNEL_PROFILES[channel_type].settingsKind === "vrbo",
      computeGuestActionDueTime(now)
    )
    const outboxEvent = { said }
    return Effect.map(
      readInsertResult(
        sql`
          WITH room AS (
            SELECT count(*) < ${sql.literal(String(SANDBOX_LISTINGS_MAX))} AS is_left FROM sandbox_listings
            WHERE operator_id = ${operator_id} AND account_id = ${account_id}
          ), added AS (
            INSERT INTO sandbox_listings (operator_id, account_id, created_at, ${sql.literal(columnNames(ListingColumns))})
            SELECT ${operator_id}::bigint, ${account_id}::bigint, ${now}::timestamptz, ${sql.literal(columnNames(ListingColumns, "given"))}
            FROM room, ${rowParameterSql(sql, ListingColumns, listing)} WHERE room.is_left
            ON CONFLICT DO NOTHING
            RETURNING listing_id
          ), word AS (
            INSERT INTO sandbox_words (operator_id, account_id, kind, subject, version, said, due_at)
            SELECT ${operator_id}::bigint, ${account_id}::bigint, 'listing', ${listing.listing_id}, 1, given.said, ${due}::timestamptz
            FROM added, jsonb_to_record(${jsonParameter(outboxEvent)}::jsonb) AS given (${sql.literal(columnDefinitions(OutboxColumns))})
            ON CONFLICT (operator_id, account_id, kind, subject) DO NOTHING
          )
          SELECT (SELECT count(*) FROM added)::int AS added, NOT (SELECT is_left FROM room) AS "full"`
      ),
      ({ added, full }): "added" | "full" | "known" => (added > 0 ? "added" : full ? "full" : "known")
    )
  }
