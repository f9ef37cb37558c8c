import { Cause, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { addDays, dateInZone, startOfDay } from "../../../contract/time.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { scheduleWork } from "../../../jobs/WorkSchedule.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { clearAfterReset } from "../../../platform/database/ResetListeners.ts"
import { makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { EMPTY_REVIEW_DAYS } from "../../../platform/limits.ts"
import { reviewedChannelCondition } from "./channel-conditions.ts"
import { recordReviewEvents, reviewRecordSql, reviewsWithStaysCte } from "./review-events.ts"

// Creates the empty review record of an order on the day its last stay checks out, in the operator's time zone. The key
// of the record is unique, so several processes may run this.

const REVIEW_OPENING_POLL_MS = 2 * 60 * 1000
/** Limits per statement. If an operator has more stays, the rest follows after all other operators. */
export const REVIEW_OPENING_OPERATORS = 20
export const REVIEW_OPENING_STAYS = 100

const OperatorRow = Schema.Struct({ id: Schema.Int, time_zone: Schema.String })
const readOperators = makeRowsReader(OperatorRow)

const findOperatorsAfter = (sql: SqlClient.SqlClient) => (afterOperatorId: number) =>
  readOperators(sql`
      SELECT id, time_zone FROM operators WHERE id > ${afterOperatorId}
      ORDER BY id LIMIT ${sql.literal(String(REVIEW_OPENING_OPERATORS))}`)

/** `before_day` and `before_stay` are the position of the scan, which goes from later check-outs to earlier ones. */
const StayScan = Schema.Struct({
  operator_id: Schema.Int,
  today: Schema.String,
  first: Schema.String,
  before_day: Schema.String,
  before_stay: Schema.Int
})
type StayScan = typeof StayScan.Type

const startScan = ({ id, time_zone }: typeof OperatorRow.Type, now: Date): StayScan => {
  const today = dateInZone(now, time_zone)
  return {
    operator_id: id,
    today,
    first: addDays(today, -EMPTY_REVIEW_DAYS),
    before_day: addDays(today, 1),
    before_stay: 0
  }
}

const NO_SCANS: ReadonlyArray<StayScan> = []

const readScanResult = makeSingleRowReader(Schema.Struct({ made: Schema.Int, further: Schema.Array(StayScan) }))

/** OFFSET 0 and LIMIT force PostgreSQL to begin with the stays. Without table statistics it would scan all orders. */
const selectDueOrders = (sql: SqlClient.SqlClient, scans: ReadonlyArray<StayScan>): Fragment => sql`
  turn AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(scans)}::jsonb)
      AS turn (operator_id bigint, today date, first date, before_day date, before_stay bigint)
    LIMIT ${sql.literal(String(REVIEW_OPENING_OPERATORS))}
  ), looked AS MATERIALIZED (
    SELECT turn.operator_id, turn.today, turn.first, stay.id, stay.order_id, stay.check_out_date
    FROM turn CROSS JOIN LATERAL (
      SELECT s.id, s.order_id, s.check_out_date FROM stays s
      WHERE s.operator_id = turn.operator_id AND s.check_out_date >= turn.first
        AND (s.check_out_date, s.id) < (turn.before_day, turn.before_stay)
      ORDER BY s.check_out_date DESC, s.id DESC LIMIT ${sql.literal(String(REVIEW_OPENING_STAYS))}
    ) stay
  ), unrecorded AS MATERIALIZED (
    SELECT DISTINCT operator_id, order_id, today FROM looked
    WHERE (SELECT r.order_id FROM reviews r
      WHERE r.operator_id = looked.operator_id AND r.order_id = looked.order_id LIMIT 1) IS NULL
  ), due AS (
    SELECT unrecorded.operator_id, unrecorded.order_id FROM unrecorded
    CROSS JOIN LATERAL (
      SELECT o.status, o.channel_type FROM orders o
      WHERE o.operator_id = unrecorded.operator_id AND o.id = unrecorded.order_id OFFSET 0
    ) o
    WHERE o.status = 'accepted' AND ${reviewedChannelCondition(sql, sql`o.channel_type`)}
      AND (SELECT max(s.check_out_date) FROM stays s
        WHERE s.operator_id = unrecorded.operator_id AND s.order_id = unrecorded.order_id) <= unrecorded.today
  )`

const selectUnfinishedScans = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT coalesce(jsonb_agg(jsonb_build_object('operator_id', operator_id, 'today', today, 'first', first,
    'before_day', check_out_date, 'before_stay', id) ORDER BY operator_id), '[]')
  FROM (
    SELECT *, row_number() OVER (PARTITION BY operator_id ORDER BY check_out_date DESC, id DESC) AS place FROM looked
  ) placed WHERE place = ${sql.literal(String(REVIEW_OPENING_STAYS))}`

const makeScanStays = (sql: SqlClient.SqlClient) => (scans: ReadonlyArray<StayScan>, now: Date) =>
  readScanResult(
    recordChange(sql, {
      change: sql`
        ${selectDueOrders(sql, scans)}, written AS (
          INSERT INTO reviews (operator_id, order_id, created_at)
          SELECT operator_id, order_id, ${now}::timestamptz FROM due ORDER BY operator_id, order_id
          ON CONFLICT DO NOTHING
          RETURNING operator_id, order_id
        ), ${reviewsWithStaysCte(sql)}`,
      events: [recordReviewEvents(sql, "review_created", now)],
      changedRecords: sql`SELECT operator_id, ${reviewRecordSql(sql)} AS record, '{}'::text[] AS fields FROM told`,
      outcome: sql`SELECT (SELECT count(*) FROM written) AS made, (${selectUnfinishedScans(sql)}) AS further`
    })
  )

export const makeOpenReviews = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { wake } = yield* WakeUp
  const [findOperators, scanStays] = [findOperatorsAfter(sql), makeScanStays(sql)]

  const scanOnce = Effect.fnUntraced(
    function* (scans: ReadonlyArray<StayScan>, now: Date) {
      const { made, further } = yield* scanStays(scans, now)
      if (made > 0) yield* wake
      return further
    },
    Effect.provideService(CurrentActor, systemActor("service", "open reviews"))
  )

  /** Returns the scans to continue. If a batch fails, scans each operator alone. */
  const scanAll = (scans: ReadonlyArray<StayScan>, now: Date): Effect.Effect<ReadonlyArray<StayScan>> =>
    Effect.catchCauseIf(
      scanOnce(scans, now),
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        scans.length > 1
          ? Effect.map(
              Effect.forEach(scans, (stayScan) => scanAll([stayScan], now)),
              (unfinishedScans) => unfinishedScans.flat()
            )
          : Effect.as(Effect.logWarning("opening reviews failed and will be retried", cause), NO_SCANS)
    )

  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    const unfinished: Array<StayScan> = []
    let afterOperatorId = 0
    while (true) {
      const operators = yield* findOperators(afterOperatorId)
      const last = operators.at(-1)
      if (last === undefined) break
      const scans = operators.map((host) => startScan(host, now))
      unfinished.push(...(yield* scanAll(scans, now)))
      afterOperatorId = last.id
    }
    while (unfinished.length > 0)
      unfinished.push(...(yield* scanAll(unfinished.splice(0, REVIEW_OPENING_OPERATORS), now)))
  })
})

const readTimeZones = makeRowsReader(Schema.Struct({ time_zone: Schema.String }))

/** The next midnight in the time zone of an operator. `lastRun` is undefined before the first run, which is due. */
const findNextMidnight = (sql: SqlClient.SqlClient, lastRun: () => Date | undefined) =>
  Effect.fnUntraced(function* (until: Date) {
    const after = lastRun()
    if (after === undefined) return { at: new Date(0), count: 1 }
    const zones = yield* readTimeZones(sql`SELECT DISTINCT time_zone FROM operators`)
    const midnights = zones.map(({ time_zone }) =>
      startOfDay(addDays(dateInZone(after, time_zone), 1), time_zone).getTime()
    )
    const next = Math.min(...midnights)
    return next <= until.getTime() ? { at: new Date(next), count: 1 } : undefined
  })

export const layerReviewOpening = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let lastRun: Date | undefined
    yield* clearAfterReset(
      Effect.sync(() => {
        lastRun = undefined
      })
    )
    const openReviews = yield* makeOpenReviews
    const runDue = Effect.gen(function* () {
      const now = yield* DateTime.nowAsDate
      yield* openReviews
      lastRun = now
    })
    yield* scheduleWork({
      name: "opening reviews",
      iteration: Effect.andThen(runDue, Effect.sleep(REVIEW_OPENING_POLL_MS)),
      runDue,
      findNextDue: findNextMidnight(sql, () => lastRun)
    })
  })
)
