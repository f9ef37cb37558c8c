import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, References } from "effect"
import { SqlClient } from "effect/sql"
import { digestOf } from "../src/gate/credentials.ts"
import { callWith, layerInProcess, withStatements } from "./in-process.ts"
import { withScratchDatabase } from "./scratch-database.ts"

// Reservations on a PostgreSQL server as their number grows: 1,000 operators with 20 orders each, then with 200 each.
// Calls go through the Service, one after the other, so a time is what one caller waits for, without HTTP. Every
// statement's plan is asked for with the values it really had, and the tables tell whether they were read from end to
// end, which an index should have spared them.

const OPERATORS = 1_000
const STAGES = [20, 200] as const
const CALLS = Number(process.env["BENCH_CALLS"] ?? 500)
const NIGHTS = 3
const PROPERTIES = 3

const tokenOf = (operator: number): string => `lk_bench_${operator}`

const seedOperators = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO operators (name, time_zone, currency, created_at)
    SELECT 'Bench ' || n, 'Europe/Berlin', 'EUR', now() FROM generate_series(1, ${OPERATORS}::int) n`
  yield* sql`
    INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
    SELECT id, 'main', 'Owner', 'bench' || id || '@example.test', 'none', now() FROM operators`
  const accounts = yield* sql<{ operatorId: number; id: number }>`SELECT operator_id AS "operatorId", id FROM accounts`
  yield* Effect.forEach(
    accounts,
    ({ operatorId, id }) => sql`
      INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
      VALUES (${operatorId}, ${id}, 'bench', 'writable', ${digestOf(tokenOf(operatorId))}, now())`,
    { concurrency: 32, discard: true }
  )
  yield* sql`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT o.id, 'House ' || n, now() FROM operators o, generate_series(1, ${PROPERTIES}::int) n ORDER BY o.id, n`
})

/**
 * Orders number `from` to `to` of every operator, each with its stay, nights, guest and an income. The checks of each row
 * are put off and made once at the end, which is what keeps seeding short.
 */
const seedOrders = Effect.fnUntraced(function* (from: number, to: number) {
  const sql = yield* SqlClient.SqlClient
  const orders = sql`
    WITH house AS (
      SELECT operator_id, id, row_number() OVER (PARTITION BY operator_id ORDER BY id) - 1 AS place FROM properties
    ), entered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
      SELECT o.id, '5-B' || n, 'direct', 'B' || n, 'accepted', 'EUR', at, at
      FROM operators o, generate_series(${from}::int, ${to}::int) n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '29 hours' AS at) time
      RETURNING operator_id, id, reservation_code, substr(reservation_code, 4)::int AS n
    ), stay AS (
      INSERT INTO stays (operator_id, order_id, stay_code, property_id, check_in_date, check_out_date, rate, commission,
        accommodation_revenue, guest_name)
      SELECT e.operator_id, e.id, e.reservation_code, house.id, first, first + ${NIGHTS}::int, 420, 0, 420, 'Ada Lovelace'
      FROM entered e JOIN house ON house.operator_id = e.operator_id AND house.place = e.n % ${PROPERTIES}::int,
        LATERAL (SELECT date '2026-01-01' + (e.n / ${PROPERTIES}::int) * (${NIGHTS}::int + 1) AS first) days
      RETURNING operator_id, id, property_id, check_in_date
    ), guest AS (
      INSERT INTO guests (operator_id, stay_id, name, is_booker) SELECT operator_id, id, 'Ada Lovelace', true FROM stay
    ), income AS (
      INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, order_id,
        status, operator_name, created_at, updated_at)
      SELECT operator_id, 'income', 120, 'EUR', 11, 197, now(), id, 'paid', 'Owner', now(), now() FROM entered
    )
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
    SELECT operator_id, property_id, check_in_date + night, id FROM stay, generate_series(0, ${NIGHTS}::int - 1) night`
  yield* sql.withTransaction(Effect.andThen(sql`SET LOCAL session_replication_role = replica`, orders))
  yield* sql`VACUUM ANALYZE`.unprepared
  const odd = yield* sql`SELECT stay_code FROM stays_out_of_step LIMIT 1`
  if (odd.length > 0) yield* Effect.die(new Error("a seeded stay does not hold its nights"))
})

const TABLES = ["orders", "stays", "guests", "calendar_days", "transactions"]

const ends = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Counts of a session become visible to others when it is idle for a moment.
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{ scans: number }>`
    SELECT sum(seq_scan) AS scans FROM pg_stat_user_tables WHERE ${sql.in("relname", TABLES)}`
  return Number(row?.scans ?? 0)
})

const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string; rows: number; size: string }>`
    SELECT relname AS name, n_live_tup AS rows, pg_size_pretty(pg_total_relation_size(relid)) AS size
    FROM pg_stat_user_tables WHERE ${sql.in("relname", TABLES)} ORDER BY relname`
  return rows.map(({ name, rows, size }) => `${name} ${rows} rows ${size}`).join(", ")
})

interface Plan {
  readonly "Node Type": string
  readonly "Total Cost": number
  readonly "Relation Name"?: string
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The plans of the statements an effect runs, by what the planner thinks they cost. */
const plansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { statements } = yield* withStatements(effect)
    const plans = yield* Effect.forEach(statements, ([text, values]) =>
      sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Plan }> }>(`EXPLAIN (FORMAT JSON) ${text}`, values)
    )
    return plans.map((rows) => {
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan ?? { "Node Type": "none", "Total Cost": Number.NaN }
      const nodes = nodesOf(plan)
      const whole = nodes.filter(
        (node) => node["Node Type"] === "Seq Scan" && TABLES.includes(node["Relation Name"] ?? "")
      )
      return { cost: plan["Total Cost"], whole: whole.length > 0 }
    })
  })

const percentile = (times: ReadonlyArray<number>, share: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * share))] ??
  Number.NaN

interface Measured {
  readonly p50: number
  readonly p99: number
}

const call = (operation: string, operator: number, fields: object) => callWith(tokenOf(operator), operation, fields)

/** Operators in an order that jumps about, so that nothing is in the cache because its neighbour was read. */
const operatorAt = (index: number): number => 1 + ((index * 389) % OPERATORS)

const FAR = Date.parse("2031-01-01")
let created = 0

const farDay = (index: number): string => new Date(FAR + index * (NIGHTS + 1) * 86_400_000).toISOString().slice(0, 10)

const casesOf = (perOperator: number, propertyOf: (operator: number) => number) => ({
  // What the way through the Service and one trivial statement cost on this machine now: the measure for the others.
  "a dictionary, to compare": (operator: number) => call("query_income_items", operator, {}),
  "page of 20 by check-in date": (operator: number) =>
    call("search_reservations", operator, {
      start_check_in_date: "2026-01-01",
      end_check_in_date: "2026-06-30",
      order_by: "check_in_date",
      limit: 20
    }),
  "latest 20 booked": (operator: number) => call("search_reservations", operator, { status: "accepted", limit: 20 }),
  "look-up by channel_id": (operator: number, index: number) =>
    call("search_reservations", operator, { channel_id: `B${1 + (index % perOperator)}` }),
  "create, 3 nights held": (operator: number) =>
    call("create_reservation", operator, {
      property_id: propertyOf(operator),
      custom_channel_id: 31,
      check_in_date: farDay(++created),
      check_out_date: new Date(Date.parse(farDay(created)) + NIGHTS * 86_400_000).toISOString().slice(0, 10),
      guest_name: "Ada Lovelace",
      currency: "EUR",
      rate_amount: 420,
      commission_amount: 0,
      received_amount: 120,
      income_method_id: 197
    })
})

const stage = Effect.fnUntraced(function* (perOperator: number) {
  const sql = yield* SqlClient.SqlClient
  const first = yield* sql<{ operator: number; id: number }>`
    SELECT operator_id AS operator, min(id) AS id FROM properties GROUP BY operator_id`
  const properties = new Map(first.map(({ operator, id }) => [operator, id]))
  yield* Console.log(`\n${OPERATORS * perOperator} orders: ${yield* sizes}`)
  const measured: Record<string, Measured> = {}
  for (const [name, run] of Object.entries(casesOf(perOperator, (operator) => properties.get(operator) ?? 0))) {
    // The first calls warm up: prepared statements, and the token of every operator.
    for (let index = 0; index < 50; index++) yield* run(operatorAt(index), index)
    const scans = yield* ends
    const times: Array<number> = []
    for (let index = 0; index < CALLS; index++) {
      const started = performance.now()
      yield* run(operatorAt(index), index)
      times.push(performance.now() - started)
    }
    const read = (yield* ends) - scans
    const plans = yield* plansOf(run(operatorAt(7), 7))
    measured[name] = { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
    const costs = plans.map(({ cost }) => cost.toFixed(0)).join(" + ")
    const answeredBy = plans.some(({ whole }) => whole) || read > 0 ? "a table read from end to end" : "indexes only"
    yield* Console.log(
      `  ${name.padEnd(28)} p50 ${measured[name].p50.toFixed(2)} ms  p99 ${measured[name].p99.toFixed(2)} ms  answered by ${answeredBy} (${read} such reads in ${CALLS} calls)  EXPLAIN cost ${costs}`
    )
  }
  return measured
})

const bench = Effect.gen(function* () {
  const started = performance.now()
  yield* seedOperators
  const results: Array<Record<string, Measured>> = []
  let seeded = 0
  for (const perOperator of STAGES) {
    yield* seedOrders(seeded + 1, perOperator)
    seeded = perOperator
    yield* Console.log(`seeded after ${((performance.now() - started) / 1000).toFixed(0)} s`)
    results.push(yield* stage(perOperator).pipe(Effect.provide(layerInProcess)))
  }
  const [small, large] = results
  yield* Console.log("\ngrowth of p50 from 20,000 to 200,000 orders")
  for (const [name, { p50 }] of Object.entries(large ?? {})) {
    yield* Console.log(`  ${name.padEnd(28)} x ${(p50 / (small?.[name]?.p50 ?? Number.NaN)).toFixed(2)}`)
  }
})

// A log line a call is part of the service, and not of what is measured here.
const program = withScratchDatabase(() => bench)
NodeRuntime.runMain(program.pipe(Effect.provideService(References.MinimumLogLevel, "Error")))
