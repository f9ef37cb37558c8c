import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { column, definitionsOf, givenRow, namesOf } from "../../platform/database/columns.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { jsonParameter } from "../../platform/database/parameters.ts"
import { onlyRowOf } from "../../platform/database/rows.ts"
import { SANDBOX_LISTINGS } from "../../platform/limits.ts"
import type { Account } from "./Books.ts"
import { listingWord } from "./changing.ts"
import { DIFFERENCES } from "./channels.ts"
import { saidWithAct } from "./due.ts"
import { Listing, type SandboxAccount } from "./rows.ts"

// New listings of accounts.

const Columns = Schema.Struct({
  listing_id: column("text", Listing.fields.listing_id),
  title: column("text", Listing.fields.title),
  currency: column("text", Listing.fields.currency),
  rooms: column("integer", Listing.fields.rooms),
  instant: column("boolean", Listing.fields.instant),
  commission: column("integer", Listing.fields.commission),
  tax: column("integer", Listing.fields.tax),
  settings: column("jsonb", Listing.fields.settings),
  version: column("bigint", Listing.fields.version)
})

const WordColumns = Schema.Struct({ said: column("jsonb", Schema.Json) })

const readAdded = onlyRowOf(Schema.Struct({ added: Schema.Int, full: Schema.Boolean }))

interface Added extends Account {
  readonly listing: Listing
  readonly word: { readonly said: unknown }
  readonly listingId: string
  readonly now: Date
  readonly due: Date
}

/** Answers what came of it: nothing is added where the account has a listing of that name, or no room for one more. */
export const addListing = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, listing, word, listingId, now, due }: Givens<Added>) => sql`
      WITH room AS (
        SELECT count(*) < ${sql.literal(String(SANDBOX_LISTINGS))} AS is_left FROM sandbox_listings
        WHERE operator_id = ${operator_id} AND account_id = ${account_id}
      ), added AS (
        INSERT INTO sandbox_listings (operator_id, account_id, created_at, ${sql.literal(namesOf(Columns))})
        SELECT ${operator_id}::bigint, ${account_id}::bigint, ${now}::timestamptz, ${sql.literal(namesOf(Columns, "given"))}
        FROM room, ${givenRow(sql, Columns, listing)} WHERE room.is_left
        ON CONFLICT DO NOTHING
        RETURNING listing_id
      ), word AS (
        INSERT INTO sandbox_words (operator_id, account_id, kind, subject, version, said, due_at)
        SELECT ${operator_id}::bigint, ${account_id}::bigint, 'listing', ${listingId}, 1, given.said, ${due}::timestamptz
        FROM added, jsonb_to_record(${jsonParameter(word)}::jsonb) AS given (${sql.literal(definitionsOf(WordColumns))})
        ON CONFLICT (operator_id, account_id, kind, subject) DO NOTHING
      )
      SELECT (SELECT count(*) FROM added)::int AS added, NOT (SELECT is_left FROM room) AS "full"`
  )
  return ({ operator_id, account_id, channel_type }: SandboxAccount, listing: Listing, now: Date) => {
    const { said, due_at: due } = listingWord(listing, DIFFERENCES[channel_type].rules === "vrbo", saidWithAct(now))
    const word = { said }
    return Effect.map(
      readAdded(statement({ operator_id, account_id, listing, word, listingId: listing.listing_id, now, due })),
      ({ added, full }): "added" | "full" | "known" => (added > 0 ? "added" : full ? "full" : "known")
    )
  }
}
