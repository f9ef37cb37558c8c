import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What is known of an order that a channel keeps: under which account, in which version, and until when it waits.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // channel_version is the channel's own and only rises; channel_synced_at is when it last said something of the order.
  yield* sql`
    ALTER TABLE orders
      ADD channel_account_id bigint,
      ADD channel_version bigint,
      ADD channel_synced_at timestamptz,
      ADD expires_at timestamptz`
})
