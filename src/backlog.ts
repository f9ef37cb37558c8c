import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { BACKLOG_COUNTED, backlogOf } from "./background/backlog.ts"
import { backlogInTurn } from "./background/in-turn.ts"
import { loop } from "./background/loop.ts"
import { type Givens, inForms } from "./database/forms.ts"
import { rowOf } from "./database/rows.ts"
import { webhookBacklog } from "./deliveries/loose-index-scan.ts"
import { notHandedOut } from "./events/events.ts"
import { answerQueue } from "./resources/automation/answering/statements.ts"
import { stayQueue } from "./resources/automation/planning/taking.ts"
import { planQueue } from "./resources/automation/running/taking.ts"
import { messageQueue } from "./resources/conversations/sending/taking.ts"
import { calendarBacklog } from "./resources/imported-calendars/taking.ts"
import { knowledgeBacklog } from "./resources/knowledge-bases/preparing/taking.ts"
import { comparisonQueue } from "./resources/listing-calendars/Comparisons.ts"
import { pushQueue } from "./resources/listing-calendars/taking.ts"
import { backlogAge, backlogDue } from "./telemetry/metrics/declared.ts"
import { standsAt } from "./telemetry/metrics/measuring.ts"

// What is due in the background and nobody has in hand, by kind, as metrics. Every process that works in the background asks:
// one alone would need a lease, and where it dies there would be a hole just when somebody looks. It costs each a thirtieth of
// what its workers ask anyway, on the same way through the same indexes.

/** Milliseconds between the end of one look and the next. */
export const BACKLOG_LOOK_MS = 30_000

type Looking = Givens<{ readonly now: Date }>

const eventsWaiting = (sql: SqlClient.SqlClient): Fragment => sql`
  SELECT count(*) AS due, min(queued_at) AS oldest_at FROM (${notHandedOut(sql, BACKLOG_COUNTED + 1)}) waiting`

/** A statement a kind: a row `due`, `oldest_at`. */
const KINDS: Readonly<Record<string, (sql: SqlClient.SqlClient, looking: Looking) => Fragment>> = {
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
}

export const BACKLOG_KINDS: ReadonlyArray<string> = Object.keys(KINDS)

const readBacklog = rowOf(Schema.Struct({ due: Schema.Int, oldest_at: Schema.NullOr(Schema.Date) }))

/** Seconds since then; a clock that was set back has made nothing wait for less than no time. */
const ageOf = (oldest: Date | null, now: number): number =>
  oldest === null ? 0 : Math.max(0, (now - oldest.getTime()) / 1000)

/** Looks once at each kind, one statement after the other. */
export const makeBacklogLook = Effect.map(SqlClient.SqlClient, (sql) => {
  const kinds = Object.entries(KINDS).map(([kind, counting]) => ({
    due: backlogDue.of({ kind }),
    age: backlogAge.of({ kind }),
    statement: inForms(sql, (looking: Looking) => counting(sql, looking))
  }))
  return Effect.gen(function* () {
    for (const { due, age, statement } of kinds) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* readBacklog(statement({ now: new Date(now) }))
      yield* standsAt(due, found?.due ?? 0)
      yield* standsAt(age, ageOf(found?.oldest_at ?? null, now))
    }
  })
})

/** Looks from time to time, for as long as the process runs; the first time at once. */
export const layerBacklog = Layer.effectDiscard(
  Effect.flatMap(makeBacklogLook, (look) =>
    Effect.forkScoped(loop("counting what is due", Effect.andThen(look, Effect.sleep(BACKLOG_LOOK_MS))))
  )
)
