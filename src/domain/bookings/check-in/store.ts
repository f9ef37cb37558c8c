import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { keepImageSql } from "../../guests/images/image-references.ts"
import {
  approveCheckIn,
  type CheckInApprovalRow,
  type CheckInDetailsChange,
  setCheckInDetails
} from "../stays/check-in-details.ts"
import { type InsertIdentityImageParameters, insertIdentityImage } from "../stays/identity-images.ts"
import { recordStayUpdates } from "../stays/stay-sql.ts"
import { changedStayFieldSql, type StayMatch } from "../stays/stay-tags.ts"
import { guestPortalStaysSql } from "./guest-portal-query.ts"
import { GuestPortalStay } from "./guest-portal-stay.ts"

type Sql = SqlClient.SqlClient

const ImageSubmission = Schema.Struct({ handed: Schema.Boolean })
type ImageSubmission = typeof ImageSubmission.Type

const readStay = makeOptionalRowReader(GuestPortalStay)
const readStays = makeRowsReader(GuestPortalStay)
const readSubmitted = makeSingleRowReader(ImageSubmission)

const findByToken =
  (sql: Sql): CheckInStore["Service"]["findByToken"] =>
  (token) =>
    readStay(sql`${guestPortalStaysSql(sql, sql`s.guide_token = ${token} AND host.status = 'active'`)}`)

interface FindByCodeParameters {
  readonly stayCode: string
  readonly operatorId: number | undefined
  readonly limit: number
}

/** No index covers the codes of all operators, so the lateral join searches the codes of each operator. */
const findByCode =
  (sql: Sql): CheckInStore["Service"]["findByCode"] =>
  ({ stayCode, operatorId, limit }) =>
    readStays(sql`
      SELECT found.* FROM operators each CROSS JOIN LATERAL (
        ${guestPortalStaysSql(sql, sql`s.operator_id = each.id AND s.stay_code = ${stayCode}`)}) found
      WHERE ${operatorId === undefined ? sql`true` : sql`each.id = ${operatorId}`}
      ORDER BY found.operator_id LIMIT ${limit}`)

const submitIdentityImage =
  (sql: Sql): CheckInStore["Service"]["submitIdentityImage"] =>
  (image) =>
    readSubmitted(
      recordChange(sql, {
        change: insertIdentityImage(sql, image, (id) => keepImageSql(sql, image.operatorId, id)),
        events: [recordStayUpdates(sql, { from: sql`told`, subEvent: sql`'check_in_details_updated'`, at: image.at })],
        changedRecords: changedStayFieldSql(sql, "checkin_guide_images", sql`told`),
        outcome: sql`SELECT EXISTS (SELECT FROM handed) AS handed`
      })
    )

export class CheckInStore extends Context.Service<
  CheckInStore,
  {
    /** Returns undefined if no stay has the token or its operator is inactive. */
    readonly findByToken: (token: string) => Effect.Effect<GuestPortalStay | undefined>
    readonly findByCode: (parameters: FindByCodeParameters) => Effect.Effect<ReadonlyArray<GuestPortalStay>>
    readonly setArrivalTime: (
      operatorId: number,
      stayCode: string,
      change: CheckInDetailsChange,
      at: Date
    ) => Effect.Effect<StayMatch, never, CurrentActor>
    /** `handed` is false if the stay requires no image, the limit is reached, or the uploaded image was deleted. */
    readonly submitIdentityImage: (
      image: InsertIdentityImageParameters
    ) => Effect.Effect<ImageSubmission, never, CurrentActor>
    readonly approve: (
      operatorId: number,
      stayCode: string,
      at: Date
    ) => Effect.Effect<CheckInApprovalRow | undefined, never, CurrentActor>
  }
>()("latchkey/domain/bookings/check-in/CheckInStore") {
  static readonly layer = Layer.effect(
    CheckInStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      CheckInStore.of({
        findByToken: findByToken(sql),
        findByCode: findByCode(sql),
        setArrivalTime: setCheckInDetails(sql),
        submitIdentityImage: submitIdentityImage(sql),
        approve: approveCheckIn(sql)
      })
    )
  )
}
