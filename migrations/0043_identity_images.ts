import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Which stay's page an identity image came by, and which image of the store it is; null of those that came before.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE identity_images ADD stay_id bigint, ADD image_id bigint`
})
