import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Offers that hosts made to guests: at a price of their own, or a pre-approval at the standard one.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // offer_id is the channel's own name of it. An active one whose expires_at is over has expired, whatever status says by then.
  // create_time and expire_time are as the channel tells them.
  yield* sql`
    CREATE TABLE special_offers (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      conversation_id bigint NOT NULL,
      offer_id text NOT NULL,
      version bigint NOT NULL DEFAULT 0,
      offer_type text NOT NULL CHECK (offer_type IN ('special_offer', 'preapproval')),
      status text NOT NULL CHECK (status IN ('active', 'accepted', 'declined', 'expired', 'withdrawn')),
      listing_id text,
      rate_plan_id text,
      check_in_date date NOT NULL,
      check_out_date date NOT NULL,
      number_of_adults integer NOT NULL,
      number_of_children integer NOT NULL,
      number_of_infants integer NOT NULL,
      number_of_pets integer NOT NULL,
      price numeric(18, 4) NOT NULL,
      currency text,
      create_time text,
      expire_time text,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT special_offers_of_channel UNIQUE (operator_id, conversation_id, offer_id),
      FOREIGN KEY (operator_id, conversation_id) REFERENCES conversations (operator_id, id)
    )`
  yield* sql`CREATE INDEX special_offers_newest ON special_offers (operator_id, conversation_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX special_offers_active ON special_offers (expires_at) WHERE status = 'active'`
})
