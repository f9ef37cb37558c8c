import { Clock, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { answerQueue } from "../domain/automation/answering/statements.ts"
import { stayQueue } from "../domain/automation/planning/taking.ts"
import { planQueue } from "../domain/automation/running/taking.ts"
import { calendarBacklog } from "../domain/calendars/imported-calendars/taking.ts"
import { comparisonQueue } from "../domain/calendars/listing-calendars/Comparisons.ts"
import { pushQueue } from "../domain/calendars/listing-calendars/taking.ts"
import { messageQueue } from "../domain/guests/conversations/sending/taking.ts"
import { knowledgeBacklog } from "../domain/knowledge/preparing/taking.ts"
import { webhookBacklog } from "../domain/webhooks/deliveries/loose-index-scan.ts"
import { BACKLOG_COUNTED, backlogOf } from "../jobs/backlog.ts"
import { notHandedOut } from "../jobs/events/events.ts"
import { backlogInTurn } from "../jobs/in-turn.ts"
import { loop } from "../jobs/loop.ts"
import { type Givens, inForms } from "../platform/database/forms.ts"
import { rowOf } from "../platform/database/rows.ts"
import { backlogAge, backlogDue } from "../platform/telemetry/metrics/declared.ts"
import { standsAt } from "../platform/telemetry/metrics/measuring.ts"

// What is due in the background and nobody has in hand, by kind: for metrics, and for who asks what is wrong. Every process that
// works in the background tells it as metrics: one alone would need a lease, and where it dies there would be a hole just when
// somebody looks. It goes the way of the workers, through the same indexes.

/** Milliseconds between the end of one look and the next. */
export const BACKLOG_LOOK_MS = 30_000

type Looking = Givens<{ readonly now: Date }>

const eventsWaiting = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT count(*) AS due, min(queued_at) AS oldest_at FROM (${notHandedOut(sql, BACKLOG_COUNTED + 1)}) waiting`

/** A statement a kind: a row `due`, `oldest_at`. */
const KINDS = {
  events: eventsWaiting,
  webhooks: (sql, { now }) => backlogOf(sql, webhookBacklog(sql, now)),
  pushes: (sql, looking) => backlogInTurn(sql, pushQueue(sql), looking),
  comparisons: (sql, looking) => backlogInTurn(sql, comparisonQueue(sql), looking),
  messages: (sql, looking) => backlogInTurn(sql, messageQueue(sql), looking),
  calendars: (sql, looking) => backlogOf(sql, calendarBacklog(sql, looking)),
  stays_to_plan: (sql, looking) => backlogInTurn(sql, stayQueue(sql), looking),
  planned_messages: (sql, looking) => backlogInTurn(sql, planQueue(sql, "send_message"), looking),
  planned_reviews: (sql, looking) => backlogInTurn(sql, planQueue(sql, "review"), looking),
  answers: (sql, looking) => backlogInTurn(sql, answerQueue(sql), looking),
  knowledge: (sql, looking) => backlogOf(sql, knowledgeBacklog(sql, looking))
} satisfies Record<string, (sql: SqlClient.SqlClient, looking: Looking) => Fragment>

export type BacklogKind = keyof typeof KINDS

export const BACKLOG_KINDS = Struct.keys(KINDS)

/** What is due of one kind. */
export interface DueOfKind {
  readonly kind: BacklogKind
  /** How much; BACKLOG_COUNTED and one: more than that. */
  readonly due: number
  /** For how many seconds the oldest has been; null: nothing is due. */
  readonly oldestSeconds: number | null
}

const readBacklog = rowOf(Schema.Struct({ due: Schema.Int, oldest_at: Schema.NullOr(Schema.Date) }))

/** Seconds since then; a clock that was set back has made nothing wait for less than no time. */
const ageOf = (oldest: Date | null, now: number): number | null =>
  oldest === null ? null : Math.max(0, (now - oldest.getTime()) / 1000)

/** A look at each kind, a statement each. */
export const makeBacklogLooks = Effect.map(SqlClient.SqlClient, (sql) =>
  BACKLOG_KINDS.map((kind) => {
    const statement = inForms(sql, (looking: Looking) => KINDS[kind](sql, looking))
    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* readBacklog(statement({ now: new Date(now) }))
      return { kind, due: found?.due ?? 0, oldestSeconds: ageOf(found?.oldest_at ?? null, now) } satisfies DueOfKind
    })
  })
)

const tell = ({ kind, due, oldestSeconds }: DueOfKind): Effect.Effect<void> =>
  Effect.andThen(standsAt(backlogDue.of({ kind }), due), standsAt(backlogAge.of({ kind }), oldestSeconds ?? 0))

/** Looks once at all, one statement after the other, and tells each as a metric. */
export const makeTellingBacklog = Effect.map(makeBacklogLooks, (looks) =>
  Effect.forEach(looks, (look) => Effect.flatMap(look, tell), { discard: true })
)

/** Looks from time to time, for as long as the process runs; the first time at once. */
export const layerBacklog = Layer.effectDiscard(
  Effect.flatMap(makeTellingBacklog, (telling) =>
    Effect.forkScoped(loop("counting due work", Effect.andThen(telling, Effect.sleep(BACKLOG_LOOK_MS))))
  )
)
