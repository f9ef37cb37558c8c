import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A stay whose documents are to be reviewed, and which all of its guests have handed in. */
export const submitIdentityDocuments = Effect.fnUntraced(function* (operatorId: number, stayCode: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH stay AS (
      UPDATE stays SET id_required = 'required_with_review'
      WHERE operator_id = ${operatorId} AND stay_code = ${stayCode}
      RETURNING operator_id, order_id, id, number_of_guests
    ), person AS (
      SELECT g.id AS guest_id FROM guests g JOIN stay ON g.operator_id = stay.operator_id AND g.stay_id = stay.id
      UNION ALL
      SELECT NULL FROM stay, generate_series(1, number_of_guests)
    )
    INSERT INTO identity_images (operator_id, order_id, stay_id, guest_id, large_url, extra_large_url, created_at)
    SELECT operator_id, order_id, id, guest_id, 'https://example.com/large', 'https://example.com/extra', now()
    FROM stay, person`
}, Effect.orDie)
