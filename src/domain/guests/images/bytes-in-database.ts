import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { isDiskFull } from "../../../platform/database/trouble.ts"
import type { OwnRow } from "../../own-row.ts"
import { ImageStoreFull, type KeptBytes } from "./kept-bytes.ts"

const readPiece = rowOf(Schema.Struct({ piece: Schema.Uint8Array }))

const NO_BYTES = new Uint8Array()

interface Written extends OwnRow {
  readonly bytes: Uint8Array
}

interface Asked extends OwnRow {
  readonly from: number
  readonly length: number
}

/** The bytes of images in a table of their own. They go with the row of their image. */
export const bytesInDatabase = (sql: SqlClient): KeptBytes => {
  const write = inForms(
    sql,
    ({ operatorId, id, bytes }: Givens<Written>) => sql`
      INSERT INTO image_bytes (operator_id, image_id, content) VALUES (${operatorId}, ${id}, ${bytes})
      ON CONFLICT (operator_id, image_id) DO UPDATE SET content = excluded.content`
  )
  // Of a column whose values are stored as they are, this reads the pages that hold the piece and no more.
  const read = inForms(
    sql,
    ({ operatorId, id, from, length }: Givens<Asked>) => sql`
      SELECT substr(content, ${from}::int + 1, ${length}::int) AS piece FROM image_bytes
      WHERE operator_id = ${operatorId} AND image_id = ${id}`
  )
  const remove = inForms(
    sql,
    ({ operatorId, id }: Givens<OwnRow>) =>
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
