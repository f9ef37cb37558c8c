import { assert, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Fiber, Layer, Logger, References } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  layerPreparationJobs,
  PREPARING_RETRIES,
  PREPARING_ROOM,
  PREPARING_SHARE,
  PreparingQueue
} from "../../../../src/domain/knowledge/preparing/preparation-jobs.ts"
import { DUE_POLL_MS } from "../../../../src/jobs/job-worker.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import { backoffMs } from "../../../../src/jobs/retries.ts"
import { createEntryWriter, loadFragments, PARKING_ENTRY } from "../../../support/domain/knowledge/entry-writer.ts"
import {
  claimEntries,
  claimOnlyEntry,
  emptyEntryTables,
  healDatabase,
  layerPreparationService,
  loadEntryState,
  makePreparationWorker,
  NOW,
  poisonDatabase,
  prepareAllDue,
  prepareEntry
} from "../../../support/domain/knowledge/preparing/preparation-service.ts"
import { call } from "../../../support/harness.ts"

const saying = (text: string) => ({ contents: [{ sub_title: "", text }] })

const DONE = { process_status: "done", failures: 0, due: undefined }

interface Line {
  readonly level: string
  readonly message: string
  readonly reason: string
  readonly fields: { readonly [field: string]: unknown }
}

/** What is logged meanwhile, and for what reason. */
const linesOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const said: Array<Line> = []
  const logger = Logger.make(({ logLevel, message, cause, fiber }) => {
    const fields = fiber.getRef(References.CurrentLogAnnotations)
    said.push({ level: logLevel, message: [message].flat().join(" "), reason: Cause.pretty(cause), fields })
  })
  yield* Effect.provide(effect, Logger.layer([logger]))
  return said
})

layer(layerPreparationService)("preparing knowledge", (it) => {
  it.effect("makes of what waits what is searched, in the order it was written", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { operatorId, createEntry: write, getEntry: shown } = yield* createEntryWriter()
      const id = yield* write({ contents: ["停车场", "Garage", "Rue"].map((text) => ({ sub_title: "", text })) })
      assert.strictEqual((yield* shown(id)).process_status, "waiting")
      const entry = yield* claimOnlyEntry
      assert.strictEqual((yield* shown(id)).process_status, "processing")
      yield* prepareEntry(entry)
      assert.strictEqual((yield* shown(id)).process_status, "done")
      assert.deepStrictEqual(
        yield* loadFragments(operatorId),
        ["停车场", "Garage", "Rue"].map((text) => `${id}/1: ${text}`)
      )
      yield* TestClock.adjust("1000 days")
      assert.deepStrictEqual(yield* claimEntries(1), [])
    })
  )

  it.effect("begins anew with an edit, whatever changed, and then has the new text alone", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { api, as, operatorId, createEntry: write, getEntry: shown } = yield* createEntryWriter()
      const id = yield* write(saying("Old"))
      yield* prepareEntry(yield* claimOnlyEntry)
      for (const [n, edit] of [saying("New"), { ...saying("New"), is_enable: false }].entries()) {
        yield* api.update_knowledge_base({ id, ...PARKING_ENTRY, ...edit }).pipe(as)
        assert.strictEqual((yield* shown(id)).process_status, "waiting")
        yield* prepareEntry(yield* claimOnlyEntry)
        assert.strictEqual((yield* shown(id)).process_status, "done")
        assert.deepStrictEqual(yield* loadFragments(operatorId), [`${id}/${n + 2}: New`])
      }
    })
  )

  it.effect("of an entry that is edited meanwhile keeps nothing that it said before", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { api, as, operatorId, createEntry: write } = yield* createEntryWriter()
      const id = yield* write(saying("Old"))
      const old = yield* claimOnlyEntry
      yield* api.update_knowledge_base({ id, ...PARKING_ENTRY, ...saying("New") }).pipe(as)
      yield* prepareEntry(old)
      assert.deepStrictEqual(yield* loadFragments(operatorId), [])
      assert.deepInclude(yield* loadEntryState(id), { process_status: "waiting", due: 0 })
      // The edit is taken although whoever had the entry had it for longer.
      const edited = yield* claimOnlyEntry
      yield* prepareEntry(old)
      yield* prepareEntry(edited)
      assert.deepStrictEqual(yield* loadFragments(operatorId), [`${id}/2: New`])
      yield* prepareEntry(old)
      assert.deepStrictEqual(yield* loadFragments(operatorId), [`${id}/2: New`])
      assert.deepInclude(yield* loadEntryState(id), DONE)
    })
  )

  it.effect("leaves nothing of an entry that is deleted meanwhile", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { api, as, operatorId, createEntry: write } = yield* createEntryWriter()
      const id = yield* write()
      const entry = yield* claimOnlyEntry
      yield* api.delete_knowledge_base({ id }).pipe(as)
      yield* prepareEntry(entry)
      assert.deepStrictEqual(yield* loadFragments(operatorId), [])
      assert.isUndefined(yield* loadEntryState(id))
    })
  )

  it.effect("is done again by another when its worker dies, and the dead one's word counts no more", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const queue = yield* PreparingQueue
      const { operatorId, createEntry: write } = yield* createEntryWriter()
      const id = yield* write(saying("Two streets away"))
      const dead = yield* claimOnlyEntry
      yield* TestClock.adjust(LEASE_MS - 1)
      assert.deepStrictEqual(yield* claimEntries(1), [])
      yield* TestClock.adjust(1)
      const next = yield* claimOnlyEntry
      assert.isUndefined(yield* queue.complete(dead, [{ sub_title: "", text: "Dead", searchable: "dead" }]))
      assert.isUndefined(yield* queue.fail(dead, undefined))
      yield* queue.release(dead, new Date(NOW))
      assert.deepInclude(yield* loadEntryState(id), { process_status: "processing", attempts: 2, due: LEASE_MS })
      yield* prepareEntry(next)
      // The answer of the database was lost: done twice it is done once.
      yield* prepareEntry(next)
      assert.deepStrictEqual(yield* loadFragments(operatorId), [`${id}/1: Two streets away`])
      assert.deepInclude(yield* loadEntryState(id), DONE)
    })
  )

  it.effect("is handed back when its worker is stopped, and due at once", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { createEntry: write } = yield* createEntryWriter()
      const id = yield* write()
      const entry = yield* claimOnlyEntry
      const begun = yield* Deferred.make<void>()
      // The database does not answer as long as it is asked to keep anything.
      const stuck = prepareEntry(entry).pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) =>
          statement.compile()[0].includes("INSERT INTO knowledge_fragments")
            ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
            : Effect.succeed(statement)
        )
      )
      const worker = yield* Effect.forkChild(stuck)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(worker)
      assert.deepInclude(yield* loadEntryState(id), { process_status: "waiting", failures: 0, due: 0 })
      yield* prepareEntry(yield* claimOnlyEntry)
      assert.deepInclude(yield* loadEntryState(id), DONE)
    })
  )

  it.effect("is failed between tries, later and later, and after the last until the next edit", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      yield* poisonDatabase
      const { api, as, operatorId, createEntry: write, getEntry: shown } = yield* createEntryWriter()
      const id = yield* write(saying("POISON"))
      const { maxAttempts, backoff } = PREPARING_RETRIES
      for (let failures = 1; failures < maxAttempts; failures++) {
        yield* prepareEntry(yield* claimOnlyEntry)
        const standing = yield* loadEntryState(id)
        assert.deepInclude(standing, { process_status: "failed", failures })
        const pause = backoffMs(backoff, failures)
        assert.isAtLeast(standing?.due ?? 0, pause * (1 - backoff.jitter))
        assert.isAtMost(standing?.due ?? 0, pause * (1 + backoff.jitter))
        assert.deepStrictEqual(yield* claimEntries(1), [])
        yield* TestClock.adjust(pause * (1 + backoff.jitter))
      }
      yield* prepareEntry(yield* claimOnlyEntry)
      assert.deepInclude(yield* loadEntryState(id), { process_status: "failed", failures: maxAttempts, due: undefined })
      yield* TestClock.adjust("1000 days")
      assert.deepStrictEqual(yield* claimEntries(1), [])
      assert.strictEqual((yield* shown(id)).process_status, "failed")
      yield* api.update_knowledge_base({ id, ...PARKING_ENTRY, ...saying("Wholesome") }).pipe(as)
      assert.deepInclude(yield* loadEntryState(id), { process_status: "waiting", failures: 0, due: 0 })
      yield* prepareEntry(yield* claimOnlyEntry)
      assert.deepStrictEqual(yield* loadFragments(operatorId), [`${id}/2: Wholesome`])
    })
  )

  it.effect("says why it failed, each time, and which entry it was", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      yield* poisonDatabase
      const { operatorId, createEntry: write } = yield* createEntryWriter()
      const id = yield* write(saying("POISON"))
      const sql = yield* SqlClient.SqlClient
      const said = yield* linesOf(Effect.flatMap(claimOnlyEntry, prepareEntry))
      yield* sql`UPDATE knowledge_bases SET failures = ${PREPARING_RETRIES.maxAttempts - 1} WHERE id = ${id}`
      yield* TestClock.adjust("10 seconds")
      said.push(...(yield* linesOf(Effect.flatMap(claimOnlyEntry, prepareEntry))))
      assert.deepStrictEqual(
        said.map(({ level }) => level),
        ["Warn", "Error"]
      )
      for (const { reason, fields } of said) {
        assert.include(reason, "poison")
        assert.deepInclude(fields, { operator_id: operatorId, knowledge_base_id: id })
        // What the host wrote is nothing for the log.
        assert.notInclude(reason, "POISON")
      }
    })
  )

  it.effect("is made up for when what kept it from it is over", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      yield* poisonDatabase
      const { operatorId, createEntry: write } = yield* createEntryWriter()
      const id = yield* write(saying("POISON"))
      yield* prepareEntry(yield* claimOnlyEntry)
      yield* healDatabase
      yield* TestClock.adjust("10 seconds")
      yield* prepareEntry(yield* claimOnlyEntry)
      assert.deepStrictEqual(yield* loadFragments(operatorId), [`${id}/1: POISON`])
      assert.deepInclude(yield* loadEntryState(id), DONE)
    })
  )

  it.effect("is not held up by entries that fail", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      yield* poisonDatabase
      const { createEntry: write } = yield* createEntryWriter()
      const spoilt = yield* Effect.replicateEffect(write(saying("POISON")), PREPARING_SHARE * 3)
      const sound = yield* Effect.replicateEffect(write(), 3)
      const preparing = yield* makePreparationWorker
      yield* prepareAllDue(preparing)
      for (const id of sound) assert.deepInclude(yield* loadEntryState(id), DONE)
      for (const id of spoilt) assert.deepInclude(yield* loadEntryState(id), { process_status: "failed", failures: 1 })
    }).pipe(Effect.scoped)
  )

  it.effect("gives a quiet host its turn beside a greedy one, and neither more than its share", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const greedy = yield* createEntryWriter()
      const quiet = yield* createEntryWriter()
      yield* Effect.replicateEffect(greedy.createEntry(), 40)
      yield* TestClock.adjust("1 minute")
      yield* quiet.createEntry()
      const first = yield* claimEntries(2)
      assert.sameMembers(
        first.map(({ operator_id }) => operator_id),
        [greedy.operatorId, quiet.operatorId]
      )
      const more = yield* claimEntries(PREPARING_ROOM, first)
      assert.deepStrictEqual(
        more.map(({ operator_id }) => operator_id),
        Array.from({ length: PREPARING_SHARE - 1 }, () => greedy.operatorId)
      )
      assert.deepStrictEqual(yield* claimEntries(PREPARING_ROOM, [...first, ...more]), [])
    })
  )

  it.effect("takes of the host with the fewest in hand first, though another's has waited for longer", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const busy = yield* createEntryWriter()
      const idle = yield* createEntryWriter()
      yield* Effect.replicateEffect(busy.createEntry(), 2)
      const inHand = yield* claimEntries(1)
      yield* TestClock.adjust("1 second")
      yield* idle.createEntry()
      const [next] = yield* claimEntries(1, inHand)
      assert.strictEqual(next?.operator_id, idle.operatorId)
    })
  )

  it.effect("takes the oldest of a host first, and no more than it is asked for", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { createEntry: write } = yield* createEntryWriter()
      const ids: Array<number> = []
      for (let n = 0; n < 3; n++) {
        ids.push(yield* write())
        yield* TestClock.adjust("1 second")
      }
      const one = yield* claimEntries(1)
      const two = yield* claimEntries(1)
      const three = yield* claimEntries(1)
      assert.deepStrictEqual(
        [...one, ...two, ...three].map(({ id }) => id),
        ids
      )
    })
  )

  it.effect("again, as a migration asks it that changes what terms are, replaces what it is found by, or fails", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { operatorId, createEntry: write } = yield* createEntryWriter()
      const id = yield* write()
      const queue = yield* makePreparationWorker
      yield* prepareAllDue(queue)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE knowledge_fragments SET words = ''`
      const found = sql`SELECT FROM knowledge_fragments WHERE operator_id = ${operatorId} AND words <> ''`
      yield* sql`UPDATE knowledge_bases SET process_status = 'waiting', due_at = ${new Date(NOW)} WHERE id = ${id}`
      yield* prepareAllDue(queue)
      assert.deepInclude(yield* loadEntryState(id), { process_status: "failed", failures: 1 })
      assert.lengthOf(yield* found, 0)
      yield* sql`
        UPDATE knowledge_bases SET process_status = 'waiting', revision = revision + 1, due_at = ${new Date(NOW)} WHERE id = ${id}`
      yield* prepareAllDue(queue)
      assert.deepInclude(yield* loadEntryState(id), { process_status: "done" })
      assert.lengthOf(yield* found, (yield* loadFragments(operatorId)).length)
    }).pipe(Effect.scoped)
  )

  it.effect("is done once for each entry by three workers at once", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { operatorId, createEntry: write } = yield* createEntryWriter()
      const others = yield* Effect.replicateEffect(createEntryWriter(), 3)
      const ids = yield* Effect.replicateEffect(write(), 20)
      for (const other of others) ids.push(...(yield* Effect.replicateEffect(other.createEntry(), 5)))
      const workers = yield* Effect.replicateEffect(makePreparationWorker, 3)
      yield* Effect.all(workers.map(prepareAllDue), { concurrency: "unbounded" })
      for (const id of ids) assert.deepStrictEqual(yield* loadEntryState(id), { ...DONE, attempts: 1 })
      assert.lengthOf(yield* loadFragments(operatorId), 20)
    }).pipe(Effect.scoped)
  )

  it.effect("begins when an entry is written, without waiting for the next look", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { token, createEntry: write, getEntry: shown } = yield* createEntryWriter()
      yield* Layer.build(layerPreparationJobs)
      yield* TestClock.adjust(DUE_POLL_MS)
      const id = yield* write()
      const isDone = Effect.map(shown(id), ({ process_status }) => process_status === "done")
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, isDone), { until: (done) => done })
      assert.strictEqual((yield* call(token, "get_knowledge_base", { id })).error_code, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("looks at what is due alone, however many entries there are", () =>
    Effect.gen(function* () {
      yield* emptyEntryTables
      const { operatorId, createEntry: write } = yield* createEntryWriter()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET knowledge_base_limit = 100000 WHERE id = ${operatorId}`
      yield* sql`ALTER TABLE knowledge_bases DISABLE TRIGGER knowledge_bases_limit`
      yield* sql`
        INSERT INTO knowledge_bases (operator_id, title, is_enable, audience, scope_property_type, scope_property_ids,
          scope_channel_type, scope_channels, contents, process_status, due_at, created_at)
        SELECT ${operatorId}, '', true, 'guests', 'all', '{-1}', 'all', '{unlimited}', '[]', 'done', 'infinity', now()
        FROM generate_series(1, 20000)`
      yield* sql`ALTER TABLE knowledge_bases ENABLE TRIGGER knowledge_bases_limit`
      yield* sql`ANALYZE knowledge_bases`
      const id = yield* write()
      const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
      const taken = yield* claimEntries(1).pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) => {
          sent.push(statement.compile())
          return Effect.succeed(statement)
        })
      )
      assert.deepStrictEqual(
        taken.map((entry) => entry.id),
        [id]
      )
      for (const [text, values] of sent) {
        const plan = JSON.stringify(yield* sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, values))
        assert.notInclude(plan, "Seq Scan")
        assert.include(plan, "knowledge_bases_due")
      }
      assert.isNotEmpty(sent)
    })
  )
})
