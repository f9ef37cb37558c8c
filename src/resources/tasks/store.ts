import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { onlyRowOf, paged, pageRowsOf, rowOf } from "../../database/rows.ts"
import { Level, Status, Type } from "./contract.ts"

/** Which tasks a search means; what is undefined does not narrow it. */
export interface Search {
  readonly id: number | undefined
  readonly expected: { readonly start: string; readonly end: string } | undefined
  readonly staffId: number | undefined
  readonly propertyId: number | undefined
  readonly type: typeof Type.Type | undefined
  readonly status: typeof Status.Type | undefined
}

const TaskRow = Schema.Struct({
  id: Schema.Int,
  type: Type,
  status: Status,
  level: Level,
  propertyId: Schema.NullOr(Schema.Int),
  propertyTitle: Schema.NullOr(Schema.String),
  stayCode: Schema.NullOr(Schema.String),
  staffId: Schema.NullOr(Schema.Int),
  staffName: Schema.NullOr(Schema.String),
  expectedDate: Schema.NullOr(Schema.String),
  expectedTime: Schema.NullOr(Schema.String),
  currency: Schema.String,
  fee: Schema.FiniteFromString,
  note: Schema.String,
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type TaskRow = typeof TaskRow.Type

/** What the rules need to know before a task is created. */
const Ground = Schema.Struct({
  propertyKnown: Schema.Boolean,
  staffKnown: Schema.Boolean,
  stayId: Schema.NullOr(Schema.Int),
  stayPropertyId: Schema.NullOr(Schema.Int)
})

/** What the rules need to know before a task is changed. */
const Existing = Schema.Struct({
  propertyId: Schema.NullOr(Schema.Int),
  stayCode: Schema.NullOr(Schema.String),
  stayPropertyId: Schema.NullOr(Schema.Int),
  currency: Schema.String,
  /** As the database has it, to see whether it is still the same when the change is written. */
  fee: Schema.String,
  propertyKnown: Schema.Boolean,
  staffKnown: Schema.Boolean
})

const readPage = pageRowsOf(TaskRow)
const readGround = onlyRowOf(Ground)
const readExisting = rowOf(Existing)
const Identity = Schema.Struct({ id: Schema.Int })
const readCreated = onlyRowOf(Identity)
const readIdentity = rowOf(Identity)
const readKnown = onlyRowOf(Schema.Struct({ property: Schema.Boolean, staff: Schema.Boolean }))

export interface NewTask {
  readonly type: typeof Type.Type
  readonly status: typeof Status.Type
  readonly level: typeof Level.Type
  readonly propertyId: number | null
  readonly staffId: number | null
  readonly stayId: number | null
  readonly expectedDate: string | null
  readonly expectedTime: string | null
  readonly currency: string
  readonly fee: string
  readonly note: string
}

/** What an edit sets. Undefined stays as it is; null, where there can be none, takes away. */
export interface Edit {
  readonly type: typeof Type.Type | undefined
  readonly status: typeof Status.Type | undefined
  readonly level: typeof Level.Type | undefined
  readonly propertyId: number | null | undefined
  readonly staffId: number | null | undefined
  readonly expectedDate: string | null | undefined
  readonly expectedTime: string | null | undefined
  readonly note: string | undefined
  /** Currency and fee belong together: they are set if the task still has those they were judged by. */
  readonly price:
    | {
        readonly currency: string
        readonly fee: string
        readonly seen: { readonly currency: string; readonly fee: string }
      }
    | undefined
}

export class TaskStore extends Context.Service<TaskStore>()("latchkey/resources/TaskStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const conditions = (operatorId: number, search: Search): ReadonlyArray<Fragment> => {
      const all: Array<Fragment> = [sql`operator_id = ${operatorId}`]
      if (search.id !== undefined) all.push(sql`id = ${search.id}`)
      if (search.expected !== undefined) {
        all.push(sql`expected_date BETWEEN ${search.expected.start}::date AND ${search.expected.end}::date`)
      }
      if (search.staffId !== undefined) all.push(sql`staff_id = ${search.staffId}`)
      if (search.propertyId !== undefined) all.push(sql`property_id = ${search.propertyId}`)
      if (search.type !== undefined) all.push(sql`type = ${search.type}`)
      if (search.status !== undefined) all.push(sql`status = ${search.status}`)
      return all
    }

    const search = (operatorId: number, wanted: Search, page: Page) =>
      readPage(sql`${paged(sql, {
        matching: sql`SELECT * FROM tasks WHERE ${sql.and(conditions(operatorId, wanted))}`,
        orderBy: sql`expected_date DESC NULLS FIRST, expected_time DESC NULLS LAST, id DESC`,
        ...page
      })}
        SELECT counted.total, page.position, page.id, page.type, page.status, page.level, page.currency, page.fee, page.note,
          page.expected_date AS "expectedDate", page.expected_time::text AS "expectedTime",
          page.created_at AS "createdAt", page.updated_at AS "updatedAt",
          page.property_id AS "propertyId", property.title AS "propertyTitle",
          page.staff_id AS "staffId", staff.name AS "staffName", stay.stay_code AS "stayCode"
        FROM counted LEFT JOIN page ON true
        LEFT JOIN properties property ON property.operator_id = page.operator_id AND property.id = page.property_id
        LEFT JOIN staffs staff ON staff.operator_id = page.operator_id AND staff.id = page.staff_id
        LEFT JOIN stays stay ON stay.operator_id = page.operator_id AND stay.id = page.stay_id
        ORDER BY page.position`)

    const propertyKnown = (operatorId: number, id: number | undefined): Fragment =>
      id === undefined
        ? sql`true`
        : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${id})`

    const staffKnown = (operatorId: number, id: number | undefined): Fragment =>
      id === undefined ? sql`true` : sql`EXISTS (SELECT FROM staffs WHERE operator_id = ${operatorId} AND id = ${id})`

    /** Whether the property and the person a search names exist; asked only when the search found nothing. */
    const known = (operatorId: number, wanted: Pick<Search, "propertyId" | "staffId">) =>
      readKnown(sql`SELECT ${propertyKnown(operatorId, wanted.propertyId)} AS property,
        ${staffKnown(operatorId, wanted.staffId)} AS staff`)

    const ground = (
      operatorId: number,
      wanted: Pick<Search, "propertyId" | "staffId"> & { readonly stayCode: string | undefined }
    ) =>
      readGround(sql`
        SELECT ${propertyKnown(operatorId, wanted.propertyId)} AS "propertyKnown",
          ${staffKnown(operatorId, wanted.staffId)} AS "staffKnown",
          stay.id AS "stayId", stay.property_id AS "stayPropertyId"
        FROM (SELECT 1) one
        LEFT JOIN stays stay ON ${
          wanted.stayCode === undefined
            ? sql`false`
            : sql`stay.operator_id = ${operatorId} AND stay.stay_code = ${wanted.stayCode}`
        }`)

    /**
     * The person, or nobody when they were deleted since the rules looked: the task is then what it would be had it been
     * assigned just before. The lock makes a deletion under way finish first.
     */
    const stillThere = (operatorId: number, staffId: number | null): Fragment =>
      staffId === null
        ? sql`NULL::bigint`
        : sql`(SELECT id FROM staffs WHERE operator_id = ${operatorId} AND id = ${staffId} FOR KEY SHARE)`

    const create = (operatorId: number, task: NewTask, now: Date) =>
      readCreated(sql`
        INSERT INTO tasks (operator_id, type, status, level, property_id, staff_id, stay_id, expected_date, expected_time,
          currency, fee, note, created_at, updated_at)
        VALUES (${operatorId}, ${task.type}, ${task.status}, ${task.level}, ${task.propertyId}, ${stillThere(operatorId, task.staffId)},
          ${task.stayId}, ${task.expectedDate}::date, ${task.expectedTime}::text::time, ${task.currency},
          ${task.fee}, ${task.note}, ${now}, ${now})
        RETURNING id`)

    const existing = (
      operatorId: number,
      id: number,
      wanted: { readonly propertyId: number | undefined; readonly staffId: number | undefined }
    ) =>
      readExisting(sql`
        SELECT task.property_id AS "propertyId", stay.stay_code AS "stayCode", stay.property_id AS "stayPropertyId",
          task.currency, task.fee,
          ${propertyKnown(operatorId, wanted.propertyId)} AS "propertyKnown",
          ${staffKnown(operatorId, wanted.staffId)} AS "staffKnown"
        FROM tasks task LEFT JOIN stays stay ON stay.operator_id = task.operator_id AND stay.id = task.stay_id
        WHERE task.operator_id = ${operatorId} AND task.id = ${id}`)

    /** Answers the task's id, or undefined when it is gone or its price is no longer the one that was seen. */
    const update = (operatorId: number, id: number, edit: Edit, now: Date) => {
      const set: Array<Fragment> = [sql`updated_at = ${now}`]
      if (edit.type !== undefined) set.push(sql`type = ${edit.type}`)
      if (edit.status !== undefined) set.push(sql`status = ${edit.status}`)
      if (edit.level !== undefined) set.push(sql`level = ${edit.level}`)
      if (edit.propertyId !== undefined) set.push(sql`property_id = ${edit.propertyId}`)
      if (edit.staffId !== undefined) set.push(sql`staff_id = ${stillThere(operatorId, edit.staffId)}`)
      if (edit.expectedDate !== undefined) set.push(sql`expected_date = ${edit.expectedDate}::date`)
      if (edit.expectedTime !== undefined) set.push(sql`expected_time = ${edit.expectedTime}::text::time`)
      if (edit.note !== undefined) set.push(sql`note = ${edit.note}`)
      if (edit.price !== undefined) set.push(sql`currency = ${edit.price.currency}, fee = ${edit.price.fee}`)
      const unchanged =
        edit.price === undefined
          ? sql`true`
          : sql`currency = ${edit.price.seen.currency} AND fee = ${edit.price.seen.fee}::numeric`
      return readIdentity(sql`
        UPDATE tasks SET ${sql.csv(set)} WHERE operator_id = ${operatorId} AND id = ${id} AND ${unchanged} RETURNING id`)
    }

    /** Answers the deleted task's id, or undefined when there is none. */
    const remove = (operatorId: number, id: number) =>
      readIdentity(sql`DELETE FROM tasks WHERE operator_id = ${operatorId} AND id = ${id} RETURNING id`)

    return { search, known, ground, create, existing, update, remove }
  })
}) {
  static readonly layer = Layer.effect(TaskStore, TaskStore.make)
}
