import { join } from "node:path"
import { Effect, Layer, Redacted, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { seedGround } from "../../bench/reservation-ground.ts"
import { migrations } from "../../migrations/index.ts"
import { layerEmbedded } from "../../src/platform/database/embedded.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { missingFrom } from "../attacks/accounting.ts"
import { type Life, lives } from "../attacks/service-process.ts"
import { connections } from "../attacks/wire.ts"
import { acknowledged, type Estate, estate, type Ledger, ledger, writing } from "../attacks/writing.ts"
import { createEmptyDatabase } from "../support/scratch-database.ts"
import { type CommandResult, makeEmptyFolder, runLatchkeyProcess } from "../support/tools/cli/latchkey-process.ts"

// A service with many stays and writers that never rest, whose data is copied meanwhile.

/** A database, and what tells a process of it. */
export interface Place {
  readonly on: "embedded" | "PostgreSQL"
  readonly env: Readonly<Record<string, string>>
  /** The embedded one only while no service runs. */
  readonly layer: Layer.Layer<SqlClient.SqlClient>
}

/** The server of DATABASE_URL. */
export const SERVER = process.env["DATABASE_URL"] ?? ""

export const emptyFolderPlace: Effect.Effect<Place, never, Scope.Scope> = Effect.map(makeEmptyFolder, (folder) => ({
  on: "embedded",
  env: { DATA_DIR: join(folder, "data") },
  layer: Layer.orDie(layerEmbedded(join(folder, "data"), "command"))
}))

export const emptyServerPlace: Effect.Effect<Place, never, Scope.Scope> = Effect.map(
  createEmptyDatabase(SERVER),
  (url) => ({
    on: "PostgreSQL",
    env: { DATABASE_URL: url },
    layer: Layer.orDie(layerPostgres({ url: Redacted.make(url), maxConnections: 2 }))
  })
)

/** Stays of one operator of the ground. */
const STAYS_EACH = 5_000
const WRITERS = 4

/** A place with so many stays, and what writers write with. */
export const prepared = (place: Place, stays: number): Effect.Effect<Estate> =>
  Effect.gen(function* () {
    yield* migrate(migrations)
    yield* seedGround({ operators: Math.ceil(stays / STAYS_EACH), each: Math.min(stays, STAYS_EACH) })
    return yield* estate(WRITERS)
  }).pipe(Effect.provide(Layer.fresh(place.layer)), Effect.orDie)

export interface Busy {
  readonly held: Estate
  readonly kept: Ledger
  readonly life: Life
  /** Longest that a caller has waited so far, in milliseconds; begins anew when asked. */
  readonly longestWait: () => number
  /** Ends the writers, and then the service. */
  readonly stop: Effect.Effect<void>
}

/** Writes that are acknowledged before anything is done to it: they are what must be there afterwards. */
const ACKNOWLEDGED_BEFORE = 200

/** The service at a place, under writers. */
export const busyAt = Effect.fnUntraced(function* (place: Place, held: Estate) {
  const kept = ledger(WRITERS)
  const service = yield* lives(place)
  const life = yield* service.begin
  let over = false
  const written = writing({ base: service.base, agent: connections(WRITERS) }, held, kept, 0, () => over)
  const timed = timing(service.base, held.token, () => over)
  const stop = Effect.promise(async () => {
    over = true
    await written
    life.signal("SIGTERM")
    await life.ended
  })
  while (acknowledged(kept) < ACKNOWLEDGED_BEFORE) yield* Effect.sleep(50)
  const busy: Busy = { held, kept, life, longestWait: timed, stop }
  return busy
})

/** Asks for something small again and again, and keeps the longest that an answer took. */
const timing = (base: string, token: string, over: () => boolean) => {
  let longest = 0
  const ask = async () => {
    while (!over()) {
      const startedAt = performance.now()
      const headers = { "service-access-token": token }
      await fetch(`${base}/v3/income_items`, { headers })
        .then((answer) => answer.text())
        .catch(() => undefined)
      longest = Math.max(longest, performance.now() - startedAt)
    }
  }
  void ask()
  return () => {
    const seen = longest
    longest = 0
    return Math.round(seen)
  }
}

/** What was acknowledged up to now. */
export const upToNow = (kept: Ledger): Ledger => ({
  ...kept,
  answers: new Map(kept.answers),
  entries: new Map(Array.from(kept.entries, ([id, entry]) => [id, { ...entry }])),
  orders: new Map(kept.orders),
  closed: new Map(Array.from(kept.closed, ([property, days]) => [property, new Set(days)]))
})

/** What of it is not at a place, or is there by half. */
export const missingAt = (place: Place, held: Estate, kept: Ledger) =>
  Effect.map(Effect.provide(missingFrom(held, kept), Layer.fresh(place.layer)), ({ lost, soldTwice, outOfStep }) => [
    ...lost,
    ...soldTwice,
    ...outOfStep
  ])

export const acknowledgedIn = (kept: Ledger): number => acknowledged(kept)

/** Milliseconds of a process's start, in which nothing has begun yet. */
const START_MS = 400

/** Runs a command and kills it after a random time of what it takes; answers how it ended if it came to its end before. */
export const killedWithin = (args: ReadonlyArray<string>, env: Record<string, string>, longestMs: number) =>
  Effect.suspend(() => Effect.timeoutOption(runLatchkeyProcess(args, env), START_MS + Math.random() * longestMs))

/** What a command should not have ended with. */
export const failureOf = (what: string, { code, stderr }: CommandResult): ReadonlyArray<string> =>
  code === 0 ? [] : [`${what}: ${stderr.trim().slice(0, 300)}`]

const STAYS = 200_000
const KILLS = 10

/** How much is done in a rehearsal: so many stays, and so many kills. */
export interface Rehearsal {
  readonly stays: number
  readonly kills: number
}

export const FULL: Rehearsal = {
  stays: Number(process.env["FAULT_STAYS"] ?? STAYS),
  kills: Number(process.env["FAULT_KILLS"] ?? KILLS)
}
