import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What guests of the marketplace in the process write, are offered and think of their stay. An order says its thread in what is
// told of it (sandbox_orders.said).

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // said is the thread as it is told, guest a digest of who is in it: one thread a guest. revision rises with all that happens in
  // it; messages and offers say how many it has.
  yield* sql`
    CREATE TABLE sandbox_threads (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      thread_id text NOT NULL,
      guest text NOT NULL,
      version bigint NOT NULL,
      revision bigint NOT NULL,
      messages integer NOT NULL,
      offers integer NOT NULL,
      said jsonb NOT NULL,
      last_message_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, account_id, thread_id),
      CONSTRAINT sandbox_threads_guest UNIQUE (operator_id, account_id, guest),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX sandbox_threads_thread_id ON sandbox_threads (thread_id)`
  yield* sql`CREATE INDEX sandbox_threads_newest ON sandbox_threads (last_message_at DESC, operator_id, thread_id)`
  // said is the message as it is told, sent_as the service's own name of what the host wrote there.
  yield* sql`
    CREATE TABLE sandbox_messages (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      thread_id text NOT NULL,
      number integer NOT NULL,
      sent_as text,
      said jsonb NOT NULL,
      PRIMARY KEY (operator_id, account_id, thread_id, number),
      CONSTRAINT sandbox_messages_sent_as UNIQUE (operator_id, account_id, sent_as),
      FOREIGN KEY (operator_id, account_id, thread_id)
        REFERENCES sandbox_threads (operator_id, account_id, thread_id)
    )`
  // said is the offer as it is told, reference the service's own name of it.
  yield* sql`
    CREATE TABLE sandbox_offers (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      offer_id text NOT NULL,
      thread_id text NOT NULL,
      reference text NOT NULL,
      version bigint NOT NULL,
      status text NOT NULL,
      said jsonb NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, account_id, offer_id),
      CONSTRAINT sandbox_offers_reference UNIQUE (operator_id, account_id, reference),
      FOREIGN KEY (operator_id, account_id, thread_id)
        REFERENCES sandbox_threads (operator_id, account_id, thread_id)
    )`
  yield* sql`CREATE INDEX sandbox_offers_offer_id ON sandbox_offers (offer_id)`
  yield* sql`CREATE INDEX sandbox_offers_thread ON sandbox_offers (operator_id, account_id, thread_id, expires_at DESC)`
  yield* sql`CREATE INDEX sandbox_offers_expiring ON sandbox_offers (expires_at) WHERE status = 'active'`
  // said is the review as it is told: one an order.
  yield* sql`
    CREATE TABLE sandbox_reviews (
      operator_id bigint NOT NULL,
      account_id bigint NOT NULL,
      order_id text NOT NULL,
      version bigint NOT NULL,
      said jsonb NOT NULL,
      PRIMARY KEY (operator_id, account_id, order_id),
      FOREIGN KEY (operator_id, account_id, order_id) REFERENCES sandbox_orders (operator_id, account_id, order_id)
    )`
  yield* sql`ALTER TABLE sandbox_words DROP CONSTRAINT sandbox_words_kind_check`
  yield* sql`
    ALTER TABLE sandbox_words ADD CONSTRAINT sandbox_words_kind_check
      CHECK (kind IN ('account', 'listing', 'order', 'payment', 'refund', 'thread', 'message', 'offer', 'review'))`
})
