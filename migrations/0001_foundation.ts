import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Operators, who may call for them, what finance entries are attached to, the entries, and the record of what happened.
// Every table has operator_id first in its key and links by (operator_id, id): a row cannot point at another operator's.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE operators (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      time_zone text NOT NULL,
      currency text NOT NULL,
      edition text NOT NULL DEFAULT 'pro' CHECK (edition IN ('pro', 'basic')),
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'banned', 'closed')),
      subscription_until timestamptz,
      created_at timestamptz NOT NULL
    )`

  yield* sql`
    CREATE TABLE accounts (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      role text NOT NULL CHECK (role IN ('main', 'sub')),
      name text NOT NULL,
      email text NOT NULL,
      password_hash text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      UNIQUE (id)
    )`
  yield* sql`CREATE UNIQUE INDEX accounts_email ON accounts (lower(email))`
  yield* sql`CREATE UNIQUE INDEX accounts_one_main ON accounts (operator_id) WHERE role = 'main'`

  yield* sql`
    CREATE TABLE access_tokens (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      name text NOT NULL,
      scope text NOT NULL CHECK (scope IN ('read-only', 'writable')),
      digest bytea NOT NULL,
      created_at timestamptz NOT NULL,
      revoked_at timestamptz,
      PRIMARY KEY (operator_id, id),
      UNIQUE (id),
      FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
    )`
  yield* sql`CREATE UNIQUE INDEX access_tokens_digest ON access_tokens (digest)`

  yield* sql`
    CREATE TABLE properties (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      title text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id)
    )`

  yield* sql`
    CREATE TABLE orders (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      reservation_code text NOT NULL,
      channel_type text NOT NULL,
      channel_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('wait_accept', 'wait_pay', 'accepted', 'cancelled', 'denied', 'timeout')),
      currency text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      UNIQUE (operator_id, reservation_code)
    )`

  // accommodation_revenue is what an entry on the whole order is split by.
  yield* sql`
    CREATE TABLE stays (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      order_id bigint NOT NULL,
      stay_code text NOT NULL,
      property_id bigint,
      check_in_date date NOT NULL,
      check_out_date date NOT NULL CHECK (check_out_date > check_in_date),
      accommodation_revenue numeric(18, 4) NOT NULL DEFAULT 0 CHECK (accommodation_revenue >= 0),
      PRIMARY KEY (operator_id, id),
      UNIQUE (operator_id, stay_code),
      FOREIGN KEY (operator_id, order_id) REFERENCES orders (operator_id, id),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id)
    )`
  yield* sql`CREATE INDEX stays_order ON stays (operator_id, order_id)`
  yield* sql`CREATE INDEX stays_property ON stays (operator_id, property_id, check_in_date)`

  // The account's own names; the service's built-in names are in the code (domain/money/dictionaries.ts).
  yield* sql`
    CREATE TABLE dictionary_entries (
      operator_id bigint NOT NULL REFERENCES operators (id),
      dictionary text NOT NULL CHECK (dictionary IN ('income_items', 'expense_items', 'income_methods', 'expense_methods')),
      id bigint NOT NULL CHECK (id > 0),
      name text NOT NULL,
      PRIMARY KEY (operator_id, dictionary, id)
    )`

  yield* sql`
    CREATE TABLE transactions (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      direction text NOT NULL CHECK (direction IN ('income', 'expense')),
      amount numeric(18, 4) NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      item_id bigint NOT NULL,
      payment_method_id bigint NOT NULL,
      action_at timestamptz NOT NULL,
      note text NOT NULL DEFAULT '',
      property_id bigint,
      order_id bigint,
      status text NOT NULL CHECK (status IN ('paid', 'outstanding')),
      operator_name text NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id),
      FOREIGN KEY (operator_id, order_id) REFERENCES orders (operator_id, id),
      CHECK (property_id IS NULL OR order_id IS NULL)
    )`
  yield* sql`CREATE INDEX transactions_action_at ON transactions (operator_id, action_at DESC, id DESC)`
  yield* sql`CREATE INDEX transactions_order ON transactions (operator_id, order_id) WHERE order_id IS NOT NULL`

  // What each stay of an order carries of an entry on the whole order; the shares of an entry add up to its amount.
  yield* sql`
    CREATE TABLE transaction_shares (
      operator_id bigint NOT NULL,
      transaction_id bigint NOT NULL,
      stay_id bigint NOT NULL,
      amount numeric(18, 4) NOT NULL CHECK (amount >= 0),
      PRIMARY KEY (operator_id, transaction_id, stay_id),
      FOREIGN KEY (operator_id, transaction_id) REFERENCES transactions (operator_id, id) ON DELETE CASCADE,
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id)
    )`

  // What happened, written by the statement that changed it. Delivery reads from here.
  yield* sql`
    CREATE TABLE events (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      event text NOT NULL,
      record text NOT NULL,
      payload jsonb NOT NULL,
      queued_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id)
    )`
})
