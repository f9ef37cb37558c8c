import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Who wants to hear of what, and what became of telling them. An event goes two ways: into the deliveries (fan-out,
// once for each subscription that wants it), and from there to the receiver.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The mark of the first way. Not a number of the last event seen: ids become visible in the order of commits, not of
  // the numbers, and a number would lose the event that was committed late.
  yield* sql`ALTER TABLE events ADD fanned_out_at timestamptz`
  yield* sql`CREATE INDEX events_waiting ON events (id) WHERE fanned_out_at IS NULL`
  yield* sql`CREATE INDEX events_fanned_out ON events (fanned_out_at) WHERE fanned_out_at IS NOT NULL`

  // The text that receivers compare is made once for a URL and outlives its subscriptions (contract facts 11.2), each of
  // which has a copy.
  yield* sql`
    CREATE TABLE webhook_receivers (
      operator_id bigint NOT NULL REFERENCES operators (id),
      url text NOT NULL,
      secret_token text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, url)
    )`

  // application: the OAuth client that made it, null for the console's tokens. older_events: those that were committed
  // and not yet fanned out when it was made, which it must not hear of. health: src/domain/webhooks/deliveries/circuit-breaker.ts.
  yield* sql`
    CREATE TABLE webhook_subscriptions (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      url text NOT NULL,
      events text[] NOT NULL CHECK (cardinality(events) > 0),
      application text,
      secret_token text NOT NULL,
      secret text NOT NULL,
      former_secret text,
      former_secret_until timestamptz,
      older_events bigint[] NOT NULL,
      health jsonb NOT NULL DEFAULT '{"state": "healthy"}',
      paused_at timestamptz,
      paused_reason text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      deleted_at timestamptz,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, url) REFERENCES webhook_receivers (operator_id, url)
    )`

  yield* sql`ALTER TABLE operators ADD webhook_limit integer NOT NULL DEFAULT 200 CHECK (webhook_limit >= 0)`
  yield* sql`
    CREATE TRIGGER webhook_subscriptions_limit AFTER INSERT ON webhook_subscriptions
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('webhook_limit', 'deleted_at IS NULL')`

  // attempts counts the tries begun, so it also tells one worker's try from the next one's; failures counts the failed
  // tries of this run, and a replay is the next run. While a worker has it, due_at is when another may take it.
  yield* sql`
    CREATE TABLE webhook_deliveries (
      operator_id bigint NOT NULL,
      event_id bigint NOT NULL,
      subscription_id bigint NOT NULL,
      record text NOT NULL,
      state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'dead')),
      due_at timestamptz NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      run integer NOT NULL DEFAULT 1,
      settled_at timestamptz,
      PRIMARY KEY (operator_id, event_id, subscription_id),
      FOREIGN KEY (operator_id, event_id) REFERENCES events (operator_id, id),
      FOREIGN KEY (operator_id, subscription_id) REFERENCES webhook_subscriptions (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (operator_id, subscription_id, due_at, event_id)
      WHERE state = 'waiting'`
  yield* sql`
    CREATE INDEX webhook_deliveries_record ON webhook_deliveries (operator_id, subscription_id, record, event_id)
      WHERE state = 'waiting'`
  yield* sql`CREATE INDEX webhook_deliveries_settled ON webhook_deliveries (state, settled_at) WHERE state <> 'waiting'`

  // What became of each try. A try that its worker did not live to write down has no row.
  yield* sql`
    CREATE TABLE webhook_attempts (
      operator_id bigint NOT NULL,
      event_id bigint NOT NULL,
      subscription_id bigint NOT NULL,
      attempt integer NOT NULL,
      started_at timestamptz NOT NULL,
      duration_ms integer NOT NULL,
      status integer,
      reason text,
      detail text,
      first_bytes text,
      PRIMARY KEY (operator_id, event_id, subscription_id, attempt),
      FOREIGN KEY (operator_id, event_id, subscription_id)
        REFERENCES webhook_deliveries (operator_id, event_id, subscription_id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX webhook_attempts_started ON webhook_attempts (started_at)`
})
