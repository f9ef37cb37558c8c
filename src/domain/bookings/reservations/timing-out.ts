import { Cause, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Acting, byItself } from "../../../contract/acting.ts"
import { periodically } from "../../../jobs/loop.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { rowsOf } from "../../../platform/database/rows.ts"
import { isExpired, type OrderState } from "../orders/order.ts"
import { Orders } from "./Orders.ts"

// A request that nobody answers and an agreed order that nobody pays time out by the clock. Whoever times one out changes it
// as every change of an order does, where it still waits then: so any number of processes may look at once.

/** Milliseconds between two looks, and orders one statement finds. */
export const TIMING_OUT_MS = 1_000
export const TIMING_OUT_ORDERS = 100

/** The first instant that a channel can say (contract/fields.ts). */
const BEFORE_ALL = new Date("0001-01-01T00:00:00Z")

const Due = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  reservation_code: Schema.String,
  expires_at: Schema.Date
})
type Due = typeof Due.Type
const readDue = rowsOf(Due)

interface After {
  readonly now: Date
  readonly expires_at: Date
  readonly operator_id: number
  readonly id: number
}

const due = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ now, expires_at, operator_id, id }: Givens<After>) => sql`
      SELECT operator_id, id, reservation_code, expires_at FROM orders
      WHERE expires_at IS NOT NULL AND expires_at <= ${now}
        AND (expires_at, operator_id, id) > (${expires_at}::timestamptz, ${operator_id}::bigint, ${id}::bigint)
      ORDER BY expires_at, operator_id, id LIMIT ${TIMING_OUT_ORDERS}`
  )
  return (after: After) => {
    const { now, expires_at, operator_id, id } = after
    return readDue(statement({ now, expires_at, operator_id, id }))
  }
}

/**
 * What becomes of an order whose time is over. One that waits no more (a release before answered it) is as it is, and forgets
 * its time as whatever changes without waiting (rules/order-change.ts).
 */
const ended = (order: OrderState, now: Date): OrderState =>
  isExpired(order, now) ? { ...order, status: "timeout" } : order

/**
 * Times out what is due, all of it: one that cannot be changed is told in the log and holds up none that come after it.
 */
export const timeOut = Effect.gen(function* () {
  const find = due(yield* SqlClient.SqlClient)
  const orders = yield* Orders
  const { wake } = yield* WakeUp

  const end = ({ operator_id, reservation_code }: Due, now: Date) =>
    orders
      .change(operator_id, now, { key: { reservation_code } }, ({ order }) =>
        Effect.succeed(order === null ? [] : [ended(order, now)])
      )
      .pipe(
        Effect.provideService(Acting, byItself("service", "time out order")),
        Effect.orDie,
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.logWarning("the timeout of an order failed and will be retried", cause)
        )
      )

  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    let after: After = { now, expires_at: BEFORE_ALL, operator_id: 0, id: 0 }
    while (true) {
      const found = yield* find(after)
      yield* Effect.forEach(found, (each) => end(each, now), { discard: true })
      const last = found.at(-1)
      if (last !== undefined) yield* wake
      if (last === undefined || found.length < TIMING_OUT_ORDERS) return
      after = { now, ...last }
    }
  })
})

/** Times orders out for as long as the process runs, over a database. */
export const layerTimingOut = Layer.effectDiscard(
  Effect.flatMap(timeOut, (once) => periodically("timing orders out", TIMING_OUT_MS, () => once))
).pipe(Layer.provide(Orders.layer))
