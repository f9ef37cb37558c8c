import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { forgettingKeysOf } from "../../changes/guest-places.ts"
import { onRecord } from "../../changes/on-record.ts"
import { endingPlans, lockingAnswers } from "../../domain/automation/guest-places.ts"
import { lockingOrders } from "../../domain/bookings/orders/guest-places.ts"
import { staysOfOrders } from "../../domain/bookings/stays/guest-places.ts"
import { recordStayUpdates } from "../../domain/bookings/stays/table.ts"
import { lockingConversations } from "../../domain/guests/conversations/guest-places.ts"
import { reviewRecords } from "../../domain/guests/reviews/guest-places.ts"
import { entryRecords } from "../../domain/money/guest-places.ts"
import { forgettingAnswers } from "../../domain/webhooks/deliveries/guest-places.ts"
import { idsParameter } from "../../platform/database/parameters.ts"
import { patiently } from "../../platform/database/patience.ts"
import { rowsOf } from "../../platform/database/rows.ts"
import type { Found } from "./finding.ts"
import { GUEST_PLACES } from "./places.ts"

// An order at a time, whole or not at all: who is killed in between begins anew and finds the rest. Locks are taken as whoever
// changes an order takes them, orders first.

/** Says in the trail, and to subscribers, that the guest of these is gone; nothing of him. */
const told = Effect.fnUntraced(function* ({ party: { operatorId, stayIds }, records }: Found, now: Date) {
  const sql = yield* SqlClient.SqlClient
  yield* onRecord(sql, {
    change: sql`erased AS (
      SELECT s.operator_id, s.stay_code, s.property_id, o.reservation_code
      FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
      WHERE s.operator_id = ${operatorId} AND s.id = ANY (${idsParameter(stayIds)}::bigint[]))`,
    events: [recordStayUpdates(sql, { from: sql`erased`, at: now })],
    touched: sql`
      SELECT ${operatorId}::bigint AS operator_id, record, '{guest}'::text[] AS fields FROM unnest(${records}::text[]) record`,
    outcome: sql`SELECT true AS erased`
  })
})

/**
 * Forgets what is kept beside the records of some guests of an operator: what receivers answered, and answers kept for keys. They are
 * found by reading through all the operator has, so once for all of them, and while no order is locked.
 */
export const forgetAside = Effect.fnUntraced(function* (all: ReadonlyArray<Found>) {
  const sql = yield* SqlClient.SqlClient
  const [first] = all
  if (first === undefined) return
  const { operatorId } = first.party
  const party = {
    ...first.party,
    orderIds: all.flatMap((each) => each.party.orderIds),
    codes: all.flatMap((each) => each.party.codes)
  }
  const records = sql`
    SELECT unnest(${all.flatMap((each) => each.records)}::text[])
    UNION ALL ${reviewRecords(sql, party)} UNION ALL ${entryRecords(sql, party)}`
  yield* patiently(Effect.asVoid(sql`${forgettingAnswers(sql, operatorId, records)}`))
  yield* patiently(Effect.asVoid(sql`${forgettingKeysOf(sql, operatorId, party.codes)}`))
})

const readIds = rowsOf(Schema.Struct({ id: Schema.Int }))

const always: Effect.Effect<boolean> = Effect.succeed(true)

/**
 * Leaves nothing of the guest of an order and its conversation but nights, money and codes; what is kept beside it is forgotten before.
 * `still`: asked once all is locked, whether it is to be erased after all.
 */
export const eraseGuest = Effect.fnUntraced(function* <E>(found: Found, still: Effect.Effect<boolean, E> = always) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  const work = Effect.gen(function* () {
    yield* sql`${lockingOrders(sql, found.party)}`
    // A channel may have given the order other rooms since it was found.
    const stays = yield* readIds(sql`${staysOfOrders(sql, found.party)}`)
    const party = { ...found.party, stayIds: stays.map(({ id }) => id) }
    yield* sql`${lockingAnswers(sql, party)}`
    yield* sql`${lockingConversations(sql, party)}`
    if (!(yield* still)) return
    const statements = [
      ...endingPlans(sql, party, now),
      ...GUEST_PLACES.flatMap(({ erasing }) => erasing(sql, party, now))
    ]
    yield* Effect.forEach(statements, (statement) => sql`${statement}`, { discard: true })
    yield* told({ ...found, party }, now)
  })
  yield* patiently(sql.withTransaction(work))
})

/** All that was found of a guest, an order after the other. */
export const eraseGuests = (all: ReadonlyArray<Found>) =>
  Effect.andThen(
    forgetAside(all),
    Effect.forEach(all, (found) => eraseGuest(found), { discard: true })
  )
