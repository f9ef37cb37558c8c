import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a host has written down for guests, and the fragments of it that are searched for answers.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // revision rises with every edit: fragments of an older one are not searched any more. Preparing an entry is timed work
  // (jobs/timed-work.ts); due_at is infinity while there is nothing to prepare. What a scope names may be deleted later:
  // then it names nothing.
  yield* sql`
    CREATE TABLE knowledge_bases (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      title text NOT NULL,
      is_enable boolean NOT NULL,
      audience text NOT NULL CHECK (audience IN ('guests', 'anyone')),
      scope_property_type text NOT NULL CHECK (scope_property_type IN ('all', 'by_property', 'by_group', 'by_room_type')),
      scope_property_ids bigint[] NOT NULL,
      scope_channel_type text NOT NULL CHECK (scope_channel_type IN ('all', 'by_channel')),
      scope_channels text[] NOT NULL,
      contents jsonb NOT NULL,
      process_status text NOT NULL DEFAULT 'waiting'
        CHECK (process_status IN ('waiting', 'processing', 'done', 'failed')),
      revision bigint NOT NULL DEFAULT 1,
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX knowledge_bases_due ON knowledge_bases (operator_id, due_at, id) WHERE due_at < 'infinity'`
  // KNOWLEDGE_BASES_MAX of src/platform/limits.ts.
  yield* sql`
    ALTER TABLE operators ADD knowledge_base_limit integer NOT NULL DEFAULT 1000 CHECK (knowledge_base_limit >= 0)`
  yield* sql`
    CREATE TRIGGER knowledge_bases_limit AFTER INSERT ON knowledge_bases
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('knowledge_base_limit', 'true')`
  yield* sql`
    CREATE TABLE knowledge_fragments (
      operator_id bigint NOT NULL,
      knowledge_base_id bigint NOT NULL,
      revision bigint NOT NULL,
      place integer NOT NULL,
      sub_title text NOT NULL,
      text text NOT NULL,
      words tsvector NOT NULL,
      PRIMARY KEY (operator_id, knowledge_base_id, revision, place),
      FOREIGN KEY (operator_id, knowledge_base_id) REFERENCES knowledge_bases (operator_id, id) ON DELETE CASCADE
    )`
})
