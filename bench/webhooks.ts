// Events a second from their record to the receiver's answer, with every statement and request of the real way.
// `node bench/webhooks.ts [events]`; with DATABASE_URL also on a PostgreSQL server (in a database of its own).
import { randomBytes } from "node:crypto"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { layerMemory } from "../src/database/embedded.ts"
import { migrate } from "../src/database/migrate.ts"
import { layerPostgres } from "../src/database/postgres.ts"
import { AddressResolver } from "../src/webhooks/AddressResolver.ts"
import { parseAllowedHosts } from "../src/webhooks/allowed-hosts.ts"
import { layerWebhooks } from "../src/webhooks/layer.ts"
import { Outbound } from "../src/webhooks/Outbound.ts"
import { generateSecret, generateSecretToken } from "../src/webhooks/signature.ts"

const SAMPLES = 40
const DELIVERIES = Number(process.argv[2] ?? 10_000)

/** The receiver has a thread of its own: it answers 200 to everything and counts. */
const receive = () => {
  let requests = 0
  let wanted = Number.POSITIVE_INFINITY
  const server = http.createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      response.end()
      requests++
      if (requests === wanted) parentPort?.postMessage({ done: true })
    })
  })
  parentPort?.on("message", (message: { readonly wanted: number }) => {
    requests = 0
    wanted = message.wanted
  })
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }))
}

const message = (worker: Worker) =>
  Effect.callback<{ readonly port?: number }>((resume) => {
    worker.once("message", (said) => resume(Effect.succeed(said)))
  })

/** Subscriptions of a new operator to paths of the receiver; answers the operator's id. */
const prepared = Effect.fnUntraced(function* (port: number, subscriptions: number) {
  const sql = yield* SqlClient.SqlClient
  const [operator] = yield* sql<{ id: number }>`
    INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Bench', 'UTC', 'EUR', now()) RETURNING id`
  const operatorId = operator?.id ?? 0
  for (let n = 0; n < subscriptions; n++) {
    const url = `http://127.0.0.1:${port}/${operatorId}/${n}`
    const token = Redacted.value(yield* generateSecretToken)
    const secret = Redacted.value(yield* generateSecret)
    yield* sql`INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at)
      VALUES (${operatorId}, ${url}, ${token}, now())`
    yield* sql`
      INSERT INTO webhook_subscriptions (operator_id, url, secret_token, events, secret, older_events, created_at, updated_at)
      VALUES (${operatorId}, ${url}, ${token}, '{transaction_created}', ${secret}, '{}', now(), now())`
  }
  return operatorId
})

const happened = Effect.fnUntraced(function* (operatorId: number, events: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT ${operatorId}, 'transaction_created', 'transaction:' || n, jsonb_build_object('transaction_id', n), now()
    FROM generate_series(1, ${events}) n`
})

const layerDelivering = layerWebhooks.pipe(
  Layer.provide(Outbound.layer(Result.getOrThrow(parseAllowedHosts("127.0.0.1")))),
  Layer.provide(AddressResolver.layer)
)

/** One event after the other, with nothing else to do: how long from its commit to the receiver. */
const latency = Effect.fnUntraced(function* (worker: Worker, port: number) {
  const operatorId = yield* prepared(port, 1)
  const one = Effect.gen(function* () {
    worker.postMessage({ wanted: 1 })
    yield* happened(operatorId, 1)
    const committed = performance.now()
    yield* message(worker)
    return performance.now() - committed
  })
  const sampled = Effect.replicateEffect(one, SAMPLES)
  const samples = yield* Effect.raceFirst(sampled, Effect.andThen(Layer.launch(layerDelivering), Effect.never))
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((SAMPLES - 1) * share)] ?? 0)
  console.log(`  from commit to receiver: median ${at(0.5)} ms, longest of ${SAMPLES} ${at(1)} ms`)
})

const round = Effect.fnUntraced(function* (worker: Worker, port: number, subscriptions: number) {
  const operatorId = yield* prepared(port, subscriptions)
  const events = Math.max(1, Math.round(DELIVERIES / subscriptions))
  yield* happened(operatorId, events)
  const deliveries = events * subscriptions
  worker.postMessage({ wanted: deliveries })
  const started = performance.now()
  const cpu = process.cpuUsage()
  yield* Effect.raceFirst(message(worker), Layer.launch(layerDelivering))
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `  ${String(subscriptions).padStart(3)} subscriptions: ${String(Math.round(events / seconds)).padStart(6)} events/s, ` +
      `${String(Math.round(deliveries / seconds)).padStart(6)} deliveries/s (${deliveries} in ${seconds.toFixed(1)} s, ${((user + system) / 1000 / deliveries).toFixed(2)} ms of this process each)`
  )
})

const rounds = Effect.fnUntraced(function* (name: string) {
  console.log(name)
  yield* migrate(migrations)
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(new URL(import.meta.url))),
    (made) => Effect.promise(() => made.terminate())
  )
  const { port = 0 } = yield* message(worker)
  yield* latency(worker, port)
  for (const subscriptions of [1, 10, 100]) yield* round(worker, port, subscriptions)
}, Effect.scoped)

const onServer = Effect.fnUntraced(function* (server: string) {
  const name = `latchkey_bench_${randomBytes(6).toString("hex")}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const administer = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(layerPostgres({ url: Redacted.make(server), maxConnections: 1 }))
    )
  yield* administer(`create database ${name}`)
  yield* rounds("PostgreSQL").pipe(
    Effect.provide(layerPostgres({ url: Redacted.make(url.href), synchronousCommit: "off" })),
    Effect.ensuring(Effect.orDie(administer(`drop database ${name} with (force)`)))
  )
})

if (isMainThread) {
  const server = process.env.DATABASE_URL
  await Effect.runPromise(Effect.provide(rounds("embedded, in memory"), layerMemory()))
  if (server === undefined) console.log("PostgreSQL: skipped, DATABASE_URL not set")
  else await Effect.runPromise(onServer(server))
} else receive()
