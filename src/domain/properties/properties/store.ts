import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makeSingleRowReader, type RowPage } from "../../../platform/database/rows.ts"
import { RowId } from "../../column-schemas.ts"
import { type FindIdByName, makeFindIdByName } from "../../operator-rows.ts"
import type { Property } from "./contract.ts"
import { groupExistsCondition, tagExistsCondition } from "./groups-and-tags.ts"
import { makeSearchProperties, type PropertySearch } from "./property-search.ts"

const readFilterCheck = makeSingleRowReader(Schema.Struct({ group_known: Schema.Boolean, tag_known: Schema.Boolean }))

const readCreatedProperty = makeRowReaderOrFail(RowId, ({ name, detail }) => {
  switch (name) {
    case "properties_title":
      return nameConflict("title", "property")
    case "room_limit":
      return new ValidationFailed({ message: `room_limit: all ${detail} properties of the subscription are in use.` })
  }
})

const checkFilters =
  (sql: SqlClient.SqlClient) =>
  (operatorId: number, { group_id, tag_id }: PropertySearch) =>
    readFilterCheck(sql`
      SELECT ${groupExistsCondition(sql, operatorId, group_id)} AS group_known, ${tagExistsCondition(sql, operatorId, tag_id)} AS tag_known`)

const create = (sql: SqlClient.SqlClient) => (operatorId: number, title: string, now: Date) =>
  readCreatedProperty(
    recordChange(sql, {
      change: sql`
        made AS (
          INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, ${title}, ${now})
          RETURNING operator_id, id
        )`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "property", "made"),
      outcome: sql`SELECT id FROM made`
    })
  )

export class PropertyStore extends Context.Service<
  PropertyStore,
  {
    readonly search: (operatorId: number, filters: PropertySearch, page: Page) => Effect.Effect<RowPage<Property>>
    readonly checkFilters: (
      operatorId: number,
      filters: PropertySearch
    ) => Effect.Effect<{ readonly group_known: boolean; readonly tag_known: boolean }>
    /** Fails with Conflict if the title is in use, and with ValidationFailed at the limit of properties. */
    readonly create: (
      operatorId: number,
      title: string,
      now: Date
    ) => Effect.Effect<typeof RowId.Type, Conflict | ValidationFailed, CurrentActor>
    readonly findIdByName: FindIdByName
  }
>()("latchkey/domain/properties/properties/PropertyStore") {
  static readonly layer = Layer.effect(
    PropertyStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      PropertyStore.of({
        search: makeSearchProperties(sql),
        checkFilters: checkFilters(sql),
        create: create(sql),
        findIdByName: makeFindIdByName(sql, { table: "properties", column: "title" })
      })
    )
  )
}
