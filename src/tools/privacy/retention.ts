import { Cause, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { Acting, byItself } from "../../contract/acting.ts"
import { daysBefore } from "../../contract/time.ts"
import { saysOfGuest } from "../../domain/bookings/stays/guest-places.ts"
import { FORGETTING_MESSAGES, forgettingMessages } from "../../domain/guests/conversations/forgetting.ts"
import { saysWho } from "../../domain/guests/conversations/guest-places.ts"
import { FORGETTING_MESSAGE_IMAGES, forgettingMessageImages } from "../../domain/guests/images/forgetting.ts"
import { periodically } from "../../jobs/loop.ts"
import { RETENTION_MS } from "../../jobs/retention.ts"
import { onlyRowOf, rowsOf } from "../../platform/database/rows.ts"
import { troubleOf } from "../../platform/database/trouble.ts"
import { KeptDays } from "../../platform/installation.ts"
import { eraseGuest, forgetAside } from "./erasing.ts"
import { type Found, findConversation, findOrder } from "./finding.ts"

// What the settings keep for so many days goes after them. Operators take turns of a bounded size, so that one with years to forget
// keeps nobody waiting; what was done is seen by its being gone, so any number of processes may be at it and one that dies
// leaves the rest for the next look.

/** Stays that one turn of an operator looks at. */
export const FORGETTING_STAYS = 50

/** Conversations without an order that one turn of an operator looks at. */
export const FORGETTING_INQUIRIES = 50

/** One kind of what goes. */
interface Forgetting<Place> {
  /** The next operator after one, that has any: a query for `operator_id`. */
  readonly operators: (sql: SqlClient.SqlClient, after: number) => Fragment
  /** Where a turn of an operator begins. */
  readonly from: Place
  /** A turn; answers where the next one goes on, undefined where there is no more of it. */
  readonly turn: (
    operatorId: number,
    from: Place
  ) => Effect.Effect<Place | undefined, never, SqlClient.SqlClient | Acting>
}

const readOperator = onlyRowOf(Schema.Struct({ operator_id: Schema.NullOr(Schema.Int) }))
const readCount = onlyRowOf(Schema.Struct({ rows: Schema.Int }))

/** Every operator's turn, and again of those that have more, until none has. */
const inTurns = Effect.fnUntraced(function* <Place>({ operators, from, turn }: Forgetting<Place>) {
  const sql = yield* SqlClient.SqlClient
  const next = (after: number) => Effect.map(readOperator(sql`${operators(sql, after)}`), (row) => row.operator_id)
  let again: Array<readonly [operatorId: number, from: Place]> = []
  const took = Effect.fnUntraced(function* (operatorId: number, at: Place) {
    const more = yield* turn(operatorId, at)
    if (more !== undefined) again.push([operatorId, more])
  })
  for (let operatorId = yield* next(0); operatorId !== null; operatorId = yield* next(operatorId)) {
    yield* took(operatorId, from)
  }
  while (again.length > 0) {
    const round = again
    again = []
    for (const [operatorId, at] of round) yield* took(operatorId, at)
  }
})

/** Of one statement that answers how many it did, as many as it may do at once where there may be more. */
const byCount = (
  operators: Forgetting<true>["operators"],
  most: number,
  statement: (sql: SqlClient.SqlClient, operatorId: number) => Fragment
): Forgetting<true> => ({
  operators,
  from: true,
  turn: Effect.fnUntraced(function* (operatorId) {
    const sql = yield* SqlClient.SqlClient
    const { rows } = yield* readCount(sql`${statement(sql, operatorId)}`)
    return rows === most ? true : undefined
  })
})

const messagesBefore = (then: Date, now: Date) =>
  byCount(
    (sql, after) => sql`SELECT min(operator_id) AS operator_id FROM messages WHERE operator_id > ${after}`,
    FORGETTING_MESSAGES,
    (sql, operatorId) => forgettingMessages(sql, operatorId, then, now)
  )

const imagesBefore = (then: Date, now: Date) =>
  byCount(
    (sql, after) => sql`
      SELECT min(operator_id) AS operator_id FROM images
      WHERE operator_id > ${after} AND kind = 'message' AND delete_at IS NULL`,
    FORGETTING_MESSAGE_IMAGES,
    (sql, operatorId) => forgettingMessageImages(sql, operatorId, then, now)
  )

const readStays = rowsOf(
  Schema.Struct({ id: Schema.Int, order_id: Schema.Int, check_out_date: Schema.String, is_last: Schema.Boolean })
)

/** Stays after a place among those that say something of their guest and ended by then, and whether their order's last one did. */
const overStays = (sql: SqlClient.SqlClient, operatorId: number, then: Date, from: StayPlace) =>
  readStays(sql`
    SELECT t.id, t.order_id, t.check_out_date::text AS check_out_date, NOT EXISTS (
      SELECT FROM stays later
      WHERE later.operator_id = ${operatorId} AND later.order_id = t.order_id AND later.check_out_date > today.day) AS is_last
    FROM stays t, (SELECT (${then}::timestamptz AT TIME ZONE time_zone)::date AS day FROM operators WHERE id = ${operatorId}) today
    WHERE t.operator_id = ${operatorId} AND ${saysOfGuest(sql)} AND t.check_out_date <= today.day
      AND (t.check_out_date, t.id) > (${from.day}::date, ${from.id}::bigint)
    ORDER BY t.check_out_date, t.id LIMIT ${sql.literal(String(FORGETTING_STAYS))}`)

interface StayPlace {
  readonly day: string
  readonly id: number
}

/** What is erased of an order that is over: its conversation only once every order of it is. */
const overPart = (orderId: number, thread: ReadonlyArray<Found>): Found | undefined => {
  const own = thread.find(({ party }) => party.orderIds.includes(orderId))
  if (own === undefined || own.current.length > 0) return undefined
  if (thread.every(({ current }) => current.length === 0)) return own
  return {
    ...own,
    party: { ...own.party, conversationIds: [] },
    records: own.records.filter((record) => record.startsWith("reservation:"))
  }
}

/** One guest who cannot be erased keeps no other from it; a database that is away or full keeps all. */
const erasedAlone = <E>(over: Found, still?: Effect.Effect<boolean, E>) =>
  Effect.orDie(eraseGuest(over, still)).pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause) && troubleOf(cause) === undefined,
      (cause) =>
        Effect.logWarning("erasing a guest failed and is tried again", cause).pipe(
          Effect.annotateLogs({ operator_id: over.party.operatorId, records: over.records })
        )
    )
  )

const guestsBefore = (then: Date): Forgetting<StayPlace> => ({
  operators: (sql, after) =>
    sql`SELECT min(t.operator_id) AS operator_id FROM stays t WHERE t.operator_id > ${after} AND ${saysOfGuest(sql)}`,
  from: { day: "0001-01-01", id: 0 },
  turn: Effect.fnUntraced(function* (operatorId, from) {
    const sql = yield* SqlClient.SqlClient
    const found = yield* overStays(sql, operatorId, then, from)
    const orders = Array.from(new Set(found.flatMap(({ order_id, is_last }) => (is_last ? [order_id] : []))))
    // By the day after: who left on the day itself is over.
    const threads = yield* Effect.forEach(orders, (id) => findOrder(operatorId, id, daysBefore(then, -1)))
    const over = orders.flatMap((id, at) => overPart(id, threads[at] ?? []) ?? [])
    yield* Effect.orDie(forgetAside(over))
    yield* Effect.forEach(over, (each) => erasedAlone(each), { discard: true })
    const last = found.at(-1)
    return last !== undefined && found.length === FORGETTING_STAYS
      ? { day: last.check_out_date, id: last.id }
      : undefined
  })
})

const readInquiries = rowsOf(Schema.Struct({ id: Schema.Int, code: Schema.String, last_message_at: Schema.String }))

interface InquiryPlace {
  /** Of the last message, as the database writes it. */
  readonly at: string
  readonly id: number
}

/**
 * Whether a conversation `t` that says who its guest is has been quiet since then, and every order of it is over: one in which somebody
 * asked for days to come, or that has something to be sent yet, or an offer that may be taken, is not.
 */
const isQuietSince = (sql: SqlClient.SqlClient, operatorId: number, then: Date): Fragment => sql`
  t.operator_id = ${operatorId} AND ${saysWho(sql)} AND t.last_message_at <= ${then}
    AND (t.inquiry_check_out_date IS NULL OR t.inquiry_check_out_date <= ${dayOf(sql, operatorId, then)})
    AND NOT EXISTS (
      SELECT FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
      WHERE o.operator_id = ${operatorId} AND o.conversation_id = t.code AND s.check_out_date > ${dayOf(sql, operatorId, then)})
    AND NOT EXISTS (
      SELECT FROM messages m WHERE m.operator_id = ${operatorId} AND m.conversation_id = t.id AND m.delivery = 'queued')
    AND NOT EXISTS (
      SELECT FROM special_offers f WHERE f.operator_id = ${operatorId} AND f.conversation_id = t.id AND f.status = 'active')`

const dayOf = (sql: SqlClient.SqlClient, operatorId: number, then: Date): Fragment => sql`
  (SELECT (${then}::timestamptz AT TIME ZONE time_zone)::date FROM operators WHERE id = ${operatorId})`

/** Those after a place. Most led to no order: the guests of the others went with their stays, unless a channel has named them again since. */
export const oldInquiries = (
  sql: SqlClient.SqlClient,
  operatorId: number,
  then: Date,
  from: InquiryPlace
): Fragment => sql`
  SELECT t.id, t.code, t.last_message_at::text AS last_message_at
  FROM conversations t
  WHERE ${isQuietSince(sql, operatorId, then)} AND (t.last_message_at, t.id) > (${from.at}::timestamptz, ${from.id}::bigint)
  ORDER BY t.last_message_at, t.id LIMIT ${sql.literal(String(FORGETTING_INQUIRIES))}`

const readStill = onlyRowOf(Schema.Struct({ still: Schema.Boolean }))

/** Whether it is so of all of them; who writes in one waits meanwhile. */
export const areQuietSince = (
  sql: SqlClient.SqlClient,
  { party: { operatorId, conversationIds } }: Found,
  then: Date
) =>
  Effect.map(
    readStill(sql`
      SELECT NOT EXISTS (
        SELECT FROM unnest(${conversationIds}::bigint[]) AS found (id)
        WHERE NOT EXISTS (SELECT FROM conversations t WHERE t.id = found.id AND ${isQuietSince(sql, operatorId, then)})) AS still`),
    ({ still }) => still
  )

const inquiriesBefore = (then: Date): Forgetting<InquiryPlace> => ({
  operators: (sql, after) =>
    sql`SELECT min(t.operator_id) AS operator_id FROM conversations t WHERE t.operator_id > ${after} AND ${saysWho(sql)}`,
  from: { at: "-infinity", id: 0 },
  turn: Effect.fnUntraced(function* (operatorId, from) {
    const sql = yield* SqlClient.SqlClient
    const old = yield* readInquiries(sql`${oldInquiries(sql, operatorId, then, from)}`)
    const threads = yield* Effect.forEach(old, ({ code }) => findConversation(operatorId, code, daysBefore(then, -1)))
    const over = threads.filter((thread) => thread.every(({ current }) => current.length === 0)).flat()
    yield* Effect.orDie(forgetAside(over))
    yield* Effect.forEach(over, (each) => erasedAlone(each, areQuietSince(sql, each, then)), { discard: true })
    const last = old.at(-1)
    return last !== undefined && old.length === FORGETTING_INQUIRIES
      ? { at: last.last_message_at, id: last.id }
      : undefined
  })
})

/** Forgets what is older than the days say, of all operators. */
export const forgetOld = Effect.fnUntraced(function* (days: KeptDays, now: Date) {
  if (days.messages !== undefined) yield* inTurns(messagesBefore(daysBefore(now, days.messages), now))
  if (days.images !== undefined) yield* inTurns(imagesBefore(daysBefore(now, days.images), now))
  if (days.orders === undefined) return
  yield* inTurns(guestsBefore(daysBefore(now, days.orders)))
  yield* inTurns(inquiriesBefore(daysBefore(now, days.orders)))
})

/** Forgets for as long as the process runs, where the settings say that something goes. */
export const layerGuestRetention = Layer.effectDiscard(
  Effect.flatMap(KeptDays, (days) => {
    if (Object.values(days).every((each) => each === undefined)) return Effect.void
    return periodically("forgetting what is kept for so many days", RETENTION_MS, (now) =>
      Effect.provideService(forgetOld(days, now), Acting, byItself("retention", "guest erase"))
    )
  })
)
