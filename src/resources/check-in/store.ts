import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../changes/on-record.ts"
import { asReadOf } from "../../database/columns.ts"
import { type Givens, inForms } from "../../database/forms.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../database/rows.ts"
import { keepingImage } from "../images/keeping.ts"
import { approveCheckIn, setCheckIn } from "../stays/checking-in.ts"
import { type HandedIn, handingIn } from "../stays/identity-images.ts"
import { StayKeeping } from "../stays/stay.ts"
import { recordStayUpdates } from "../stays/table.ts"
import { touchedField } from "../stays/tagging.ts"
import { OpenedStay } from "./opened-stay.ts"

type Sql = SqlClient.SqlClient

const readOpened = rowOf(OpenedStay)
const readFound = rowsOf(OpenedStay)
const readHanded = onlyRowOf(Schema.Struct({ handed: Schema.Boolean }))

const guests = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'images', (
      SELECT count(*) FROM identity_images i WHERE i.operator_id = g.operator_id AND i.guest_id = g.id)) ORDER BY g.id), '[]')
  FROM guests g WHERE g.operator_id = s.operator_id AND g.stay_id = s.id)`

const otherImages = (sql: Sql): Fragment => sql`(
  SELECT count(*) FROM identity_images i
  WHERE i.operator_id = s.operator_id AND i.order_id = s.order_id AND i.stay_id = s.id AND i.guest_id IS NULL)`

/** Stays as they are opened, where `where` holds of the stay `s` and its operator `host`. */
const opened = (sql: Sql, where: Fragment): Fragment => {
  const { arrival_at = sql`s.arrival_at` } = asReadOf(sql, StayKeeping, "s")
  return sql`
    SELECT s.operator_id, s.id, s.stay_code, o.status, o.expires_at, host.name AS host_name, main.email AS host_email,
      host.time_zone, p.title, p.address, p.latitude, p.longitude, s.check_in_date, s.check_out_date,
      to_char(coalesce(p.checkin_time, host.default_checkin_time), 'HH24:MI') AS check_in_time,
      to_char(coalesce(p.checkout_time, host.default_checkout_time), 'HH24:MI') AS check_out_time,
      s.guest_name, s.number_of_guests, s.number_of_infants, s.number_of_pets, ${guests(sql)} AS guests,
      ${otherImages(sql)} AS other_images, s.identity_image_count, ${arrival_at} AS arrival_at, s.lock_code,
      s.lock_code_visible_after, s.id_required, s.check_in_approved_at
    FROM stays s
    JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
    JOIN operators host ON host.id = s.operator_id
    LEFT JOIN accounts main ON main.operator_id = s.operator_id AND main.role = 'main'
    LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    WHERE ${where}`
}

/** The stay whose page a token opens; undefined when there is none, or the account behind it is banned or closed. */
const open = (sql: Sql) => {
  const statement = inForms(sql, ({ token }: Givens<{ readonly token: string }>) =>
    opened(sql, sql`s.guide_token = ${token} AND host.status = 'active'`)
  )
  return (token: string) => readOpened(statement({ token }))
}

interface Named {
  readonly stayCode: string
  readonly operatorId: number | undefined
  readonly limit: number
}

/** Stays of that code, of one operator or of any: each operator's is looked up, as no index has the codes of all. */
const named = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ stayCode, operatorId, limit }: Givens<Named>) => sql`
      SELECT found.* FROM operators each CROSS JOIN LATERAL (
        ${opened(sql, sql`s.operator_id = each.id AND s.stay_code = ${stayCode}`)}) found
      WHERE ${operatorId === undefined ? sql`true` : sql`each.id = ${operatorId}`}
      ORDER BY found.operator_id LIMIT ${limit}`
  )
  return ({ stayCode, operatorId, limit }: Named) => readFound(statement({ stayCode, operatorId, limit }))
}

/** Answers whether it was handed in: not where the stay asks for none any more, has room for no more, or the image is gone. */
const handIn = (sql: Sql) => {
  const statement = onRecordInForms(sql, (image: Givens<HandedIn>) => ({
    change: handingIn(sql, image, (id) => keepingImage(sql, image.operatorId, id)),
    events: [recordStayUpdates(sql, { from: sql`told`, subEvent: sql`'check_in_details_updated'`, at: image.at })],
    touched: touchedField(sql, "checkin_guide_images", sql`told`),
    outcome: sql`SELECT EXISTS (SELECT FROM handed) AS handed`
  }))
  return ({ operatorId, stayId, guestId, imageId, url, most, at }: HandedIn) =>
    readHanded(statement({ operatorId, stayId, guestId, imageId, url, most, at }))
}

/** The SQL of the pages of stays. */
export class CheckInStore extends Context.Service<CheckInStore>()("latchkey/resources/CheckInStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    open: open(sql),
    named: named(sql),
    tellArrival: setCheckIn(sql),
    handIn: handIn(sql),
    approve: approveCheckIn(sql)
  }))
}) {
  static readonly layer = Layer.effect(CheckInStore, CheckInStore.make)
}
