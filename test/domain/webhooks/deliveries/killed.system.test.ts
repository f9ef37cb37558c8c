import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, type Layer, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../../migrations/index.ts"
import { parseWebhookId } from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import { layerEmbedded } from "../../../../src/platform/database/embedded.ts"
import { migrate } from "../../../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../../../src/platform/database/postgres.ts"
import { type ReceivedRequest, startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { canOverlap, withEmbeddedNote, withServerNote } from "../../../support/overlapping-transactions.ts"
import { createScratchDatabase } from "../../../support/own-database.ts"
import { unpackTestDatabase } from "../../../support/test-database.ts"
import { PROCESSES_MS } from "../../../support/time-limits.ts"
import { makeEmptyFolder } from "../../../support/tools/cli/latchkey-process.ts"

// The service is killed where it hurts, again and again, and every event that was committed arrives.

const EVENTS_A_LIFE = 12

/** Where in the life of a delivery the process is killed. */
type Moment = "committed" | "received" | "answered"
const LIVES: ReadonlyArray<Moment> = ["committed", "received", "answered", "received", "answered", "committed"]

interface Life {
  readonly child: ChildProcess
  readonly recorded: ReadonlyArray<number>
  readonly closed: Promise<void>
}

const begin = (env: Record<string, string>, onRecorded: (life: Life) => void): Life => {
  const recorded: Array<number> = []
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "../../../support/domain/webhooks/deliveries/delivering-process.ts")],
    {
      env: { PATH: process.env.PATH ?? "", ...env },
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const life = { child, recorded, closed }
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line === "ready") return
    recorded.push(Number(line))
    onRecorded(life)
  })
  return life
}

/** Waits until the process has ended and everything it had printed is read. */
const over = ({ closed }: Life): Effect.Effect<void> => Effect.promise(() => closed)

const kill = (life: Life) => life.child.kill("SIGKILL")

const eventOf = ({ headers }: ReceivedRequest): number => parseWebhookId(String(headers["webhook-id"]))?.event_id ?? 0
const recordOf = ({ body }: ReceivedRequest): number => JSON.parse(body).transaction_id

/** An operator with one subscription to a port of this machine; answers the operator's id. */
const prepared = Effect.fnUntraced(function* (port: number) {
  yield* migrate(migrations)
  const sql = yield* SqlClient.SqlClient
  const [operator] = yield* sql<{ id: number }>`
    INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Test', 'UTC', 'EUR', now()) RETURNING id`
  const id = operator?.id ?? 0
  const url = `http://127.0.0.1:${port}/`
  yield* sql`
    INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at) VALUES (${id}, ${url}, 'token', now())`
  yield* sql`
    INSERT INTO webhook_subscriptions (operator_id, url, secret_token, events, secret, older_events, created_at, updated_at)
    VALUES (${id}, ${url}, 'token', '{transaction_updated}', ${`whsec_${"A".repeat(32)}`}, '{}', now(), now())`
  return id
})

const livedThrough = Effect.fnUntraced(function* (
  name: string,
  ground: Record<string, string>,
  prepare: Layer.Layer<SqlClient.SqlClient, unknown>
) {
  let moment: Moment | "peace" = "committed"
  let life: Life | undefined
  const server = yield* startReceiver((response) => {
    if (moment === "received" && life !== undefined) kill(life)
    response.on("finish", () => {
      if (moment === "answered" && life !== undefined) kill(life)
    })
    response.end()
  })
  const operator = yield* Effect.orDie(Effect.provide(prepared(server.port), prepare))
  const committed: Array<number> = []
  const live = (events: number, lives: number, onRecorded: (life: Life) => void) => {
    const ahead = lives * (LEASE_MS + 5_000)
    const env = { ...ground, OPERATOR: String(operator), EVENTS: String(events), AHEAD_MS: String(ahead) }
    life = begin(env, onRecorded)
    return life
  }
  for (const [lives, where] of LIVES.entries()) {
    moment = where
    const lived = live(EVENTS_A_LIFE, lives, (recording) => {
      if (where === "committed" && recording.recorded.length === EVENTS_A_LIFE / 2) kill(recording)
    })
    yield* over(lived)
    committed.push(...lived.recorded)
  }
  moment = "peace"
  const allRecorded = yield* Deferred.make<void>()
  const last = live(EVENTS_A_LIFE, LIVES.length, ({ recorded }) => {
    if (recorded.length === EVENTS_A_LIFE) Deferred.doneUnsafe(allRecorded, Effect.void)
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => kill(last)))

  const arrivals: Array<ReceivedRequest> = []
  const missing = () => committed.concat(last.recorded).filter((id) => !arrivals.some((each) => eventOf(each) === id))
  const ended = Effect.flatMap(over(last), () => Effect.die(`the process ended and owes ${missing()}`))
  // An event may arrive before the line that says it was recorded: so first what is owed is known, then it is awaited.
  yield* Effect.raceFirst(Deferred.await(allRecorded), ended)
  while (missing().length > 0) arrivals.push(yield* Effect.raceFirst(Queue.take(server.requests), ended))

  const first = arrivals.filter((each, at) => arrivals.findIndex((other) => eventOf(other) === eventOf(each)) === at)
  const duplicates = arrivals.length - first.length
  console.log(`${name}: killed ${LIVES.length} times, ${first.length} events arrived, ${duplicates} duplicates`)
  assert.isAtLeast(committed.length, LIVES.length)
  // Also what was killed in between came in the order of its record.
  for (const record of new Set(first.map(recordOf))) {
    const order = first.filter((each) => recordOf(each) === record).map(eventOf)
    assert.deepStrictEqual(
      order,
      order.toSorted((a, b) => a - b)
    )
  }
  // Each kill loses at most what was under way: one delivery for each of the three records.
  assert.isAtMost(duplicates, 3 * LIVES.length)
}, Effect.scoped)

it.live.skipIf(canOverlap)(
  withEmbeddedNote("killed again and again on the embedded database, the service loses no committed event"),
  () =>
    Effect.gen(function* () {
      const folder = yield* makeEmptyFolder
      yield* unpackTestDatabase(folder)
      yield* livedThrough("embedded", { DATA_DIR: folder }, layerEmbedded(folder))
    }),
  PROCESSES_MS
)

const server = process.env.DATABASE_URL ?? ""
it.live.skipIf(server === "")(
  withServerNote("killed again and again on a server, the service loses no committed event"),
  () =>
    Effect.gen(function* () {
      const url = yield* createScratchDatabase(server)
      yield* livedThrough("server", { DATABASE_URL: url }, layerPostgres({ url: Redacted.make(url) }))
    }),
  PROCESSES_MS
)
