import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The marketplace in the process: what it sells, to whom, what it was asked and what it still has to tell. Its accounts are
// those of channel_accounts whose connector is `sandbox`.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // How an account answers what it is asked; one without a row accepts. mood_ms is how late, mood_reason why it refuses.
  yield* sql`
    CREATE TABLE sandbox_accounts (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      mood text NOT NULL DEFAULT 'accepts',
      mood_ms integer NOT NULL DEFAULT 0,
      mood_reason text NOT NULL DEFAULT '',
      version bigint NOT NULL DEFAULT 1,
      PRIMARY KEY (operator_id, account_id),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`

  // settings has the prices and rules, of every channel at least base_price; version is what is told of the listing, revision
  // rises with whatever changes what it sells.
  yield* sql`
    CREATE TABLE sandbox_listings (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      listing_id text NOT NULL,
      title text NOT NULL,
      currency text NOT NULL,
      rooms integer NOT NULL CHECK (rooms >= 1),
      instant boolean NOT NULL,
      commission integer NOT NULL CHECK (commission BETWEEN 0 AND 100),
      tax integer NOT NULL CHECK (tax BETWEEN 0 AND 100),
      settings jsonb NOT NULL,
      version bigint NOT NULL DEFAULT 1,
      revision bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, account_id, listing_id),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX sandbox_listings_listing_id ON sandbox_listings (listing_id)`

  // A day of which something was said or sold. offered is how many the host said can still be sold, null: never said; taken is
  // how many were sold since, sold how many are sold in all.
  yield* sql`
    CREATE TABLE sandbox_days (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      listing_id text NOT NULL,
      day date NOT NULL,
      price numeric(18, 4),
      offered integer CHECK (offered >= 0),
      taken integer NOT NULL DEFAULT 0 CHECK (taken >= 0),
      sold integer NOT NULL DEFAULT 0 CHECK (sold >= 0),
      restrictions jsonb NOT NULL DEFAULT '{}',
      PRIMARY KEY (operator_id, account_id, listing_id, day),
      CONSTRAINT sandbox_days_not_oversold CHECK (offered IS NULL OR taken <= offered),
      FOREIGN KEY (operator_id, account_id, listing_id)
        REFERENCES sandbox_listings (operator_id, account_id, listing_id)
    )`

  // said is the order as it is told; answer is what the host said of a request.
  yield* sql`
    CREATE TABLE sandbox_orders (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      order_id text NOT NULL,
      version bigint NOT NULL,
      status text NOT NULL,
      answer text CHECK (answer IN ('approved', 'declined')),
      expires_at timestamptz,
      said jsonb NOT NULL,
      booked_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, account_id, order_id),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX sandbox_orders_order_id ON sandbox_orders (order_id)`
  yield* sql`CREATE INDEX sandbox_orders_booked ON sandbox_orders (booked_at DESC, operator_id, order_id)`
  yield* sql`CREATE INDEX sandbox_orders_expiring ON sandbox_orders (expires_at) WHERE expires_at IS NOT NULL`

  yield* sql`
    CREATE TABLE sandbox_payments (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      order_id text NOT NULL,
      payment_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('payment', 'refund')),
      amount numeric(18, 4) NOT NULL CHECK (amount > 0),
      paid_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, account_id, order_id, payment_id),
      FOREIGN KEY (operator_id, account_id, order_id) REFERENCES sandbox_orders (operator_id, account_id, order_id)
    )`

  // What it has to tell of each thing, in its last version; due_at is null when that was told, and heard what was answered.
  yield* sql`
    CREATE TABLE sandbox_words (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      kind text NOT NULL CHECK (kind IN ('account', 'listing', 'order', 'payment', 'refund')),
      subject text NOT NULL,
      version bigint NOT NULL,
      told_version bigint NOT NULL DEFAULT 0,
      said jsonb NOT NULL,
      heard text,
      due_at timestamptz,
      attempts integer NOT NULL DEFAULT 0,
      PRIMARY KEY (operator_id, account_id, kind, subject),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX sandbox_words_due ON sandbox_words (due_at) WHERE due_at IS NOT NULL`

  // What the service asked of an account, the last ones.
  yield* sql`
    CREATE TABLE sandbox_asked (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      account_id bigint NOT NULL,
      act text NOT NULL,
      subject text NOT NULL,
      summary text NOT NULL,
      answer text NOT NULL,
      asked_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX sandbox_asked_account ON sandbox_asked (operator_id, account_id, id DESC)`
})
