import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Backlog } from "../jobs/job-runner.ts"
import { repeatForever } from "../jobs/loop.ts"
import { makeOptionalRowReader } from "../platform/database/rows.ts"
import { backlogAge, backlogDue } from "../platform/telemetry/metrics/metric-definitions.ts"
import { setGauge } from "../platform/telemetry/metrics/metric-updates.ts"
import { JOB_KINDS } from "./job-kinds.ts"

// What is due in the background and nobody has in hand, by kind: for metrics, and for who asks what is wrong. Every process that
// works in the background tells it as metrics: one alone would need a lease, and where it dies there would be a hole just when
// somebody looks. It goes the way of the workers, through the same indexes.

/** Milliseconds between the end of one look and the next. */
export const BACKLOG_POLL_MS = 30_000

export type BacklogKind = (typeof JOB_KINDS)[number]["backlog"][number]["kind"]

const BACKLOGS = JOB_KINDS.flatMap(({ backlog }): ReadonlyArray<Backlog<BacklogKind>> => backlog)

export const BACKLOG_KINDS = BACKLOGS.map(({ kind }) => kind)

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
  BACKLOGS.map(({ kind, statement: backlogStatement }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const row = yield* readBacklog(sql`${backlogStatement(sql, { now: new Date(now) })}`)
      return {
        kind,
        due: row?.due ?? 0,
        oldestSeconds: toAgeSeconds(row?.oldest_at ?? null, now)
      } satisfies BacklogStatus
    })
  )
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
