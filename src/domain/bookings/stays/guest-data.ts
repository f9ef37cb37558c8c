import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import {
  belongsToOrders,
  belongsToStays,
  clearKeyInJsonArray,
  type GuestDataTable,
  type GuestRecordIds
} from "../../guest-data.ts"
import { releaseImagesSql } from "../../guests/images/image-references.ts"

// An erased stay keeps its nights, money and number of guests.

const identityImagesData: GuestDataTable = {
  table: "identity_images",
  keyColumns: ["id"],
  belongsToGuest: belongsToOrders,
  secretColumns: ["large_url", "extra_large_url"],
  eraseStatements: (sql, guest, now) => [
    sql`
      WITH let_go AS (${releaseImagesSql(
        sql,
        guest.operatorId,
        sql`SELECT image_id FROM identity_images t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest)}`,
        now
      )})
      DELETE FROM identity_images t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest)}`
  ]
}

const guestsData: GuestDataTable = {
  table: "guests",
  keyColumns: ["id"],
  belongsToGuest: belongsToStays,
  eraseStatements: (sql, guest) => [
    sql`DELETE FROM guests t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToStays(sql, guest)}`
  ]
}

/** Tags can describe the guest. */
const tagsData: GuestDataTable = {
  table: "stay_tags",
  keyColumns: ["stay_id", "tag_id"],
  belongsToGuest: belongsToStays,
  eraseStatements: (sql, guest) => [
    sql`DELETE FROM stay_tags t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToStays(sql, guest)}`
  ]
}

/** Must equal the condition of the index stays_of_guests (migration 0063). */
export const hasGuestDataCondition = (sql: SqlClient): Fragment =>
  sql.literal(
    `(t.guest_name IS NOT NULL OR t.guest_phone IS NOT NULL OR t.guest_email IS NOT NULL OR t.remarks <> ''
    OR t.channel_remarks <> '' OR t.custom_fields IS NOT NULL OR t.guide_token IS NOT NULL)`
  )

const staysData: GuestDataTable = {
  table: "stays",
  keyColumns: ["id"],
  belongsToGuest: (sql, guest) => belongsToStays(sql, guest, "id"),
  secretColumns: ["guide_token", "check_in_guide_url", "lock_code", "lock_code_visible_after"],
  // Without `guide_token` the guest portal is closed.
  eraseStatements: (sql, guest) => [
    sql`
      UPDATE stays t SET guest_name = NULL, guest_phone = NULL, guest_email = NULL, remarks = '', channel_remarks = '',
        custom_fields = NULL, arrival_at = NULL, departure_at = NULL, lock_code = NULL, lock_code_visible_after = NULL,
        check_in_guide_url = '', guide_token = NULL, identity_image_count = 0,
        rate_details = ${clearKeyInJsonArray(sql, sql`t.rate_details`, "description", "")}
      WHERE t.operator_id = ${guest.operatorId} AND ${belongsToStays(sql, guest, "id")}`
  ]
}

/** Rows that refer to a stay are erased before the stay. */
export const GUEST_DATA_IN_STAYS: ReadonlyArray<GuestDataTable> = [identityImagesData, guestsData, tagsData, staysData]

export const selectStaysOfGuestOrders = (sql: SqlClient, guest: GuestRecordIds): Fragment => sql`
  SELECT t.id FROM stays t WHERE t.operator_id = ${guest.operatorId} AND ${belongsToOrders(sql, guest)}`
