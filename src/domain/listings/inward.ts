import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { onRecordInForms, touchedIn } from "../../changes/on-record.ts"
import { assignmentsOf, column, givenRow, namesOf } from "../../platform/database/columns.ts"
import type { Givens } from "../../platform/database/forms.ts"
import { onlyRowOf } from "../../platform/database/rows.ts"
import { LISTINGS } from "../../platform/limits.ts"
import { speakingAccount } from "../channels/channel-accounts/known-account.ts"
import type { Speaking } from "../channels/port/heard.ts"
import type { ListingSaid } from "../channels/port/said.ts"
import { ownListing } from "./own-listing.ts"

// What channels say of listings: one statement for a listing that is known, and one for a new one.

type Sql = SqlClient.SqlClient

const Json = Schema.NullOr(Schema.Record(Schema.String, Schema.Json))

/** The columns that are the channel's: link and ratio are the host's. */
const SaidColumns = Schema.Struct({
  title: column("text", Schema.String),
  cover: column("text", Schema.NullOr(Schema.String)),
  url: column("text", Schema.NullOr(Schema.String)),
  currency: column("text", Schema.String),
  inventory: column("integer", Schema.Int),
  shelf_status: column("text", Schema.String),
  metadata: column("jsonb", Json)
})
const WithRules = Schema.Struct({ ...SaidColumns.fields, price_and_rules: column("jsonb", Json) })

const columnsIn = ({ cover, url, metadata, price_and_rules, ...said }: ListingSaid): typeof WithRules.Type => ({
  title: said.title,
  cover: cover ?? null,
  url: url ?? null,
  currency: said.currency,
  inventory: said.inventory,
  shelf_status: said.shelf_status,
  metadata: metadata ?? null,
  price_and_rules: price_and_rules ?? null
})

interface Said extends Speaking {
  readonly listing_id: string
  readonly version: number
  readonly listing: typeof WithRules.Type
  readonly at: Date
}

const valuesOf = ({ operatorId, accountId, channelType }: Speaking, said: ListingSaid, at: Date): Said => ({
  operatorId,
  accountId,
  channelType,
  listing_id: said.listing_id,
  version: said.version,
  listing: columnsIn(said),
  at
})

const readHeard = onlyRowOf(
  Schema.Struct({
    speaker_known: Schema.Boolean,
    /** Null: there is no such listing. */
    last_version: Schema.NullOr(Schema.Int),
    is_theirs: Schema.NullOr(Schema.Boolean)
  })
)

/**
 * Writes down what is news of a listing, and answers the version before. A listing of another account is not theirs to
 * speak of, unless that account is disconnected: a host who gave the service another way in keeps the listings. Settings
 * that are not said stay as they were recorded.
 */
export const hear = (sql: Sql) => {
  const statement = onRecordInForms(sql, (said: Givens<Said>, saysRules: boolean) => ({
    change: sql`
      speaker AS (${speakingAccount(sql, said)}),
      before AS (${ownListing(sql, said.operatorId, said.channelType, said.listing_id)} FOR NO KEY UPDATE),
      judged AS (
        SELECT before.operator_id, before.id, before.channel_version AS last_version,
          before.account_id = speaker.id OR EXISTS (
            SELECT FROM channel_accounts former
            WHERE former.operator_id = before.operator_id AND former.id = before.account_id
              AND former.auth_status = 'disconnected') AS is_theirs
        FROM before, speaker
      ), after AS (
        UPDATE listings l
        SET ${sql.literal(assignmentsOf(saysRules ? WithRules : SaidColumns, "given"))}, account_id = ${said.accountId},
          channel_version = ${said.version}::bigint, updated_at = ${said.at}::timestamptz
        FROM judged, ${givenRow(sql, WithRules, said.listing)}
        WHERE l.operator_id = judged.operator_id AND l.id = judged.id
          AND judged.is_theirs AND judged.last_version < ${said.version}::bigint
        RETURNING l.*
      )`,
    events: [],
    // One more version of the same is no change.
    touched: sql`
      SELECT * FROM (
        SELECT after.operator_id, 'listing:' || after.id AS record,
          changed_fields(to_jsonb(before), to_jsonb(after) - 'channel_version') AS fields
        FROM before JOIN after ON after.operator_id = before.operator_id AND after.id = before.id
      ) compared WHERE fields <> '{}'`,
    outcome: sql`
      SELECT EXISTS (SELECT FROM speaker) AS speaker_known, judged.last_version, judged.is_theirs
      FROM (SELECT) one LEFT JOIN judged ON true`
  }))
  return (speaking: Speaking, said: ListingSaid, at: Date) => {
    const { operatorId, accountId, channelType, listing_id, version, listing } = valuesOf(speaking, said, at)
    const saysRules = said.price_and_rules !== undefined
    return readHeard(statement({ operatorId, accountId, channelType, listing_id, version, listing, at }, saysRules))
  }
}

const readMade = onlyRowOf(Schema.Struct({ made: Schema.Boolean }))

/** Takes a listing in, unless there is one of that name or no room for one more. To be run in turn. */
export const take = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ most, ...said }: Givens<Said & { readonly most: number }>) => ({
    change: sql`
      speaker AS (${speakingAccount(sql, said)}), made AS (
        INSERT INTO listings (operator_id, account_id, channel_type, listing_id, channel_version, created_at, updated_at,
          ${sql.literal(namesOf(WithRules))})
        SELECT speaker.operator_id, speaker.id, speaker.channel_type, ${said.listing_id}, ${said.version}::bigint,
          ${said.at}::timestamptz, ${said.at}::timestamptz, ${sql.literal(namesOf(WithRules, "given"))}
        FROM speaker, ${givenRow(sql, WithRules, said.listing)}
        WHERE (SELECT count(*) FROM listings WHERE operator_id = ${said.operatorId}) < ${most}::bigint
        ON CONFLICT (operator_id, channel_type, listing_id) DO NOTHING
        RETURNING operator_id, id
      )`,
    events: [],
    touched: touchedIn(sql, "listing", "made"),
    outcome: sql`SELECT EXISTS (SELECT FROM made) AS made`
  }))
  return (speaking: Speaking, said: ListingSaid, at: Date) => {
    const { operatorId, accountId, channelType, listing_id, version, listing } = valuesOf(speaking, said, at)
    const most = LISTINGS
    return readMade(statement({ operatorId, accountId, channelType, listing_id, version, listing, at, most }))
  }
}
