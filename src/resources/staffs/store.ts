import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { clearFormer, idsOn, putOn } from "../../database/replaced-list.ts"
import { onlyRowOf, paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { unknownProperties } from "../properties/belonging.ts"
import { Staff } from "./contract.ts"

/** What is undefined does not narrow the search. */
export interface Search {
  readonly id: number | undefined
  readonly active: boolean | undefined
}

export interface NewStaff {
  readonly name: string
  readonly mobile: string
  readonly email: string
  readonly note: string
  readonly propertyIds: ReadonlyArray<number>
}

/** What an edit sets; what is undefined stays. */
export interface Edit {
  readonly name: string | undefined
  readonly mobile: string | undefined
  readonly email: string | undefined
  readonly note: string | undefined
  readonly active: boolean | undefined
  readonly propertyIds: ReadonlyArray<number> | undefined
}

/** `id` is null when nothing changed: because of the unknown properties, or else because there is no such person. */
const Written = Schema.Struct({ id: Schema.NullOr(Schema.Int), unknownProperties: Schema.Array(Schema.Int) })

const readPage = pageRowsOf(Staff)
const readWritten = onlyRowOf(Written)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))

const PROPERTIES = { rows: "staff_properties", owner: "staff_id", item: "property_id", version: "properties_version" }

/** The SQL of staff. */
export class StaffStore extends Context.Service<StaffStore>()("latchkey/resources/StaffStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const search = (operatorId: number, wanted: Search, page: Page) => {
      const conditions: Array<Fragment> = [sql`operator_id = ${operatorId}`]
      if (wanted.id !== undefined) conditions.push(sql`id = ${wanted.id}`)
      if (wanted.active !== undefined) conditions.push(sql`is_active = ${wanted.active}`)
      return readPage(sql`${paged(sql, {
        matching: sql`SELECT * FROM staffs WHERE ${sql.and(conditions)}`,
        orderBy: sql`id`,
        ...page
      })}
        SELECT counted.total, page.position, page.id, page.name, page.mobile, page.email, page.note, page.is_active,
          ${idsOn(sql, PROPERTIES)} AS property_ids
        FROM counted LEFT JOIN page ON true
        ORDER BY page.position`)
    }

    const outcome = sql`
      SELECT written.id, ground.unknown AS "unknownProperties" FROM ground LEFT JOIN written ON true`

    const create = (operatorId: number, staff: NewStaff, now: Date) =>
      readWritten(sql`
        WITH ground AS (SELECT ${unknownProperties(sql, operatorId, staff.propertyIds)} AS unknown),
        written AS (
          INSERT INTO staffs (operator_id, name, mobile, email, note, created_at, updated_at)
          SELECT ${operatorId}::bigint, ${staff.name}::text, ${staff.mobile}::text, ${staff.email}::text,
            ${staff.note}::text, ${now}::timestamptz, ${now}::timestamptz
          FROM ground WHERE ground.unknown = '{}'
          RETURNING operator_id, id, properties_version
        ), assigned AS (${putOn(sql, PROPERTIES, staff.propertyIds)})
        ${outcome}`)

    const update = (operatorId: number, id: number, edit: Edit, now: Date) =>
      readWritten(sql`
        WITH ground AS (SELECT ${unknownProperties(sql, operatorId, edit.propertyIds ?? [])} AS unknown),
        written AS (
          UPDATE staffs SET
            name = coalesce(${edit.name ?? null}::text, name),
            mobile = coalesce(${edit.mobile ?? null}::text, mobile),
            email = coalesce(${edit.email ?? null}::text, email),
            note = coalesce(${edit.note ?? null}::text, note),
            is_active = coalesce(${edit.active ?? null}::boolean, is_active),
            properties_version = properties_version + ${edit.propertyIds === undefined ? 0 : 1},
            updated_at = ${now}
          FROM ground WHERE operator_id = ${operatorId} AND id = ${id} AND ground.unknown = '{}'
          RETURNING operator_id, id, properties_version
        ), former AS (${clearFormer(sql, PROPERTIES)}), assigned AS (${putOn(sql, PROPERTIES, edit.propertyIds ?? [])})
        ${outcome}`)

    /** Answers the deleted person's id, or undefined when there is none. Their tasks lose the assignment. */
    const remove = (operatorId: number, id: number) =>
      readIdentity(sql`DELETE FROM staffs WHERE operator_id = ${operatorId} AND id = ${id} RETURNING id`)

    return { search, create, update, remove }
  })
}) {
  static readonly layer = Layer.effect(StaffStore, StaffStore.make)
}
