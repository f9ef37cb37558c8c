import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { prepareRecordedChange } from "../../changes/recorded-change.ts"
import { type Givens, inForms, type Value } from "../../platform/database/forms.ts"
import { makeOptionalRowReader } from "../../platform/database/rows.ts"
import { type ListingKey, makeFindListing, operatorListingSql } from "../listings/listing-lookup.ts"
import { type ListingSettingsParameters, updateSettingsSnapshotSql } from "../listings/settings-snapshot.ts"
import { type OperatorRowId, type OperatorScoped, readRowId } from "../operator-rows.ts"

const readSnapshot = makeOptionalRowReader(Schema.Struct({ price_and_rules: Schema.NullOr(Schema.Json) }))

const findSnapshot = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, channel_type, listing_id }: Givens<OperatorScoped & ListingKey>) => sql`
      SELECT price_and_rules FROM (${operatorListingSql(sql, operatorId, channel_type, listing_id)}) own`
  )
  return (operatorId: number, { channel_type, listing_id }: ListingKey) =>
    readSnapshot(statement({ operatorId, channel_type, listing_id }))
}

interface SentSettingNames {
  /** The settings that the channel was told. */
  readonly names: ReadonlyArray<string>
}

/** Of the listings in a CTE: the settings that their channel was told. */
const sentSettingsAuditSql = (
  sql: SqlClient.SqlClient,
  cte: string,
  names: Value<ReadonlyArray<string>>
): Fragment => sql`
  SELECT operator_id, 'listing:' || id AS record, ${names}::text[] AS fields FROM ${sql(cte)}`

/** Writes down who told a channel something of a listing that is not recorded here. */
const recordSentSettings = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(
    sql,
    ({ operatorId, id, names }: Givens<OperatorRowId & SentSettingNames>) => ({
      change: sql`own AS (SELECT operator_id, id FROM listings WHERE operator_id = ${operatorId} AND id = ${id})`,
      events: [],
      changedRecords: sentSettingsAuditSql(sql, "own", names),
      outcome: sql`SELECT id FROM own`
    })
  )
  return (operatorId: number, id: number, names: ReadonlyArray<string>) =>
    readRowId(statement({ operatorId, id, names }))
}

/** The same, and the snapshot of what was told. */
const recordSnapshot = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(
    sql,
    ({ operatorId, id, names, settings, now }: Givens<ListingSettingsParameters & SentSettingNames>) => ({
      change: sql`taken AS (${updateSettingsSnapshotSql(sql, { operatorId, id, settings, now })})`,
      events: [],
      changedRecords: sentSettingsAuditSql(sql, "taken", names),
      outcome: sql`SELECT id FROM taken`
    })
  )
  return ({ operatorId, id, names, settings, now }: ListingSettingsParameters & SentSettingNames) =>
    readRowId(statement({ operatorId, id, names, settings, now }))
}

/** What is known of listings' prices and rules here. */
export class PriceAndRulesStore extends Context.Service<PriceAndRulesStore>()(
  "latchkey/domain/prices/PriceAndRulesStore",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      findListing: makeFindListing(sql),
      findSnapshot: findSnapshot(sql),
      recordSentSettings: recordSentSettings(sql),
      recordSnapshot: recordSnapshot(sql)
    }))
  }
) {
  static readonly layer = Layer.effect(PriceAndRulesStore, PriceAndRulesStore.make)
}
