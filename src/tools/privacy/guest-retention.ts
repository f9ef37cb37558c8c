import { Cause, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { daysBefore } from "../../contract/time.ts"
import { hasGuestDataCondition } from "../../domain/bookings/stays/guest-data.ts"
import { hasGuestDetailsCondition } from "../../domain/guests/conversations/guest-data.ts"
import {
  eraseOldMessagesSql,
  MESSAGE_RETENTION_BATCH_ROWS
} from "../../domain/guests/conversations/message-retention.ts"
import {
  MESSAGE_IMAGES_PER_STATEMENT,
  releaseOldMessageImagesSql
} from "../../domain/guests/images/message-image-retention.ts"
import { RETENTION_INTERVAL_MS } from "../../jobs/retention.ts"
import { repeatPeriodically } from "../../jobs/WorkSchedule.ts"
import { makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { findStorageFailure } from "../../platform/database/storage-failure.ts"
import { RetentionDays } from "../../platform/installation.ts"
import { eraseGuestMatch, eraseStoredResponses } from "./guest-erasure.ts"
import { findGuestByConversation, findGuestByOrder, type GuestMatch } from "./guest-search.ts"

// Operators alternate batch by batch, so that a large operator does not delay others. Erased data is not found again,
// so concurrent or repeated runs are safe.

export const STAYS_PER_BATCH = 50

export const INQUIRIES_PER_BATCH = 50

interface RetentionTask<Cursor> {
  readonly nextOperatorSql: (sql: SqlClient.SqlClient, after: number) => Fragment
  readonly start: Cursor
  readonly runBatch: (
    operatorId: number,
    cursor: Cursor
  ) => Effect.Effect<Cursor | undefined, never, SqlClient.SqlClient | CurrentActor>
}

const readOperator = makeSingleRowReader(Schema.Struct({ operator_id: Schema.NullOr(Schema.Int) }))
const readCount = makeSingleRowReader(Schema.Struct({ rows: Schema.Int }))

const runForAllOperators = Effect.fnUntraced(function* <Cursor>({
  nextOperatorSql,
  start,
  runBatch
}: RetentionTask<Cursor>) {
  const sql = yield* SqlClient.SqlClient
  const findNextOperator = (after: number) =>
    Effect.map(readOperator(sql`${nextOperatorSql(sql, after)}`), (row) => row.operator_id)
  let unfinished: Array<readonly [operatorId: number, from: Cursor]> = []
  const runOperatorBatch = Effect.fnUntraced(function* (operatorId: number, cursor: Cursor) {
    const nextCursor = yield* runBatch(operatorId, cursor)
    if (nextCursor !== undefined) unfinished.push([operatorId, nextCursor])
  })
  for (
    let operatorId = yield* findNextOperator(0);
    operatorId !== null;
    operatorId = yield* findNextOperator(operatorId)
  ) {
    yield* runOperatorBatch(operatorId, start)
  }
  while (unfinished.length > 0) {
    const round = unfinished
    unfinished = []
    for (const [operatorId, cursor] of round) yield* runOperatorBatch(operatorId, cursor)
  }
})

const makeCountedTask = (
  nextOperatorSql: RetentionTask<true>["nextOperatorSql"],
  rowsPerBatch: number,
  statement: (sql: SqlClient.SqlClient, operatorId: number) => Fragment
): RetentionTask<true> => ({
  nextOperatorSql,
  start: true,
  runBatch: Effect.fnUntraced(function* (operatorId) {
    const sql = yield* SqlClient.SqlClient
    const { rows } = yield* readCount(sql`${statement(sql, operatorId)}`)
    return rows === rowsPerBatch ? true : undefined
  })
})

const messageRetention = (cutoff: Date, now: Date) =>
  makeCountedTask(
    (sql, after) => sql`SELECT min(operator_id) AS operator_id FROM messages WHERE operator_id > ${after}`,
    MESSAGE_RETENTION_BATCH_ROWS,
    (sql, operatorId) => eraseOldMessagesSql(sql, operatorId, cutoff, now)
  )

const imageRetention = (cutoff: Date, now: Date) =>
  makeCountedTask(
    (sql, after) => sql`
      SELECT min(operator_id) AS operator_id FROM images
      WHERE operator_id > ${after} AND kind = 'message' AND delete_at IS NULL`,
    MESSAGE_IMAGES_PER_STATEMENT,
    (sql, operatorId) => releaseOldMessageImagesSql(sql, operatorId, cutoff, now)
  )

const readStays = makeRowsReader(
  Schema.Struct({ id: Schema.Int, order_id: Schema.Int, check_out_date: Schema.String, is_last: Schema.Boolean })
)

const loadEndedStays = (sql: SqlClient.SqlClient, operatorId: number, cutoff: Date, cursor: StayCursor) =>
  readStays(sql`
    SELECT t.id, t.order_id, t.check_out_date::text AS check_out_date, NOT EXISTS (
      SELECT FROM stays later
      WHERE later.operator_id = ${operatorId} AND later.order_id = t.order_id AND later.check_out_date > today.day) AS is_last
    FROM stays t, (SELECT (${cutoff}::timestamptz AT TIME ZONE time_zone)::date AS day FROM operators WHERE id = ${operatorId}) today
    WHERE t.operator_id = ${operatorId} AND ${hasGuestDataCondition(sql)} AND t.check_out_date <= today.day
      AND (t.check_out_date, t.id) > (${cursor.day}::date, ${cursor.id}::bigint)
    ORDER BY t.check_out_date, t.id LIMIT ${sql.literal(String(STAYS_PER_BATCH))}`)

interface StayCursor {
  readonly day: string
  readonly id: number
}

/** Returns undefined if the order is not over. Includes the conversation only if all its orders are over. */
const toErasableMatch = (orderId: number, thread: ReadonlyArray<GuestMatch>): GuestMatch | undefined => {
  const ownMatch = thread.find(({ recordIds }) => recordIds.orderIds.includes(orderId))
  if (ownMatch === undefined || ownMatch.currentStayCodes.length > 0) return undefined
  if (thread.every(({ currentStayCodes }) => currentStayCodes.length === 0)) return ownMatch
  return {
    ...ownMatch,
    recordIds: { ...ownMatch.recordIds, conversationIds: [] },
    records: ownMatch.records.filter((record) => record.startsWith("reservation:"))
  }
}

/** One failing erasure does not stop the others, but an unavailable or full database does. */
const tryEraseGuestMatch = <E>(match: GuestMatch, isStillDue?: Effect.Effect<boolean, E>) =>
  Effect.orDie(eraseGuestMatch(match, isStillDue)).pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause) && findStorageFailure(cause) === undefined,
      (cause) =>
        Effect.logWarning("erasing a guest failed and is tried again", cause).pipe(
          Effect.annotateLogs({ operator_id: match.recordIds.operatorId, records: match.records })
        )
    )
  )

const guestRetention = (cutoff: Date): RetentionTask<StayCursor> => ({
  nextOperatorSql: (sql, after) =>
    sql`SELECT min(t.operator_id) AS operator_id FROM stays t WHERE t.operator_id > ${after} AND ${hasGuestDataCondition(sql)}`,
  start: { day: "0001-01-01", id: 0 },
  runBatch: Effect.fnUntraced(function* (operatorId, cursor) {
    const sql = yield* SqlClient.SqlClient
    const endedStays = yield* loadEndedStays(sql, operatorId, cutoff, cursor)
    const endedOrderIds = Array.from(
      new Set(endedStays.flatMap(({ order_id, is_last }) => (is_last ? [order_id] : [])))
    )
    // One day after the cutoff, because stays that ended on the cutoff day are over.
    const threads = yield* Effect.forEach(endedOrderIds, (id) =>
      findGuestByOrder(operatorId, id, daysBefore(cutoff, -1))
    )
    const matches = endedOrderIds.flatMap((id, index) => toErasableMatch(id, threads[index] ?? []) ?? [])
    yield* Effect.orDie(eraseStoredResponses(matches))
    yield* Effect.forEach(matches, (match) => tryEraseGuestMatch(match), { discard: true })
    const lastStay = endedStays.at(-1)
    return lastStay !== undefined && endedStays.length === STAYS_PER_BATCH
      ? { day: lastStay.check_out_date, id: lastStay.id }
      : undefined
  })
})

const readInquiries = makeRowsReader(
  Schema.Struct({ id: Schema.Int, code: Schema.String, last_message_at: Schema.String })
)

interface InquiryCursor {
  /** Time of the last message, in the database's text form. */
  readonly at: string
  readonly id: number
}

/**
 * Holds for a conversation `t` with guest details, without messages since the cutoff, and without later stays, later
 * inquiries, queued messages or active offers.
 */
const quietSinceCondition = (sql: SqlClient.SqlClient, operatorId: number, cutoff: Date): Fragment => sql`
  t.operator_id = ${operatorId} AND ${hasGuestDetailsCondition(sql)} AND t.last_message_at <= ${cutoff}
    AND (t.inquiry_check_out_date IS NULL OR t.inquiry_check_out_date <= ${operatorDaySql(sql, operatorId, cutoff)})
    AND NOT EXISTS (
      SELECT FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
      WHERE o.operator_id = ${operatorId} AND o.conversation_id = t.code AND s.check_out_date > ${operatorDaySql(sql, operatorId, cutoff)})
    AND NOT EXISTS (
      SELECT FROM messages m WHERE m.operator_id = ${operatorId} AND m.conversation_id = t.id AND m.delivery = 'queued')
    AND NOT EXISTS (
      SELECT FROM special_offers f WHERE f.operator_id = ${operatorId} AND f.conversation_id = t.id AND f.status = 'active')`

const operatorDaySql = (sql: SqlClient.SqlClient, operatorId: number, cutoff: Date): Fragment => sql`
  (SELECT (${cutoff}::timestamptz AT TIME ZONE time_zone)::date FROM operators WHERE id = ${operatorId})`

/**
 * Includes conversations whose orders were already erased, because a channel may have sent the guest's details again.
 */
export const oldInquiriesSql = (
  sql: SqlClient.SqlClient,
  operatorId: number,
  cutoff: Date,
  cursor: InquiryCursor
): Fragment => sql`
  SELECT t.id, t.code, t.last_message_at::text AS last_message_at
  FROM conversations t
  WHERE ${quietSinceCondition(sql, operatorId, cutoff)} AND (t.last_message_at, t.id) > (${cursor.at}::timestamptz, ${cursor.id}::bigint)
  ORDER BY t.last_message_at, t.id LIMIT ${sql.literal(String(INQUIRIES_PER_BATCH))}`

const readStillQuiet = makeSingleRowReader(Schema.Struct({ still: Schema.Boolean }))

/** The caller must lock the conversations, so that no message arrives before the erasure. */
export const areConversationsInactive = (
  sql: SqlClient.SqlClient,
  { recordIds: { operatorId, conversationIds } }: GuestMatch,
  cutoff: Date
) =>
  Effect.map(
    readStillQuiet(sql`
      SELECT NOT EXISTS (
        SELECT FROM unnest(${conversationIds}::bigint[]) AS found (id)
        WHERE NOT EXISTS (SELECT FROM conversations t WHERE t.id = found.id AND ${quietSinceCondition(sql, operatorId, cutoff)})) AS still`),
    ({ still }) => still
  )

const inquiryRetention = (cutoff: Date): RetentionTask<InquiryCursor> => ({
  nextOperatorSql: (sql, after) =>
    sql`SELECT min(t.operator_id) AS operator_id FROM conversations t WHERE t.operator_id > ${after} AND ${hasGuestDetailsCondition(sql)}`,
  start: { at: "-infinity", id: 0 },
  runBatch: Effect.fnUntraced(function* (operatorId, cursor) {
    const sql = yield* SqlClient.SqlClient
    const inquiries = yield* readInquiries(sql`${oldInquiriesSql(sql, operatorId, cutoff, cursor)}`)
    const threads = yield* Effect.forEach(inquiries, ({ code }) =>
      findGuestByConversation(operatorId, code, daysBefore(cutoff, -1))
    )
    const matches = threads
      .filter((thread) => thread.every(({ currentStayCodes }) => currentStayCodes.length === 0))
      .flat()
    yield* Effect.orDie(eraseStoredResponses(matches))
    yield* Effect.forEach(matches, (match) => tryEraseGuestMatch(match, areConversationsInactive(sql, match, cutoff)), {
      discard: true
    })
    const lastInquiry = inquiries.at(-1)
    return lastInquiry !== undefined && inquiries.length === INQUIRIES_PER_BATCH
      ? { at: lastInquiry.last_message_at, id: lastInquiry.id }
      : undefined
  })
})

export const applyGuestRetention = Effect.fnUntraced(function* (days: RetentionDays, now: Date) {
  if (days.messages !== undefined) yield* runForAllOperators(messageRetention(daysBefore(now, days.messages), now))
  if (days.images !== undefined) yield* runForAllOperators(imageRetention(daysBefore(now, days.images), now))
  if (days.orders === undefined) return
  yield* runForAllOperators(guestRetention(daysBefore(now, days.orders)))
  yield* runForAllOperators(inquiryRetention(daysBefore(now, days.orders)))
})

export const layerGuestRetention = Layer.effectDiscard(
  Effect.flatMap(RetentionDays, (days) => {
    if (Object.values(days).every((each) => each === undefined)) return Effect.void
    return repeatPeriodically("retention of guest data", RETENTION_INTERVAL_MS, (now) =>
      Effect.provideService(applyGuestRetention(days, now), CurrentActor, systemActor("retention", "guest erase"))
    )
  })
)
