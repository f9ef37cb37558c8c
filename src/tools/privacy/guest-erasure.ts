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

// Each order is erased in one transaction, so an interrupted erasure can be repeated. Like other changes, an erasure
// locks orders first.

/** The events and audit entries of the erasure contain no data of the guest. */
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
 * Erases responses of webhook receivers and responses stored for idempotency keys. Runs once for all matches and
 * without locks on orders, because it scans whole tables.
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
 * Erases all guest data except nights, money and codes. Run {@link eraseStoredResponses} before. `isStillDue` is
 * checked after all rows are locked.
 */
export const eraseGuestMatch = Effect.fnUntraced(function* <E>(
  match: GuestMatch,
  isStillDue: Effect.Effect<boolean, E> = alwaysErase
) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  const erasure = Effect.gen(function* () {
    yield* sql`${lockGuestOrders(sql, match.recordIds)}`
    // A channel may have changed the order's rooms since the search.
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

export const eraseGuestMatches = (matches: ReadonlyArray<GuestMatch>) =>
  Effect.andThen(
    eraseStoredResponses(matches),
    Effect.forEach(matches, (match) => eraseGuestMatch(match), { discard: true })
  )
