import type { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Latch, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { WakeUp } from "../src/jobs/WakeUp.ts"
import { layerDelivering, prepared } from "./webhook-ground.ts"
import type { Receiver } from "./webhook-receiver.ts"

// How long an event is on its way, from the answer to the statement that committed it to its receiver, while a hundred
// a second happen at moments of their own.

const A_SECOND = 100
const WARMING = 300
const MEASURED = 1_500

/** A hundred changes a second, each with one event; answers when each was committed, in nanoseconds. */
const changing = Effect.fnUntraced(function* (operatorId: number, events: number) {
  const sql = yield* SqlClient.SqlClient
  const { wake } = yield* WakeUp
  const committed = new Map<number, bigint>()
  const change = (id: number) =>
    sql`
      INSERT INTO events (operator_id, event, record, payload, queued_at)
      VALUES (${operatorId}, 'transaction_created', ${`transaction:${id}`}, jsonb_build_object('transaction_id', ${id}::int),
        now())`.pipe(
      Effect.andThen(Effect.sync(() => committed.set(id, process.hrtime.bigint()))),
      Effect.andThen(wake)
    )
  const changes: Array<Fiber.Fiber<void, SqlError>> = []
  const startedAt = performance.now()
  let dueAt = 0
  for (let id = 1; id <= events; id++) {
    dueAt += (-Math.log(1 - (yield* Random.next)) * 1_000) / A_SECOND
    yield* Effect.sleep(Math.max(0, startedAt + dueAt - performance.now()))
    changes.push(yield* Effect.forkChild(change(id)))
  }
  yield* Effect.forEach(changes, Fiber.join, { discard: true })
  return committed
})

/** Prints the delays of one way to hear of changes; `workers` deliver, and the `WakeUp` is that of who makes the changes. */
const delay = Effect.fnUntraced(function* <E>(name: string, receiver: Receiver, workers: Layer.Layer<never, E>) {
  const operatorId = yield* prepared(receiver.port, 1)
  const run = Effect.fnUntraced(function* (events: number) {
    yield* receiver.expect(events)
    const [committed, arrivals] = yield* Effect.all([changing(operatorId, events), receiver.arrivals], {
      concurrency: "unbounded"
    })
    return arrivals.map(([id, at]) => Number(at - (committed.get(id) ?? at)) / 1e6).toSorted((a, b) => a - b)
  })
  const delays = yield* Effect.raceFirst(
    Effect.andThen(run(WARMING), run(MEASURED)),
    Effect.andThen(Layer.launch(workers), Effect.never)
  )
  const at = (share: number) => (delays[Math.floor((delays.length - 1) * share)] ?? Number.NaN).toFixed(1).padStart(6)
  console.log(`  ${name.padEnd(27)} median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms, longest ${at(1)} ms`)
})

const heading = `  from commit to receiver, ${MEASURED} events, ${A_SECOND} a second:`

/** Wakes nobody: what polling alone does. */
const layerAsleep = Layer.succeed(WakeUp, { wake: Effect.void, latch: Latch.make() })

/** In a process that has the database to itself. */
export const delaysInProcess = Effect.fnUntraced(function* (receiver: Receiver) {
  console.log(heading)
  const database = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
  for (const [name, wakeUp] of [
    ["woken", WakeUp.layerProcess],
    ["polling alone", layerAsleep]
  ] as const) {
    const services = Layer.succeedContext(yield* Layer.build(Layer.fresh(wakeUp)))
    const workers = Layer.provide(layerDelivering, [database, services])
    yield* Effect.provide(delay(name, receiver, workers), services)
  }
}, Effect.scoped)

/** Processes on a server: each makes its changes over the database given and has `background` for the rest. */
export const delaysOnServer = Effect.fnUntraced(function* <E>(
  receiver: Receiver,
  background: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, E>
) {
  console.log(heading)
  const begun = (wakeUp: Layer.Layer<WakeUp, never, PgClient.PgClient>) =>
    Effect.map(Layer.build(Layer.fresh(Layer.provideMerge(wakeUp, background))), Layer.succeedContext)
  const one = yield* begun(WakeUp.layerServer)
  const other = yield* begun(WakeUp.layerServer)
  const asleep = yield* begun(layerAsleep)
  for (const [name, changing, working] of [
    ["woken by the same process", one, one],
    ["woken by another process", one, other],
    ["polling alone", asleep, asleep]
  ] as const) {
    const wakeUp = Layer.effect(WakeUp, Effect.provide(WakeUp, changing))
    yield* Effect.provide(delay(name, receiver, Layer.provide(layerDelivering, working)), wakeUp)
  }
}, Effect.scoped)
