import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Payments and refunds that channels told of, by the channel's own id: each becomes one entry. settled_at is null while its
// order is not known.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE channel_payments (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      payment_id text NOT NULL,
      channel_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('payment', 'refund')),
      amount numeric(18, 4) NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      paid_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      settled_at timestamptz,
      PRIMARY KEY (operator_id, account_id, payment_id),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX channel_payments_waiting ON channel_payments (operator_id, account_id, channel_id, payment_id)
    WHERE settled_at IS NULL`
})
