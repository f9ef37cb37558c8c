import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms, touchedIn } from "../../../changes/on-record.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { nameTaken } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { PaletteColor } from "../../../contract/palette.ts"
import { rowUnless } from "../../../platform/database/constraints.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { keywordInSearchForm, toSearchForm } from "../../../platform/database/parameters.ts"
import { savepoint } from "../../../platform/database/savepoint.ts"
import { type OfOperator, type OwnRow, readIdentity, withNameHolder } from "../../own-row.ts"
import { ReservationTag, type search_reservation_tags } from "./contract.ts"
import { isMadeMeanwhile, makeTag } from "./named-tag.ts"

/** Which tags a search means; what is not given does not narrow it. */
export type ReservationTagSearch = Pick<typeof search_reservation_tags.payloadSchema.Type, "id" | "keyword">

export interface NewReservationTag extends Pick<ReservationTag, "tag_name"> {
  /** Of a new one: a restored tag keeps its colour. */
  readonly color: PaletteColor
}

/** Null when the name is taken. */
const Written = Schema.Struct({ id: Schema.NullOr(Schema.Int), color: Schema.NullOr(PaletteColor) })

const readWritten = rowUnless(Written, (broken) =>
  broken.name === "reservation_tag_limit"
    ? new ValidationFailed({
        message: `reservation_tag_limit: the account already has ${broken.detail} tags of its own, the maximum; delete one first.`
      })
    : isMadeMeanwhile(broken)
      ? nameTaken("tag_name", "tag")
      : undefined
)

const valuesOf = (operatorId: number, { id, keyword }: ReservationTagSearch) => ({ operatorId, id, keyword })

const search = (sql: SqlClient.SqlClient) => {
  const page = pagesOf(sql, ReservationTag, (wanted: Givens<ReturnType<typeof valuesOf>>) => {
    const conditions = [sql`operator_id = ${wanted.operatorId}`]
    if (wanted.id !== undefined) conditions.push(sql`id = ${wanted.id}`)
    if (wanted.keyword !== undefined) {
      conditions.push(
        sql`position(${keywordInSearchForm(sql, wanted.keyword)} in ${toSearchForm(sql, sql`tag_name`)}) > 0`
      )
    }
    return {
      matching: sql`SELECT * FROM usable_reservation_tags WHERE ${sql.and(conditions)}`,
      // The ids of the default tags are the lowest.
      orderBy: sql`id`
    }
  })
  return (operatorId: number, wanted: ReservationTagSearch, asked: Page) => page(valuesOf(operatorId, wanted), asked)
}

interface Made extends OfOperator, NewReservationTag {
  readonly now: Date
}

/** Makes a tag, or restores the deleted tag with the same name. Fails at the limit of tags. */
const create = (sql: SqlClient.SqlClient) => {
  const refusable = savepoint(sql)
  const statement = onRecordInForms(sql, ({ operatorId, tag_name: name, color, now }: Givens<Made>) => ({
    change: sql`
      dictionary AS (SELECT), ${makeTag(sql, { operatorId, name, color, at: now }, "dictionary")}`,
    events: [],
    touched: touchedIn(sql, "reservation_tag", "made_tag"),
    outcome: sql`SELECT made_tag.id, made_tag.color FROM dictionary LEFT JOIN made_tag ON true`
  }))
  return (operatorId: number, { tag_name, color }: NewReservationTag, now: Date) =>
    readWritten(refusable(statement({ operatorId, tag_name, color, now })))
}

interface Removed extends OwnRow {
  readonly now: Date
}

/**
 * Answers the deleted tag's id, or undefined when there is none of the operator's own. The raised stays_version
 * takes it off every stay (migration 0003_portfolio).
 */
const remove = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, now }: Givens<Removed>) => ({
    change: sql`
      deleted AS (
        UPDATE reservation_tags SET deleted_at = ${now}::timestamptz, stays_version = stays_version + 1
        WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
        RETURNING operator_id, id
      )`,
    events: [],
    touched: touchedIn(sql, "reservation_tag", "deleted"),
    outcome: sql`SELECT id FROM deleted`
  }))
  return (operatorId: number, id: number, now: Date) => readIdentity(statement({ operatorId, id, now }))
}

/** The SQL of the reservation tag dictionary; which stays carry a tag is the stays' own. */
export class ReservationTagStore extends Context.Service<ReservationTagStore>()(
  "latchkey/resources/ReservationTagStore",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      search: search(sql),
      create: create(sql),
      remove: remove(sql),
      withNameHolder: withNameHolder(sql, { table: "usable_reservation_tags", column: "tag_name" })
    }))
  }
) {
  static readonly layer = Layer.effect(ReservationTagStore, ReservationTagStore.make)
}
