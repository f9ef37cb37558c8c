import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, References, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { computeDigest } from "../src/admission/gate/credentials.ts"
import { RateWindows } from "../src/admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../src/changes/FailedCallCounter.ts"
import { AuthorizationCodes } from "../src/domain/access/oauth/AuthorizationCodes.ts"
import { Clients } from "../src/domain/access/oauth/Clients.ts"
import { newSessionCookie } from "../src/domain/access/sign-in/cookies.ts"
import { MailedLinks } from "../src/domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../src/domain/access/sign-in/Passwords.ts"
import { Sessions } from "../src/domain/access/sign-in/Sessions.ts"
import { SubAccounts } from "../src/domain/access/sign-in/SubAccounts.ts"
import { NotificationStore } from "../src/domain/notifications/store.ts"
import { AddressResolver } from "../src/domain/webhooks/deliveries/AddressResolver.ts"
import { parseAllowedHosts } from "../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { OutboundHttp } from "../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { WakeUp } from "../src/jobs/WakeUp.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { ConsoleEndpoint, layerConsoleEndpoint } from "../src/transports/console/console-endpoint.ts"
import { layerConsoleQueries } from "../src/transports/console/queries/layer.ts"
import { median } from "./figures.ts"
import { callWith, layerInProcess, withStatements } from "./in-process.ts"
import { PAGES_OPERATOR, seedPages } from "./pages-ground.ts"
import { tokenOf } from "./reservation-ground.ts"
import { withScratchDatabase } from "./scratch-database.ts"

// What a host waits for a page of the console, with 20,000 stays: in the process, from the request to the last byte of the page,
// beside a list of 20 reservations of the API in the same rounds. `node bench/pages.ts [stays]`, on the embedded database and on a
// server. It fails where a page is refused, does not show what was seeded for it, or is larger than a page may be.

const STAYS = Number(process.argv[2] ?? 20_000)
const WARM_UP = 20
const ROUNDS = 40
const MOST_KB = 300
/** Of the 95th percentile. */
const AIM_MS = 300
const TOKEN = tokenOf(PAGES_OPERATOR)

interface Measured {
  readonly name: string
  readonly path: string
  /** What it shows of what was seeded. */
  readonly says: string
}

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** A stay of somebody who is there about now. */
const aStay = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ stay_code: string }>`
    SELECT s.stay_code FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    WHERE s.check_in_date >= current_date AND o.status = 'accepted' ORDER BY s.check_in_date, s.id LIMIT 1`
  return row?.stay_code ?? (yield* Effect.die(new Error("no stay is to come")))
})

const pagesOf = (stay: string): ReadonlyArray<Measured> => [
  { name: "overview", path: "/console/overview", says: "unpaid reservations" },
  { name: "calendar, 100 properties, 30 days", path: "/console/calendar", says: "Ada Lovelace" },
  { name: "reservations", path: "/console/reservations", says: "Ada Lovelace" },
  { name: "reservations as CSV", path: `/console/reservations.csv?from=${day(0)}&to=${day(7)}`, says: "Ada Lovelace" },
  { name: "reservations, by name", path: "/console/reservations?q=lovelace", says: "Ada Lovelace" },
  { name: "reservations, unpaid", path: "/console/reservations?payment=unpaid", says: "Ada Lovelace" },
  {
    name: "new reservation",
    path: `/console/reservations/new?property=1&check_in_date=${day(200)}&check_out_date=${day(203)}`,
    says: "House"
  },
  { name: "a stay", path: `/console/stay?code=${stay}`, says: "Ada Lovelace" },
  { name: "conversations", path: "/console/messages", says: "Guest 1" },
  { name: "conversations, waiting", path: "/console/messages?show=waiting", says: "Guest 1" },
  { name: "a conversation", path: "/console/messages?id=bench-1", says: "Bench message" },
  { name: "reviews", path: "/console/reviews?show=waiting", says: "Lovely place" },
  { name: "money of a month", path: "/console/money", says: "House" },
  { name: "money of a month as CSV", path: `/console/money.csv?from=${day(-30)}&to=${day(0)}`, says: "bench entry" },
  { name: "tasks of a week", path: "/console/tasks", says: "bench task" },
  { name: "a day sheet", path: `/console/tasks?sheet=${day(1)}`, says: "bench task" },
  { name: "reports", path: "/console/year", says: "House" },
  { name: "properties", path: "/console/properties", says: "House" },
  { name: "a property", path: "/console/properties/property?id=1", says: "House" },
  { name: "prices", path: "/console/prices", says: "House" },
  { name: "channels", path: "/console/channels", says: "bench refusal" },
  { name: "a listing", path: "/console/channels/listing?id=1", says: "bench refusal" },
  { name: "iCal sync", path: "/console/calendars", says: "bench failure" },
  { name: "automation", path: "/console/automation", says: "Automation" },
  { name: "knowledge base", path: "/console/knowledge", says: "Bench entry" },
  { name: "team", path: "/console/people", says: "Helper 1" },
  { name: "categories and tags", path: "/console/words", says: "Bench category" },
  { name: "activity log", path: "/console/history", says: "note" },
  { name: "activity log of a task", path: "/console/history?record=task:7", says: "note" }
]

/** A browser in which the operator's main account is signed in. */
const signedIn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cookie = newSessionCookie()
  yield* sql`
    INSERT INTO console_sessions (operator_id, digest, account_id, password_digest, created_at, password_at, seen_at, expires_at)
    SELECT operator_id, ${computeDigest(cookie)}::bytea, id, sha256(convert_to(password_hash, 'UTF8')), now(), now(), now(), now() + interval '7 days'
    FROM accounts WHERE operator_id = ${PAGES_OPERATOR} AND role = 'main'`
  return cookie
})

/** The page's text, as a browser would read it. */
const shown = Effect.fnUntraced(function* (cookie: string, { path, says }: Measured) {
  const pages = yield* ConsoleEndpoint
  const web = new Request(`http://127.0.0.1${path}`, { headers: { cookie: `latchkey=${cookie}` } })
  const request = HttpServerRequest.fromWeb(web)
  const response = yield* pages(request)
  if (response === undefined) return yield* Effect.die(new Error(`${path} is no page`))
  const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  if (response.status !== 200) yield* Effect.die(new Error(`${path}: ${response.status} ${text.slice(-2_000)}`))
  if (!text.includes(says)) yield* Effect.die(new Error(`${path} does not show "${says}"`))
  return text
})

const timed = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return Effect.map(work, () => performance.now() - startedAt)
  })

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const measure = Effect.fnUntraced(function* (cookie: string, page: Measured) {
  const reference = callWith(TOKEN, "search_reservations", { limit: 20 })
  const { answer, statements } = yield* withStatements(shown(cookie, page))
  for (let warm = 0; warm < WARM_UP; warm += 1) yield* Effect.andThen(shown(cookie, page), reference)
  const [ours, theirs]: [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(yield* timed(shown(cookie, page)))
    theirs.push(yield* timed(reference))
  }
  const sorted = ours.toSorted((one, other) => one - other)
  const kb = Buffer.byteLength(answer) / 1_000
  const p50 = median(ours)
  console.log(
    `| ${page.name} | ${p50.toFixed(1)} | ${percentile(sorted, 0.95).toFixed(1)} | ${(p50 / median(theirs)).toFixed(1)} | ${statements.length} | ${kb.toFixed(0)} |`
  )
  const p95 = percentile(sorted, 0.95)
  const isOver = kb > MOST_KB || p95 > AIM_MS
  return isOver ? [`${page.name}: ${p95.toFixed(1)} ms, ${kb.toFixed(0)} KB`] : []
})

const measured = Effect.fnUntraced(function* (database: string) {
  yield* seedPages(STAYS)
  const [cookie, stay] = [yield* signedIn, yield* aStay]
  console.log(`\n${database}, ${STAYS} stays, p50 and p95 of ${ROUNDS} looks; beside a list of 20 reservations\n`)
  console.log("| page | p50 ms | p95 ms | times the list | statements | KB |")
  console.log("| --- | --- | --- | --- | --- | --- |")
  const over = yield* Effect.forEach(pagesOf(stay), (page) => measure(cookie, page))
  return over.flat().map((each) => `${database}: ${each}`)
})

const layerPages = layerConsoleEndpoint("http://127.0.0.1").pipe(
  Layer.provide([Sessions.layer, Passwords.layer, SubAccounts.layer, MailedLinks.layer, NotificationStore.layer]),
  Layer.provide([Clients.layer, AuthorizationCodes.layer, layerConsoleQueries]),
  Layer.provide(
    Layer.provide(OutboundHttp.layer(Result.getOrThrow(parseAllowedHosts("127.0.0.1"))), AddressResolver.layer)
  ),
  Layer.provideMerge(layerInProcess),
  Layer.provide([FailedCallCounter.layer, RateWindows.layerUnbounded, WakeUp.layerProcess])
)

const onEmbedded = Effect.andThen(migrate(migrations), Effect.provide(measured("Embedded database"), layerPages)).pipe(
  Effect.provide(layerInMemory())
)

const onServer = withScratchDatabase(() => Effect.provide(measured("PostgreSQL"), layerPages))

const program = Effect.gen(function* () {
  const over = [...(yield* onEmbedded), ...(process.env["DATABASE_URL"] === undefined ? [] : yield* onServer)]
  for (const each of over) console.log(`over its aim: ${each}`)
  if (over.length > 0) process.exitCode = 1
})

NodeRuntime.runMain(Effect.provideService(program, References.MinimumLogLevel, "Warn"))
