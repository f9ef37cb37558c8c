import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { DemoOperator } from "./demo-operator.ts"
import type { DemoOrder } from "./orders.ts"

export const loadOrdersWithAssignedCodes = Effect.fn("demo.asKnown")(function* ({ operatorId, orders }: DemoOperator) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ key: string; code: string; stays: ReadonlyArray<string> }>`
    SELECT o.channel_type || ' ' || o.channel_id AS key, o.reservation_code AS code,
      (SELECT jsonb_agg(s.stay_code ORDER BY s.id) FROM stays s
        WHERE s.operator_id = o.operator_id AND s.order_id = o.id) AS stays
    FROM orders o WHERE o.operator_id = ${operatorId}`
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  return orders.map((order): DemoOrder => {
    const row = rowsByKey.get(`${order.channelType} ${order.channelId}`)
    const withCode = (stay: DemoOrder["stays"][number], room: number) => ({
      ...stay,
      code: row?.stays[room] ?? stay.code
    })
    const [first, ...otherStays] = order.stays
    return {
      ...order,
      code: row?.code ?? order.code,
      stays: [withCode(first, 0), ...otherStays.map((stay, at) => withCode(stay, at + 1))]
    }
  })
})
