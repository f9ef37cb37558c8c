import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What a host and a guest say to each other, thread by thread, and what of it still has to be told to its channel.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // code is what callers name it by, of any operator; thread_id is the channel's own name of it, version the latest that was
  // said of it. What an inquiry asks for is null once nothing is asked.
  yield* sql`
    CREATE TABLE conversations (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      code text NOT NULL CONSTRAINT conversations_code UNIQUE,
      account_id bigint NOT NULL,
      channel_type text NOT NULL,
      thread_id text NOT NULL,
      version bigint NOT NULL DEFAULT 0,
      guest_name text,
      guest_phone text,
      guest_email text,
      inquiry_listing_id text,
      inquiry_check_in_date date,
      inquiry_check_out_date date,
      inquiry_adults integer,
      inquiry_children integer,
      inquiry_infants integer,
      inquiry_pets integer,
      note text NOT NULL DEFAULT '',
      note_updated_at timestamptz,
      last_message_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT conversations_thread UNIQUE (operator_id, account_id, thread_id),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX conversations_newest ON conversations (operator_id, last_message_at DESC, id DESC)`

  // code is what callers, and channels that can, know a message by; channel_message_id is the channel's own name. delivery is
  // null of what was not written here. maybe_sent: a try of it began, and nobody knows how that ended.
  yield* sql`
    CREATE TABLE messages (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      conversation_id bigint NOT NULL,
      code text NOT NULL CONSTRAINT messages_code UNIQUE,
      channel_message_id text,
      sender_role text NOT NULL CHECK (sender_role IN ('host', 'guest')),
      sender_name text,
      sources jsonb NOT NULL DEFAULT '[]',
      display_type text NOT NULL,
      content text NOT NULL,
      attachment_url text,
      image_id bigint,
      delivery text CHECK (delivery IN ('queued', 'sent', 'refused', 'unknown')),
      reason text,
      maybe_sent boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL,
      settled_at timestamptz,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT messages_of_channel UNIQUE (operator_id, conversation_id, channel_message_id),
      FOREIGN KEY (operator_id, conversation_id) REFERENCES conversations (operator_id, id)
    )`
  yield* sql`CREATE INDEX messages_newest ON messages (operator_id, conversation_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX messages_queued ON messages (operator_id, conversation_id, id) WHERE delivery = 'queued'`

  // What a conversation has to send goes one after the other: a lane is timed work (jobs/timed-work.ts) that is never
  // settled, and counts what waits in it.
  yield* sql`
    CREATE TABLE message_lanes (
      operator_id bigint NOT NULL,
      conversation_id bigint NOT NULL,
      account_id bigint NOT NULL,
      waiting integer NOT NULL DEFAULT 0 CHECK (waiting >= 0),
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      PRIMARY KEY (operator_id, conversation_id),
      FOREIGN KEY (operator_id, conversation_id) REFERENCES conversations (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX message_lanes_waiting ON message_lanes (operator_id, account_id, due_at, conversation_id)
    WHERE waiting > 0`
})
