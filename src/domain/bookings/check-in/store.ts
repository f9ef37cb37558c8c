import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { keepingImage } from "../../guests/images/keeping.ts"
import { approveCheckIn, setCheckIn } from "../stays/checking-in.ts"
import { type HandedIn, handingIn } from "../stays/identity-images.ts"
import { recordStayUpdates } from "../stays/table.ts"
import { touchedField } from "../stays/tagging.ts"
import { openedStays } from "./opened.ts"
import { OpenedStay } from "./opened-stay.ts"

type Sql = SqlClient.SqlClient

const readOpened = rowOf(OpenedStay)
const readFound = rowsOf(OpenedStay)
const readHanded = onlyRowOf(Schema.Struct({ handed: Schema.Boolean }))

/** The stay whose page a token opens; undefined when there is none, or the account behind it is banned or closed. */
const open = (sql: Sql) => {
  const statement = inForms(sql, ({ token }: Givens<{ readonly token: string }>) =>
    openedStays(sql, sql`s.guide_token = ${token} AND host.status = 'active'`)
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
        ${openedStays(sql, sql`s.operator_id = each.id AND s.stay_code = ${stayCode}`)}) found
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
