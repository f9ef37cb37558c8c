import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { asItIs, onRecord, touchedBetween, touchedIn } from "../../changes/on-record.ts"
import type { Page } from "../../contract/page.ts"
import { column, givenRow, namesOf, settingsOf } from "../../database/columns.ts"
import { clearFormer, idsOn, putOn, replaced } from "../../database/replaced-list.ts"
import { onlyRowOf, paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { allKnown, preconditions, selectWritten, Written } from "../properties/belonging.ts"
import { Staff } from "./contract.ts"

// The SQL of staff. A change is one statement, its list of properties included.

type Sql = SqlClient.SqlClient

/** Which people a search means; what is undefined does not narrow it. */
export type StaffSearch = { readonly [Field in "id" | "is_active"]?: Staff[Field] | undefined }

/** The columns a new person fills. */
const GivenStaff = Schema.Struct({
  name: column("text", Staff.fields.name),
  mobile: column("text", Staff.fields.mobile),
  email: column("text", Staff.fields.email),
  note: column("text", Staff.fields.note)
})
export type NewStaff = typeof GivenStaff.Type & Pick<Staff, "property_ids">

/** The columns an edit sets. */
const EditedStaff = Schema.Struct({ ...GivenStaff.fields, is_active: column("boolean", Staff.fields.is_active) })

/** What an edit sets; what is undefined stays. */
export type StaffEdit = { readonly [Field in Exclude<keyof Staff, "id">]?: Staff[Field] | undefined }

/** The list of the properties a person is limited to. */
const PROPERTIES = { rows: "staff_properties", owner: "staff_id", item: "property_id", version: "properties_version" }

/** The ids on it, of the person in `page`. */
export const propertyIdsOn = (sql: Sql): Fragment => idsOn(sql, PROPERTIES)

const readPage = pageRowsOf(Staff)
const readWritten = onlyRowOf(Written)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))

const search = (sql: Sql) => (operatorId: number, wanted: StaffSearch, page: Page) => {
  const conditions: Array<Fragment> = [sql`operator_id = ${operatorId}`]
  if (wanted.id !== undefined) conditions.push(sql`id = ${wanted.id}`)
  if (wanted.is_active !== undefined) conditions.push(sql`is_active = ${wanted.is_active}`)
  return readPage(sql`${paged(sql, {
    matching: sql`SELECT * FROM staffs WHERE ${sql.and(conditions)}`,
    orderBy: sql`id`,
    ...page
  })}
    SELECT counted.total, page.position, page.id, page.name, page.mobile, page.email, page.note, page.is_active,
      ${propertyIdsOn(sql)} AS property_ids
    FROM counted LEFT JOIN page ON true
    ORDER BY page.position`)
}

const create = (sql: Sql) => (operatorId: number, staff: NewStaff, now: Date) =>
  readWritten(
    onRecord(sql, {
      change: sql`
        ${preconditions(sql, operatorId, staff)},
        written AS (
          INSERT INTO staffs (operator_id, created_at, updated_at, ${sql.literal(namesOf(GivenStaff))})
          SELECT ${operatorId}, ${now}::timestamptz, ${now}::timestamptz, ${sql.literal(namesOf(GivenStaff))}
          FROM preconditions, ${givenRow(sql, GivenStaff, staff)} WHERE ${allKnown(sql)}
          RETURNING operator_id, id, properties_version
        ), assigned AS (${putOn(sql, PROPERTIES, staff.property_ids)})`,
      events: [],
      touched: touchedIn(sql, "staff", "written"),
      outcome: selectWritten(sql)
    })
  )

const update = (sql: Sql) => (operatorId: number, id: number, edit: StaffEdit, now: Date) =>
  readWritten(
    onRecord(sql, {
      change: sql`
        ${preconditions(sql, operatorId, edit)},
        before AS (${asItIs(sql, "staffs", operatorId, id)}),
        written AS (
          UPDATE staffs s SET updated_at = ${now}, ${settingsOf(sql, EditedStaff, "s", edit)},
            ${replaced(sql, PROPERTIES, edit.property_ids, "s")}
          FROM before, preconditions
          WHERE s.operator_id = before.operator_id AND s.id = before.id AND ${allKnown(sql)}
          RETURNING s.*
        ), former AS (${clearFormer(sql, PROPERTIES)}), assigned AS (${putOn(sql, PROPERTIES, edit.property_ids)})`,
      events: [],
      touched: touchedBetween(sql, "staff", "written"),
      outcome: selectWritten(sql)
    })
  )

/** Answers the deleted person's id, or undefined when there is none. Their tasks lose the assignment. */
const remove = (sql: Sql) => (operatorId: number, id: number) =>
  readIdentity(
    onRecord(sql, {
      change: sql`
        deleted AS (DELETE FROM staffs WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id)`,
      events: [],
      touched: touchedIn(sql, "staff", "deleted"),
      outcome: sql`SELECT id FROM deleted`
    })
  )

export class StaffStore extends Context.Service<StaffStore>()("latchkey/resources/StaffStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    create: create(sql),
    update: update(sql),
    remove: remove(sql)
  }))
}) {
  static readonly layer = Layer.effect(StaffStore, StaffStore.make)
}
