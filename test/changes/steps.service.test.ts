import { setTimeout as moment } from "node:timers/promises"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { CLAIM_MS } from "../../src/changes/IdempotencyKeys.ts"
import { Upstream } from "../../src/contract/errors.ts"
import type { ApiOperation } from "../../src/service/Api.ts"
import { Service } from "../../src/service/service.ts"
import { digests } from "../attacks/operators-rows.ts"
import { layerTest, toServiceCall } from "../support/harness.ts"
import { changeOperations, makeSampleChange, OPERATIONS_UNDER_LOCK } from "../support/operation-samples.ts"
import { canOverlap } from "../support/overlapping-transactions.ts"
import { makeSampleWorld } from "../support/sample-world.ts"
import { ScriptedChannel } from "../support/scripted-channel.ts"

// A call under a key is cut off at each of its statements, before it is sent and after it was carried out, and sent again:
// whatever the cut, what it asks for is done once. Of every operation that changes.

/** What goes wrong at a statement of the nth operation. */
const MISHAPS = {
  "given up": () => Effect.interrupt,
  // Where a server can, it ends the connection of some; of others the statement fails, which takes no new connection.
  "without its database": (nth: number) =>
    Effect.map(SqlClient.SqlClient, (sql) =>
      canOverlap && nth % 4 === 0 ? sql`SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(10)` : sql`SELECT 1 / 0`
    )
} as const

interface Step {
  readonly statement: number
  /** Whether the statement was carried out, but nobody heard of it. */
  readonly done: boolean
}

/** Lets a call be cut off at that step; it may end before it gets there. */
const cutAt = (step: Step, mishap: Effect.Effect<Statement.Statement<object>, never, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let [sent, cut] = [0, false]
    const cutting = Effect.provideService(
      Statement.CurrentTransformer,
      Effect.fnUntraced(function* (statement) {
        if (sent++ !== step.statement) return statement
        cut = true
        if (step.done) yield* Effect.ignore(Effect.provideService(statement, Statement.CurrentTransformer, undefined))
        return yield* Effect.provideService(mishap, SqlClient.SqlClient, sql)
      })
    )
    return { cutting, wasCut: () => cut }
  })

/** Whether an operation acts outside, at a channel, before it changes something here. */
const actsOutside = ({ errorSchema }: ApiOperation): boolean =>
  Schema.is(errorSchema)(new Upstream({ code: 502, message: "away" }))

/** Milliseconds in which the database answers; the embedded one answers in this process. */
const MOMENT_MS = canOverlap ? 10 : 2

/** Moves the clock for as long as a call waits for another one that was cut off at its act outside. */
const patiently = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(call, { startImmediately: true })
    while (fiber.pollUnsafe() === undefined) {
      // The database is no part of the clock: it must not seem to take half a minute for a claim.
      yield* Effect.promise(() => moment(MOMENT_MS))
      yield* TestClock.adjust(500)
    }
    return yield* Fiber.join(fiber)
  })

/** No call has as many statements: it reads, changes, and looks its key up. */
const STATEMENTS = 12
const steps: ReadonlyArray<Step> = Array.from({ length: STATEMENTS }, (_, statement) => statement).flatMap(
  (statement) => [
    { statement, done: false },
    { statement, done: true }
  ]
)

/**
 * A call that goes on where an act outside was begun has fewer statements once the act has happened, so that the step after its
 * change is passed by. The other order meets that step before the act has happened.
 */
const schedules = (operation: ApiOperation): ReadonlyArray<readonly [told: string, steps: ReadonlyArray<Step>]> =>
  actsOutside(operation)
    ? [
        ["before each statement, then after it", steps],
        ["after each statement, then before it", steps.map((step) => ({ ...step, done: !step.done }))]
      ]
    : [["", steps]]

layer(layerTest)("a call under a key that is cut off at each of its steps", (it) => {
  for (const [how, mishap] of Object.entries(MISHAPS)) {
    for (const [nth, operation] of changeOperations.entries()) {
      const name = operation._tag
      for (const [order, steps] of schedules(operation)) {
        it.effect(`${name}, ${how}${order === "" ? "" : `, ${order}`}, is done once`, () =>
          Effect.gen(function* () {
            const world = yield* makeSampleWorld
            const sql = yield* SqlClient.SqlClient
            const digest = (yield* digests)(world.operatorId)
            const changes = Effect.map(
              sql<{ calls: number }>`
              SELECT count(DISTINCT request_id)::int AS calls FROM trail
              WHERE operator_id = ${world.operatorId} AND operation = ${name}`,
              ([row]) => row?.calls ?? 0
            )
            const fields = makeSampleChange(operation, world)
            const service = yield* Service
            const outside = actsOutside(operation)
            const asks = service.call(name, toServiceCall(world.token, fields, "steps"))
            const call = outside ? patiently(asks) : asks
            // The Gate looks a token up at its first call only.
            yield* service.findCaller({ "service-access-token": world.token })
            const before = { digest: yield* digest, changes: yield* changes }

            let after: string | undefined
            for (const step of steps) {
              const { cutting, wasCut } = yield* cutAt(step, mishap(nth))
              const exit = yield* Effect.exit(cutting(call))
              if (!wasCut()) {
                // Cut off within its transaction, it is undone as a whole.
                const isUndone = OPERATIONS_UNDER_LOCK.has(name) || order === "before each statement, then after it"
                if (isUndone && (yield* changes) > before.changes) after ??= yield* digest
                break
              }
              // Until then what is under way outside is not taken over.
              if (outside) yield* TestClock.adjust(CLAIM_MS)
              assert(step.statement < STATEMENTS - 1, "it never ends")
              if (how === "given up") assert(Exit.hasInterrupts(exit))
              const now = yield* digest
              if (after !== undefined) assert.strictEqual(now, after, "a repeat has changed something")
              else if ((yield* changes) > before.changes) after = now
              else if (!outside) assert.strictEqual(now, before.digest, "something is left of a call that was cut off")
            }
            assert.isDefined(after, "it was done and its answer lost")
            const { envelope, headers } = yield* call
            assert.strictEqual(envelope.error_code, 0, envelope.error_msg)
            assert.strictEqual(headers["idempotent-replayed"], "true")
            assert.strictEqual(yield* changes, before.changes + 1)
            assert.strictEqual(yield* digest, after)
            const told = yield* (yield* ScriptedChannel).requests
            const { reservation_code } = { reservation_code: "", ...fields }
            const times = told.filter((act) => act.endsWith(` ${reservation_code}`)).length
            const once = outside && reservation_code !== "" ? 1 : 0
            // Settings and reviews may be told again after a cut: that leaves them as they are.
            if (name === "create_review") assert.isAtLeast(times, once)
            else assert.strictEqual(times, once)
          })
        )
      }
    }
  }
})
