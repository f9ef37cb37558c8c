import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { OrderStatus } from "../../../domain/bookings/orders/order.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { conflictColumns, OfferedProperty } from "./property-conflicts.ts"

const MovedStay = Schema.Struct({
  stay_code: Schema.String,
  guest_name: Schema.NullOr(Schema.String),
  property_id: Schema.NullOr(Schema.Int),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  status: OrderStatus,
  channel_type: Schema.String,
  /** The property to move to, with what is in the way there. Null if it does not exist. */
  target: Schema.NullOr(OfferedProperty)
})
export type MovedStay = typeof MovedStay.Type

const readMovedStay = makeOptionalRowReader(MovedStay)

interface StayPlace {
  readonly propertyId: number
  readonly checkIn: string
  readonly checkOut: string
}

export class StayMoves extends Context.Service<StayMoves>()("latchkey/transports/console/queries/StayMoves", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const selectStay = (operatorId: number, stayCode: string, { propertyId, checkIn, checkOut }: StayPlace) => sql`
      SELECT s.stay_code, s.guest_name, s.property_id, s.check_in_date, s.check_out_date, o.status, o.channel_type, (
        SELECT to_jsonb(target) FROM (
          SELECT p.id, p.title, p.deactivated_at IS NOT NULL AS deactivated, coalesce(p.currency, o.currency) AS currency,
            ${conflictColumns(sql, operatorId, { from: checkIn, before: checkOut, exceptStayId: sql`s.id` })}
          FROM properties p WHERE p.operator_id = ${operatorId} AND p.id = ${propertyId}) target) AS target
      FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
      WHERE s.operator_id = ${operatorId} AND s.stay_code = ${stayCode}`
    return {
      /** Returns undefined if the stay does not exist. */
      of: (stayCode: string, place: StayPlace) =>
        CurrentCaller.use(({ operatorId }) => readMovedStay(selectStay(operatorId, stayCode, place)))
    }
  })
}) {
  static readonly layer = Layer.effect(StayMoves, StayMoves.make)
}
