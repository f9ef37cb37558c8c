import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigestHex } from "../src/admission/gate/credentials.ts"

// Operators with reservations, seeded by few statements, whatever their number.

/** So many operators, each with so many stays. */
export interface Ground {
  readonly operators: number
  readonly each: number
}

export const stays = ({ operators, each }: Ground): number => operators * each

export const tokenOf = (operator: number): string => `lk_bench_${operator}`

export const NIGHTS = 3
/** Stays begin on this day, in each house one after the other with a day between them: nobody is there after a year. */
export const FIRST_DAY = "2026-01-01"
const STAYS_A_HOUSE = 67
const LEAST_HOUSES = 3
export const housesOf = ({ each }: Ground): number => Math.max(LEAST_HOUSES, Math.ceil(each / STAYS_A_HOUSE))

/** Rows of a statement: what it makes is kept in memory until it is through. */
const STAYS_A_STATEMENT = 200_000

export const TABLES = ["orders", "stays", "guests", "calendar_days", "transactions"] as const

const seedOperators = Effect.fnUntraced(function* (ground: Ground) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO operators (name, time_zone, currency, created_at)
    SELECT 'Bench ' || n, 'Europe/Berlin', 'EUR', now() FROM generate_series(1, ${ground.operators}::int) n`
  yield* sql`
    INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
    SELECT id, 'main', 'Owner', 'bench' || id || '@example.test', 'none', now() FROM operators`
  const digests = Array.from({ length: ground.operators }, (_, index) => computeDigestHex(tokenOf(index + 1)))
  yield* sql`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
    SELECT operator_id, id, 'bench', 'writable', decode((${digests}::text[])[operator_id], 'hex'), now() FROM accounts`
  yield* sql`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT o.id, 'House ' || n, now() FROM operators o, generate_series(1, ${housesOf(ground)}::int) n ORDER BY o.id, n`
})

/**
 * Orders number `from` to `to` of every operator, each with its stay, nights, guest and an income; every tenth cancelled.
 * They come in the order of time, the operators' among each other, as they do in life. The checks of each row are put off
 * and made once at the end, which is what keeps seeding short.
 */
const seedOrders = Effect.fnUntraced(function* (ground: Ground, from: number, to: number) {
  const sql = yield* SqlClient.SqlClient
  const houses = housesOf(ground)
  const orders = sql`
    WITH house AS (
      SELECT operator_id, id, row_number() OVER (PARTITION BY operator_id ORDER BY id) - 1 AS place FROM properties
    ), entered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, cancelled_at, currency, booked_at,
        created_at)
      SELECT o.id, '5-B' || n, 'direct', 'B' || n, CASE WHEN n % 10 = 0 THEN 'cancelled' ELSE 'accepted' END,
        CASE WHEN n % 10 = 0 THEN at END, 'EUR', at, at
      FROM generate_series(${from}::int, ${to}::int) n CROSS JOIN operators o,
        LATERAL (SELECT ${FIRST_DAY}::date::timestamptz + n * interval '365 days' / ${ground.each}::int AS at) time
      ORDER BY n, o.id
      RETURNING operator_id, id, status, reservation_code, substr(reservation_code, 4)::int AS n
    ), stay AS (
      INSERT INTO stays (operator_id, order_id, stay_code, property_id, check_in_date, check_out_date, rate, commission,
        accommodation_revenue, guest_name)
      SELECT e.operator_id, e.id, e.reservation_code, house.id, first, first + ${NIGHTS}::int, 420, 0, 420, 'Ada Lovelace'
      FROM entered e JOIN house ON house.operator_id = e.operator_id AND house.place = e.n % ${houses}::int,
        LATERAL (SELECT ${FIRST_DAY}::date + (e.n / ${houses}::int) * (${NIGHTS}::int + 1) AS first) days
      ORDER BY e.id
      RETURNING operator_id, id, order_id, property_id, check_in_date
    ), guest AS (
      INSERT INTO guests (operator_id, stay_id, name, is_booker) SELECT operator_id, id, 'Ada Lovelace', true FROM stay
    ), income AS (
      INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, order_id,
        status, operator_name, created_at, updated_at)
      SELECT operator_id, 'income', 120, 'EUR', 11, 197, now(), id, 'paid', 'Owner', now(), now() FROM entered
    )
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
    SELECT stay.operator_id, property_id, check_in_date + night, stay.id
    FROM stay JOIN entered ON entered.id = stay.order_id AND entered.status = 'accepted',
      generate_series(0, ${NIGHTS}::int - 1) night`
  yield* sql.withTransaction(Effect.andThen(sql`SET LOCAL session_replication_role = replica`, orders))
})

/** Seeds an empty database. */
export const seedGround = Effect.fnUntraced(function* (ground: Ground) {
  const sql = yield* SqlClient.SqlClient
  yield* seedOperators(ground)
  const step = Math.max(1, Math.floor(STAYS_A_STATEMENT / ground.operators))
  for (let from = 1; from <= ground.each; from += step) {
    yield* seedOrders(ground, from, Math.min(ground.each, from + step - 1))
  }
  yield* sql`VACUUM ANALYZE`.unprepared
  const odd = yield* sql`SELECT stay_code FROM stays_out_of_step LIMIT 1`
  if (odd.length > 0) yield* Effect.die(new Error("a seeded stay does not hold its nights"))
})
