import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { asItIs, onRecordInForms, touchedBetween, touchedIn } from "../../../changes/on-record.ts"
import type { Page } from "../../../contract/page.ts"
import { column, givenRow, namesOf, settingsOf } from "../../../platform/database/columns.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { clearFormer, idsOn, putOn, replaced } from "../../../platform/database/replaced-list.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { type OfOperator, type OwnRow, removal } from "../../own-row.ts"
import { allKnown, preconditions, selectWritten, Written } from "../../properties/properties/belonging.ts"
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

const readWritten = onlyRowOf(Written)

const search = (sql: Sql) => {
  const page = pagesOf(sql, Staff, ({ operatorId, id, is_active }: Givens<StaffSearch & OfOperator>) => {
    const conditions: Array<Fragment> = [sql`operator_id = ${operatorId}`]
    if (id !== undefined) conditions.push(sql`id = ${id}`)
    if (is_active !== undefined) conditions.push(sql`is_active = ${is_active}`)
    return {
      matching: sql`SELECT * FROM staffs WHERE ${sql.and(conditions)}`,
      orderBy: sql`id`,
      columns: { property_ids: propertyIdsOn(sql) }
    }
  })
  return (operatorId: number, { id, is_active }: StaffSearch, asked: Page) => page({ operatorId, id, is_active }, asked)
}

interface Created extends OfOperator, Pick<NewStaff, "property_ids"> {
  readonly staff: NewStaff
  readonly now: Date
}

const create = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, staff, property_ids, now }: Givens<Created>) => ({
    change: sql`
      ${preconditions(sql, operatorId, { property_ids })},
      written AS (
        INSERT INTO staffs (operator_id, created_at, updated_at, ${sql.literal(namesOf(GivenStaff))})
        SELECT ${operatorId}, ${now}::timestamptz, ${now}::timestamptz, ${sql.literal(namesOf(GivenStaff))}
        FROM preconditions, ${givenRow(sql, GivenStaff, staff)} WHERE ${allKnown(sql)}
        RETURNING operator_id, id, properties_version
      ), assigned AS (${putOn(sql, PROPERTIES, property_ids)})`,
    events: [],
    touched: touchedIn(sql, "staff", "written"),
    outcome: selectWritten(sql)
  }))
  return (operatorId: number, staff: NewStaff, now: Date) =>
    readWritten(statement({ operatorId, staff, property_ids: staff.property_ids, now }))
}

interface Edited extends OwnRow, Required<StaffEdit> {
  readonly now: Date
}

const update = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, now, ...edit }: Givens<Edited>) => ({
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
  }))
  return (operatorId: number, id: number, edit: StaffEdit, now: Date) => {
    const { name, mobile, email, note, is_active, property_ids } = edit
    return readWritten(statement({ operatorId, id, name, mobile, email, note, is_active, property_ids, now }))
  }
}

/** Answers the deleted person's id, or undefined when there is none. Their tasks lose the assignment. */
const remove = (sql: Sql) =>
  removal(
    sql,
    "staff",
    ({ operatorId, id }) =>
      sql`DELETE FROM staffs WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
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
