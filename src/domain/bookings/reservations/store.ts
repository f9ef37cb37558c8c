import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { apply, find, queued } from "./change-order.ts"
import { create, known, taken, whyNotCreated } from "./create-order.ts"

/** The SQL of orders. */
export class OrderStore extends Context.Service<OrderStore>()("latchkey/resources/OrderStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    whyNotCreated: whyNotCreated(sql),
    known: known(sql),
    taken: taken(sql),
    create: create(sql),
    find: find(sql),
    apply: apply(sql),
    queued: queued(sql)
  }))
}) {
  static readonly layer = Layer.effect(OrderStore, OrderStore.make)
}
