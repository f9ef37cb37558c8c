import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../changes/on-record.ts"
import { type Givens, inForms, type Value } from "../../platform/database/forms.ts"
import { rowOf } from "../../platform/database/rows.ts"
import { type ListingName, ownListing, placeOfListing } from "../listings/own-listing.ts"
import { snapshotSet, type TakenSettings } from "../listings/snapshot.ts"
import { type OfOperator, type OwnRow, readIdentity } from "../own-row.ts"

const readSnapshot = rowOf(Schema.Struct({ price_and_rules: Schema.NullOr(Schema.Json) }))

const snapshot = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, channel_type, listing_id }: Givens<OfOperator & ListingName>) => sql`
      SELECT price_and_rules FROM (${ownListing(sql, operatorId, channel_type, listing_id)}) own`
  )
  return (operatorId: number, { channel_type, listing_id }: ListingName) =>
    readSnapshot(statement({ operatorId, channel_type, listing_id }))
}

interface Told {
  /** The settings that the channel was told. */
  readonly names: ReadonlyArray<string>
}

/** Of the listings in a CTE: the settings that their channel was told. */
const toldIn = (sql: SqlClient.SqlClient, cte: string, names: Value<ReadonlyArray<string>>): Fragment => sql`
  SELECT operator_id, 'listing:' || id AS record, ${names}::text[] AS fields FROM ${sql(cte)}`

/** Writes down who told a channel something of a listing that is not recorded here. */
const told = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, names }: Givens<OwnRow & Told>) => ({
    change: sql`own AS (SELECT operator_id, id FROM listings WHERE operator_id = ${operatorId} AND id = ${id})`,
    events: [],
    touched: toldIn(sql, "own", names),
    outcome: sql`SELECT id FROM own`
  }))
  return (operatorId: number, id: number, names: ReadonlyArray<string>) =>
    readIdentity(statement({ operatorId, id, names }))
}

/** The same, and the snapshot of what was told. */
const recorded = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, names, settings, now }: Givens<TakenSettings & Told>) => ({
    change: sql`taken AS (${snapshotSet(sql, { operatorId, id, settings, now })})`,
    events: [],
    touched: toldIn(sql, "taken", names),
    outcome: sql`SELECT id FROM taken`
  }))
  return ({ operatorId, id, names, settings, now }: TakenSettings & Told) =>
    readIdentity(statement({ operatorId, id, names, settings, now }))
}

/** What is known of listings' prices and rules here. */
export class PriceAndRulesStore extends Context.Service<PriceAndRulesStore>()("latchkey/resources/PriceAndRulesStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    placeOf: placeOfListing(sql),
    snapshot: snapshot(sql),
    told: told(sql),
    recorded: recorded(sql)
  }))
}) {
  static readonly layer = Layer.effect(PriceAndRulesStore, PriceAndRulesStore.make)
}
