import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../changes/recorded-change.ts"
import { CurrentCaller } from "../contract/caller.ts"
import { Conflict } from "../contract/errors.ts"
import { trimName } from "../contract/names.ts"
import { changeUnderLock } from "../platform/database/locked-change.ts"
import { makeOptionalRowReader } from "../platform/database/rows.ts"
import { RowId } from "./column-schemas.ts"
import { exactNameFirstOrder, hasNameCondition } from "./named-row.ts"

export interface OperatorScoped {
  readonly operatorId: number
}

export interface OperatorRowId extends OperatorScoped {
  readonly id: number
}

export const readRowId = makeOptionalRowReader(RowId)

/** `deleteSql` returns `operator_id` and `id`. Returns undefined if there is no such row. */
export const makeDeleteRecord =
  (sql: SqlClient, record: string, deleteSql: (row: OperatorRowId) => Fragment) => (operatorId: number, id: number) =>
    readRowId(
      recordChange(sql, {
        change: sql`deleted AS (${deleteSql({ operatorId, id })})`,
        events: [],
        changedRecords: createdOrDeletedRecordsSql(sql, record, "deleted"),
        outcome: sql`SELECT id FROM deleted`
      })
    )

/**
 * Runs a change in a transaction that first locks the operator, so that two concurrent changes cannot both pass the
 * check of a limit.
 */
export const withOperatorLock =
  (sql: SqlClient) =>
  <A, E, R>(operatorId: number, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const lock = sql`SELECT FROM operators WHERE id = ${operatorId} FOR NO KEY UPDATE`
    return changeUnderLock(sql)(lock, change)
  }

interface NameSource {
  readonly table: "properties" | "room_types" | "property_groups" | "property_tags" | "usable_reservation_tags"
  readonly column: "title" | "name" | "tag_name"
  /** The table keeps deleted records. Their names can be used again. */
  readonly keepsDeleted?: true
}

export type FindIdByName = (operatorId: number, name: string) => Effect.Effect<number | undefined>

export const makeFindIdByName = (sql: SqlClient, { table, column, keepsDeleted }: NameSource): FindIdByName => {
  // Titles are compared exactly.
  const isKeyed = column !== "title"
  return (operatorId, name) =>
    Effect.map(
      readRowId(sql`
        SELECT id FROM ${sql(table)} t
        WHERE t.operator_id = ${operatorId}
          AND ${isKeyed ? hasNameCondition(sql, "t", column, name) : sql`t.${sql(column)} = ${name}`}
          AND ${keepsDeleted === true ? sql`t.deleted_at IS NULL` : sql`true`}
        ORDER BY ${isKeyed ? exactNameFirstOrder(sql, "t", column, name) : sql`t.id`} LIMIT 1`),
      (row) => row?.id
    )
}

/**
 * Adds the id of the record with the same name to a {@link Conflict}. The look-up follows the failure, so a successful
 * change needs no further statement.
 */
export const withConflictingId = <A, E, R>(
  findIdByName: FindIdByName,
  change: Effect.Effect<A, E, R>,
  text: string | undefined
): Effect.Effect<A, E | Conflict, R | CurrentCaller> =>
  Effect.catch(
    change,
    (error): Effect.Effect<never, E | Conflict, CurrentCaller> =>
      isAboutName(error) && text !== undefined ? addConflictingId(findIdByName, error, text) : Effect.fail(error)
  )

const addConflictingId = Effect.fnUntraced(function* (findIdByName: FindIdByName, { message }: Conflict, text: string) {
  const { operatorId } = yield* CurrentCaller
  // The conflict is returned even if the look-up fails, for example in an aborted transaction.
  const holderId = yield* Effect.catchDefect(findIdByName(operatorId, trimName(text)), (defect) =>
    Effect.as(Effect.logDebug("looking up the record with the same name failed", defect), undefined)
  )
  return yield* new Conflict({ message, existingId: holderId ?? null })
})

const isAboutName = (error: unknown): error is Conflict => error instanceof Conflict && error.existingId !== undefined
