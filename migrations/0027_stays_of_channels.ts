import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The channel's own id of a room within its order, by which it is known again when the order changes.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE stays ADD channel_room_id text`
})
