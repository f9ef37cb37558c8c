// Events a second from their record to the receiver's answer, and how long one is on its way, with every statement and
// request of the real way.
// `node bench/webhooks.ts [events]`; with DATABASE_URL also on a PostgreSQL server (in a database of its own).
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { WakeUp } from "../src/jobs/WakeUp.ts"
import { BACKGROUND_CONNECTIONS } from "../src/platform/database/database-layers.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { runMaintenance } from "../src/platform/database/maintenance.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import { createScratchDatabase } from "../test/support/scratch-database.ts"
import { SERVER_URL } from "./scratch-database.ts"
import { delaysInProcess, delaysOnServer } from "./webhook-delay.ts"
import { layerDelivering, prepared } from "./webhook-ground.ts"
import { type Receiver, startReceiver } from "./webhook-receiver.ts"

const DELIVERIES = Number(process.argv[2] ?? 10_000)

const happened = Effect.fnUntraced(function* (operatorId: number, events: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT ${operatorId}, 'transaction_created', 'transaction:' || n, jsonb_build_object('transaction_id', n), now()
    FROM generate_series(1, ${events}) n`
})

const round = Effect.fnUntraced(function* (receiver: Receiver, subscriptions: number) {
  const operatorId = yield* prepared(receiver.port, subscriptions)
  const events = Math.max(1, Math.round(DELIVERIES / subscriptions))
  yield* happened(operatorId, events)
  const deliveries = events * subscriptions
  yield* receiver.expect(deliveries)
  const started = performance.now()
  const cpu = process.cpuUsage()
  yield* Effect.raceFirst(receiver.arrivals, Layer.launch(Layer.provide(layerDelivering, WakeUp.layerProcess)))
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `  ${String(subscriptions).padStart(3)} subscriptions: ${String(Math.round(events / seconds)).padStart(6)} events/s, ` +
      `${String(Math.round(deliveries / seconds)).padStart(6)} deliveries/s (${deliveries} in ${seconds.toFixed(1)} s, ${((user + system) / 1000 / deliveries).toFixed(2)} ms of this process each)`
  )
})

const rounds = Effect.fnUntraced(function* (receiver: Receiver) {
  for (const subscriptions of [1, 10, 100]) yield* round(receiver, subscriptions)
})

const embedded = Effect.gen(function* () {
  console.log("embedded, in memory")
  yield* migrate(migrations)
  yield* runMaintenance
  const receiver = yield* startReceiver
  yield* delaysInProcess(receiver)
  yield* rounds(receiver)
}).pipe(Effect.scoped, Effect.provide(layerInMemory()))

const onServer = Effect.gen(function* () {
  console.log("PostgreSQL")
  const address = Redacted.make(yield* createScratchDatabase(SERVER_URL))
  const background = layerPostgres({ url: address, maxConnections: BACKGROUND_CONNECTIONS, synchronousCommit: "off" })
  yield* Effect.gen(function* () {
    const receiver = yield* startReceiver
    yield* delaysOnServer(receiver, background)
    yield* rounds(receiver).pipe(Effect.provide(layerPostgres({ url: address, synchronousCommit: "off" })))
  }).pipe(Effect.provide(layerPostgres({ url: address })))
}).pipe(Effect.scoped)

await Effect.runPromise(embedded)
if (process.env.DATABASE_URL === undefined) console.log("PostgreSQL: skipped, DATABASE_URL not set")
else await Effect.runPromise(onServer)
