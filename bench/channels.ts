import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { Ingest } from "../src/connectors/ingest/Ingest.ts"
import { layerSandbox } from "../src/connectors/sandbox/layer.ts"
import { Marketplace } from "../src/connectors/sandbox/Marketplace.ts"
import { SandboxAccess } from "../src/connectors/sandbox/SandboxAccess.ts"
import { layerSandboxConnector } from "../src/connectors/sandbox/SandboxConnector.ts"
import { CurrentActor, systemActor } from "../src/contract/actor.ts"
import { addDays } from "../src/contract/time.ts"
import { NewOrder } from "../src/domain/bookings/orders/order.ts"
import { Orders } from "../src/domain/bookings/reservations/Orders.ts"
import { NewStay } from "../src/domain/bookings/stays/stay.ts"
import { ChannelGateway } from "../src/domain/channels/port/ChannelGateway.ts"
import { WakeUp } from "../src/jobs/WakeUp.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { median } from "./figures.ts"
import { callWith, layerInProcessWith } from "./in-process.ts"
import { seedOperator } from "./operator.ts"
import { withScratchDatabase } from "./scratch-database.ts"

// What it costs to take the orders that channels say, beside entering the same orders with no channel in between, in one
// run; and what a year of calendars at a marketplace costs to read. On a server and on the embedded database.
// `node bench/channels.ts [orders]`.

const ORDERS = Number(process.argv[2] ?? 1_000)
const WARM_UP = 400
const HOUSES = 50
const NIGHTS = 3
const FIRST = "2030-01-01"
const LISTINGS = 20
const READS = 60
const TOKEN = "lk_bench_token_of_the_calendars_bench"

const today = (days: number): string => addDays(new Date().toISOString().slice(0, 10), days)

/** An operator with houses that nobody has booked, each on sale under a listing of one account. */
const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* seedOperator("Bench", "lk_bench_token_of_the_channels_bench")
  const [account] = yield* sql<{ id: number }>`
    INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
    VALUES (${operatorId}, 'booking.com', 'bench', 'bench', 'active', 'none', now()) RETURNING id`
  const accountId = account?.id ?? 0
  const houses = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}, 'House ' || n, now() FROM generate_series(1, ${HOUSES}::int) n RETURNING id`
  yield* sql`
    INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id, created_at, updated_at)
    SELECT operator_id, ${accountId}, 'booking.com', 'L' || id, title, 'EUR', 'on', id, now(), now()
    FROM properties WHERE operator_id = ${operatorId} AND id = ANY (${houses.map(({ id }) => id)}::bigint[])`
  return { speaker: { operatorId, accountId, channelType: "booking.com" }, houses: houses.map(({ id }) => id) }
})

type Ground = Effect.Success<typeof seeded>

const datesOf = (nth: number) => {
  const check_in_date = addDays(FIRST, Math.floor(nth / HOUSES) * NIGHTS)
  return { check_in_date, check_out_date: addDays(check_in_date, NIGHTS) }
}

const said = ({ houses }: Ground, nth: number, version = 1) => ({
  type: "order",
  version,
  channel_id: `B${nth}`,
  status: "accepted",
  booked_at: "2029-12-01T10:00:00Z",
  currency: "EUR",
  booker: { name: "Ada Lovelace", phone: "+44 20 7946 0000", email: "ada@example.com" },
  ...(version === 1 ? {} : { remarks: "Arrives late" }),
  rooms: [
    {
      room_id: "1",
      listing_id: `L${houses[nth % HOUSES]}`,
      ...datesOf(nth),
      number_of_adults: 2,
      rate: 420,
      commission: 63,
      accommodation: 400
    }
  ]
})

/** The same order for whoever enters it by itself. */
const order = ({ houses }: Ground, nth: number): NewOrder =>
  NewOrder.make({
    reservation_code: `0-${nth}-BNCH`,
    channel_type: "booking.com",
    channel_id: `B${nth}`,
    status: "accepted",
    currency: "EUR",
    booked_at: new Date("2029-12-01T10:00:00Z"),
    creator: "System",
    stays: [
      NewStay.make({
        property_id: houses[nth % HOUSES] ?? 0,
        listing_id: `L${houses[nth % HOUSES]}`,
        ...datesOf(nth),
        number_of_guests: 2,
        number_of_adults: 2,
        guest_name: "Ada Lovelace",
        guest_phone: "+44 20 7946 0000",
        guest_email: "ada@example.com",
        rate: "420",
        commission: "63",
        accommodation_revenue: "400",
        guests: []
      })
    ]
  })

/** Milliseconds one took. */
const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.tap(
      Effect.sync(() => performance.now()),
      () => work
    ),
    (startedAt) => performance.now() - startedAt
  )

interface Took {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

const figuresOf = (each: ReadonlyArray<number>, seconds: number): Took => ({
  perSecond: each.length / seconds,
  p50: median(each),
  p99: each.toSorted((one, other) => one - other)[Math.ceil(each.length * 0.99) - 1] ?? Number.NaN
})

/** As many, so many at once. */
const measured = Effect.fnUntraced(function* <E, R>(
  from: number,
  count: number,
  work: (nth: number) => Effect.Effect<unknown, E, R>,
  concurrency = 1
) {
  const startedAt = performance.now()
  const each = yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => from + index),
    (nth) => timed(work(nth)),
    { concurrency }
  )
  return figuresOf(each, (performance.now() - startedAt) / 1_000)
})

const must = (outcome: string) => (heard: { readonly outcome: string }) =>
  heard.outcome === outcome ? Effect.void : Effect.die(new Error(`heard ${JSON.stringify(heard)}, not ${outcome}`))

const orders = Effect.gen(function* () {
  const ground = yield* seeded
  const { ingest } = yield* Ingest
  const { createFromChannel: createSold } = yield* Orders
  let next = 0
  const from = (count: number) => {
    next += count
    return next - count
  }
  const take = (version: number, outcome: string) => (nth: number) =>
    Effect.flatMap(ingest(ground.speaker, said(ground, nth, version)), must(outcome))
  const enter = (nth: number) =>
    Effect.provideService(
      createSold(ground.speaker.operatorId, order(ground, nth), new Date()),
      CurrentActor,
      systemActor("bench", "enter")
    )
  yield* measured(from(WARM_UP), WARM_UP, enter)
  yield* measured(from(WARM_UP), WARM_UP, take(1, "applied"))
  const entered = yield* measured(from(ORDERS), ORDERS, enter)
  const first = from(ORDERS)
  print(entered, [
    ["entered with no channel between (reference)", entered],
    ["new, one after the other", yield* measured(first, ORDERS, take(1, "applied"))],
    ["new, eight at once", yield* measured(from(ORDERS), ORDERS, take(1, "applied"), 8)],
    ["said again", yield* measured(first, ORDERS, take(1, "known"))],
    ["changed", yield* measured(first, ORDERS, take(2, "applied"))],
    ["late", yield* measured(first, ORDERS, take(1, "late"))]
  ])
})

const YEAR = { start_date: today(1), end_date: today(365) }

/** A year of twenty listings, read at their marketplace, beside what the service itself knows of as many properties. */
const calendars = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const market = yield* Marketplace
  const { operatorId } = yield* seedOperator("Calendars", TOKEN)
  const houses = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}, 'Villa ' || n, now() FROM generate_series(1, ${LISTINGS}::int) n RETURNING id`
  const opened = yield* Effect.forEach(houses, ({ id }) =>
    market.openListing({ operator_id: operatorId, channel_type: "booking.com", title: `Villa ${id}` })
  )
  const listings = opened.map(({ channel_type, listing_id }) => ({ channel_type, listing_id }))
  const prices = [{ ...YEAR, price: 140 }]
  yield* Effect.forEach(listings, (listing) => callWith(TOKEN, "update_listing_prices", { ...listing, prices }))
  const read = () => callWith(TOKEN, "search_listing_calendars", { ...YEAR, listings })
  const property_ids = houses.map(({ id }) => id)
  const known = () => callWith(TOKEN, "get_property_availability", { ...YEAR, property_ids })
  for (const each of [known, read]) yield* measured(0, READS, each)
  const reference = yield* measured(0, READS, known)
  print(reference, [
    [`${LISTINGS} properties, a year of availability (reference)`, reference],
    [`${LISTINGS} listings, a year of their calendars`, yield* measured(0, READS, read)]
  ])
})

const print = (reference: Took, rows: ReadonlyArray<readonly [string, Took]>) => {
  for (const [name, { perSecond, p50, p99 }] of rows) {
    const ratio = (perSecond / reference.perSecond).toFixed(2)
    console.log(
      `${name.padEnd(54)} ${perSecond.toFixed(0).padStart(5)} a second   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms   ${ratio} of the reference`
    )
  }
}

const layerMarket = layerSandbox.pipe(
  Layer.provide([Ingest.layer, SandboxAccess.layerAlways]),
  Layer.provideMerge(WakeUp.layerProcess)
)
const layerCalendars = Layer.provideMerge(
  layerInProcessWith(Layer.provide(ChannelGateway.layer, layerSandboxConnector)),
  layerMarket
)
const layerOrders = Layer.mergeAll(Ingest.layer, Orders.layer).pipe(Layer.provideMerge(WakeUp.layerProcess))
const quiet = Effect.provideService(References.MinimumLogLevel, "Error")
const both = Effect.andThen(
  orders.pipe(Effect.provide(layerOrders)),
  calendars.pipe(Effect.provide(layerCalendars))
).pipe(quiet)

NodeRuntime.runMain(
  Effect.gen(function* () {
    console.log(`\n${ORDERS} orders, on a server`)
    yield* withScratchDatabase(() => both)
    console.log(`\n${ORDERS} orders, on the embedded database`)
    yield* Effect.provide(Effect.andThen(migrate(migrations), both), layerInMemory())
  })
)
