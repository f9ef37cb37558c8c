import { Effect, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import { createEmptyDatabase, createScratchDatabase } from "../test/support/scratch-database.ts"
import { ARRIVALS, earlier, OTHER_ARRIVALS, twoUnlike } from "./bookings.ts"
import { callWith, layerInProcess } from "./in-process.ts"
import { BENCH_TOKEN, seedBenchOperator } from "./operator.ts"
import { captureEntries, captureReservations } from "./reference/capture.ts"
import type { CapturedCalls } from "./reference/captured.ts"
import { SERVER_URL } from "./scratch-database.ts"

/** What the bench works with: an operator's records, and the statements of calls about them. */
export interface Ground {
  readonly propertyId: number
  readonly entryId: number
  /** Of a reservation, where it was booked. */
  readonly channelId: string
  /** Properties nobody has booked for the years to come. */
  readonly houses: ReadonlyArray<number>
  readonly statements: CapturedCalls
}

/** So many that minutes of bookings do not come to the end of the calendar. */
const HOUSES = 1_000
const RESERVATIONS = 300

const seedReservations = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE operators SET room_limit = ${2 * HOUSES} WHERE id = ${operatorId}`
  const rows = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}, 'Villa ' || n, now() FROM generate_series(1, ${HOUSES}::int) n RETURNING id`
  const houses = rows.map(({ id }) => id)
  for (let at = 0; at < RESERVATIONS; at++) yield* callWith(BENCH_TOKEN, "create_reservation", earlier(houses, at))
  const found = yield* sql<{ channelId: string }>`SELECT channel_id AS "channelId" FROM orders ORDER BY id LIMIT 2`
  const [one, other] = found.map(({ channelId }) => channelId)
  if (one === undefined || other === undefined) return yield* Effect.die(new Error("no reservation was made"))
  return { houses, channelIds: [one, other] } as const
})

export const newEntry = (propertyId: number) => ({
  property_id: propertyId,
  direction: "income",
  amount: 35.5,
  currency: "EUR",
  item_id: 11,
  payment_method_id: 197,
  note: "towels"
})

const prepared = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId, propertyId, entryIds } = yield* seedBenchOperator
  const [entryId = 0, next = 0] = entryIds.slice(Math.floor(entryIds.length / 2))
  const { houses, channelIds } = yield* seedReservations(operatorId)
  const ofEntries = yield* captureEntries(BENCH_TOKEN, { entryIds: [entryId, next], entry: newEntry(propertyId) })
  const ofReservations = yield* captureReservations(BENCH_TOKEN, {
    arrivals: [ARRIVALS, OTHER_ARRIVALS],
    channelIds,
    bookings: twoUnlike(houses)
  })
  yield* sql`VACUUM ANALYZE`.unprepared
  const ground: Ground = {
    propertyId,
    entryId,
    channelId: channelIds[0],
    houses,
    statements: { ...ofEntries, ...ofReservations }
  }
  return ground
}).pipe(
  Effect.provide(layerInProcess),
  // The calls whose statements are captured need no log lines.
  Effect.provideService(References.MinimumLogLevel, "Error")
)

/**
 * The ground, and how a server gets a database of its own that begins as it: what one writes is no work of another's,
 * and every one's tables grow with its own requests. All are dropped with the scope.
 */
export const withGround = Effect.gen(function* () {
  const seeded = yield* createScratchDatabase(SERVER_URL)
  const url = Redacted.make(seeded)
  const ground = yield* Effect.provide(prepared, layerPostgres({ url, maxConnections: 2 }), { local: true })
  return { ground, ownDatabase: createEmptyDatabase(SERVER_URL, new URL(seeded).pathname.slice(1)) }
})
