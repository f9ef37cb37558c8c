import { Cause, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { readNextDue } from "../../../jobs/next-due.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { isOrderExpired, type OrderState } from "../orders/order.ts"
import { Orders } from "./Orders.ts"

// Each timeout is an ordinary order change that checks the status again, so several processes may run this at once.

const ORDER_TIMEOUT_POLL_MS = 1_000
export const ORDER_TIMEOUT_BATCH_SIZE = 100

const EARLIEST_INSTANT = new Date("0001-01-01T00:00:00Z")

const ExpiredOrder = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  reservation_code: Schema.String,
  expires_at: Schema.Date
})
type ExpiredOrder = typeof ExpiredOrder.Type
const readExpiredOrders = makeRowsReader(ExpiredOrder)

interface ExpiredOrderCursor {
  readonly now: Date
  readonly expires_at: Date
  readonly operator_id: number
  readonly id: number
}

const findExpiredOrders = (sql: SqlClient.SqlClient) => (cursor: ExpiredOrderCursor) => {
  const { now, expires_at, operator_id, id } = cursor
  return readExpiredOrders(sql`
      SELECT operator_id, id, reservation_code, expires_at FROM orders
      WHERE expires_at IS NOT NULL AND expires_at <= ${now}
        AND (expires_at, operator_id, id) > (${expires_at}::timestamptz, ${operator_id}::bigint, ${id}::bigint)
      ORDER BY expires_at, operator_id, id LIMIT ${ORDER_TIMEOUT_BATCH_SIZE}`)
}

/** Does not change an order that is no longer pending. `Orders.change` then clears its `expires_at`. */
const timeOutIfExpired = (order: OrderState, now: Date): OrderState =>
  isOrderExpired(order, now) ? { ...order, status: "timeout" } : order

/** A failed timeout is logged and does not delay the others. */
export const makeTimeOutOrders = Effect.gen(function* () {
  const findNext = findExpiredOrders(yield* SqlClient.SqlClient)
  const orders = yield* Orders
  const { wake } = yield* WakeUp

  const timeOutOrder = ({ operator_id, reservation_code }: ExpiredOrder, now: Date) =>
    orders
      .change(operator_id, now, { key: { reservation_code } }, ({ order }) =>
        Effect.succeed(order === null ? [] : [timeOutIfExpired(order, now)])
      )
      .pipe(
        Effect.provideService(CurrentActor, systemActor("service", "time out order")),
        Effect.orDie,
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.logWarning("the timeout of an order failed and will be retried", cause)
        )
      )

  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    let cursor: ExpiredOrderCursor = { now, expires_at: EARLIEST_INSTANT, operator_id: 0, id: 0 }
    while (true) {
      const expiredOrders = yield* findNext(cursor)
      yield* Effect.forEach(expiredOrders, (each) => timeOutOrder(each, now), { discard: true })
      const last = expiredOrders.at(-1)
      if (last !== undefined) yield* wake
      if (last === undefined || expiredOrders.length < ORDER_TIMEOUT_BATCH_SIZE) return
      cursor = { now, ...last }
    }
  })
})

const findNextTimeout = (sql: SqlClient.SqlClient) => (until: Date) =>
  readNextDue(sql`SELECT count(*) AS due, min(expires_at) AS oldest_at FROM orders WHERE expires_at <= ${until}`)

export const layerOrderTimeouts = Layer.effectDiscard(
  Effect.gen(function* () {
    const timeOutExpired = yield* makeTimeOutOrders
    const sql = yield* SqlClient.SqlClient
    yield* repeatPeriodically("timing orders out", ORDER_TIMEOUT_POLL_MS, () => timeOutExpired, findNextTimeout(sql))
  })
).pipe(Layer.provide(Orders.layer))
