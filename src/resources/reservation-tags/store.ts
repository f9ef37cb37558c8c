import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecord, touchedIn } from "../../changes/on-record.ts"
import { ValidationFailed } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { PaletteColor } from "../../contract/palette.ts"
import { rowUnless } from "../../database/constraints.ts"
import { loweredOnce } from "../../database/parameters.ts"
import { paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { ReservationTag, type search_reservation_tags } from "./contract.ts"

/** Which tags a search means; what is not given does not narrow it. */
export type ReservationTagSearch = Pick<typeof search_reservation_tags.payloadSchema.Type, "id" | "keyword">

export interface NewReservationTag extends Pick<ReservationTag, "tag_name"> {
  /** Of a new one: a restored tag keeps its colour. */
  readonly color: PaletteColor
}

/** Null when the name is taken. */
const Written = Schema.Struct({ id: Schema.NullOr(Schema.Int), color: Schema.NullOr(PaletteColor) })

const readPage = pageRowsOf(ReservationTag)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readWritten = rowUnless(Written, ({ name, detail }) =>
  name === "reservation_tag_limit"
    ? new ValidationFailed({
        message: `reservation_tag_limit: there are ${detail} tags of your own, and no more are allowed.`
      })
    : undefined
)

const search = (sql: SqlClient.SqlClient) => (operatorId: number, wanted: ReservationTagSearch, page: Page) => {
  const conditions = [sql`operator_id = ${operatorId}`]
  if (wanted.id !== undefined) conditions.push(sql`id = ${wanted.id}`)
  if (wanted.keyword !== undefined) {
    conditions.push(sql`position(${loweredOnce(sql, wanted.keyword)} in lower(tag_name)) > 0`)
  }
  // The ids of the default tags are the lowest.
  return readPage(sql`
    ${paged(sql, {
      matching: sql`SELECT * FROM usable_reservation_tags WHERE ${sql.and(conditions)}`,
      orderBy: sql`id`,
      ...page
    })}
    SELECT counted.total, page.position, page.id, page.tag_name, page.color, page.is_default
    FROM counted LEFT JOIN page ON true
    ORDER BY page.position`)
}

/** Makes a tag, or restores the deleted one of that name. Fails when there is no room for one more. */
const create = (sql: SqlClient.SqlClient) => (operatorId: number, tag: NewReservationTag, now: Date) =>
  readWritten(
    onRecord(sql, {
      change: sql`
        written AS (
          INSERT INTO reservation_tags AS tag (operator_id, tag_name, color, created_at)
          SELECT ${operatorId}::bigint, ${tag.tag_name}::text, ${tag.color}::text, ${now}::timestamptz
          WHERE NOT EXISTS (SELECT FROM default_reservation_tags WHERE tag_name = ${tag.tag_name})
          ON CONFLICT (operator_id, tag_name) DO UPDATE SET deleted_at = NULL WHERE tag.deleted_at IS NOT NULL
          RETURNING operator_id, id, color
        )`,
      events: [],
      touched: touchedIn(sql, "reservation_tag", "written"),
      outcome: sql`SELECT written.id, written.color FROM (SELECT) one LEFT JOIN written ON true`
    })
  )

/**
 * Answers the deleted tag's id, or undefined when there is none of the operator's own. The raised stays_version
 * takes it off every stay (migration 0003_portfolio).
 */
const remove = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, now: Date) =>
  readIdentity(
    onRecord(sql, {
      change: sql`
        deleted AS (
          UPDATE reservation_tags SET deleted_at = ${now}::timestamptz, stays_version = stays_version + 1
          WHERE operator_id = ${operatorId} AND id = ${id} AND deleted_at IS NULL
          RETURNING operator_id, id
        )`,
      events: [],
      touched: touchedIn(sql, "reservation_tag", "deleted"),
      outcome: sql`SELECT id FROM deleted`
    })
  )

/** The SQL of the reservation tag dictionary; which stays carry a tag is the stays' own. */
export class ReservationTagStore extends Context.Service<ReservationTagStore>()(
  "latchkey/resources/ReservationTagStore",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({ search: search(sql), create: create(sql), remove: remove(sql) }))
  }
) {
  static readonly layer = Layer.effect(ReservationTagStore, ReservationTagStore.make)
}
