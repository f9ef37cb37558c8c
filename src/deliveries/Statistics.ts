import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WEBHOOK_STATISTICS_GROWTH, WEBHOOK_STATISTICS_ROWS } from "../limits.ts"

/**
 * Keeps the plans of the queue's statements fit for how much there is. PostgreSQL keeps a plan it made for empty tables
 * until new statistics say otherwise: a server makes them within minutes of a change, the embedded database never does.
 */
export class Statistics extends Context.Service<
  Statistics,
  {
    /** Tells of deliveries that were made; renews statistics whenever there were several times as many as before. */
    readonly grown: (deliveries: number) => Effect.Effect<void>
  }
>()("latchkey/deliveries/Statistics") {
  static readonly layer = Layer.effect(
    Statistics,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const renew = Effect.forEach(
        ["events", "webhook_deliveries", "webhook_lanes", "webhook_attempts"],
        (table) => Effect.orDie(sql`ANALYZE ${sql(table)}`),
        { discard: true }
      )
      let total = 0
      let next = WEBHOOK_STATISTICS_ROWS
      const grown = (deliveries: number) =>
        Effect.suspend(() => {
          total += deliveries
          if (total < next) return Effect.void
          next = total * WEBHOOK_STATISTICS_GROWTH
          return renew
        })
      return { grown }
    })
  )
}
