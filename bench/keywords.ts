import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import { createScratchDatabase } from "../test/support/scratch-database.ts"
import { callWith, layerInProcess } from "./in-process.ts"
import { FIRST_DAY, seedGround, tokenOf } from "./reservation-ground.ts"
import { SERVER_URL } from "./scratch-database.ts"

// Measures keyword searches of one operator with many stays, on both databases. The calls go through the Service without HTTP, one
// after the other. The aim is a p95 of at most 100 ms at 200,000 stays.

const STAYS = Number(process.env["BENCH_STAYS"] ?? 200_000)
const CALLS = Number(process.env["BENCH_CALLS"] ?? 100)
const SEED = Number(process.env["BENCH_SEED"] ?? 20_261_126)
const WARM_UP = 10

/** The migration that fills the search texts of existing stays. */
const FILLING_MIGRATION = "search_texts_of_guests"

const NAMES_A_TO_L =
  "Ada Anna Ben Carla Chloé David Elena Emma Fatima Felix Grace Hugo Ines Ivan Jan José Julia Karim Lara Lena"
const NAMES_L_TO_Z =
  "Leo Li Lucía Luis Maria Marta Max Mia Mohammed Nina Noah Olga Omar Paul Pia Rosa Søren Tom Yuki Zoë"
const FIRST_NAMES = `${NAMES_A_TO_L} ${NAMES_L_TO_Z}`.split(" ")
const SYLLABLES =
  "ba ber chi da der fi ga han ki la lin ma mei na ner ot pe ra ri sen so ta tor ula va wei yo zan".split(" ")

/** Gives every stay its own guest with a name, a phone number and an e-mail address: 40 first names, 21,952 family names. */
const nameGuests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Triggers are off, so that the migration fills all search texts and its time is measured.
  const update = sql`
    UPDATE stays SET guest_name = first || ' ' || initcap(family), guest_phone = '+49 15' || (1 + h % 9) || ' ' || lpad((h % 9999999)::text, 7, '0'),
      guest_email = lower(first) || '.' || family || id || '@example.com'
    FROM (
      SELECT s.id AS stay, h, (${FIRST_NAMES}::text[])[1 + h % ${FIRST_NAMES.length}::int] AS first,
        s1[1 + h / 41 % cardinality(s1)] || s1[1 + h / 1301 % cardinality(s1)] || s1[1 + h / 40009 % cardinality(s1)] AS family
      FROM stays s, LATERAL (SELECT abs(hashint8extended(s.id, ${SEED}::bigint) % 1000000007) AS h, ${SYLLABLES}::text[] AS s1) hashed
    ) guest WHERE stays.id = guest.stay`
  yield* sql.withTransaction(Effect.andThen(sql`SET LOCAL session_replication_role = replica`, update))
})

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const startedAt = performance.now()
  yield* sql`ALTER TABLE operators ALTER room_limit SET DEFAULT 1000000`
  yield* seedGround({ operators: 1, each: STAYS })
  yield* nameGuests
  const seededAt = performance.now()
  const fill = migrations.find(({ name }) => name === FILLING_MIGRATION)
  if (fill === undefined) return yield* Effect.die(`There is no migration ${FILLING_MIGRATION}.`)
  yield* fill.up
  const filledAt = performance.now()
  yield* sql`VACUUM ANALYZE`.unprepared
  const [size] = yield* sql<{ bytes: number }>`SELECT pg_total_relation_size('stay_search_texts')::float8 AS bytes`
  const seconds = (ms: number) => (ms / 1_000).toFixed(0)
  console.log(
    `  seeded in ${seconds(seededAt - startedAt)} s, texts filled in ${seconds(filledAt - seededAt)} s, ${((size?.bytes ?? 0) / STAYS).toFixed(0)} bytes a stay`
  )
})

interface Guest {
  readonly name: string
  readonly phone: string
  readonly email: string
  readonly code: string
}

/** The fields of a search for a guest. */
type SearchOf = (guest: Guest) => object

const CASES: Readonly<Record<string, SearchOf>> = {
  "a whole name": ({ name }) => ({ keyword: name }),
  "a family name": ({ name }) => ({ keyword: name.split(" ")[1] }),
  "a first name, thousands": ({ name }) => ({
    keyword: name.split(" ")[0]?.padEnd(3, " ") + name.charAt(name.indexOf(" ") + 1)
  }),
  "the end of a phone": ({ phone }) => ({ keyword: phone.slice(-7) }),
  "a whole phone": ({ phone }) => ({ keyword: phone }),
  "an e-mail": ({ email }) => ({ keyword: email.split("@")[0] }),
  "a stay code": ({ code }) => ({ keyword: code }),
  "nobody's name": ({ name }) => ({ keyword: `${name} Nobody` }),
  "a family name, by status": ({ name }) => ({ keyword: name.split(" ")[1], status: "accepted" }),
  "a family name, by days": ({ name }) => ({
    keyword: name.split(" ")[1],
    start_check_in_date: FIRST_DAY,
    end_check_in_date: "2026-06-01"
  }),
  "every stay": () => ({ keyword: "example.com" }),
  "every stay, by check-in": () => ({ keyword: "example.com", order_by: "check_in_date" }),
  "every stay, by status": () => ({ keyword: "example.com", status: "accepted" })
}

const percentile = (times: ReadonlyArray<number>, share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN

const measure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const guests = yield* sql<Guest>`
    SELECT guest_name AS name, guest_phone AS phone, guest_email AS email, stay_code AS code FROM stays
    ORDER BY hashint8extended(id, ${SEED + 1}::bigint) LIMIT ${CALLS + WARM_UP}`
  for (const [name, searchOf] of Object.entries(CASES)) {
    const times: Array<number> = []
    for (const [index, guest] of guests.entries()) {
      const startedAt = performance.now()
      yield* callWith(tokenOf(1), "search_reservations", searchOf(guest))
      if (index >= WARM_UP) times.push(performance.now() - startedAt)
    }
    console.log(
      `  ${name.padEnd(26)} p50 ${percentile(times, 0.5).toFixed(0).padStart(4)} ms  p95 ${percentile(times, 0.95).toFixed(0).padStart(4)} ms`
    )
  }
})

const seedAndMeasure = Effect.andThen(seed, Effect.provide(measure, Layer.fresh(layerInProcess)))

const benchServer = Effect.gen(function* () {
  console.log("PostgreSQL")
  const url = yield* createScratchDatabase(SERVER_URL)
  yield* Effect.provide(seedAndMeasure, Layer.fresh(layerPostgres({ url: Redacted.make(url), maxConnections: 8 })))
}).pipe(Effect.scoped)

const benchEmbedded = Effect.gen(function* () {
  console.log("embedded")
  yield* Effect.provide(Effect.andThen(migrate(migrations), seedAndMeasure), layerInMemory())
}).pipe(Effect.scoped)

/** `embedded` or `postgresql` measures only that database. */
const only = process.argv[2]

const bench = Effect.gen(function* () {
  console.log(`${STAYS.toLocaleString("en")} stays of one operator, ${CALLS} calls of each search, seed ${SEED}`)
  if (only !== "embedded") yield* benchServer
  if (only !== "postgresql") yield* benchEmbedded
})

// The log line of each call is not part of the measurement.
NodeRuntime.runMain(bench.pipe(Effect.provideService(References.MinimumLogLevel, "Error")))
