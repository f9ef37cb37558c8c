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

// What families do alike with rows of one operator.

/** Whose row. */
export interface OperatorScoped {
  readonly operatorId: number
}

/** Which row of whose. */
export interface OperatorRowId extends OperatorScoped {
  readonly id: number
}

/** Reads which row it was; undefined where there was none. */
export const readRowId = makeOptionalRowReader(RowId)

/**
 * Deletes a record for good and leaves its trail; `deleteSql` is the owner's own DELETE, which returns the row's
 * `operator_id` and `id`. Answers the id, or undefined where the operator has no such row.
 */
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
 * Runs a change while no other of the operator's that waits its turn runs: in a transaction that begins by locking the
 * operator. What the change counts then stays so until it is through: a statement sees what was committed before it began,
 * so two at once would each see the last free place.
 */
export const withOperatorLock =
  (sql: SqlClient) =>
  <A, E, R>(operatorId: number, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const lock = sql`SELECT FROM operators WHERE id = ${operatorId} FOR NO KEY UPDATE`
    return changeUnderLock(sql)(lock, change)
  }

/** Where the records of one kind have their names. */
interface NameSource {
  readonly table: "properties" | "room_types" | "property_groups" | "property_tags" | "usable_reservation_tags"
  readonly column: "title" | "name" | "tag_name"
  /** Deleted records stay in the table; their names are free. */
  readonly keepsDeleted?: true
}

/** Finds the record of an operator by its name; undefined: there is none. */
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
 * Adds the id of the record with the name to a {@link Conflict} about that name. `text` is the name as the caller sent it. The record is
 * looked up after the change has failed, so that a change that succeeds costs no further statement.
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
  // The refusal stands even if the look-up fails, as it does within a transaction that the refusal has aborted.
  const holderId = yield* Effect.catchDefect(findIdByName(operatorId, trimName(text)), (defect) =>
    Effect.as(Effect.logDebug("looking up the record with the same name failed", defect), undefined)
  )
  return yield* new Conflict({ message, existingId: holderId ?? null })
})

const isAboutName = (error: unknown): error is Conflict => error instanceof Conflict && error.existingId !== undefined
