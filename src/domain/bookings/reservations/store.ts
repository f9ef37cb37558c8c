import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { apply, find, withOperatorOrderQueue } from "./change-order.ts"
import { create, findByChannelId, findCreateObstacles, findTakenNights } from "./create-order.ts"

/** The SQL of orders. */
export class OrderStore extends Context.Service<OrderStore>()("latchkey/domain/bookings/reservations/OrderStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    findCreateObstacles: findCreateObstacles(sql),
    findByChannelId: findByChannelId(sql),
    findTakenNights: findTakenNights(sql),
    create: create(sql),
    find: find(sql),
    apply: apply(sql),
    withOperatorOrderQueue: withOperatorOrderQueue(sql)
  }))
}) {
  static readonly layer = Layer.effect(OrderStore, OrderStore.make)
}
