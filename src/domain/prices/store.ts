import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../changes/recorded-change.ts"
import type { CurrentActor } from "../../contract/actor.ts"
import { makeOptionalRowReader } from "../../platform/database/rows.ts"
import type { RowId } from "../column-schemas.ts"
import {
  type ListingKey,
  type ListingReference,
  makeFindListing,
  operatorListingSql
} from "../listings/listing-lookup.ts"
import { type ListingSettingsParameters, updateSettingsSnapshotSql } from "../listings/settings-snapshot.ts"
import { readRowId } from "../operator-rows.ts"

const SettingsSnapshotRow = Schema.Struct({ price_and_rules: Schema.NullOr(Schema.Json) })
type SettingsSnapshotRow = typeof SettingsSnapshotRow.Type

const readSnapshot = makeOptionalRowReader(SettingsSnapshotRow)

const findSnapshot =
  (sql: SqlClient.SqlClient): PriceAndRulesStore["Service"]["findSnapshot"] =>
  (operatorId, { channel_type, listing_id }) =>
    readSnapshot(sql`
      SELECT price_and_rules FROM (${operatorListingSql(sql, operatorId, channel_type, listing_id)}) own`)

interface SentSettingNames {
  readonly names: ReadonlyArray<string>
}

const sentSettingsAuditSql = (sql: SqlClient.SqlClient, cte: string, names: ReadonlyArray<string>): Fragment => sql`
  SELECT operator_id, 'listing:' || id AS record, ${names}::text[] AS fields FROM ${sql(cte)}`

const recordSentSettings =
  (sql: SqlClient.SqlClient): PriceAndRulesStore["Service"]["recordSentSettings"] =>
  (operatorId, id, names) =>
    readRowId(
      recordChange(sql, {
        change: sql`own AS (SELECT operator_id, id FROM listings WHERE operator_id = ${operatorId} AND id = ${id})`,
        events: [],
        changedRecords: sentSettingsAuditSql(sql, "own", names),
        outcome: sql`SELECT id FROM own`
      })
    )

const recordSnapshot =
  (sql: SqlClient.SqlClient): PriceAndRulesStore["Service"]["recordSnapshot"] =>
  ({ operatorId, id, names, settings, now }) =>
    readRowId(
      recordChange(sql, {
        change: sql`taken AS (${updateSettingsSnapshotSql(sql, { operatorId, id, settings, now })})`,
        events: [],
        changedRecords: sentSettingsAuditSql(sql, "taken", names),
        outcome: sql`SELECT id FROM taken`
      })
    )

export class PriceAndRulesStore extends Context.Service<
  PriceAndRulesStore,
  {
    readonly findListing: (operatorId: number, key: ListingKey) => Effect.Effect<ListingReference | undefined>
    readonly findSnapshot: (operatorId: number, key: ListingKey) => Effect.Effect<SettingsSnapshotRow | undefined>
    /** Records the names of sent settings in the audit log, but not their values. */
    readonly recordSentSettings: (
      operatorId: number,
      id: number,
      names: ReadonlyArray<string>
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    /** Like `recordSentSettings`, and merges the settings into those recorded for the listing. */
    readonly recordSnapshot: (
      parameters: ListingSettingsParameters & SentSettingNames
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
  }
>()("latchkey/domain/prices/PriceAndRulesStore") {
  static readonly layer = Layer.effect(
    PriceAndRulesStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      PriceAndRulesStore.of({
        findListing: makeFindListing(sql),
        findSnapshot: findSnapshot(sql),
        recordSentSettings: recordSentSettings(sql),
        recordSnapshot: recordSnapshot(sql)
      })
    )
  )
}
