import { fork } from "node:child_process"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { DateTime, Effect, Layer, References, Result, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { Ingest } from "../src/connectors/ingest/Ingest.ts"
import { layerSandbox } from "../src/connectors/sandbox/layer.ts"
import { Marketplace } from "../src/connectors/sandbox/Marketplace.ts"
import { SandboxAccess } from "../src/connectors/sandbox/SandboxAccess.ts"
import { layerSandboxConnector } from "../src/connectors/sandbox/SandboxConnector.ts"
import { CurrentActor, systemActor } from "../src/contract/actor.ts"
import { addDays } from "../src/contract/time.ts"
import { layerPushJobsWithPrices } from "../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { CalendarStays } from "../src/domain/calendars/calendar-stays/CalendarStays.ts"
import { CalendarQueue } from "../src/domain/calendars/imported-calendars/CalendarQueue.ts"
import { CONCURRENT_FETCHES_MAX } from "../src/domain/calendars/imported-calendars/claim-statements.ts"
import { FeedReader } from "../src/domain/calendars/imported-calendars/FeedReader.ts"
import { markAvailabilityChangesDue } from "../src/domain/calendars/listing-calendars/due-days.ts"
import { ChannelGateway } from "../src/domain/channels/port/ChannelGateway.ts"
import { AddressResolver } from "../src/domain/webhooks/deliveries/AddressResolver.ts"
import { AllowedReceivers, parseAllowedHosts } from "../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { OutboundHttp } from "../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { InternalSubscribers } from "../src/jobs/events/internal-subscribers.ts"
import { WakeUp } from "../src/jobs/WakeUp.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { PublicUrl } from "../src/platform/installation.ts"
import { importCalendar } from "../test/support/domain/calendars/imported-calendars/import-service.ts"
import type { Served } from "./calendar-server.ts"
import { median } from "./figures.ts"
import { callWith, layerInProcessWith } from "./in-process.ts"
import { seedOperator } from "./operator.ts"
import { withScratchDatabase } from "./scratch-database.ts"
import { layerDelivering } from "./webhook-ground.ts"

// What it costs that calendars follow each other: ours driving those of listings, beside the same days told by the API; and
// those of elsewhere, read into ours. On a server and on the embedded database. `node bench/calendars.ts [feeds]`.

const LISTINGS = 200
const DAYS = 50
const CHANGES = 100
const FEEDS = Number(process.argv[2] ?? 1_000)
const EVENTS = 200
const TOKEN = "lk_bench_token_of_the_calendars_bench_only"
const PATIENCE = "5 minutes"

const today = (days: number): string => addDays(new Date().toISOString().slice(0, 10), days)
const print = (what: string, figures: string) => console.log(`${what.padEnd(62)} ${figures}`)

/** Seconds that work took, and for how many milliseconds it held the event loop at most. */
const watched = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const startedAt = performance.now()
    return Effect.map(work, (answer) => {
      const seconds = (performance.now() - startedAt) / 1_000
      delay.disable()
      return { answer, seconds, hold: delay.max / 1e6 }
    })
  })

const housesOf = Effect.fnUntraced(function* (operatorId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE operators SET room_limit = room_limit + ${count} WHERE id = ${operatorId}`
  const rows = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}, 'Villa ' || n, now() FROM generate_series(1, ${count}::int) n RETURNING id`
  return rows.map(({ id }) => id)
})

/** Each house is on sale under a listing of the marketplace in the process. */
const listed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const market = yield* Marketplace
  const { operatorId } = yield* seedOperator("Calendars", TOKEN)
  const houses = yield* housesOf(operatorId, LISTINGS)
  const listings = yield* Effect.forEach(houses, (_, at) =>
    market.openListing({
      operator_id: operatorId,
      channel_type: at % 2 === 0 ? "booking.com" : "vrbo",
      title: `Villa ${at}`
    })
  )
  yield* sql`
    UPDATE listings l SET property_id = linked.property_id
    FROM unnest(${houses}::bigint[], ${listings.map((each) => each.listing_id)}::text[]) AS linked (property_id, listing_id)
    WHERE l.operator_id = ${operatorId} AND l.listing_id = linked.listing_id`
  return { houses, listings: listings.map(({ channel_type, listing_id }) => ({ channel_type, listing_id })) }
})

const pushesSoFar = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ pushes: number; waiting: number }>`
      SELECT (SELECT count(*)::int FROM listing_pushes WHERE state = 'pushed') AS pushes,
        (SELECT coalesce(sum(waiting), 0)::int + (SELECT count(*)::int FROM events WHERE fanned_out_at IS NULL) FROM listing_lanes) AS waiting`,
    (rows) => rows[0] ?? { pushes: 0, waiting: 0 }
  )
)

/** Waits until channels were told all there is to tell. */
const untilTold = pushesSoFar.pipe(
  Effect.tap(({ waiting }) => (waiting === 0 ? Effect.void : Effect.fail("waiting"))),
  Effect.retry(Schedule.spaced("10 millis")),
  Effect.timeout(PATIENCE)
)

const told = Effect.fnUntraced(function* <E, R>(
  what: string,
  change: Effect.Effect<unknown, E, R>,
  reference?: number
) {
  const before = (yield* pushesSoFar).pushes
  const { answer, seconds, hold } = yield* watched(Effect.andThen(change, untilTold))
  const ratio = reference === undefined ? "" : `   ${(seconds / reference).toFixed(2)} of the reference`
  print(what, `${answer.pushes - before} pushes   ${seconds.toFixed(2)} s   longest hold ${hold.toFixed(0)} ms${ratio}`)
  return seconds
})

type Ground = Effect.Success<typeof listed>

/** Milliseconds from the answer to a change until the marketplace sells accordingly. */
const delays = Effect.fnUntraced(function* ({ houses, listings }: Ground) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(
    Array.from({ length: CHANGES }, (_, nth) => nth),
    (nth) =>
      Effect.gen(function* () {
        const [house, listing] = [houses[nth % LISTINGS], listings[nth % LISTINGS]]
        const dates = [today(700 + nth)]
        yield* callWith(TOKEN, "update_availabilities", { property_ids: [house], available: false, dates })
        const startedAt = performance.now()
        yield* sql<{ offered: number }>`
        SELECT offered FROM sandbox_days WHERE listing_id = ${listing?.listing_id ?? ""} AND day = ${dates[0] ?? ""} AND offered = 0`.pipe(
          Effect.tap((rows) => (rows.length === 1 ? Effect.void : Effect.fail("not yet"))),
          Effect.retry(Schedule.spaced("2 millis")),
          Effect.timeout(PATIENCE)
        )
        return performance.now() - startedAt
      })
  )
})

const driving = Effect.gen(function* () {
  const ground = yield* listed
  const days = { start_date: today(10), end_date: today(9 + DAYS) }
  // So many of a call as it may name.
  const calls = [ground.houses.slice(0, LISTINGS / 2), ground.houses.slice(LISTINGS / 2)]
  const days10k = LISTINGS * DAYS
  const change = (which: object) =>
    Effect.forEach(calls, (property_ids) => callWith(TOKEN, "update_availabilities", { property_ids, ...which }))
  const close = (available: boolean) => change({ available, ...days })
  const byApi = (inventory: number) =>
    Effect.forEach(ground.listings, (listing) =>
      callWith(TOKEN, "update_listing_inventories", { ...listing, inventories: [{ ...days, inventory }] })
    )
  yield* Effect.andThen(close(false), untilTold)
  yield* Effect.andThen(close(true), untilTold)
  yield* Effect.andThen(byApi(0), untilTold)
  const reference = yield* told(`${days10k} days told by ${LISTINGS} calls of the API (reference)`, byApi(1))
  yield* told(`${days10k} days closed at once`, close(false), reference)
  yield* told(`${days10k} days opened at once`, close(true), reference)
  const oneByOne = Effect.forEach(
    Array.from({ length: DAYS }, (_, nth) => today(10 + nth)),
    (date) => change({ available: false, dates: [date] })
  )
  yield* told(`${days10k} days closed, in ${DAYS} changes one after the other`, oneByOne, reference)
  const each = (yield* delays(ground)).toSorted((one, other) => one - other)
  const p99 = each[Math.ceil(each.length * 0.99) - 1] ?? Number.NaN
  print("from a change to the marketplace's calendar", `p50 ${median(each).toFixed(0)} ms   p99 ${p99.toFixed(0)} ms`)
})

/** A marketplace in a process of its own, which serves as it is told. */
const marketplace = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = fork(fileURLToPath(new URL("calendar-server.ts", import.meta.url)), [String(EVENTS)])
    const heard = () => new Promise<unknown>((resolve) => server.once("message", resolve))
    const port = Number(await heard())
    const serve = (served: Served) =>
      Effect.promise(() => {
        const ready = heard()
        server.send(served)
        return ready
      })
    return { port, serve, server }
  }),
  ({ server }) => Effect.sync(() => server.disconnect())
)

/** Fetches every calendar there is, due or not, as the worker does; tells what it took. */
const fetchedAll = Effect.fnUntraced(function* (what: string, reference?: number) {
  const sql = yield* SqlClient.SqlClient
  const queue = yield* CalendarQueue
  yield* sql`UPDATE imported_calendars SET due_at = now() - interval '1 minute'`
  const processor = process.cpuUsage()
  const round = Effect.gen(function* () {
    const taken = yield* queue.claim(yield* DateTime.nowAsDate, CONCURRENT_FETCHES_MAX, [])
    yield* Effect.forEach(taken, importCalendar, { concurrency: "unbounded", discard: true })
    return taken.length
  })
  const { seconds, hold } = yield* watched(Effect.repeat(round, { while: (taken) => taken > 0 }))
  const { user, system } = process.cpuUsage(processor)
  const used = (user + system) / 1e6
  const ratio = reference === undefined ? "" : `   ${(used / reference).toFixed(3)} of the first`
  print(
    what,
    `${used.toFixed(1)} s of processor   ${seconds.toFixed(1)} s   longest hold ${hold.toFixed(0)} ms${ratio}`
  )
  const [state] = yield* sql<{ failing: number; days: number }>`
    SELECT (SELECT count(*)::int FROM imported_calendars WHERE state <> 'ok') AS failing,
      (SELECT count(*)::int FROM imported_days) AS days`
  if (state?.failing !== 0 || state.days === 0)
    yield* Effect.die(new Error(`not all were read: ${JSON.stringify(state)}`))
  return used
})

const OPERATORS = 20

const importing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { port, serve } = yield* marketplace
  for (let nth = 0; nth < OPERATORS; nth++) {
    const { operatorId } = yield* seedOperator(`Imports ${nth}`, `${TOKEN}_${nth}`)
    const houses = yield* housesOf(operatorId, FEEDS / OPERATORS)
    yield* sql`
      INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
      SELECT ${operatorId}, house, 'http://127.0.0.1:' || ${port}::int || '/' || (${(nth * FEEDS) / OPERATORS}::int + at - 1) || '.ics', '127.0.0.1', now(), now()
      FROM unnest(${houses}::bigint[]) WITH ORDINALITY AS each (house, at)`
  }
  const first = yield* fetchedAll(`${FEEDS} calendars of ${EVENTS} events, fetched and applied`)
  yield* fetchedAll("again, unchanged by their ETag", first)
  yield* serve({ changed: 0, tagged: false })
  yield* fetchedAll("again, sent whole without an ETag", first)
  yield* serve({ changed: FEEDS / 20, tagged: true })
  yield* fetchedAll("again, a twentieth of them changed throughout", first)
}).pipe(Effect.scoped)

const allowed = Result.getOrThrow(parseAllowedHosts("127.0.0.1"))

const layerMarket = layerSandbox.pipe(
  Layer.provide([Ingest.layer, SandboxAccess.layerAlways]),
  Layer.provideMerge(WakeUp.layerProcess)
)
const layerGateway = Layer.provide(ChannelGateway.layer, layerSandboxConnector)
const layerDriving = Layer.mergeAll(
  layerInProcessWith(layerGateway),
  Layer.provide(layerDelivering, Layer.succeed(InternalSubscribers, [markAvailabilityChangesDue])),
  Layer.provide(layerPushJobsWithPrices, layerGateway)
).pipe(Layer.provideMerge(layerMarket))

const layerReading = Layer.mergeAll(
  CalendarQueue.layer,
  CalendarStays.layer,
  FeedReader.layer,
  OutboundHttp.layer(allowed).pipe(Layer.provide(AddressResolver.layer)),
  WakeUp.layerProcess,
  Layer.succeed(AllowedReceivers, allowed),
  Layer.succeed(PublicUrl, "http://127.0.0.1:1"),
  Layer.succeed(CurrentActor, systemActor("bench", "import"))
)

const both = Effect.andThen(
  driving.pipe(Effect.provide(layerDriving)),
  importing.pipe(Effect.provide(layerReading))
).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))

NodeRuntime.runMain(
  Effect.gen(function* () {
    console.log("\non a server")
    yield* withScratchDatabase(() => both)
    console.log("\non the embedded database")
    yield* Effect.provide(Effect.andThen(migrate(migrations), both), layerInMemory())
  })
)
