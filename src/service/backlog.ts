import { Clock, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { answerQueue } from "../domain/automation/answering/answer-statements.ts"
import { stayQueue } from "../domain/automation/planning/taking.ts"
import { planQueue } from "../domain/automation/running/taking.ts"
import { calendarBacklog } from "../domain/calendars/imported-calendars/taking.ts"
import { comparisonQueue } from "../domain/calendars/listing-calendars/ComparisonQueue.ts"
import { pushQueue } from "../domain/calendars/listing-calendars/taking.ts"
import { messageQueue } from "../domain/guests/conversations/sending/taking.ts"
import { knowledgeBacklog } from "../domain/knowledge/preparing/taking.ts"
import { webhookBacklog } from "../domain/webhooks/deliveries/due-subscriptions.ts"
import { BACKLOG_COUNT_LIMIT, backlogSql } from "../jobs/backlog-statements.ts"
import { undispatchedEventsSql } from "../jobs/events/event-statements.ts"
import { fairBacklogSql } from "../jobs/fair-queue.ts"
import { repeatForever } from "../jobs/loop.ts"
import { type Givens, inForms } from "../platform/database/forms.ts"
import { makeOptionalRowReader } from "../platform/database/rows.ts"
import { backlogAge, backlogDue } from "../platform/telemetry/metrics/metric-definitions.ts"
import { setGauge } from "../platform/telemetry/metrics/metric-updates.ts"

// What is due in the background and nobody has in hand, by kind: for metrics, and for who asks what is wrong. Every process that
// works in the background tells it as metrics: one alone would need a lease, and where it dies there would be a hole just when
// somebody looks. It goes the way of the workers, through the same indexes.

/** Milliseconds between the end of one look and the next. */
export const BACKLOG_POLL_MS = 30_000

type PollParameters = Givens<{ readonly now: Date }>

const eventBacklogSql = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT count(*) AS due, min(queued_at) AS oldest_at FROM (${undispatchedEventsSql(sql, BACKLOG_COUNT_LIMIT + 1)}) waiting`

/** A statement a kind: a row `due`, `oldest_at`. */
const BACKLOG_STATEMENTS = {
  events: eventBacklogSql,
  webhooks: (sql, { now }) => backlogSql(sql, webhookBacklog(sql, now)),
  pushes: (sql, looking) => fairBacklogSql(sql, pushQueue(sql), looking),
  comparisons: (sql, looking) => fairBacklogSql(sql, comparisonQueue(sql), looking),
  messages: (sql, looking) => fairBacklogSql(sql, messageQueue(sql), looking),
  calendars: (sql, looking) => backlogSql(sql, calendarBacklog(sql, looking)),
  stays_to_plan: (sql, looking) => fairBacklogSql(sql, stayQueue(sql), looking),
  planned_messages: (sql, looking) => fairBacklogSql(sql, planQueue(sql, "send_message"), looking),
  planned_reviews: (sql, looking) => fairBacklogSql(sql, planQueue(sql, "review"), looking),
  answers: (sql, looking) => fairBacklogSql(sql, answerQueue(sql), looking),
  knowledge: (sql, looking) => backlogSql(sql, knowledgeBacklog(sql, looking))
} satisfies Record<string, (sql: SqlClient.SqlClient, looking: PollParameters) => Fragment>

export type BacklogKind = keyof typeof BACKLOG_STATEMENTS

export const BACKLOG_KINDS = Struct.keys(BACKLOG_STATEMENTS)

/** What is due of one kind. */
export interface BacklogStatus {
  readonly kind: BacklogKind
  /** How much; BACKLOG_COUNT_LIMIT and one: more than that. */
  readonly due: number
  /** For how many seconds the oldest has been; null: nothing is due. */
  readonly oldestSeconds: number | null
}

const readBacklog = makeOptionalRowReader(Schema.Struct({ due: Schema.Int, oldest_at: Schema.NullOr(Schema.Date) }))

/** Seconds since then; a clock that was set back has made nothing wait for less than no time. */
const toAgeSeconds = (oldest: Date | null, now: number): number | null =>
  oldest === null ? null : Math.max(0, (now - oldest.getTime()) / 1000)

/** A look at each kind, a statement each. */
export const makeBacklogReaders = Effect.map(SqlClient.SqlClient, (sql) =>
  BACKLOG_KINDS.map((kind) => {
    const statement = inForms(sql, (looking: PollParameters) => BACKLOG_STATEMENTS[kind](sql, looking))
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const row = yield* readBacklog(statement({ now: new Date(now) }))
      return {
        kind,
        due: row?.due ?? 0,
        oldestSeconds: toAgeSeconds(row?.oldest_at ?? null, now)
      } satisfies BacklogStatus
    })
  })
)

const setBacklogGauges = ({ kind, due, oldestSeconds }: BacklogStatus): Effect.Effect<void> =>
  Effect.andThen(
    setGauge(backlogDue.withLabels({ kind }), due),
    setGauge(backlogAge.withLabels({ kind }), oldestSeconds ?? 0)
  )

/** Looks once at all, one statement after the other, and tells each as a metric. */
export const makeBacklogReporter = Effect.map(makeBacklogReaders, (readers) =>
  Effect.forEach(readers, (readStatus) => Effect.flatMap(readStatus, setBacklogGauges), { discard: true })
)

/** Looks from time to time, for as long as the process runs; the first time at once. */
export const layerBacklog = Layer.effectDiscard(
  Effect.flatMap(makeBacklogReporter, (report) =>
    Effect.forkScoped(repeatForever("counting due work", Effect.andThen(report, Effect.sleep(BACKLOG_POLL_MS))))
  )
)
