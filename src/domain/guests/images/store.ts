import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { nextRowsCondition } from "../../../jobs/retention.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import type { OperatorRowId, OperatorScoped } from "../../operator-rows.ts"

type Sql = SqlClient.SqlClient

const ImageKind = Schema.Literals(["message", "identity"])
export type ImageKind = typeof ImageKind.Type

const InsertedImage = Schema.Struct({ id: Schema.Int, token: Schema.String })
type InsertedImage = typeof InsertedImage.Type
const readInsertedImage = makeOptionalRowReader(InsertedImage)

interface InsertImageParameters extends OperatorScoped {
  readonly token: string
  readonly kind: ImageKind
  readonly bytes: number
  readonly now: Date
  readonly deleteAt: Date
  readonly quotaBytes: number
}

/** Concurrent inserts wait for the operator's row in `image_shares`, so the quota is exact. */
const insertImage = (sql: Sql) => (image: InsertImageParameters) =>
  readInsertedImage(sql`
      WITH share AS (
        INSERT INTO image_shares AS share (operator_id, bytes)
        SELECT ${image.operatorId}::bigint, ${image.bytes}::bigint WHERE ${image.bytes}::bigint <= ${image.quotaBytes}::bigint
        ON CONFLICT (operator_id) DO UPDATE SET bytes = share.bytes + excluded.bytes
          WHERE share.bytes + excluded.bytes <= ${image.quotaBytes}::bigint
        RETURNING operator_id
      )
      INSERT INTO images (operator_id, token, kind, bytes, created_at, delete_at)
      SELECT operator_id, ${image.token}::text, ${image.kind}::text, ${image.bytes}::bigint, ${image.now}::timestamptz, ${image.deleteAt}::timestamptz FROM share
      RETURNING id, token`)

const StoredImageRow = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  token: Schema.String,
  kind: ImageKind,
  bytes: Schema.Int
})
type StoredImageRow = typeof StoredImageRow.Type
const readOpenedImage = makeOptionalRowReader(StoredImageRow)

const findByToken = (sql: Sql) => (token: string, now: Date) =>
  readOpenedImage(sql`
      SELECT image.operator_id, image.id, image.token, image.kind, image.bytes
      FROM images image JOIN operators operator ON operator.id = image.operator_id
      WHERE image.token = ${token} AND (image.delete_at IS NULL OR image.delete_at > ${now}) AND operator.status = 'active'`)

const ExpiredImage = Schema.Struct({ operator_id: Schema.Int, id: Schema.Int, token: Schema.String })
type ExpiredImage = typeof ExpiredImage.Type
const readExpiredImages = makeRowsReader(ExpiredImage)

/**
 * A `delete_at` of -infinity prevents new references and marks the image as claimed. After a crash, another call claims
 * it again.
 */
const claimExpired = (sql: Sql) => (now: Date, afterId: number) =>
  readExpiredImages(sql`
      WITH going AS (
        UPDATE images SET delete_at = '-infinity'
        WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM images WHERE delete_at <= ${now} AND id > ${afterId} ORDER BY id`)}
        RETURNING operator_id, id, token
      )
      SELECT operator_id, id, token FROM going ORDER BY id`)

/** Even concurrent calls subtract the image from the operator's stored bytes exactly once. */
const removeImage =
  (sql: Sql, state: "delete_at = '-infinity'" | "delete_at > '-infinity'") =>
  ({ operatorId, id }: OperatorRowId) =>
    Effect.asVoid(
      Effect.orDie(sql`
        WITH gone AS (
          DELETE FROM images WHERE operator_id = ${operatorId} AND id = ${id} AND ${sql.literal(state)}
          RETURNING operator_id, bytes
        )
        UPDATE image_shares share SET bytes = share.bytes - gone.bytes FROM gone WHERE share.operator_id = gone.operator_id`)
    )

export class ImageStore extends Context.Service<
  ImageStore,
  {
    /** Returns undefined, and changes nothing, if the image would exceed the quota. */
    readonly insert: (image: InsertImageParameters) => Effect.Effect<InsertedImage | undefined>
    readonly findByToken: (token: string, now: Date) => Effect.Effect<StoredImageRow | undefined>
    /** Claims images in the order of their ids. No record can refer to a claimed image. */
    readonly claimExpired: (now: Date, afterId: number) => Effect.Effect<ReadonlyArray<ExpiredImage>>
    readonly removeClaimed: (image: OperatorRowId) => Effect.Effect<void>
    readonly removeUnreferenced: (image: OperatorRowId) => Effect.Effect<void>
  }
>()("latchkey/domain/guests/images/ImageStore") {
  static readonly layer = Layer.effect(
    ImageStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      ImageStore.of({
        insert: insertImage(sql),
        findByToken: findByToken(sql),
        claimExpired: claimExpired(sql),
        removeClaimed: removeImage(sql, "delete_at = '-infinity'"),
        removeUnreferenced: removeImage(sql, "delete_at > '-infinity'")
      })
    )
  )
}
