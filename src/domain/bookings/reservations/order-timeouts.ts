import { Cause, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { repeatPeriodically } from "../../../jobs/loop.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { isOrderExpired, type OrderState } from "../orders/order.ts"
import { Orders } from "./Orders.ts"

// A request that nobody answers and an agreed order that nobody pays time out by the clock. Whoever times one out changes it
// as every change of an order does, where it still waits then: so any number of processes may look at once.

/** Milliseconds between two looks, and orders one statement finds. */
const ORDER_TIMEOUT_POLL_MS = 1_000
export const ORDER_TIMEOUT_BATCH_SIZE = 100

/** The first instant that a channel can say (contract/fields.ts). */
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

/**
 * What becomes of an order whose time is over. One that waits no more (a release before answered it) is as it is, and forgets
 * its time as whatever changes without waiting (rules/order-diff.ts).
 */
const timeOutIfExpired = (order: OrderState, now: Date): OrderState =>
  isOrderExpired(order, now) ? { ...order, status: "timeout" } : order

/**
 * Times out what is due, all of it: one that cannot be changed is told in the log and holds up none that come after it.
 */
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

/** Times orders out for as long as the process runs, over a database. */
export const layerOrderTimeouts = Layer.effectDiscard(
  Effect.flatMap(makeTimeOutOrders, (timeOutExpired) =>
    repeatPeriodically("timing orders out", ORDER_TIMEOUT_POLL_MS, () => timeOutExpired)
  )
).pipe(Layer.provide(Orders.layer))
