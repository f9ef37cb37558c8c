import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, References } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { inTurn, median } from "./figures.ts"
import { callWith, layerInProcess, type Sent, withStatements } from "./in-process.ts"
import { seedOperator } from "./operator.ts"
import { withScratchDatabase } from "./scratch-database.ts"

// What a host waits for who reads and answers guests, of a large inbox beside a small one, of a long conversation beside a
// short one, and each beside its own statement alone, sent again and written as JSON. On a server and on the embedded database.
// `node bench/guests.ts [threads]`.

const THREADS = Number(process.argv[2] ?? 20_000)
const FEW_THREADS = 200
const MESSAGES = 2_000
const FEW_MESSAGES = 100
/** So many that a large inbox's guests were there within half a year. */
const HOUSES = 400
const CALLS = 300
const WARM_UP = 200
/** A p99 over so many times its p50 is a fault. */
const P99_AIM = 5

/** Two operators: one with a large inbox, whose newest thread is long and next one short, and one with a small inbox. */
const LARGE = { name: "Large", token: "lk_bench_token_of_the_large_inbox", threads: THREADS }
const SMALL = { name: "Small", token: "lk_bench_token_of_the_small_inbox", threads: FEW_THREADS }

type Inbox = typeof LARGE

/** Names of the nth thread, for callers and at its channel. */
const codeOf = ({ name }: Inbox, nth: number): string => `bench-${name}-${nth}`

const review = (content: string): string =>
  JSON.stringify({ score: 5, sub_score: null, content, created_at: "2026-01-01T10:00:00+00:00" })

/** Threads, each of a guest who has booked and been there, with one message, an answer and what both think of it. */
const seedInbox = Effect.fnUntraced(function* (inbox: Inbox) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* seedOperator(inbox.name, inbox.token)
  yield* sql`UPDATE operators SET room_limit = room_limit + ${HOUSES} WHERE id = ${operatorId}`
  yield* sql`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}, 'House ' || n, now() FROM generate_series(0, ${HOUSES - 1}::int) n`
  yield* sql`
    WITH account AS (
      INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
      VALUES (${operatorId}, 'airbnb', 'bench', 'bench', 'active', 'none', now()) RETURNING id
    ), thread AS (
      INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, version, guest_name, last_message_at,
        created_at)
      SELECT ${operatorId}, 'bench-' || ${inbox.name}::text || '-' || n, account.id, 'airbnb', 'T' || n, 1, 'Guest ' || n,
        now() - n * interval '1 minute', now() - n * interval '1 minute'
      FROM account, generate_series(1, ${inbox.threads}::int) n
      RETURNING operator_id, id, code, created_at, substr(thread_id, 2)::int AS n
    ), message AS (
      INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
      SELECT operator_id, id, code || '-m', 'guest', 'Text', 'Is there a place for our car, and when can we come?', created_at
      FROM thread
    ), ordered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at,
        conversation_id)
      SELECT operator_id, '0-' || n || '-BNCH', 'airbnb', 'B' || n, 'accepted', 'EUR', created_at, created_at, code FROM thread
      RETURNING operator_id, id, reservation_code, substr(channel_id, 2)::int AS n
    ), house AS (
      SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM properties WHERE operator_id = ${operatorId} AND title LIKE 'House %'
    ), stay AS (
      INSERT INTO stays (operator_id, order_id, stay_code, property_id, listing_id, check_in_date, check_out_date, rate,
        accommodation_revenue, guest_name)
      SELECT ordered.operator_id, ordered.id, reservation_code, house.id, 'L1', first, first + 3, 420, 420, 'Guest ' || n
      FROM ordered JOIN house ON house.place = n % ${HOUSES}::int,
        LATERAL (SELECT current_date - 4 - 3 * (n / ${HOUSES}::int) AS first) days
      RETURNING operator_id, id, property_id, check_in_date
    ), nights AS (
      INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
      SELECT operator_id, property_id, check_in_date + night, id FROM stay, generate_series(0, 2) night
    )
    SELECT count(*) FROM thread`
  yield* sql`
    INSERT INTO reviews (operator_id, order_id, guest_review, host_review, created_at)
    SELECT operator_id, id, ${review("Lovely place, and quiet.")}::jsonb, ${review("Welcome back.")}::jsonb, now()
    FROM orders WHERE operator_id = ${operatorId}`
  return { operatorId }
})

/** More messages for the nth thread of an inbox, and offers. */
const seedThread = Effect.fnUntraced(function* (inbox: Inbox, nth: number, messages: number) {
  const sql = yield* SqlClient.SqlClient
  const code = codeOf(inbox, nth)
  yield* sql`
    INSERT INTO messages (operator_id, conversation_id, code, sender_role, sender_name, display_type, content, created_at)
    SELECT c.operator_id, c.id, c.code || '-' || n, CASE WHEN n % 2 = 0 THEN 'host' ELSE 'guest' END,
      CASE WHEN n % 2 = 0 THEN 'Owner' END, 'Text', 'Message ' || n || ' of a long talk about the weather.',
      c.created_at - (${messages}::int - n) * interval '1 second'
    FROM conversations c, generate_series(2, ${messages}::int) n WHERE c.code = ${code}`
  yield* sql`
    INSERT INTO special_offers (operator_id, conversation_id, offer_id, offer_type, status, listing_id, check_in_date,
      check_out_date, number_of_adults, number_of_children, number_of_infants, number_of_pets, price, currency, expires_at,
      created_at)
    SELECT operator_id, id, 'O' || n, 'special_offer', 'declined', 'L1', '2031-05-01', '2031-05-04', 2, 0, 0, 0, 300, 'EUR',
      now(), now() - n * interval '1 hour'
    FROM conversations, generate_series(1, 20) n WHERE code = ${code}`
})

const LONG = 1
const SHORT = 2

const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const inbox of [LARGE, SMALL]) yield* seedInbox(inbox)
  yield* seedThread(LARGE, LONG, MESSAGES)
  yield* seedThread(LARGE, SHORT, FEW_MESSAGES)
  yield* sql`VACUUM ANALYZE`.unprepared
})

type Call = readonly [inbox: Inbox, operation: string, fields: (nth: number) => object]

const threads = THREADS.toLocaleString("en")
const conversation = (nth: number): Call => [LARGE, "get_conversation", () => ({ id: codeOf(LARGE, nth) })]

/** The first is what the others are held against; changes have no statement that could be sent again. */
const READS: Readonly<Record<string, Call>> = {
  "latest 20 reservations (reference)": [LARGE, "search_reservations", () => ({ status: "accepted", limit: 20 })],
  [`inbox of ${FEW_THREADS}, newest 20`]: [SMALL, "query_conversations", () => ({ limit: 20 })],
  [`inbox of ${threads}, newest 20`]: [LARGE, "query_conversations", () => ({ limit: 20 })],
  [`inbox of ${threads}, newest 100`]: [LARGE, "query_conversations", () => ({ limit: 100 })],
  [`conversation of ${FEW_MESSAGES}`]: conversation(SHORT),
  [`conversation of ${MESSAGES}, newest 100`]: conversation(LONG),
  [`conversation of ${MESSAGES}, 100 before one`]: [
    LARGE,
    "get_conversation",
    (nth) => ({ id: codeOf(LARGE, LONG), before: `${codeOf(LARGE, LONG)}-${102 + (nth % (MESSAGES - 200))}` })
  ],
  "offers of a conversation": [LARGE, "search_special_offers", () => ({ conversation_id: codeOf(LARGE, LONG) })],
  [`reviews of ${threads}, newest 20`]: [LARGE, "search_reviews", () => ({ limit: 20 })]
}

const CHANGES: Readonly<Record<string, Call>> = {
  "a task entered (reference)": [LARGE, "create_task", () => ({ type: "cleaning" })],
  "a message sent": [
    LARGE,
    "send_message",
    (nth) => ({ id: codeOf(LARGE, 1 + (nth % FEW_THREADS)), message: "Welcome!" })
  ],
  "a note written": [
    LARGE,
    "update_conversation_note",
    (nth) => ({ conversation_id: codeOf(LARGE, LONG), note: `Late arrival ${nth}` })
  ]
}

const made = ([{ token }, operation, fields]: Call, nth: number) => callWith(token, operation, fields(nth))

const millisecondsOf = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const startedAt = performance.now()
  yield* work
  return performance.now() - startedAt
})

/** The statement of a call alone. */
const sentAgain = Effect.fnUntraced(function* ([text, values]: Sent) {
  const sql = yield* SqlClient.SqlClient
  return JSON.stringify(yield* sql.unsafe(text, values))
})

/** Milliseconds of each, the calls in turn, each round begun by another. */
const timed = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>, rounds: number, from: number) {
  const times = calls.map((): Array<number> => [])
  const alone = calls.map((): Array<number> => [])
  for (let nth = 0; nth < rounds; nth++) {
    for (const [at, call] of inTurn([...calls.entries()], nth)) {
      const { answer, statements } = yield* withStatements(millisecondsOf(made(call, from + nth)))
      times[at]?.push(answer)
      const [only, another] = statements
      if (only !== undefined && another === undefined) alone[at]?.push(yield* millisecondsOf(sentAgain(only)))
    }
  }
  return { times, alone }
})

const p99Of = (times: ReadonlyArray<number>): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN

const printed = Effect.fnUntraced(function* (calls: Readonly<Record<string, Call>>) {
  const all = Object.values(calls)
  yield* timed(all, WARM_UP, 0)
  const { times, alone } = yield* timed(all, CALLS, WARM_UP)
  const reference = median(times[0] ?? [])
  for (const [at, name] of Object.keys(calls).entries()) {
    const of = times[at] ?? []
    const [p50, p99] = [median(of), p99Of(of)]
    const statement = alone[at] ?? []
    const beside = statement.length === 0 ? "" : `   ${(p50 / median(statement)).toFixed(2)} of its statement alone`
    const spread = `p99 ${p99.toFixed(2)} ms (x ${(p99 / p50).toFixed(1)}${p99 > P99_AIM * p50 ? ", TOO FAR" : ""})`
    console.log(
      `${name.padEnd(44)} p50 ${p50.toFixed(2)} ms   ${spread}   ${(p50 / reference).toFixed(2)} of the reference${beside}`
    )
  }
})

const bench = Effect.gen(function* () {
  yield* seeded
  yield* printed(READS).pipe(Effect.andThen(printed(CHANGES)), Effect.provide(layerInProcess))
}).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))

NodeRuntime.runMain(
  Effect.gen(function* () {
    console.log("\non a server")
    yield* withScratchDatabase(() => bench)
    console.log("\non the embedded database")
    yield* Effect.provide(Effect.andThen(migrate(migrations), bench), layerInMemory())
  })
)
