import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { keepImageSql } from "../../guests/images/image-references.ts"
import { approveCheckIn, setCheckInDetails } from "../stays/check-in-details.ts"
import { type InsertIdentityImageParameters, insertIdentityImage } from "../stays/identity-images.ts"
import { recordStayUpdates } from "../stays/stay-sql.ts"
import { changedStayFieldSql } from "../stays/stay-tags.ts"
import { guestPortalStaysSql } from "./guest-portal-query.ts"
import { GuestPortalStay } from "./guest-portal-stay.ts"

type Sql = SqlClient.SqlClient

const readStay = makeOptionalRowReader(GuestPortalStay)
const readStays = makeRowsReader(GuestPortalStay)
const readSubmitted = makeSingleRowReader(Schema.Struct({ handed: Schema.Boolean }))

/** The stay whose page a token opens; undefined when there is none, or the account behind it is banned or closed. */
const findByToken = (sql: Sql) => {
  const statement = inForms(sql, ({ token }: Givens<{ readonly token: string }>) =>
    guestPortalStaysSql(sql, sql`s.guide_token = ${token} AND host.status = 'active'`)
  )
  return (token: string) => readStay(statement({ token }))
}

interface FindByCodeParameters {
  readonly stayCode: string
  readonly operatorId: number | undefined
  readonly limit: number
}

/** Stays of that code, of one operator or of any: each operator's is looked up, as no index has the codes of all. */
const findByCode = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ stayCode, operatorId, limit }: Givens<FindByCodeParameters>) => sql`
      SELECT found.* FROM operators each CROSS JOIN LATERAL (
        ${guestPortalStaysSql(sql, sql`s.operator_id = each.id AND s.stay_code = ${stayCode}`)}) found
      WHERE ${operatorId === undefined ? sql`true` : sql`each.id = ${operatorId}`}
      ORDER BY found.operator_id LIMIT ${limit}`
  )
  return ({ stayCode, operatorId, limit }: FindByCodeParameters) =>
    readStays(statement({ stayCode, operatorId, limit }))
}

/** Answers whether it was handed in: not where the stay asks for none any more, has room for no more, or the image is gone. */
const submitIdentityImage = (sql: Sql) => {
  const statement = prepareRecordedChange(sql, (image: Givens<InsertIdentityImageParameters>) => ({
    change: insertIdentityImage(sql, image, (id) => keepImageSql(sql, image.operatorId, id)),
    events: [recordStayUpdates(sql, { from: sql`told`, subEvent: sql`'check_in_details_updated'`, at: image.at })],
    changedRecords: changedStayFieldSql(sql, "checkin_guide_images", sql`told`),
    outcome: sql`SELECT EXISTS (SELECT FROM handed) AS handed`
  }))
  return ({ operatorId, stayId, guestId, imageId, url, maxImages: most, at }: InsertIdentityImageParameters) =>
    readSubmitted(statement({ operatorId, stayId, guestId, imageId, url, maxImages: most, at }))
}

/** The SQL of the pages of stays. */
export class CheckInStore extends Context.Service<CheckInStore>()("latchkey/domain/bookings/check-in/CheckInStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    findByToken: findByToken(sql),
    findByCode: findByCode(sql),
    setArrivalTime: setCheckInDetails(sql),
    submitIdentityImage: submitIdentityImage(sql),
    approve: approveCheckIn(sql)
  }))
}) {
  static readonly layer = Layer.effect(CheckInStore, CheckInStore.make)
}
