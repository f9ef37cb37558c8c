import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Arrival, outOfOrder } from "./arrivals.ts"
import type { Tally } from "./figures.ts"
import type { Estate, Ledger } from "./writing.ts"

// Holds the writers' account against what the database has and what the receiver was sent.

/** Acknowledged writes that the database does not have, and nights it has twice. */
export const missingFrom = Effect.fnUntraced(function* (held: Estate, kept: Ledger) {
  const sql = yield* SqlClient.SqlClient
  const entries = yield* sql<{ id: number; amount: number }>`
    SELECT id, amount::float8 AS amount FROM transactions WHERE operator_id = ${held.operatorId}`
  const orders = yield* sql<{ code: string }>`
    SELECT reservation_code AS code FROM orders WHERE operator_id = ${held.operatorId} AND status = 'accepted'`
  const nights = yield* sql<{ property: number; day: string; closed: boolean; code: string | null }>`
    SELECT d.property_id AS property, d.day::text AS day, d.closed, o.reservation_code AS code FROM calendar_days d
    LEFT JOIN stays s ON s.operator_id = d.operator_id AND s.id = d.stay_id
    LEFT JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    WHERE d.operator_id = ${held.operatorId}`
  const twice = yield* sql<{ day: string }>`
    SELECT check_in_date::text AS day FROM stays s
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id AND o.status = 'accepted'
    WHERE s.operator_id = ${held.operatorId} AND s.property_id = ${held.wanted}
    GROUP BY check_in_date HAVING count(*) > 1`
  const outOfStep = yield* sql<{ code: string }>`
    SELECT stay_code AS code FROM stays_out_of_step WHERE operator_id = ${held.operatorId}`
  const amounts = new Map(entries.map(({ id, amount }) => [id, amount]))
  const codes = new Set(orders.map(({ code }) => code))
  const closed = new Set(nights.filter((each) => each.closed).map(({ property, day }) => `${property} ${day}`))
  const holders = new Map(nights.map(({ day, code, property }) => [`${property} ${day}`, code]))
  return {
    lost: [
      ...Array.from(kept.entries, ([id, { acknowledged, asked }]) => {
        const amount = amounts.get(id)
        return amount === acknowledged || amount === asked ? "" : `entry ${id} has ${amount}, not ${acknowledged}`
      }),
      ...Array.from(kept.orders, ([code, { day }]) =>
        codes.has(code) && holders.get(`${held.wanted} ${day}`) === code ? "" : `order ${code} or its night ${day}`
      ),
      ...Array.from(kept.closed, ([property, days]) =>
        Array.from(days, (day) => (closed.has(`${property} ${day}`) ? "" : `closed day ${day} of ${property}`))
      ).flat()
    ].filter((each) => each !== ""),
    soldTwice: twice.map(({ day }) => day),
    outOfStep: outOfStep.map(({ code }) => code)
  }
}, Effect.orDie)

export type Missing = Effect.Success<ReturnType<typeof missingFrom>>

/** Events of acknowledged writes that have not arrived. */
export const owedTo = (arrived: ReadonlyArray<Arrival>, kept: Ledger): ReadonlyArray<string> => {
  const created = new Set<number | undefined>()
  const updated = new Set<number | undefined>()
  const orders = new Set<string | undefined>()
  const closed = new Set<string>()
  for (const { body } of arrived) {
    if (body.event === "transaction_created") created.add(body.transaction_id)
    if (body.event === "transaction_updated") updated.add(body.transaction_id)
    if (body.event === "reservation_created") orders.add(body.reservation_code)
    for (const { date, available } of body.availabilities ?? [])
      if (!available) closed.add(`${body.property_id} ${date}`)
  }
  return [
    ...Array.from(kept.entries.keys()).flatMap((id) => (created.has(id) ? [] : [`creation of entry ${id}`])),
    ...Array.from(kept.entries).flatMap(([id, { edits }]) =>
      edits === 0 || updated.has(id) ? [] : [`edit of entry ${id}`]
    ),
    ...Array.from(kept.orders.keys()).flatMap((code) => (orders.has(code) ? [] : [`order ${code}`])),
    ...Array.from(kept.closed).flatMap(([property, days]) =>
      Array.from(days).flatMap((day) => (closed.has(`${property} ${day}`) ? [] : [`closing of ${day} of ${property}`]))
    )
  ]
}

/** Waits until nothing is owed, so long at most; answers what still is. */
export const settledWithin = async (
  milliseconds: number,
  arrived: () => ReadonlyArray<Arrival>,
  kept: Ledger
): Promise<ReadonlyArray<string>> => {
  const until = performance.now() + milliseconds
  for (;;) {
    const owed = owedTo(arrived(), kept)
    if (owed.length === 0 || performance.now() > until) return owed
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const some = (all: ReadonlyArray<string>): string => `${all.slice(0, 5).join(", ")}${all.length > 5 ? ", …" : ""}`

/** Notes what the account and the receiver say is wrong. */
export const noteAccount = (
  count: Tally,
  held: Estate,
  said: Missing,
  owed: ReadonlyArray<string>,
  arrived: ReadonlyArray<Arrival>
): void => {
  if (said.lost.length > 0) count.fell(`${said.lost.length} acknowledged writes are lost`, some(said.lost))
  if (said.soldTwice.length > 0) count.fell(`${said.soldTwice.length} nights are sold twice`, some(said.soldTwice))
  if (said.outOfStep.length > 0)
    count.fell(`${said.outOfStep.length} stays hold other nights than theirs`, some(said.outOfStep))
  if (owed.length > 0) count.fell(`${owed.length} events of acknowledged writes did not arrive`, some(owed))
  // What several writers did to one record at once has no order; all other records have one writer.
  const disordered = outOfOrder(arrived).filter((record) => record !== `property ${held.wanted}`)
  if (disordered.length > 0) count.fell(`events of ${disordered.length} records arrived out of order`, some(disordered))
}
