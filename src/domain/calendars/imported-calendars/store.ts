import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import type { RowPage } from "../../../platform/database/rows.ts"
import { InstantColumn } from "../../column-schemas.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { makeCheckPropertyExists } from "../../properties/properties/ownership.ts"
import { ImportedCalendar } from "./contract.ts"

export const ListedCalendarRow = Schema.Struct({
  ...Struct.omit(ImportedCalendar.fields, ["url_ending"]),
  url: Schema.String,
  fetched_at: Schema.NullOr(InstantColumn),
  created_at: InstantColumn
})
export type ListedCalendarRow = typeof ListedCalendarRow.Type

interface ImportedCalendarSearch extends OperatorScoped {
  readonly propertyId: number | undefined
  readonly today: string
}

const makeSearch = (sql: SqlClient.SqlClient): ImportedCalendarStore["Service"]["search"] =>
  makePageReader(
    sql,
    ListedCalendarRow,
    ({ operatorId, propertyId, today }: ImportedCalendarSearch) => ({
      matchingRows: sql`
      SELECT * FROM imported_calendars
      WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}
        AND ${propertyId === undefined ? sql`true` : sql`property_id = ${propertyId}`}`,
      orderBy: sql`id`,
      joins: sql`CROSS JOIN LATERAL (
        SELECT count(*) AS days FROM imported_days d
        WHERE d.operator_id = page.operator_id AND d.calendar_id = page.id AND d.day >= ${today}::date) busy`
    }),
    {
      url_host: sql`page.host`,
      channel_type: sql`coalesce(page.channel_type, page.found_channel_type)`,
      stay_problems: sql`CASE WHEN page.events = 'stay' THEN page.stay_problems ELSE '[]' END`,
      unreadable_parts: sql`CASE WHEN page.accepted_digest IS DISTINCT FROM page.digest THEN page.unreadable END`,
      digest: sql`
        CASE WHEN page.accepted_digest IS DISTINCT FROM page.digest AND page.unreadable IS NOT NULL THEN page.digest END`,
      busy_days: sql`busy.days`
    }
  )

export class ImportedCalendarStore extends Context.Service<
  ImportedCalendarStore,
  {
    readonly search: (search: ImportedCalendarSearch, page: Page) => Effect.Effect<RowPage<ListedCalendarRow>>
    readonly hasProperty: (operatorId: number, propertyId: number) => Effect.Effect<boolean>
  }
>()("latchkey/domain/calendars/imported-calendars/ImportedCalendarStore") {
  static readonly layer = Layer.effect(
    ImportedCalendarStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      ImportedCalendarStore.of({ search: makeSearch(sql), hasProperty: makeCheckPropertyExists(sql) })
    )
  )
}
