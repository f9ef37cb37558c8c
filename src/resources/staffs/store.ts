import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { paged, pageRowsOf, rowOf } from "../../database/rows.ts"
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

/** A change happened, `id` then tells whose, or the ids it names that are no properties of the operator forbade it. */
const Written = Schema.Struct({ id: Schema.NullOr(Schema.Int), unknownProperties: Schema.Array(Schema.Int) })

const readPage = pageRowsOf(Staff)
const readWritten = rowOf(Written)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))

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
          coalesce(assigned.property_ids, '[]') AS property_ids
        FROM counted LEFT JOIN page ON true
        LEFT JOIN LATERAL (
          SELECT jsonb_agg(link.property_id ORDER BY link.property_id) AS property_ids
          FROM staff_properties link
          WHERE link.operator_id = page.operator_id AND link.staff_id = page.id AND link.assignment = page.assignment
        ) assigned ON true
        ORDER BY page.position`)
    }

    /** The CTEs `wanted`, the properties named, and `unknown`, those of them the operator does not have. */
    const named = (operatorId: number, propertyIds: ReadonlyArray<number>): Fragment => sql`
      wanted AS (SELECT DISTINCT unnest(${propertyIds}::bigint[]) AS id),
      unknown AS (SELECT id FROM wanted EXCEPT SELECT id FROM properties WHERE operator_id = ${operatorId})`

    const assigned = sql`
      INSERT INTO staff_properties (operator_id, staff_id, assignment, property_id)
      SELECT staff.operator_id, staff.id, staff.assignment, wanted.id FROM staff, wanted`

    const written = sql`
      SELECT (SELECT id FROM staff) AS id,
        coalesce((SELECT jsonb_agg(id ORDER BY id) FROM unknown), '[]') AS "unknownProperties"`

    const create = (operatorId: number, staff: NewStaff, now: Date) =>
      readWritten(sql`
        WITH ${named(operatorId, staff.propertyIds)},
        staff AS (
          INSERT INTO staffs (operator_id, name, mobile, email, note, created_at, updated_at)
          SELECT ${operatorId}::bigint, ${staff.name}::text, ${staff.mobile}::text, ${staff.email}::text,
            ${staff.note}::text, ${now}::timestamptz, ${now}::timestamptz
          WHERE NOT EXISTS (SELECT FROM unknown)
          RETURNING operator_id, id, assignment
        ), assigned AS (${assigned})
        ${written}`)

    /**
     * A new list gets a new assignment number. Of two replacements at once the second waits for the first one's row and
     * counts on from it, so that what counts afterwards is the whole of one list, although neither statement sees the
     * rows the other inserts. Rows of former lists mean nothing; the next change deletes them.
     */
    const update = (operatorId: number, id: number, edit: Edit, now: Date) =>
      readWritten(sql`
        WITH ${named(operatorId, edit.propertyIds ?? [])},
        staff AS (
          UPDATE staffs SET
            name = coalesce(${edit.name ?? null}::text, name),
            mobile = coalesce(${edit.mobile ?? null}::text, mobile),
            email = coalesce(${edit.email ?? null}::text, email),
            note = coalesce(${edit.note ?? null}::text, note),
            is_active = coalesce(${edit.active ?? null}::boolean, is_active),
            assignment = assignment + ${edit.propertyIds === undefined ? 0 : 1},
            updated_at = ${now}
          WHERE operator_id = ${operatorId} AND id = ${id} AND NOT EXISTS (SELECT FROM unknown)
          RETURNING operator_id, id, assignment
        ), assigned AS (${assigned}),
        former AS (
          DELETE FROM staff_properties link USING staff
          WHERE link.operator_id = staff.operator_id AND link.staff_id = staff.id AND link.assignment < staff.assignment
        )
        ${written}`)

    /** Answers the deleted person's id, or undefined when there is none. Their tasks lose the assignment. */
    const remove = (operatorId: number, id: number) =>
      readIdentity(sql`DELETE FROM staffs WHERE operator_id = ${operatorId} AND id = ${id} RETURNING id`)

    return { search, create, update, remove }
  })
}) {
  static readonly layer = Layer.effect(StaffStore, StaffStore.make)
}
