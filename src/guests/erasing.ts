import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { forgettingKeysOf } from "../changes/guest-places.ts"
import { onRecord } from "../changes/on-record.ts"
import { patiently } from "../database/patience.ts"
import { forgettingAnswers } from "../deliveries/guest-places.ts"
import { endingPlans, lockingAnswers } from "../resources/automation/guest-places.ts"
import { lockingConversations } from "../resources/conversations/guest-places.ts"
import { lockingOrders } from "../resources/orders/guest-places.ts"
import { reviewRecords } from "../resources/reviews/guest-places.ts"
import { recordStayUpdates } from "../resources/stays/table.ts"
import { entryRecords } from "../resources/transactions/guest-places.ts"
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
      WHERE s.operator_id = ${operatorId} AND s.id = ANY (${`{${stayIds.join(",")}}`}::bigint[]))`,
    events: [recordStayUpdates(sql, { from: sql`erased`, at: now })],
    touched: sql`
      SELECT ${operatorId}::bigint AS operator_id, record, '{guest}'::text[] AS fields FROM unnest(${records}::text[]) record`,
    outcome: sql`SELECT true AS erased`
  })
})

/** Leaves nothing of the guest of an order and its conversation but nights, money and codes. */
export const eraseGuest = Effect.fnUntraced(function* (found: Found) {
  const sql = yield* SqlClient.SqlClient
  const { party, records } = found
  const now = yield* DateTime.nowAsDate
  const statements = [
    lockingOrders(sql, party),
    lockingAnswers(sql, party),
    lockingConversations(sql, party),
    ...endingPlans(sql, party, now),
    ...GUEST_PLACES.flatMap(({ erasing }) => erasing(sql, party, now)),
    forgettingAnswers(
      sql,
      party.operatorId,
      sql`SELECT unnest(${records}::text[]) UNION ALL ${reviewRecords(sql, party)} UNION ALL ${entryRecords(sql, party)}`
    ),
    forgettingKeysOf(sql, party.operatorId, party.codes)
  ]
  const work = Effect.andThen(
    Effect.forEach(statements, (statement) => sql`${statement}`, { discard: true }),
    told(found, now)
  )
  yield* patiently(sql.withTransaction(work))
})
