import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { isDiskFull } from "../../../platform/database/storage-failure.ts"
import type { OperatorRowId } from "../../operator-rows.ts"
import { type ImageByteStorage, ImageStoreFull } from "./image-byte-storage.ts"

const readPiece = makeOptionalRowReader(Schema.Struct({ piece: Schema.Uint8Array }))

const NO_BYTES = new Uint8Array()

interface WriteBytesParameters extends OperatorRowId {
  readonly bytes: Uint8Array
}

interface ReadBytesParameters extends OperatorRowId {
  readonly from: number
  readonly length: number
}

/** The bytes of images in a table of their own. They go with the row of their image. */
export const makeDatabaseByteStorage = (sql: SqlClient): ImageByteStorage => {
  const write = inForms(
    sql,
    ({ operatorId, id, bytes }: Givens<WriteBytesParameters>) => sql`
      INSERT INTO image_bytes (operator_id, image_id, content) VALUES (${operatorId}, ${id}, ${bytes})
      ON CONFLICT (operator_id, image_id) DO UPDATE SET content = excluded.content`
  )
  // Of a column whose values are stored as they are, this reads the pages that hold the piece and no more.
  const read = inForms(
    sql,
    ({ operatorId, id, from, length }: Givens<ReadBytesParameters>) => sql`
      SELECT substr(content, ${from}::int + 1, ${length}::int) AS piece FROM image_bytes
      WHERE operator_id = ${operatorId} AND image_id = ${id}`
  )
  const remove = inForms(
    sql,
    ({ operatorId, id }: Givens<OperatorRowId>) =>
      sql`DELETE FROM image_bytes WHERE operator_id = ${operatorId} AND image_id = ${id}`
  )
  return {
    write: ({ operatorId, id }, bytes) =>
      write({ operatorId, id, bytes }).pipe(
        Effect.asVoid,
        Effect.catch((error) => (isDiskFull(error) ? Effect.fail(new ImageStoreFull()) : Effect.die(error)))
      ),
    read: ({ operatorId, id }, from, length) =>
      Effect.map(readPiece(read({ operatorId, id, from, length })), (row) => row?.piece ?? NO_BYTES),
    remove: ({ operatorId, id }) => Effect.asVoid(Effect.orDie(remove({ operatorId, id })))
  }
}
