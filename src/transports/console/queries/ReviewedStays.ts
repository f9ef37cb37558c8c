import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { PAGE_MAX } from "../../../platform/limits.ts"

const ReviewedStay = Schema.Struct({
  reservation_code: Schema.String,
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  property_title: Schema.NullOr(Schema.String),
  conversation_id: Schema.NullOr(Schema.String)
})
export type ReviewedStay = typeof ReviewedStay.Type

const readStays = makeRowsReader(ReviewedStay)

export class ReviewedStays extends Context.Service<ReviewedStays>()(
  "latchkey/transports/console/queries/ReviewedStays",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** Returns the first stay of each order. Ignores codes after the first {@link PAGE_MAX}. */
      of: Effect.fnUntraced(function* (codes: ReadonlyArray<string>) {
        const { operatorId } = yield* CurrentCaller
        const rows =
          codes.length === 0
            ? []
            : yield* readStays(sql`
              SELECT o.reservation_code, s.stay_code, s.guest_name, p.title AS property_title, o.conversation_id
              FROM orders o
              CROSS JOIN LATERAL (
                SELECT * FROM stays s WHERE s.operator_id = o.operator_id AND s.order_id = o.id ORDER BY s.id LIMIT 1) s
              LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
              WHERE o.operator_id = ${operatorId} AND o.reservation_code = ANY(${codes.slice(0, PAGE_MAX)}::text[])
              LIMIT ${sql.literal(String(PAGE_MAX))}`)
        return new Map(rows.map((row) => [row.reservation_code, row]))
      })
    }))
  }
) {
  static readonly layer = Layer.effect(ReviewedStays, ReviewedStays.make)
}
