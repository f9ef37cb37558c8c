import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigest } from "../src/admission/gate/credentials.ts"
import { wideWindows } from "./wide-windows.ts"

/** The token the bench calls with. */
export const BENCH_TOKEN = "lk_bench_token_of_the_bench_operator_only"

/** Entries a month the bench operator has, and for how many months. */
const ENTRIES = 24_000

/** An operator with a property, and one token of its owner. Nothing it may call meets a window. */
export const seedOperator = Effect.fnUntraced(function* (
  name: string,
  token: string,
  scope: "writable" | "read-only" = "writable"
) {
  const sql = yield* SqlClient.SqlClient
  const limits = JSON.stringify(
    wideWindows("GET /transactions", "POST /transactions", "GET /reservations", "POST /reservations")
  )
  const [row] = yield* sql<{ operatorId: number; propertyId: number }>`
    WITH operator AS (
      INSERT INTO operators (name, time_zone, currency, created_at, rate_limits)
      VALUES (${name}, 'Europe/Berlin', 'EUR', now(), ${limits}::jsonb) RETURNING id
    ), account AS (
      INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
      SELECT id, 'main', 'Owner', ${`${name.toLowerCase()}@example.test`}, 'none', now() FROM operator
      RETURNING operator_id, id
    ), token AS (
      INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
      SELECT operator_id, id, 'bench', ${scope}, ${computeDigest(token)}, now() FROM account
    ), property AS (
      INSERT INTO properties (operator_id, title, created_at) SELECT id, 'Harbour 1', now() FROM operator RETURNING operator_id, id
    )
    SELECT operator_id AS "operatorId", id AS "propertyId" FROM property`
  return row ?? (yield* Effect.die(new Error("the operator of the bench was not made")))
})

/** An operator with a property and two years of entries, in set-based statements. */
export const seedBenchOperator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const row = yield* seedOperator("Bench", BENCH_TOKEN)
  const entries = yield* sql<{ id: number }>`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note,
      property_id, status, operator_name, created_at, updated_at)
    SELECT ${row.operatorId}, 'income', 10 + n % 90, 'EUR', 11, 197, timestamptz '2025-01-01' + n * interval '44 minutes',
      'entry ' || n, ${row.propertyId}, 'paid', 'Owner', now(), now()
    FROM generate_series(1, ${ENTRIES}::int) n RETURNING id`
  yield* sql`ANALYZE`
  return { ...row, entryIds: entries.map((entry) => entry.id) }
})
