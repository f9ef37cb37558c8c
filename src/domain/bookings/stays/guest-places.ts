import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { emptyKey, type GuestPlace, ofOrders, ofStays, type Party } from "../../guest-place.ts"
import { lettingImagesGo } from "../../guests/images/keeping.ts"

// What stays know of guests. An erased stay keeps its nights, its money and how many came.

const identityImages: GuestPlace = {
  table: "identity_images",
  key: ["id"],
  about: ofOrders,
  secret: ["large_url", "extra_large_url"],
  erasing: (sql, party, now) => [
    sql`
      WITH let_go AS (${lettingImagesGo(
        sql,
        party.operatorId,
        sql`SELECT image_id FROM identity_images t WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party)}`,
        now
      )})
      DELETE FROM identity_images t WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party)}`
  ]
}

const guests: GuestPlace = {
  table: "guests",
  key: ["id"],
  about: ofStays,
  erasing: (sql, party) => [
    sql`DELETE FROM guests t WHERE t.operator_id = ${party.operatorId} AND ${ofStays(sql, party)}`
  ]
}

/** What a host has marked a stay with may be the guest's: an allergy. */
const tags: GuestPlace = {
  table: "stay_tags",
  key: ["stay_id", "tag_id"],
  about: ofStays,
  erasing: (sql, party) => [
    sql`DELETE FROM stay_tags t WHERE t.operator_id = ${party.operatorId} AND ${ofStays(sql, party)}`
  ]
}

/** Whether a stay, as `t`, says anything of its guest: the condition of the index stays_of_guests (0063), word for word. */
export const saysOfGuest = (sql: SqlClient): Fragment =>
  sql.literal(
    `(t.guest_name IS NOT NULL OR t.guest_phone IS NOT NULL OR t.guest_email IS NOT NULL OR t.remarks <> ''
    OR t.channel_remarks <> '' OR t.custom_fields IS NOT NULL OR t.guide_token IS NOT NULL)`
  )

const stays: GuestPlace = {
  table: "stays",
  key: ["id"],
  about: (sql, party) => ofStays(sql, party, "id"),
  secret: ["guide_token", "check_in_guide_url", "lock_code", "lock_code_visible_after"],
  // Without its token the page of the stay is gone.
  erasing: (sql, party) => [
    sql`
      UPDATE stays t SET guest_name = NULL, guest_phone = NULL, guest_email = NULL, remarks = '', channel_remarks = '',
        custom_fields = NULL, arrival_at = NULL, departure_at = NULL, lock_code = NULL, lock_code_visible_after = NULL,
        check_in_guide_url = '', guide_token = NULL, identity_image_count = 0,
        rate_details = ${emptyKey(sql, sql`t.rate_details`, "description", "")}
      WHERE t.operator_id = ${party.operatorId} AND ${ofStays(sql, party, "id")}`
  ]
}

/** Images and names before the stays they are of. */
export const STAY_PLACES: ReadonlyArray<GuestPlace> = [identityImages, guests, tags, stays]

/** A query for the `id` of each stay that the orders have by now. */
export const staysOfOrders = (sql: SqlClient, party: Party): Fragment => sql`
  SELECT t.id FROM stays t WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party)}`
