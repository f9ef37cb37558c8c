import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict } from "../../contract/errors.ts"
import type { Page } from "../../contract/page.ts"
import { rowUnless } from "../../database/constraints.ts"
import { clearFormer, idsOn, putOn } from "../../database/replaced-list.ts"
import { paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { unknownProperties } from "../properties/belonging.ts"
import { Group } from "./contract.ts"

/** What an edit sets; what is undefined stays. */
export interface GroupEdit {
  readonly name: string | undefined
  readonly propertyIds: ReadonlyArray<number> | undefined
}

/** `id` is null when nothing changed: because of the unknown properties, or else because there is no such group. */
const Written = Schema.Struct({ id: Schema.NullOr(Schema.Int), unknownProperties: Schema.Array(Schema.Int) })

const readPage = pageRowsOf(Group)
const readIdentity = rowOf(Schema.Struct({ id: Schema.Int }))
const readWritten = rowUnless(Written, ({ name }) =>
  name === "property_groups_name" ? new Conflict({ message: "name: another group has it already." }) : undefined
)

const PROPERTIES = { rows: "group_properties", owner: "group_id", item: "property_id", version: "properties_version" }

/** The SQL of property groups. */
export class GroupStore extends Context.Service<GroupStore>()("latchkey/resources/GroupStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const search = (operatorId: number, wanted: { readonly id: number | undefined }, page: Page) =>
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

    const outcome = sql`
      SELECT written.id, ground.unknown AS "unknownProperties" FROM ground LEFT JOIN written ON true`

    /** Fails when the name is taken. */
    const create = (operatorId: number, name: string, propertyIds: ReadonlyArray<number>, now: Date) =>
      readWritten(sql`
        WITH ground AS (SELECT ${unknownProperties(sql, operatorId, propertyIds)} AS unknown),
        written AS (
          INSERT INTO property_groups (operator_id, name, created_at)
          SELECT ${operatorId}::bigint, ${name}::text, ${now}::timestamptz FROM ground WHERE ground.unknown = '{}'
          RETURNING operator_id, id, properties_version
        ), attached AS (${putOn(sql, PROPERTIES, propertyIds)})
        ${outcome}`)

    /** Fails when the name is taken. */
    const update = (operatorId: number, id: number, edit: GroupEdit) =>
      readWritten(sql`
        WITH ground AS (SELECT ${unknownProperties(sql, operatorId, edit.propertyIds ?? [])} AS unknown),
        written AS (
          UPDATE property_groups SET
            name = coalesce(${edit.name ?? null}::text, name),
            properties_version = properties_version + ${edit.propertyIds === undefined ? 0 : 1}
          FROM ground WHERE operator_id = ${operatorId} AND id = ${id} AND ground.unknown = '{}'
          RETURNING operator_id, id, properties_version
        ), former AS (${clearFormer(sql, PROPERTIES)}), attached AS (${putOn(sql, PROPERTIES, edit.propertyIds ?? [])})
        ${outcome}`)

    /** Answers the deleted group's id, or undefined when there is none. */
    const remove = (operatorId: number, id: number) =>
      readIdentity(sql`DELETE FROM property_groups WHERE operator_id = ${operatorId} AND id = ${id} RETURNING id`)

    return { search, create, update, remove }
  })
}) {
  static readonly layer = Layer.effect(GroupStore, GroupStore.make)
}
