import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export interface InsertIdentityImageParameters {
  readonly operatorId: number
  readonly stayId: number
  /** Null for a guest who is not listed by name. */
  readonly guestId: number | null
  readonly imageId: number
  readonly url: string
  readonly maxImages: number
  readonly at: Date
}

/**
 * Returns CTEs that add an image. The CTE `handed` is empty if the stay accepts no image. `keepImage` protects the
 * uploaded image from retention.
 *
 * Locks the order before its stay, as order changes do. The count in the stay's row limits concurrent uploads too.
 */
export const insertIdentityImage = (
  sql: SqlClient,
  { operatorId, stayId, guestId, imageId, url, maxImages, at }: InsertIdentityImageParameters,
  keepImage: (imageId: Fragment) => Fragment
): Fragment => sql`
  parent AS (
    SELECT id, reservation_code FROM orders
    WHERE operator_id = ${operatorId} AND status = 'accepted'
      AND id = (SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND id = ${stayId})
    FOR NO KEY UPDATE
  ), taking AS (
    UPDATE stays s SET identity_image_count = s.identity_image_count + 1
    FROM parent
    WHERE s.operator_id = ${operatorId} AND s.id = ${stayId} AND s.order_id = parent.id
      AND s.guide_token IS NOT NULL AND s.id_required <> 'not_required' AND s.identity_image_count < ${maxImages}
    RETURNING s.operator_id, s.id, s.order_id, s.stay_code, s.property_id, parent.reservation_code
  ), kept AS (${keepImage(sql`(SELECT ${imageId}::bigint FROM taking)`)}), handed AS (
    INSERT INTO identity_images (operator_id, order_id, stay_id, guest_id, image_id, large_url, extra_large_url, created_at)
    SELECT taking.operator_id, taking.order_id, taking.id, (
        SELECT g.id FROM guests g
        WHERE g.operator_id = taking.operator_id AND g.stay_id = taking.id AND g.id = ${guestId}::bigint),
      kept.id, ${url}, ${url}, ${at}
    FROM taking, kept
    RETURNING stay_id
  ), told AS (SELECT taking.* FROM taking JOIN handed ON handed.stay_id = taking.id)`

export interface DeleteIdentityImagesParameters {
  readonly operatorId: number
  readonly afterId: number
  readonly retentionDays: number
  readonly now: Date
  /** The time `retentionDays` before now. Images that were created later cannot be due. */
  readonly createdUntil: Date
}

/**
 * Deletes the due images among the next `limit` images. If the stay of an image was removed, the last check-out of its
 * order decides.
 */
export const deleteExpiredIdentityImages = (
  sql: SqlClient,
  { operatorId, afterId, retentionDays, now, createdUntil }: DeleteIdentityImagesParameters,
  limit: number
): Fragment => sql`
  looked_at AS MATERIALIZED (
    SELECT id, order_id, stay_id, image_id, created_at FROM identity_images
    WHERE operator_id = ${operatorId} AND id > ${afterId} AND created_at <= ${createdUntil} ORDER BY id LIMIT ${limit}
  ), over AS (
    SELECT i.id, i.image_id
    FROM looked_at i CROSS JOIN (SELECT (${now}::timestamptz AT TIME ZONE time_zone)::date AS today
      FROM operators WHERE id = ${operatorId}) o
    WHERE o.today - ${retentionDays}::integer >= coalesce(
      (SELECT s.check_out_date FROM stays s WHERE s.operator_id = ${operatorId} AND s.id = i.stay_id),
      (SELECT max(s.check_out_date) FROM stays s WHERE s.operator_id = ${operatorId} AND s.order_id = i.order_id),
      i.created_at::date)
  ), forgotten AS (
    DELETE FROM identity_images i USING over WHERE i.operator_id = ${operatorId} AND i.id = over.id
    RETURNING i.id
  )`
