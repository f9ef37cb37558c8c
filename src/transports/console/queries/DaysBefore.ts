import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import type { CalendarSpan } from "./Month.ts"

// A form of the calendar reads these values before it changes them, so that the host can undo the change.

const StoredDay = Schema.Struct({
  day: Schema.String,
  closed: Schema.Boolean,
  price: Schema.NullOr(Schema.Int),
  minimum_stay: Schema.NullOr(Schema.Int),
  maximum_stay: Schema.NullOr(Schema.Int)
})
export type StoredDay = typeof StoredDay.Type

const PropertyDays = Schema.Struct({
  id: Schema.Int,
  title: Schema.String,
  /** Days that are blocked or have prices of the property itself. */
  days: Schema.Array(StoredDay)
})
export type PropertyDays = typeof PropertyDays.Type

const readPropertyDays = makeRowsReader(PropertyDays)

export class DaysBefore extends Context.Service<DaysBefore>()("latchkey/transports/console/queries/DaysBefore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const selectDays = (operatorId: number, propertyIds: ReadonlyArray<number>, { first, last }: CalendarSpan) => sql`
      SELECT p.id, p.title, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('day', day, 'closed', coalesce(d.closed, false), 'price', b.price,
          'minimum_stay', b.minimum_stay, 'maximum_stay', b.maximum_stay) ORDER BY day), '[]')
        FROM (
          SELECT day, closed FROM calendar_days
          WHERE operator_id = p.operator_id AND property_id = p.id AND day >= ${first}::date AND day <= ${last}::date AND closed
        ) d FULL JOIN (
          SELECT date AS day, price, minimum_stay, maximum_stay FROM base_prices
          WHERE operator_id = p.operator_id AND property_id = p.id AND date >= ${first}::date AND date <= ${last}::date
        ) b USING (day)) AS days
      FROM properties p WHERE p.operator_id = ${operatorId} AND p.id = ANY(${idsParameter(propertyIds)}::bigint[]) ORDER BY p.title, p.id`
    return {
      of: (propertyIds: ReadonlyArray<number>, span: CalendarSpan) =>
        propertyIds.length === 0
          ? Effect.succeed([])
          : CurrentCaller.use(({ operatorId }) => readPropertyDays(selectDays(operatorId, propertyIds, span)))
    }
  })
}) {
  static readonly layer = Layer.effect(DaysBefore, DaysBefore.make)
}
