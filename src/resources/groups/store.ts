import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { asItIs, onRecord, touchedBetween, touchedIn } from "../../changes/on-record.ts"
import { nameTaken } from "../../contract/names.ts"
import type { Page } from "../../contract/page.ts"
import { rowUnless } from "../../database/constraints.ts"
import { clearFormer, idsOn, putOn, replaced } from "../../database/replaced-list.ts"
import { paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { allKnown, preconditions, selectWritten, Written } from "../properties/belonging.ts"
import { Group, type search_property_groups } from "./contract.ts"

/** Which groups a search means; what is not given does not narrow it. */
export type GroupSearch = Pick<typeof search_property_groups.payloadSchema.Type, "id">

export type NewGroup = Omit<Group, "id">

/** What an edit sets; what is undefined stays. */
export type GroupEdit = { readonly [Field in keyof NewGroup]: NewGroup[Field] | undefined }

const readPage = pageRowsOf(Group)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readWritten = rowUnless(Written, ({ name }) =>
  name === "property_groups_name" ? nameTaken("name", "group") : undefined
)

const PROPERTIES = { rows: "group_properties", owner: "group_id", item: "property_id", version: "properties_version" }

const search = (sql: SqlClient.SqlClient) => (operatorId: number, wanted: GroupSearch, page: Page) =>
  readPage(sql`
    ${paged(sql, {
      matching: sql`
        SELECT * FROM property_groups
        WHERE operator_id = ${operatorId} AND ${wanted.id === undefined ? sql`true` : sql`id = ${wanted.id}`}`,
      orderBy: sql`id`,
      ...page
    })}
    SELECT counted.total, page.position, page.id, page.name, ${idsOn(sql, PROPERTIES)} AS property_ids
    FROM counted LEFT JOIN page ON true
    ORDER BY page.position`)

/** Fails when the name is taken. */
const create = (sql: SqlClient.SqlClient) => (operatorId: number, group: NewGroup, now: Date) =>
  readWritten(
    onRecord(sql, {
      change: sql`
        ${preconditions(sql, operatorId, group)},
        written AS (
          INSERT INTO property_groups (operator_id, name, created_at)
          SELECT ${operatorId}::bigint, ${group.name}::text, ${now}::timestamptz
          FROM preconditions WHERE ${allKnown(sql)}
          RETURNING operator_id, id, properties_version
        ), attached AS (${putOn(sql, PROPERTIES, group.property_ids)})`,
      events: [],
      touched: touchedIn(sql, "group", "written"),
      outcome: selectWritten(sql)
    })
  )

/** Fails when the name is taken. */
const update = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, edit: GroupEdit) =>
  readWritten(
    onRecord(sql, {
      change: sql`
        ${preconditions(sql, operatorId, edit)},
        before AS (${asItIs(sql, "property_groups", operatorId, id)}),
        written AS (
          UPDATE property_groups g SET
            name = coalesce(${edit.name ?? null}::text, g.name), ${replaced(sql, PROPERTIES, edit.property_ids, "g")}
          FROM before, preconditions WHERE g.operator_id = before.operator_id AND g.id = before.id AND ${allKnown(sql)}
          RETURNING g.*
        ), former AS (${clearFormer(sql, PROPERTIES)}), attached AS (${putOn(sql, PROPERTIES, edit.property_ids)})`,
      events: [],
      touched: touchedBetween(sql, "group", "written"),
      outcome: selectWritten(sql)
    })
  )

/** Answers the deleted group's id, or undefined when there is none. */
const remove = (sql: SqlClient.SqlClient) => (operatorId: number, id: number) =>
  readIdentity(
    onRecord(sql, {
      change: sql`
        deleted AS (
          DELETE FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id} RETURNING operator_id, id)`,
      events: [],
      touched: touchedIn(sql, "group", "deleted"),
      outcome: sql`SELECT id FROM deleted`
    })
  )

/** The SQL of property groups. */
export class GroupStore extends Context.Service<GroupStore>()("latchkey/resources/GroupStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    search: search(sql),
    create: create(sql),
    update: update(sql),
    remove: remove(sql)
  }))
}) {
  static readonly layer = Layer.effect(GroupStore, GroupStore.make)
}
