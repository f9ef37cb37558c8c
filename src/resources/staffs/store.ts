import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { idsParameter } from "../../database/parameters.ts"
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

/** The SQL of staff. How a list is replaced as a whole is told in migration 0003_portfolio. */
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
          ARRAY(
            SELECT link.property_id FROM staff_properties link
            WHERE link.operator_id = page.operator_id AND link.staff_id = page.id AND link.version = page.properties_version
            ORDER BY link.property_id) AS property_ids
        FROM counted LEFT JOIN page ON true
        ORDER BY page.position`)
    }

    /** Puts the given properties on the list of the CTE `written`, a person with the version that counts now. */
    const assigned = (propertyIds: ReadonlyArray<number>): Fragment => sql`
      INSERT INTO staff_properties (operator_id, staff_id, version, property_id)
      SELECT written.operator_id, written.id, written.properties_version, given.id
      FROM written, unnest(${idsParameter(propertyIds)}::bigint[]) AS given (id)`

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
        ), assigned AS (${assigned(staff.propertyIds)})
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
        ), former AS (
          DELETE FROM staff_properties link USING written
          WHERE link.operator_id = written.operator_id AND link.staff_id = written.id
            AND link.version < written.properties_version
        ), assigned AS (${assigned(edit.propertyIds ?? [])})
        ${outcome}`)

    /** Answers the deleted person's id, or undefined when there is none. Their tasks lose the assignment. */
    const remove = (operatorId: number, id: number) =>
      readIdentity(sql`DELETE FROM staffs WHERE operator_id = ${operatorId} AND id = ${id} RETURNING id`)

    return { search, create, update, remove }
  })
}) {
  static readonly layer = Layer.effect(StaffStore, StaffStore.make)
}
