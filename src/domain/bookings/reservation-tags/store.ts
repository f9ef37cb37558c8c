import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { TagColor } from "../../../contract/tag-color.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import {
  genericPlanParameter,
  normalizeForSearch,
  normalizeSearchKeyword
} from "../../../platform/database/parameters.ts"
import type { RowPage } from "../../../platform/database/rows.ts"
import { withSavepoint } from "../../../platform/database/savepoint.ts"
import type { RowId } from "../../column-schemas.ts"
import { type FindIdByName, makeFindIdByName, type OperatorScoped, readRowId } from "../../operator-rows.ts"
import { ReservationTag, type search_reservation_tags } from "./contract.ts"
import { findOrCreateTag, isConcurrentTagViolation } from "./find-or-create-tag.ts"

type ReservationTagSearch = Pick<typeof search_reservation_tags.payloadSchema.Type, "id" | "keyword">

interface NewReservationTag extends Pick<ReservationTag, "tag_name"> {
  readonly color: TagColor
}

/** Both are null if the name exists already. */
export const CreatedTagRow = Schema.Struct({ id: Schema.NullOr(Schema.Int), color: Schema.NullOr(TagColor) })

export const toReservationTagLimitError = (limit: number | string): ValidationFailed =>
  new ValidationFailed({
    message: `reservation_tag_limit: the account already has ${limit} tags of its own, the maximum; delete one first.`
  })

const readCreatedTag = makeRowReaderOrFail(CreatedTagRow, (constraint) =>
  constraint.name === "reservation_tag_limit"
    ? toReservationTagLimitError(constraint.detail)
    : isConcurrentTagViolation(constraint)
      ? nameConflict("tag_name", "tag")
      : undefined
)

const search = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(sql, ReservationTag, (values: OperatorScoped & ReservationTagSearch) => {
    const conditions = [sql`operator_id = ${genericPlanParameter(sql, "bigint", values.operatorId)}`]
    if (values.id !== undefined) conditions.push(sql`id = ${values.id}`)
    if (values.keyword !== undefined) {
      conditions.push(
        sql`position(${normalizeSearchKeyword(sql, values.keyword)} in ${normalizeForSearch(sql, sql`tag_name`)}) > 0`
      )
    }
    return {
      matchingRows: sql`SELECT * FROM usable_reservation_tags WHERE ${sql.and(conditions)}`,
      orderBy: sql`id`
    }
  })
  return (operatorId: number, filters: ReservationTagSearch, page: Page) => selectPage({ ...filters, operatorId }, page)
}

const create = (sql: SqlClient.SqlClient) => {
  const inSavepoint = withSavepoint(sql)
  return (operatorId: number, { tag_name, color }: NewReservationTag, now: Date) =>
    readCreatedTag(
      inSavepoint(
        recordChange(sql, {
          change: sql`
            dictionary AS (SELECT), ${findOrCreateTag(sql, { operatorId, name: tag_name, color, at: now }, "dictionary")}`,
          events: [],
          changedRecords: createdOrDeletedRecordsSql(sql, "reservation_tag", "made_tag"),
          outcome: sql`SELECT made_tag.id, made_tag.color FROM dictionary LEFT JOIN made_tag ON true`
        })
      )
    )
}

/** The raised `stays_version` removes the tag from every stay. */
const remove = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, now: Date) =>
  readRowId(
    recordChange(sql, {
      change: sql`
        deleted AS (
          UPDATE reservation_tags SET deleted_at = ${now}::timestamptz, stays_version = stays_version + 1
          WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
          RETURNING operator_id, id
        )`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "reservation_tag", "deleted"),
      outcome: sql`SELECT id FROM deleted`
    })
  )

export class ReservationTagStore extends Context.Service<
  ReservationTagStore,
  {
    readonly search: (
      operatorId: number,
      filters: ReservationTagSearch,
      page: Page
    ) => Effect.Effect<RowPage<ReservationTag>>
    /** A deleted tag with the same name is restored. Fails at the tag limit. */
    readonly create: (
      operatorId: number,
      tag: NewReservationTag,
      now: Date
    ) => Effect.Effect<typeof CreatedTagRow.Type, Conflict | ValidationFailed, CurrentActor>
    /** Returns undefined if the operator has no such tag. Default tags cannot be removed. */
    readonly remove: (
      operatorId: number,
      id: number,
      now: Date
    ) => Effect.Effect<typeof RowId.Type | undefined, never, CurrentActor>
    readonly findIdByName: FindIdByName
  }
>()("latchkey/domain/bookings/reservation-tags/ReservationTagStore") {
  static readonly layer = Layer.effect(
    ReservationTagStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      create: create(sql),
      remove: remove(sql),
      findIdByName: makeFindIdByName(sql, { table: "usable_reservation_tags", column: "tag_name" })
    }))
  )
}
