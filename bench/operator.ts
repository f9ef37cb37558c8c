import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { digestOf } from "../src/gate/credentials.ts"

/** The token the bench calls with. */
export const BENCH_TOKEN = "lk_bench_token_of_the_bench_operator_only"

/** Entries a month the bench operator has, and for how many months. */
const ENTRIES = 24_000

/**
 * An operator with a property and two years of entries, in set-based statements. Its windows are opened wide: what is
 * measured is the cost of counting, not a refusal.
 */
export const seedBenchOperator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wide = { "1m": 1e9, "10m": 1e9, "1h": 1e9, "24h": 1e9 }
  const limits = JSON.stringify({
    user: wide,
    endpoint: { "*": wide, "GET /transactions": wide, "POST /transactions": wide }
  })
  const [row] = yield* sql<{ operatorId: number; propertyId: number }>`
    WITH operator AS (
      INSERT INTO operators (name, time_zone, currency, created_at, rate_limits)
      VALUES ('Bench', 'Europe/Berlin', 'EUR', now(), ${limits}::jsonb) RETURNING id
    ), account AS (
      INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
      SELECT id, 'main', 'Owner', 'bench@example.test', 'none', now() FROM operator RETURNING operator_id, id
    ), token AS (
      INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
      SELECT operator_id, id, 'bench', 'writable', ${digestOf(BENCH_TOKEN)}, now() FROM account
    ), property AS (
      INSERT INTO properties (operator_id, title, created_at) SELECT id, 'Harbour 1', now() FROM operator RETURNING operator_id, id
    )
    SELECT operator_id AS "operatorId", id AS "propertyId" FROM property`
  if (row === undefined) return yield* Effect.die(new Error("the bench operator was not made"))
  const entries = yield* sql<{ id: number }>`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note,
      property_id, status, operator_name, created_at, updated_at)
    SELECT ${row.operatorId}, 'income', 10 + n % 90, 'EUR', 11, 197, timestamptz '2025-01-01' + n * interval '44 minutes',
      'entry ' || n, ${row.propertyId}, 'paid', 'Owner', now(), now()
    FROM generate_series(1, ${ENTRIES}::int) n RETURNING id`
  yield* sql`ANALYZE`
  return { ...row, entryIds: entries.map((entry) => entry.id) }
})
