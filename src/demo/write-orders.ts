import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { DemoGround } from "./ground.ts"

/** Writes the orders, their stays and the nights those hold in one statement. */
export const writeOrders = Effect.fn("demo.writeOrders")(function* ({ operatorId, propertyIds, orders }: DemoGround) {
  const sql = yield* SqlClient.SqlClient
  const orderRows = orders.map((order) => ({
    code: order.code,
    channel_type: order.channelType,
    channel_id: order.channelId,
    status: order.status,
    currency: order.currency,
    created_at: order.bookedAt
  }))
  const stayRows = orders.flatMap((order) =>
    order.stays.map((stay) => ({
      order_code: order.code,
      code: stay.code,
      property_id: propertyIds[stay.property],
      check_in: stay.checkIn,
      check_out: stay.checkOut,
      revenue: stay.revenue
    }))
  )
  yield* sql`
    WITH made AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, created_at)
      SELECT ${operatorId}, code, channel_type, channel_id, status, currency, created_at
      FROM jsonb_to_recordset(${JSON.stringify(orderRows)}::text::jsonb) AS input
        (code text, channel_type text, channel_id text, status text, currency text, created_at timestamptz)
      RETURNING operator_id, id, reservation_code, status
    ), stay AS (
      INSERT INTO stays (operator_id, order_id, stay_code, property_id, check_in_date, check_out_date, accommodation_revenue)
      SELECT made.operator_id, made.id, input.code, input.property_id, input.check_in, input.check_out, input.revenue
      FROM jsonb_to_recordset(${JSON.stringify(stayRows)}::text::jsonb) AS input
        (order_code text, code text, property_id bigint, check_in date, check_out date, revenue numeric)
      JOIN made ON made.reservation_code = input.order_code
      RETURNING operator_id, id, order_id, property_id, check_in_date, check_out_date
    )
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
    SELECT stay.operator_id, stay.property_id, night::date, stay.id
    FROM stay JOIN made ON made.id = stay.order_id AND made.status = 'accepted'
    CROSS JOIN LATERAL generate_series(stay.check_in_date, stay.check_out_date - 1, interval '1 day') night`
})
