import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../migrations/index.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { missingFrom, owedTo, settledWithin } from "../attacks/accounting.ts"
import { arrivals } from "../attacks/arrivals.ts"
import type { Ground } from "../attacks/grounds.ts"
import { lives } from "../attacks/service-process.ts"
import { subscribe } from "../attacks/subscribing.ts"
import { connections } from "../attacks/wire.ts"
import { acknowledged, estate, type Ledger, ledger, writing } from "../attacks/writing.ts"
import {
  missingPoolerReason,
  missingServerReason,
  startPooler,
  startPostgresServer,
  type TestPostgresServer
} from "../support/postgres-server.ts"
import type { Fault, Suffered } from "./fault.ts"

// What a server does to the service under load, straight and behind a pooler: its connections are ended, it restarts, it
// crashes. Calls fail for as long as it is away and a moment longer, and what was acknowledged is there.

const WRITERS = 8
/** Milliseconds of load before each time. */
const LOAD_MS = 1_500
/** Milliseconds within which calls must go well again once the server is there. */
const BACK_MS = 5_000
/** Milliseconds that calls may take to go well before nobody waits for it any longer. */
const PATIENCE_MS = 30_000
/** Milliseconds that events of what was acknowledged may take. */
const ARRIVE_MS = 60_000
/** Sessions of the pooler: fewer than writers. */
const POOL = 6
/** Writes of each writer, one after the other, in which no call fails: then all connections were used that there are. */
const WELL = 3

const failures = ({ answers, unanswered }: Ledger): number => (answers.get(500) ?? 0) + unanswered

/** Milliseconds until calls begin to go well and stay so; undefined: not while anybody waits. */
const backAfter = async (kept: Ledger): Promise<number | undefined> => {
  const since = performance.now()
  while (performance.now() < since + PATIENCE_MS) {
    const [beganAt, failed, enough] = [performance.now(), failures(kept), acknowledged(kept) + WELL * kept.writers]
    while (failures(kept) === failed && performance.now() < since + PATIENCE_MS) {
      if (acknowledged(kept) >= enough) return beganAt - since
      await sleep(5)
    }
  }
  return undefined
}

interface Ordeal {
  readonly fault: string
  readonly times: number
  /** Causes it; ends when the server is there again. */
  readonly cause: (server: TestPostgresServer) => Effect.Effect<unknown, never, SqlClient.SqlClient>
}

/** Ends every connection of others, the pooler's too. */
const endAll = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`
).pipe(Effect.orDie)

const restarted = (mode: "fast" | "immediate") => (server: TestPostgresServer) =>
  Effect.promise(() => server.restart(mode))

const TERMINATED: Ordeal = { fault: "all connections of the server are ended", times: 6, cause: () => endAll }
const RESTARTED: ReadonlyArray<Ordeal> = [
  { fault: "the server restarts (fast)", times: 4, cause: restarted("fast") },
  { fault: "the server crashes and restarts (immediate)", times: 4, cause: restarted("immediate") }
]

const groundOf = Effect.fnUntraced(function* (server: TestPostgresServer, pooled: boolean) {
  const layer = Layer.orDie(layerPostgres({ url: Redacted.make(server.url), maxConnections: 4 }))
  yield* Effect.orDie(Effect.provide(migrate(migrations), layer))
  const env: Record<string, string> = pooled
    ? { DATABASE_URL: yield* startPooler(server.url, POOL), DATABASE_PREPARED: "0" }
    : { DATABASE_URL: server.url }
  return { on: "PostgreSQL", env, layer } satisfies Ground
})

const suffering = Effect.fnUntraced(function* ({ fault, times, cause }: Ordeal, pooled: boolean) {
  const server = yield* startPostgresServer()
  const ground = yield* groundOf(server, pooled)
  const receiving = yield* arrivals()
  const held = yield* Effect.provide(estate(WRITERS), ground.layer)
  const kept = ledger(WRITERS)
  const service = yield* lives(ground)
  const life = yield* service.begin
  yield* subscribe(service.base, held.token, receiving.url)
  let over = false
  const written = writing({ base: service.base, agent: connections(WRITERS) }, held, kept, 0, () => over)
  const back: Array<number> = []
  const fell: Array<string> = []
  for (let nth = 0; nth < times; nth++) {
    yield* Effect.promise(() => sleep(LOAD_MS))
    yield* Effect.provide(cause(server), ground.layer)
    const took = yield* Effect.promise(() => backAfter(kept))
    if (took === undefined) fell.push(`calls do not go well ${PATIENCE_MS} ms after it was back: ${life.said()}`)
    else back.push(took)
  }
  over = true
  yield* Effect.promise(() => written)
  const recoveredMs = Math.max(...back)
  if (recoveredMs > BACK_MS) fell.push(`back only after ${Math.round(recoveredMs)} ms`)
  if (kept.unanswered > 0) fell.push(`${kept.unanswered} requests got no answer`)
  for (const [code, count] of kept.answers) if (![0, 409, 500].includes(code)) fell.push(`${count} answers of ${code}`)
  yield* Effect.promise(() => settledWithin(ARRIVE_MS, receiving.first, kept))
  const owed = owedTo(receiving.first(), kept)
  if (owed.length > 0) fell.push(`${owed.length} events did not arrive: ${owed.slice(0, 3).join(", ")}`)
  life.signal("SIGTERM")
  yield* Effect.promise(() => life.ended)
  const missing = yield* Effect.provide(missingFrom(held, kept), ground.layer)
  if (missing.soldTwice.length > 0) fell.push(`nights are sold twice: ${missing.soldTwice.slice(0, 3).join(", ")}`)
  if (missing.lost.length > 0) fell.push(missing.lost.slice(0, 3).join(", "))
  const suffered: Suffered = {
    fault,
    on: pooled ? "PostgreSQL behind PgBouncer" : "PostgreSQL",
    times,
    acknowledged: acknowledged(kept),
    lost: missing.lost.length,
    fell,
    recoveredMs,
    seen: `${kept.answers.get(500) ?? 0} calls were answered 500; ${receiving.first().length} events arrived`
  }
  return suffered
}, Effect.scoped)

const each = (ordeals: ReadonlyArray<Ordeal>, pooled: boolean) =>
  Effect.forEach(ordeals, (ordeal) => suffering(ordeal, pooled))

const straight = Effect.succeed(missingServerReason)
const behind = Effect.succeed(missingServerReason ?? missingPoolerReason)

/** Connections that are ended. */
export const backends: Fault = { name: "backends", skipped: straight, run: each([TERMINATED], false) }
/** A server that restarts, in order and as if it had crashed. */
export const serverRestart: Fault = { name: "server-restart", skipped: straight, run: each(RESTARTED, false) }
/** All of it behind a pooler. */
export const behindPooler: Fault = {
  name: "behind-pooler",
  skipped: behind,
  run: each([TERMINATED, ...RESTARTED], true)
}
