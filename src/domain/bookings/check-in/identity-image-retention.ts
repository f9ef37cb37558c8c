import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { daysBefore } from "../../../contract/time.ts"
import { RETENTION_INTERVAL_MS } from "../../../jobs/retention.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { IdentityImageRetentionDays } from "../../../platform/installation.ts"
import { releaseImagesSql } from "../../guests/images/image-references.ts"
import { type DeleteIdentityImagesParameters, deleteExpiredIdentityImages } from "../stays/identity-images.ts"

// Several processes may run this retention at the same time.

export const IDENTITY_IMAGE_BATCH_SIZE = 500

const readNextOperator = makeSingleRowReader(Schema.Struct({ operator_id: Schema.NullOr(Schema.Int) }))
const RetentionBatchRow = Schema.Struct({ last: Schema.NullOr(Schema.Int), forgotten: Schema.Int })
const readBatch = makeSingleRowReader(RetentionBatchRow)

const findNextOperator = (sql: SqlClient.SqlClient) => (after: number) =>
  readNextOperator(sql`SELECT min(operator_id) AS operator_id FROM identity_images WHERE operator_id > ${after}`)

/** `last` is the last examined id, or null at the end of the operator's images. */
const deleteExpiredImages = (sql: SqlClient.SqlClient) => (parameters: DeleteIdentityImagesParameters) =>
  readBatch(sql`
      WITH ${deleteExpiredIdentityImages(sql, parameters, IDENTITY_IMAGE_BATCH_SIZE)}, let_go AS (
        ${releaseImagesSql(sql, parameters.operatorId, sql`SELECT image_id FROM over`, parameters.now)})
      SELECT (SELECT max(id) FROM looked_at HAVING count(*) = ${sql.literal(String(IDENTITY_IMAGE_BATCH_SIZE))}) AS last,
         (SELECT count(*) FROM forgotten) AS forgotten`)

export const makeDeleteExpiredIdentityImages = Effect.map(SqlClient.SqlClient, (sql) => {
  const [nextOperator, deleteNextBatch] = [findNextOperator(sql), deleteExpiredImages(sql)]
  return Effect.fnUntraced(function* (retentionDays: number, now: Date) {
    const createdUntil = daysBefore(now, retentionDays)
    let deletedCount = 0
    let operatorId = (yield* nextOperator(0)).operator_id
    while (operatorId !== null) {
      let afterId: number | null = 0
      while (afterId !== null) {
        const batch: typeof RetentionBatchRow.Type = yield* deleteNextBatch({
          operatorId,
          afterId,
          retentionDays,
          now,
          createdUntil
        })
        deletedCount += batch.forgotten
        afterId = batch.last
      }
      operatorId = (yield* nextOperator(operatorId)).operator_id
    }
    return deletedCount
  })
})

export const layerIdentityImageRetention = Layer.effectDiscard(
  Effect.gen(function* () {
    const [deleteExpired, retentionDays] = [yield* makeDeleteExpiredIdentityImages, yield* IdentityImageRetentionDays]
    yield* repeatPeriodically("retention of identity documents", RETENTION_INTERVAL_MS, (now) =>
      Effect.asVoid(deleteExpired(retentionDays, now))
    )
  })
)
