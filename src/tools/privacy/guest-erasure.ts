import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { deleteKeysOfCodesSql } from "../../changes/idempotency-key-statements.ts"
import { recordChange } from "../../changes/recorded-change.ts"
import { cancelGuestPlansSql, lockAnswerPartitionsSql } from "../../domain/automation/guest-data.ts"
import { lockGuestOrders } from "../../domain/bookings/orders/guest-data.ts"
import { selectStaysOfGuestOrders } from "../../domain/bookings/stays/guest-data.ts"
import { recordStayUpdates } from "../../domain/bookings/stays/stay-sql.ts"
import { lockConversationsSql } from "../../domain/guests/conversations/guest-data.ts"
import { selectGuestReviewRecords } from "../../domain/guests/reviews/guest-data.ts"
import { selectGuestTransactionRecords } from "../../domain/money/guest-data.ts"
import { eraseReceiverResponsesSql } from "../../domain/webhooks/deliveries/guest-data.ts"
import { idsParameter } from "../../platform/database/parameters.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../platform/database/statement-retry.ts"
import { GUEST_DATA_TABLES } from "./guest-data-tables.ts"
import type { GuestMatch } from "./guest-search.ts"

// An order at a time, whole or not at all: who is killed in between begins anew and finds the rest. Locks are taken as whoever
// changes an order takes them, orders first.

/** Says in the trail, and to subscribers, that the guest of these is gone; nothing of him. */
const recordErasure = Effect.fnUntraced(function* (
  { recordIds: { operatorId, stayIds }, records }: GuestMatch,
  now: Date
) {
  const sql = yield* SqlClient.SqlClient
  yield* recordChange(sql, {
    change: sql`erased AS (
      SELECT s.operator_id, s.stay_code, s.property_id, o.reservation_code
      FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
      WHERE s.operator_id = ${operatorId} AND s.id = ANY (${idsParameter(stayIds)}::bigint[]))`,
    events: [recordStayUpdates(sql, { from: sql`erased`, at: now })],
    changedRecords: sql`
      SELECT ${operatorId}::bigint AS operator_id, record, '{guest}'::text[] AS fields FROM unnest(${records}::text[]) record`,
    outcome: sql`SELECT true AS erased`
  })
})

/**
 * Forgets what is kept beside the records of some guests of an operator: what receivers answered, and answers kept for keys. They are
 * found by reading through all the operator has, so once for all of them, and while no order is locked.
 */
export const eraseStoredResponses = Effect.fnUntraced(function* (matches: ReadonlyArray<GuestMatch>) {
  const sql = yield* SqlClient.SqlClient
  const [firstMatch] = matches
  if (firstMatch === undefined) return
  const { operatorId } = firstMatch.recordIds
  const recordIds = {
    ...firstMatch.recordIds,
    orderIds: matches.flatMap((match) => match.recordIds.orderIds),
    codes: matches.flatMap((match) => match.recordIds.codes)
  }
  const records = sql`
    SELECT unnest(${matches.flatMap((match) => match.records)}::text[])
    UNION ALL ${selectGuestReviewRecords(sql, recordIds)} UNION ALL ${selectGuestTransactionRecords(sql, recordIds)}`
  yield* retryOnLockConflict(Effect.asVoid(sql`${eraseReceiverResponsesSql(sql, operatorId, records)}`))
  yield* retryOnLockConflict(Effect.asVoid(sql`${deleteKeysOfCodesSql(sql, operatorId, recordIds.codes)}`))
})

const readStayIds = makeRowsReader(Schema.Struct({ id: Schema.Int }))

const alwaysErase: Effect.Effect<boolean> = Effect.succeed(true)

/**
 * Leaves nothing of the guest of an order and its conversation but nights, money and codes; what is kept beside it is forgotten before.
 * `isStillDue`: asked once all is locked, whether it is to be erased after all.
 */
export const eraseGuestMatch = Effect.fnUntraced(function* <E>(
  match: GuestMatch,
  isStillDue: Effect.Effect<boolean, E> = alwaysErase
) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  const erasure = Effect.gen(function* () {
    yield* sql`${lockGuestOrders(sql, match.recordIds)}`
    // A channel may have given the order other rooms since it was found.
    const stays = yield* readStayIds(sql`${selectStaysOfGuestOrders(sql, match.recordIds)}`)
    const recordIds = { ...match.recordIds, stayIds: stays.map(({ id }) => id) }
    yield* sql`${lockAnswerPartitionsSql(sql, recordIds)}`
    yield* sql`${lockConversationsSql(sql, recordIds)}`
    if (!(yield* isStillDue)) return
    const statements = [
      ...cancelGuestPlansSql(sql, recordIds, now),
      ...GUEST_DATA_TABLES.flatMap(({ eraseStatements }) => eraseStatements(sql, recordIds, now))
    ]
    yield* Effect.forEach(statements, (statement) => sql`${statement}`, { discard: true })
    yield* recordErasure({ ...match, recordIds }, now)
  })
  yield* retryOnLockConflict(sql.withTransaction(erasure))
})

/** All that was found of a guest, an order after the other. */
export const eraseGuestMatches = (matches: ReadonlyArray<GuestMatch>) =>
  Effect.andThen(
    eraseStoredResponses(matches),
    Effect.forEach(matches, (match) => eraseGuestMatch(match), { discard: true })
  )
