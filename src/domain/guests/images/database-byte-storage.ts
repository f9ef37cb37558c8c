import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { isDiskFull } from "../../../platform/database/storage-failure.ts"
import { type ImageByteStorage, ImageStoreFull } from "./image-byte-storage.ts"

const readPiece = makeOptionalRowReader(Schema.Struct({ piece: Schema.Uint8Array }))

const NO_BYTES = new Uint8Array()

export const makeDatabaseByteStorage = (sql: SqlClient): ImageByteStorage => {
  // The column is uncompressed, so `substr` reads only the pages of the range.
  return {
    write: ({ operatorId, id }, bytes) =>
      sql`
        INSERT INTO image_bytes (operator_id, image_id, content) VALUES (${operatorId}, ${id}, ${bytes})
        ON CONFLICT (operator_id, image_id) DO UPDATE SET content = excluded.content`.pipe(
        Effect.asVoid,
        Effect.catch((error) => (isDiskFull(error) ? Effect.fail(new ImageStoreFull()) : Effect.die(error)))
      ),
    read: ({ operatorId, id }, from, length) =>
      Effect.map(
        readPiece(sql`
          SELECT substr(content, ${from}::int + 1, ${length}::int) AS piece FROM image_bytes
          WHERE operator_id = ${operatorId} AND image_id = ${id}`),
        (row) => row?.piece ?? NO_BYTES
      ),
    remove: ({ operatorId, id }) =>
      Effect.asVoid(Effect.orDie(sql`DELETE FROM image_bytes WHERE operator_id = ${operatorId} AND image_id = ${id}`))
  }
}
