import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Latch, Scope } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { attemptOnce, COMPLETION_RETRIES, COMPLETION_RETRY_MS } from "../../src/jobs/job-runner.ts"
import { CLAIMS_PER_RUN_MAX, DUE_POLL_MS, makeJobWorker, SHUTDOWN_MS } from "../../src/jobs/job-worker.ts"
import { computeLeaseEnd, LEASE_MS } from "../../src/jobs/lease.ts"
import { type ScheduledWork, WorkSchedule } from "../../src/jobs/WorkSchedule.ts"

// A table of timed work in memory, whose "statements" keep the rules; deliveries keep them in SQL (test/domain/webhooks/deliveries).

interface Row {
  readonly id: number
  due_at: number
  attempts: number
  settled: number
}

interface Taken {
  readonly id: number
  readonly attempts: number
}

const tableOf = (due: ReadonlyArray<number>) => {
  const rows = due.map((due_at, id): Row => ({ id, due_at, attempts: 0, settled: 0 }))
  const mine = ({ id, attempts }: Taken) => rows.find((row) => row.id === id && row.attempts === attempts)
  return {
    rows,
    take: (now: Date, most: number) =>
      Effect.sync(() => {
        const found = rows.filter((row) => row.settled === 0 && row.due_at <= now.getTime()).slice(0, most)
        return found.map((row): Taken => {
          row.attempts++
          row.due_at = computeLeaseEnd(now, LEASE_MS).getTime()
          return { id: row.id, attempts: row.attempts }
        })
      }),
    settle: (taken: Taken) =>
      Effect.sync(() => {
        const row = mine(taken)
        if (row !== undefined) row.settled++
      }),
    handBack: (taken: Taken) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const row = mine(taken)
          if (row === undefined) return
          row.attempts--
          row.due_at = clock.currentTimeMillisUnsafe()
        })
      )
  }
}

type Table = ReturnType<typeof tableOf>

const worker = (table: Table, attempt: (taken: Taken) => Effect.Effect<void>, room = 10) =>
  makeJobWorker({
    name: "testing",
    maxInProgress: room,
    claim: table.take,
    run: (taken: Taken) =>
      attemptOnce({ attempt: attempt(taken), complete: () => table.settle(taken), release: table.handBack(taken) })
  })

const untried = { attempts: 0, settled: 0 }
const due = (count: number) => Array.from({ length: count }, () => 0)

describe("timed work", () => {
  it.effect("is begun as far as there is room, and one more when one ends", () =>
    Effect.gen(function* () {
      const table = tableOf(due(4))
      const ends = yield* Effect.forEach(table.rows, () => Deferred.make<void>())
      const work = yield* worker(table, ({ id }) => Deferred.await(ends[id] ?? assert.fail()), 3)
      yield* work.claimDue
      yield* work.claimDue
      assert.strictEqual(work.inProgress.size, 3)
      assert.strictEqual(yield* work.countFreeSlots, 0)
      assert.deepInclude(table.rows[3], untried)
      yield* work.startPolling
      yield* Deferred.succeed(ends[1] ?? assert.fail(), undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(
        Array.from(work.inProgress, ({ id }) => id),
        [0, 2, 3]
      )
      assert.deepInclude(table.rows[1], { attempts: 1, settled: 1 })
      yield* Effect.forEach(ends, (end) => Deferred.succeed(end, undefined))
    })
  )

  it.effect("keeps no slot if its attempt throws before it returns an effect", () =>
    Effect.gen(function* () {
      const table = tableOf(due(3))
      const work = yield* makeJobWorker({
        name: "testing",
        maxInProgress: 3,
        claim: table.take,
        run: () => {
          throw new Error("before the attempt began")
        }
      })
      yield* Effect.andThen(work.claimDue, work.awaitIdle)
      assert.strictEqual(work.inProgress.size, 0)
      assert.deepStrictEqual(
        table.rows.map(({ attempts }) => attempts),
        [1, 1, 1]
      )
    })
  )

  it.effect("of a worker that died waits for the end of its lease, not longer", () =>
    Effect.gen(function* () {
      const table = tableOf(due(1))
      const work = yield* worker(table, () => Effect.void)
      // Whoever takes it here never comes back.
      yield* table.take(new Date(0), 1)
      yield* TestClock.adjust(LEASE_MS - 1)
      yield* Effect.andThen(work.claimDue, work.awaitIdle)
      assert.deepInclude(table.rows[0], { attempts: 1, settled: 0 })
      yield* TestClock.adjust(1)
      yield* Effect.andThen(work.claimDue, work.awaitIdle)
      assert.deepInclude(table.rows[0], { attempts: 2, settled: 1 })
    })
  )

  it.effect("is done once, however many workers poll and whenever it is due", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(5_000), fc.integer({ min: 0, max: LEASE_MS - 1 })), { minLength: 1, maxLength: 20 }),
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 5 }),
          (works, workers, room) =>
            Effect.gen(function* () {
              const table = tableOf(works.map(([at]) => at))
              const begun: Array<number> = []
              const attempt = ({ id }: Taken) =>
                Effect.andThen(
                  Effect.sync(() => begun.push(id)),
                  Effect.sleep(works[id]?.[1] ?? 0)
                )
              for (let n = 0; n < workers; n++) {
                const { startPolling: polling } = yield* worker(table, attempt, room)
                yield* polling
              }
              yield* TestClock.adjust(5_000 + works.length * LEASE_MS)
              assert.sameMembers(begun, [...works.keys()])
              for (const row of table.rows) assert.deepInclude(row, { attempts: 1, settled: 1 })
            }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
        ),
        { numRuns: 30 }
      )
    )
  )

  it.effect(`is polled for when something changed, and every ${DUE_POLL_MS} ms all the same`, () =>
    Effect.gen(function* () {
      let polls = 0
      const table = tableOf([])
      const { startPolling: polling, notifyChanged: changed } = yield* makeJobWorker({
        name: "testing",
        maxInProgress: 1,
        claim: () =>
          Effect.as(
            Effect.sync(() => polls++),
            []
          ),
        run: (taken: Taken) => table.settle(taken)
      })
      yield* polling
      yield* TestClock.adjust(DUE_POLL_MS - 1)
      assert.strictEqual(polls, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(polls, 2)
      yield* changed
      yield* TestClock.adjust(0)
      assert.strictEqual(polls, 3)
    })
  )

  it.effect("is not polled for more often than its kind says, whatever changes", () =>
    Effect.gen(function* () {
      let polls = 0
      const table = tableOf([])
      const { startPolling: polling, notifyChanged: changed } = yield* makeJobWorker({
        name: "testing",
        maxInProgress: 1,
        gapMs: 250,
        pollMs: 5_000,
        claim: () =>
          Effect.as(
            Effect.sync(() => polls++),
            []
          ),
        run: (taken: Taken) => table.settle(taken)
      })
      yield* polling
      yield* TestClock.adjust(0)
      yield* changed
      yield* TestClock.adjust(249)
      assert.strictEqual(polls, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(polls, 2)
      yield* TestClock.adjust(4_999)
      assert.strictEqual(polls, 2)
      yield* TestClock.adjust(1)
      assert.strictEqual(polls, 3)
    })
  )

  it.effect("that makes the next one due is followed by it in the same run of what is due", () =>
    Effect.gen(function* () {
      let left = 3
      const scheduled: Array<ScheduledWork<never>> = []
      const schedule = WorkSchedule.of({
        add: (work) =>
          Effect.map(Effect.context<Effect.Services<typeof work.runDue>>(), (services) => {
            const provided = { name: work.name, iteration: Effect.void, runDue: Effect.provide(work.runDue, services) }
            scheduled.push(provided)
          })
      })
      const made = yield* makeJobWorker({
        name: "testing",
        maxInProgress: 1,
        claim: () => Effect.sync(() => (left === 0 ? [] : [left])),
        run: () =>
          Effect.sync(() => {
            left--
          })
      })
      yield* Effect.provideService(made.startPolling, WorkSchedule, schedule)
      yield* scheduled[0]?.runDue ?? Effect.die("nothing is scheduled")
      assert.strictEqual(left, 0)
      left = CLAIMS_PER_RUN_MAX + 1
      yield* scheduled[0]?.runDue ?? Effect.void
      assert.strictEqual(left, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("runs one after the other when a test server runs all that is due", () =>
    Effect.gen(function* () {
      const table = tableOf(due(3))
      const log: Array<string> = []
      const scheduled: Array<Effect.Effect<void>> = []
      const schedule = WorkSchedule.of({
        add: (work) =>
          Effect.map(Effect.context<Effect.Services<typeof work.runDue>>(), (services) => {
            scheduled.push(Effect.provide(work.runDue, services))
          })
      })
      const work = yield* worker(table, ({ id }) =>
        Effect.sync(() => log.push(`start ${id}`)).pipe(
          Effect.andThen(Effect.yieldNow),
          Effect.andThen(Effect.sync(() => log.push(`end ${id}`)))
        )
      )
      yield* Effect.provideService(work.startPolling, WorkSchedule, schedule)
      yield* scheduled[0] ?? Effect.die("nothing is scheduled")
      assert.deepStrictEqual(log, ["start 0", "end 0", "start 1", "end 1", "start 2", "end 2"])
    }).pipe(Effect.scoped)
  )

  it.effect("that was taken is also begun, when the worker is stopped in between", () =>
    Effect.gen(function* () {
      const table = tableOf(due(3))
      const answered = yield* Latch.make()
      const asked = yield* Latch.make()
      const work = yield* worker(
        {
          ...table,
          take: (now, most) => table.take(now, most).pipe(Effect.tap(() => Effect.andThen(asked.open, answered.await)))
        },
        () => Effect.void
      )
      const polling = yield* Effect.forkChild(work.claimDue)
      yield* asked.await
      const stopping = yield* Effect.forkChild(Fiber.interrupt(polling))
      yield* answered.open
      yield* Fiber.join(stopping)
      yield* work.awaitIdle
      for (const row of table.rows) assert.deepInclude(row, { attempts: 1, settled: 1 })
    })
  )

  it.effect(`that does not end within ${SHUTDOWN_MS} ms of a stop is handed back, untried and due at once`, () =>
    Effect.gen(function* () {
      const table = tableOf(due(2))
      const scope = yield* Scope.make()
      const work = yield* Scope.provide(
        worker(table, ({ id }) => Effect.sleep(id === 0 ? SHUTDOWN_MS - 1 : LEASE_MS)),
        scope
      )
      yield* work.claimDue
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(SHUTDOWN_MS - 1)
      assert.isUndefined(closing.pollUnsafe())
      assert.deepInclude(table.rows[0], { attempts: 1, settled: 1 })
      assert.deepInclude(table.rows[1], { attempts: 1, settled: 0 })
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      assert.deepInclude(table.rows[1], { ...untried, due_at: SHUTDOWN_MS })
    })
  )
})

describe("an attempt", () => {
  /** Its settling fails so many times; answers how it ended, and whether it was settled or handed back. */
  const attempted = Effect.fnUntraced(function* (failures: number, stopped: boolean) {
    const said: Array<string> = []
    const settling = yield* Latch.make()
    let left = failures
    const fiber = yield* Effect.forkChild(
      attemptOnce({
        attempt: Effect.succeed("done"),
        complete: (end) =>
          Effect.andThen(
            settling.open,
            Effect.suspend(() => (left-- > 0 ? Effect.die("away") : Effect.sync(() => said.push(end))))
          ),
        release: Effect.sync(() => said.push("handed back"))
      })
    )
    yield* settling.await
    if (stopped) yield* Effect.forkChild(Fiber.interrupt(fiber))
    yield* TestClock.adjust(COMPLETION_RETRIES * COMPLETION_RETRY_MS)
    return { exit: yield* Fiber.await(fiber), said }
  })

  it.effect(`that ended is written down by the ${COMPLETION_RETRIES + 1}th time at the latest, also at a stop`, () =>
    Effect.gen(function* () {
      for (const stopped of [false, true]) {
        assert.deepStrictEqual((yield* attempted(COMPLETION_RETRIES, stopped)).said, ["done"])
      }
    })
  )

  it.effect("that cannot be written down is left to the end of its lease", () =>
    Effect.gen(function* () {
      const { exit, said } = yield* attempted(COMPLETION_RETRIES + 1, false)
      assert.deepStrictEqual(said, [])
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === "away")
      assert.isBelow(COMPLETION_RETRIES * COMPLETION_RETRY_MS, LEASE_MS)
    })
  )
})
