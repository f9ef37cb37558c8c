import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { applyOrderChange, loadOrderForChange, withOperatorOrderLock } from "./change-order.ts"
import { createOrder, findCreateObstacles, findOrderByChannelId, findTakenNights } from "./create-order.ts"

/** The SQL of orders. */
export class OrderStore extends Context.Service<OrderStore>()("latchkey/domain/bookings/reservations/OrderStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    findCreateObstacles: findCreateObstacles(sql),
    findByChannelId: findOrderByChannelId(sql),
    findTakenNights: findTakenNights(sql),
    create: createOrder(sql),
    loadForChange: loadOrderForChange(sql),
    applyChange: applyOrderChange(sql),
    withOperatorOrderLock: withOperatorOrderLock(sql)
  }))
}) {
  static readonly layer = Layer.effect(OrderStore, OrderStore.make)
}
