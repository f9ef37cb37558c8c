import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { asItIs, onRecordInForms, touchedBetween, touchedIn } from "../../../changes/on-record.ts"
import { nameTaken } from "../../../contract/names.ts"
import type { Page } from "../../../contract/page.ts"
import { rowUnless } from "../../../platform/database/constraints.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { pagesOf } from "../../../platform/database/pages.ts"
import { clearFormer, idsOn, putOn, replaced } from "../../../platform/database/replaced-list.ts"
import { nameKeyParameter, renamedTo } from "../../named-row.ts"
import { type OfOperator, type OwnRow, removal, withNameHolder } from "../../own-row.ts"
import { allKnown, preconditions, selectWritten, Written } from "../properties/belonging.ts"
import { Group, type search_property_groups } from "./contract.ts"

/** Which groups a search means; what is not given does not narrow it. */
export type GroupSearch = Pick<typeof search_property_groups.payloadSchema.Type, "id">

export type NewGroup = Omit<Group, "id">

/** What an edit sets; what is undefined stays. */
export type GroupEdit = { readonly [Field in keyof NewGroup]: NewGroup[Field] | undefined }

const readWritten = rowUnless(Written, ({ name }) =>
  name === "property_groups_name" || name === "property_groups_name_key" ? nameTaken("name", "group") : undefined
)

const PROPERTIES = { rows: "group_properties", owner: "group_id", item: "property_id", version: "properties_version" }

const search = (sql: SqlClient.SqlClient) => {
  const page = pagesOf(sql, Group, ({ operatorId, id }: Givens<OfOperator & { readonly id: number | undefined }>) => ({
    matching: sql`
      SELECT * FROM property_groups WHERE operator_id = ${operatorId} AND ${id === undefined ? sql`true` : sql`id = ${id}`}`,
    orderBy: sql`id`,
    columns: { property_ids: idsOn(sql, PROPERTIES) }
  }))
  return (operatorId: number, { id }: GroupSearch, asked: Page) => page({ operatorId, id }, asked)
}

interface Made extends OfOperator, NewGroup {
  readonly now: Date
}

/** Fails when the name is taken. */
const create = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, name, property_ids, now }: Givens<Made>) => ({
    change: sql`
      ${preconditions(sql, operatorId, { property_ids })},
      written AS (
        INSERT INTO property_groups (operator_id, name, name_key, created_at)
        SELECT ${operatorId}::bigint, ${name}::text, ${nameKeyParameter(sql, name)}, ${now}::timestamptz
        FROM preconditions WHERE ${allKnown(sql)}
        RETURNING operator_id, id, properties_version
      ), attached AS (${putOn(sql, PROPERTIES, property_ids)})`,
    events: [],
    touched: touchedIn(sql, "group", "written"),
    outcome: selectWritten(sql)
  }))
  return (operatorId: number, { name, property_ids }: NewGroup, now: Date) =>
    readWritten(statement({ operatorId, name, property_ids, now }))
}

interface Edited extends OwnRow, GroupEdit {}

/** Fails when the name is taken. */
const update = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ operatorId, id, name, property_ids }: Givens<Edited>) => ({
    change: sql`
      ${preconditions(sql, operatorId, { property_ids })},
      before AS (${asItIs(sql, "property_groups", operatorId, id)}),
      written AS (
        UPDATE property_groups g SET
          ${renamedTo(sql, "g", name)}, ${replaced(sql, PROPERTIES, property_ids, "g")}
        FROM before, preconditions WHERE g.operator_id = before.operator_id AND g.id = before.id AND ${allKnown(sql)}
        RETURNING g.*
      ), former AS (${clearFormer(sql, PROPERTIES)}), attached AS (${putOn(sql, PROPERTIES, property_ids)})`,
    events: [],
    touched: touchedBetween(sql, "group", "written"),
    outcome: selectWritten(sql)
  }))
  return (operatorId: number, id: number, { name, property_ids }: GroupEdit) =>
    readWritten(statement({ operatorId, id, name, property_ids }))
}

/** Answers the deleted group's id, or undefined when there is none. */
const remove = (sql: SqlClient.SqlClient) =>
  removal(
    sql,
    "group",
    ({ operatorId, id }) =>
      sql`DELETE FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id`
  )

/** The SQL of property groups. */
export class GroupStore extends Context.Service<GroupStore>()("latchkey/resources/GroupStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    create: create(sql),
    update: update(sql),
    remove: remove(sql),
    withNameHolder: withNameHolder(sql, { table: "property_groups", column: "name" })
  }))
}) {
  static readonly layer = Layer.effect(GroupStore, GroupStore.make)
}
