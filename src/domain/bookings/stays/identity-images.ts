import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

// Images of identity documents, in what the statements of check-in say of them.

/** An image that a guest hands in by the page of a stay. */
export interface InsertIdentityImageParameters {
  readonly operatorId: number
  readonly stayId: number
  /** Null: of somebody who is no guest by name. */
  readonly guestId: number | null
  readonly imageId: number
  readonly url: string
  /** Images that the stay may have had in all. */
  readonly maxImages: number
  readonly at: Date
}

/**
 * CTEs that hand in an image. The order is locked before its stay, as changes of orders do, who may take the room and its guests
 * away: `taking` has a row where the stay has its page still, asks for identity documents and has room for one more, which
 * is counted on its own row so that two at once are; `handed` has the stay's names. `keepImage` makes the image stay of which the
 * query it is given answers the id.
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

/** Which of an operator's images are looked at: those after one, and the days they are kept after check-out. */
export interface DeleteIdentityImagesParameters {
  readonly operatorId: number
  readonly afterId: number
  readonly retentionDays: number
  readonly now: Date
  /** So many days before now: what came later is of no stay that ended as long ago. */
  readonly createdUntil: Date
}

/**
 * CTEs that forget identity images of which the stay ended so many days ago: `looked_at` has the next `most` of an operator
 * that may be such, `over` those that are, `forgotten` those that went. One whose stay is gone, or that came before it was known
 * by whose page, goes by the last stay of its order.
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
