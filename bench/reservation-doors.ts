import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { answerAlike } from "./alike.ts"
import { layerInProcess } from "./in-process.ts"
import type { Load } from "./measure.ts"
import { captureReservations } from "./reference/capture.ts"
import { type Server, start } from "./servers.ts"
import { interleaved, print, ratio } from "./side-by-side.ts"
import { wideWindows } from "./wide-windows.ts"

// Reservations over HTTP beside the reference servers that do the same SQL and the same JSON, on the orders that
// bench/reservations.ts made: one operator's, of many. Ratios are what counts.

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3)
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 2)
const CONNECTIONS = 32
/** Where the machine is too busy for all rounds, fewer are made. */
const MOST_SECONDS_A_CASE = 20

/** Houses nobody has booked, for what is created here: bookings that wait for each other would measure that. */
const HOUSES = 90
const NIGHTS = 3
const FAR = Date.parse("2031-01-01")
const DAY_MS = 86_400_000

/** The operator's windows opened wide, because no refusal is to be measured, and houses for new bookings. */
const prepared = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const limits = JSON.stringify(wideWindows("GET /reservations", "POST /reservations"))
  yield* sql`
    UPDATE operators SET rate_limits = ${limits}::jsonb WHERE id = ${operatorId}`
  const houses = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}, 'Villa ' || n, now() FROM generate_series(1, ${HOUSES}::int) n RETURNING id`
  return houses.map(({ id }) => id)
})

const dayAt = (time: number): string => new Date(time).toISOString().slice(0, 10)

const bookingOf = (house: number | undefined, first: number) => ({
  property_id: house ?? 0,
  custom_channel_id: 31,
  check_in_date: dayAt(first),
  check_out_date: dayAt(first + NIGHTS * DAY_MS),
  guest_name: "Ada Lovelace",
  currency: "EUR",
  rate_amount: 420,
  commission_amount: 0,
  received_amount: 120,
  income_method_id: 197
})

/** Bookings of which no two want the same night. */
const bookings = (houses: ReadonlyArray<number>) => {
  let made = 0
  return () => {
    const booking = bookingOf(houses[made % houses.length], FAR + Math.floor(made / houses.length) * NIGHTS * DAY_MS)
    made++
    return JSON.stringify(booking)
  }
}

/** What the references send for calls like these, from two that come before all others. */
const captured = (token: string, houses: ReadonlyArray<number>) =>
  captureReservations(token, [
    bookingOf(houses[0], FAR - 20 * DAY_MS),
    { ...bookingOf(houses[1], FAR - 10 * DAY_MS), guest_name: "Mary Somerville" }
  ]).pipe(Effect.provide(layerInProcess))

const ARRIVALS =
  "/v3/reservations?start_check_in_date=2026-01-01&end_check_in_date=2026-06-30&order_by=check_in_date&limit=20"
const BY_CHANNEL_ID = "/v3/reservations?channel_id=B100"

const casesOf = (token: string, houses: ReadonlyArray<number>): Readonly<Record<string, (server: Server) => Load>> => {
  const load = { seconds: SECONDS, connections: CONNECTIONS }
  const headers = { "service-access-token": token }
  const body = bookings(houses)
  return {
    "page of 20 reservations by check-in date": ({ url }) => ({ ...load, headers, url: `${url}${ARRIVALS}` }),
    "reservation by channel_id": ({ url }) => ({ ...load, headers, url: `${url}${BY_CHANNEL_ID}` }),
    "create a reservation, 3 nights held": ({ url }) => ({
      ...load,
      headers: { ...headers, "content-type": "application/json" },
      method: "POST",
      url: `${url}/v3/reservations`,
      body
    })
  }
}

const started = (name: string, args: ReadonlyArray<string>, env: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.promise(() => start(name, args, env)),
    (server) => Effect.promise(server.stop)
  )

/** Measures all three on an operator who has orders and the token. */
export const besideReferences = Effect.fnUntraced(function* (
  databaseUrl: string,
  { operatorId, token }: { readonly operatorId: number; readonly token: string }
) {
  const houses = yield* prepared(operatorId)
  const cases = casesOf(token, houses)
  const env = {
    DATABASE_URL: databaseUrl,
    DEMO: "0",
    LOG_FORMAT: "json",
    BENCH_TOKEN: token,
    BENCH_STATEMENTS: JSON.stringify(yield* captured(token, houses))
  }
  const latchkey = yield* started("latchkey", ["bin/latchkey.js", "serve"], env)
  const raw = yield* started("raw", ["bench/reference/raw.ts"], env)
  const fastify = yield* started("fastify", ["bench/reference/fastify.ts"], env)
  const servers = [latchkey, raw, fastify] as const
  yield* Effect.promise(() => answerAlike(servers, token, [ARRIVALS, BY_CHANNEL_ID]))
  console.log(`\nover HTTP: ${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections`)
  for (const [title, loadOf] of Object.entries(cases)) {
    const loads = Object.fromEntries(servers.map((server) => [server.name, loadOf(server)]))
    const results = yield* Effect.promise(() =>
      interleaved(loads, { rounds: ROUNDS, warmUpSeconds: 1, mostSeconds: MOST_SECONDS_A_CASE })
    )
    print(title, results)
    console.log(
      `  latchkey to fastify ${ratio(results, "latchkey", "fastify")} (aim 1.00), to raw ${ratio(results, "latchkey", "raw")} (aim 0.85)`
    )
  }
}, Effect.scoped)
