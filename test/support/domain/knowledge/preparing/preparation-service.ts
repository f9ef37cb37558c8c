import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  type ClaimedEntry,
  PreparingQueue,
  preparationJobs
} from "../../../../../src/domain/knowledge/preparing/preparation-jobs.ts"
import { makeJobRunner, runJob } from "../../../../../src/jobs/job-runner.ts"
import { layerService } from "../../../harness.ts"
import { layerOwnDatabase } from "../../../own-database.ts"

// Entries and workers whose every look is called by the test.

export const NOW = Date.parse("2027-04-20T10:00:00Z")

/** The service and what a worker needs, over a database of its own: a worker would take what other files' tests write. */
export const layerPreparationService = Layer.provideMerge(PreparingQueue.layer, layerService(layerOwnDatabase))

/** Nothing of the tests before is left to be prepared, and the database refuses no text. */
export const emptyEntryTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE knowledge_fragments, knowledge_bases`
  yield* sql`DROP TRIGGER IF EXISTS poisonous ON knowledge_fragments`
  yield* TestClock.setTime(NOW)
}).pipe(Effect.orDie)

/** From now on the database refuses every text with the word POISON. */
export const poisonDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'poison'; END $$`
  yield* sql`
    CREATE TRIGGER poisonous BEFORE INSERT ON knowledge_fragments
    FOR EACH ROW WHEN (NEW.text LIKE '%POISON%') EXECUTE FUNCTION refuse_poison()`
}).pipe(Effect.orDie)

/** The database refuses nothing any more. */
export const healDatabase = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`DROP TRIGGER poisonous ON knowledge_fragments`
).pipe(Effect.orDie)

export const makePreparationWorker = makeJobRunner(preparationJobs)

/** Makes one attempt of a claimed entry. */
export const prepareEntry = (entry: ClaimedEntry) => runJob(preparationJobs, entry)

export type PreparationWorker = Effect.Success<typeof makePreparationWorker>

/** Prepares until nothing more is due at this time of the clock. */
export const prepareAllDue = Effect.fnUntraced(function* (worker: PreparationWorker) {
  const sql = yield* SqlClient.SqlClient
  const loadAttempts = sql<{ tries: number }>`SELECT coalesce(sum(attempts), 0)::int AS tries FROM knowledge_bases`
  let before = -1
  while (true) {
    const [row] = yield* loadAttempts
    if (row?.tries === before) return
    before = row?.tries ?? 0
    yield* worker.claimDue
    yield* worker.awaitIdle
  }
}, Effect.orDie)

export const claimEntries = (limit: number, claimed: ReadonlyArray<ClaimedEntry> = []) =>
  Effect.flatMap(PreparingQueue, (queue) =>
    Effect.flatMap(DateTime.nowAsDate, (now) => queue.claim(now, limit, claimed))
  )

/** Takes the one entry that is due. */
export const claimOnlyEntry = Effect.flatMap(claimEntries(2), ([entry, ...more]) =>
  entry === undefined || more.length > 0 ? Effect.die(new Error("not one entry was due")) : Effect.succeed(entry)
)

/** How an entry stands; `due` in milliseconds from now, undefined for never. */
export const loadEntryState = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  const [row] = yield* sql<{ process_status: string; attempts: number; failures: number; due: number | null }>`
    SELECT process_status, attempts, failures, CASE WHEN due_at < 'infinity'
      THEN round(1000 * extract(epoch FROM due_at - ${now}::timestamptz))::integer END AS due
    FROM knowledge_bases WHERE id = ${id}`
  return row === undefined ? undefined : { ...row, due: row.due ?? undefined }
}, Effect.orDie)
