import { Cause, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { Acting, byItself } from "../../../contract/acting.ts"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { loop } from "../../../jobs/loop.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { onlyRowOf, rowsOf } from "../../../platform/database/rows.ts"
import { REVIEW_APPEARS_DAYS } from "../../../platform/limits.ts"
import { isReviewed } from "./on-channels.ts"
import { recordReviews, reviewRecord, toldOf } from "./told.ts"

// The empty record of an order appears on the day its last stay checks out, where its host is. Whoever makes it makes it once,
// by its key: so any number of processes may look at once.

/** Milliseconds between two looks. */
export const APPEARING_MS = 2 * 60 * 1000
/** Operators one statement looks through, and stays of each: whoever has more has his turn again once all had theirs. */
export const APPEARING_OPERATORS = 20
export const APPEARING_STAYS = 100

const Host = Schema.Struct({ id: Schema.Int, time_zone: Schema.String })
const readHosts = rowsOf(Host)

const hostsAfter = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ after }: Givens<{ readonly after: number }>) => sql`
      SELECT id, time_zone FROM operators WHERE id > ${after}
      ORDER BY id LIMIT ${sql.literal(String(APPEARING_OPERATORS))}`
  )
  return (after: number) => readHosts(statement({ after }))
}

/** How far an operator's stays are looked through, from the latest check-out on: before this stay of this day. */
const Turn = Schema.Struct({
  operator_id: Schema.Int,
  today: Schema.String,
  first: Schema.String,
  before_day: Schema.String,
  before_stay: Schema.Int
})
type Turn = typeof Turn.Type

const turnOf = ({ id, time_zone }: typeof Host.Type, now: Date): Turn => {
  const today = dateInZone(now, time_zone)
  return {
    operator_id: id,
    today,
    first: addDays(today, -REVIEW_APPEARS_DAYS),
    before_day: addDays(today, 1),
    before_stay: 0
  }
}

const NO_TURNS: ReadonlyArray<Turn> = []

const readLooked = onlyRowOf(Schema.Struct({ made: Schema.Int, further: Schema.Array(Turn) }))

interface Looked {
  readonly turns: ReadonlyArray<Turn>
  readonly now: Date
}

/**
 * CTEs that end in `due`: orders without a record, of stays that were looked at. OFFSET 0 and LIMIT keep the way from stay to
 * order to record: in tables it knows nothing of, PostgreSQL began with all orders.
 */
const due = (sql: SqlClient.SqlClient, { turns }: Givens<Looked>): Fragment => sql`
  turn AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(turns)}::jsonb)
      AS turn (operator_id bigint, today date, first date, before_day date, before_stay bigint)
    LIMIT ${sql.literal(String(APPEARING_OPERATORS))}
  ), looked AS MATERIALIZED (
    SELECT turn.operator_id, turn.today, turn.first, stay.id, stay.order_id, stay.check_out_date
    FROM turn CROSS JOIN LATERAL (
      SELECT s.id, s.order_id, s.check_out_date FROM stays s
      WHERE s.operator_id = turn.operator_id AND s.check_out_date >= turn.first
        AND (s.check_out_date, s.id) < (turn.before_day, turn.before_stay)
      ORDER BY s.check_out_date DESC, s.id DESC LIMIT ${sql.literal(String(APPEARING_STAYS))}
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
    WHERE o.status = 'accepted' AND ${isReviewed(sql, sql`o.channel_type`)}
      AND (SELECT max(s.check_out_date) FROM stays s
        WHERE s.operator_id = unrecorded.operator_id AND s.order_id = unrecorded.order_id) <= unrecorded.today
  )`

/** Where the turns of those go on that have more stays than were looked at. */
const further = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT coalesce(jsonb_agg(jsonb_build_object('operator_id', operator_id, 'today', today, 'first', first,
    'before_day', check_out_date, 'before_stay', id) ORDER BY operator_id), '[]')
  FROM (
    SELECT *, row_number() OVER (PARTITION BY operator_id ORDER BY check_out_date DESC, id DESC) AS place FROM looked
  ) placed WHERE place = ${sql.literal(String(APPEARING_STAYS))}`

const looking = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, (looked: Givens<Looked>) => ({
    change: sql`
      ${due(sql, looked)}, written AS (
        INSERT INTO reviews (operator_id, order_id, created_at)
        SELECT operator_id, order_id, ${looked.now}::timestamptz FROM due ORDER BY operator_id, order_id
        ON CONFLICT DO NOTHING
        RETURNING operator_id, order_id
      ), ${toldOf(sql)}`,
    events: [recordReviews(sql, "review_created", looked.now)],
    touched: sql`SELECT operator_id, ${reviewRecord(sql)} AS record, '{}'::text[] AS fields FROM told`,
    outcome: sql`SELECT (SELECT count(*) FROM written) AS made, (${further(sql)}) AS further`
  }))
  return (turns: ReadonlyArray<Turn>, now: Date) => readLooked(statement({ turns, now }))
}

/** Makes every record that is due. What cannot be made is told in the log and holds up no other operator's. */
export const appear = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { wake } = yield* WakeUp
  const [hosts, look] = [hostsAfter(sql), looking(sql)]

  const looked = Effect.fnUntraced(
    function* (turns: ReadonlyArray<Turn>, now: Date) {
      const { made, further } = yield* look(turns, now)
      if (made > 0) yield* wake
      return further
    },
    Effect.provideService(Acting, byItself("service", "open reviews"))
  )

  /** Answers whose turns go on. Where one of several makes the statement fail, each has one of its own. */
  const lookThrough = (turns: ReadonlyArray<Turn>, now: Date): Effect.Effect<ReadonlyArray<Turn>> =>
    Effect.catchCauseIf(
      looked(turns, now),
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        turns.length > 1
          ? Effect.map(
              Effect.forEach(turns, (turn) => lookThrough([turn], now)),
              (further) => further.flat()
            )
          : Effect.as(Effect.logWarning("opening reviews failed and will be retried", cause), NO_TURNS)
    )

  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    const open: Array<Turn> = []
    let after = 0
    while (true) {
      const found = yield* hosts(after)
      const last = found.at(-1)
      if (last === undefined) break
      const turns = found.map((host) => turnOf(host, now))
      open.push(...(yield* lookThrough(turns, now)))
      after = last.id
    }
    while (open.length > 0) open.push(...(yield* lookThrough(open.splice(0, APPEARING_OPERATORS), now)))
  })
})

/** Opens the records of orders for as long as the process runs, over a database. */
export const layerAppearing = Layer.effectDiscard(
  Effect.flatMap(appear, (once) =>
    Effect.forkScoped(loop("opening reviews", Effect.andThen(once, Effect.sleep(APPEARING_MS))))
  )
)
