import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What is on sale at channels, linked to one property or one room type or to neither (0025); and what is still to be told of
// it there.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // ratio is the percent of the base price of the link that the listing costs; channel_version is the channel's own of what it
  // said last of the listing; price_and_rules is the recorded snapshot of the channels that cannot be asked for it.
  yield* sql`
    CREATE TABLE listings (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      account_id bigint NOT NULL,
      channel_type text NOT NULL,
      listing_id text NOT NULL,
      title text NOT NULL,
      cover text,
      url text,
      currency text NOT NULL,
      inventory integer NOT NULL DEFAULT 1 CHECK (inventory >= 0),
      shelf_status text NOT NULL CHECK (shelf_status IN ('on', 'off', 'deleted', 'unknown')),
      metadata jsonb,
      property_id bigint,
      room_type_id bigint,
      ratio integer NOT NULL DEFAULT 100 CHECK (ratio >= 1),
      ratio_readonly boolean NOT NULL DEFAULT false,
      price_and_rules jsonb,
      channel_version bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT listings_listing_id UNIQUE (operator_id, channel_type, listing_id),
      CONSTRAINT listings_one_link CHECK (property_id IS NULL OR room_type_id IS NULL),
      FOREIGN KEY (operator_id, account_id) REFERENCES channel_accounts (operator_id, id),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id)
    )`
  yield* sql`CREATE INDEX listings_account ON listings (operator_id, account_id, id)`
  yield* sql`CREATE INDEX listings_channel_type ON listings (operator_id, channel_type, id)`
  yield* sql`CREATE INDEX listings_property ON listings (operator_id, property_id, id) WHERE property_id IS NOT NULL`
  yield* sql`CREATE INDEX listings_room_type ON listings (operator_id, room_type_id, id) WHERE room_type_id IS NOT NULL`

  // One call of POST /listings/prices, inventories or restrictions: days that a channel is to be told of. settled_at is null
  // while it waits; reason says why it was refused or given up.
  yield* sql`
    CREATE TABLE listing_pushes (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      listing_row bigint NOT NULL,
      kind text NOT NULL CHECK (kind IN ('prices', 'inventories', 'restrictions')),
      ranges jsonb NOT NULL,
      state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'pushed', 'refused', 'dead')),
      reason text,
      attempts integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      settled_at timestamptz,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, listing_row) REFERENCES listings (operator_id, id)
    )`
  yield* sql`CREATE INDEX listing_pushes_listing ON listing_pushes (operator_id, listing_row, id DESC)`
  yield* sql`
    CREATE INDEX listing_pushes_waiting ON listing_pushes (operator_id, listing_row, id) WHERE settled_at IS NULL`
  yield* sql`CREATE INDEX listing_pushes_settled ON listing_pushes (settled_at) WHERE settled_at IS NOT NULL`

  // A listing that something waits or waited for, one row each: who takes it pushes the first of that. waiting is how many
  // of its pushes wait; attempts only rises, and tells whoever has taken it from who takes it next; failures are those in a
  // row, by which the next try is put off. account_id is the listing's: one that hangs holds up no other's.
  yield* sql`
    CREATE TABLE listing_lanes (
      operator_id bigint NOT NULL,
      listing_row bigint NOT NULL,
      account_id bigint NOT NULL,
      due_at timestamptz NOT NULL,
      waiting integer NOT NULL CHECK (waiting >= 0),
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      PRIMARY KEY (operator_id, listing_row),
      FOREIGN KEY (operator_id, listing_row) REFERENCES listings (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX listing_lanes_due ON listing_lanes (operator_id, account_id, due_at, listing_row) WHERE waiting > 0`
})
