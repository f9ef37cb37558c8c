import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"

const loadServerPid = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`,
    (rows) => rows[0]?.pid ?? assert.fail("the server returned no process id")
  )
)

/**
 * Runs two changes so that they truly overlap: the first has written and not committed when the second starts, and it
 * commits only once the second waits for it (or is done, when it need not wait), and what somebody does meanwhile is
 * committed. Each has a connection of its own, so this needs a PostgreSQL server: the embedded database has one session,
 * where nothing overlaps.
 */
export const runOverlapping = Effect.fnUntraced(function* <A, E, R, B, E2, R2, E3 = never, R3 = never>(
  first: Effect.Effect<A, E, R>,
  second: Effect.Effect<B, E2, R2>,
  meanwhile: Effect.Effect<unknown, E3, R3> = Effect.void
) {
  const sql = yield* SqlClient.SqlClient
  const firstWritten = yield* Deferred.make<number>()
  const commit = yield* Deferred.make<void>()
  const firstFiber = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        const result = yield* first
        yield* Deferred.succeed(firstWritten, yield* loadServerPid)
        yield* Deferred.await(commit)
        return result
      })
    )
  )
  const pid = yield* Effect.raceFirst(
    Deferred.await(firstWritten),
    Effect.andThen(Fiber.join(firstFiber), Effect.never)
  )
  const secondFiber = yield* Effect.forkChild(sql.withTransaction(second))
  const isWaiting = Effect.map(
    sql<{ waiting: boolean }>`
      SELECT EXISTS (SELECT FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))) AS waiting`,
    (rows) => rows[0]?.waiting === true
  )
  // A transaction has a connection to itself, and sees the same activity however often it looks: so one for each look.
  const awaitBlocked = Effect.repeat(sql.withTransaction(isWaiting), { until: (waiting) => waiting })
  yield* Effect.raceFirst(awaitBlocked, Fiber.await(secondFiber))
  yield* meanwhile
  yield* Deferred.succeed(commit, undefined)
  return [yield* Fiber.join(firstFiber), yield* Fiber.join(secondFiber)] as const
})

/** Holds a property, so that whatever refers to it waits; answers what lets it go. */
export const lockProperty = (operatorId: number, propertyId: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    holdLock(sql`SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${propertyId} FOR UPDATE`)
  )

/** Holds what a statement locks; answers what lets it go. On a server, as {@link overlapping}. */
export const holdLock = Effect.fnUntraced(function* <E, R>(lockingStatement: Effect.Effect<unknown, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* lockingStatement
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(release)
      })
    )
  )
  yield* Deferred.await(held)
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(holder))
})

/** Waits until so many new tasks wait for a lock. */
export const awaitBlockedTaskInserts = Effect.fnUntraced(function* (minimum: number) {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql<{ waiting: number }>`
    SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO tasks%'`
  yield* Effect.repeat(waiting, { until: ([row]) => (row?.waiting ?? 0) >= minimum })
})

/** Whether this run has a server to overlap on; the name of a suite says so when it has none. */
export const canOverlap = (process.env.DATABASE_URL ?? "") !== ""
export const withServerNote = (name: string): string => (canOverlap ? name : `${name} (skipped: DATABASE_URL not set)`)

/** A test that starts on the embedded database whatever DATABASE_URL says need not run again where the server is tried. */
export const withEmbeddedNote = (name: string): string =>
  canOverlap ? `${name} (skipped: the run without DATABASE_URL tries it)` : name
