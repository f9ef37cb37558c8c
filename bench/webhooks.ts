// Events a second from their record to the receiver's answer, and how long one is on its way, with every statement and
// request of the real way.
// `node bench/webhooks.ts [events]`; with DATABASE_URL also on a PostgreSQL server (in a database of its own).
import { randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { WakeUp } from "../src/background/WakeUp.ts"
import { layerMemory } from "../src/database/embedded.ts"
import { migrate } from "../src/database/migrate.ts"
import { layerPostgres } from "../src/database/postgres.ts"
import { upkeep } from "../src/database/upkeep.ts"
import { BACKGROUND_CONNECTIONS } from "../src/limits.ts"
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
  yield* upkeep
  const receiver = yield* startReceiver
  yield* delaysInProcess(receiver)
  yield* rounds(receiver)
}).pipe(Effect.scoped, Effect.provide(layerMemory()))

const onServer = Effect.fnUntraced(function* (server: string) {
  const name = `latchkey_bench_${randomBytes(6).toString("hex")}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const administer = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(layerPostgres({ url: Redacted.make(server), maxConnections: 1 }))
    )
  const address = Redacted.make(url.href)
  const background = layerPostgres({ url: address, maxConnections: BACKGROUND_CONNECTIONS, synchronousCommit: "off" })
  yield* administer(`create database ${name}`)
  yield* Effect.gen(function* () {
    console.log("PostgreSQL")
    yield* migrate(migrations)
    const receiver = yield* startReceiver
    yield* delaysOnServer(receiver, background)
    yield* rounds(receiver).pipe(Effect.provide(layerPostgres({ url: address, synchronousCommit: "off" })))
  }).pipe(
    Effect.scoped,
    Effect.provide(layerPostgres({ url: address })),
    Effect.ensuring(Effect.orDie(administer(`drop database ${name} with (force)`)))
  )
})

const server = process.env.DATABASE_URL
await Effect.runPromise(embedded)
if (server === undefined) console.log("PostgreSQL: skipped, DATABASE_URL not set")
else await Effect.runPromise(onServer(server))
