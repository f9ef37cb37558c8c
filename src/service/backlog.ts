import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Backlog } from "../jobs/job-runner.ts"
import { repeatForever } from "../jobs/loop.ts"
import { makeOptionalRowReader } from "../platform/database/rows.ts"
import { backlogAge, backlogDue } from "../platform/telemetry/metrics/metric-definitions.ts"
import { setGauge } from "../platform/telemetry/metrics/metric-updates.ts"
import { JOB_KINDS } from "./job-kinds.ts"

// Due jobs that no worker has claimed. Every process with background work reports them, because a single reporter could
// die.

export const BACKLOG_POLL_MS = 30_000

export type BacklogKind = (typeof JOB_KINDS)[number]["backlog"][number]["kind"]

const BACKLOGS = JOB_KINDS.flatMap(({ backlog }): ReadonlyArray<Backlog<BacklogKind>> => backlog)

export const BACKLOG_KINDS = BACKLOGS.map(({ kind }) => kind)

export interface BacklogStatus {
  readonly kind: BacklogKind
  /** BACKLOG_COUNT_LIMIT + 1 means "more than BACKLOG_COUNT_LIMIT". */
  readonly due: number
  /** Null if no job is due. */
  readonly oldestSeconds: number | null
}

const readBacklog = makeOptionalRowReader(Schema.Struct({ due: Schema.Int, oldest_at: Schema.NullOr(Schema.Date) }))

const toAgeSeconds = (oldest: Date | null, now: number): number | null =>
  oldest === null ? null : Math.max(0, (now - oldest.getTime()) / 1000)

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

export const makeBacklogReporter = Effect.map(makeBacklogReaders, (readers) =>
  Effect.forEach(readers, (readStatus) => Effect.flatMap(readStatus, setBacklogGauges), { discard: true })
)

export const layerBacklog = Layer.effectDiscard(
  Effect.flatMap(makeBacklogReporter, (report) =>
    Effect.forkScoped(repeatForever("counting due work", Effect.andThen(report, Effect.sleep(BACKLOG_POLL_MS))))
  )
)
