import type { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms, touchedIn } from "../changes/on-record.ts"
import type { Givens } from "../database/forms.ts"
import { lockedFirst } from "../database/locked-first.ts"
import { rowOf } from "../database/rows.ts"
import { Identity } from "./row-fields.ts"

// What families do alike with rows of one operator.

/** Whose row. */
export interface OfOperator {
  readonly operatorId: number
}

/** Which row of whose. */
export interface OwnRow extends OfOperator {
  readonly id: number
}

/** Reads which row it was; undefined where there was none. */
export const readIdentity = rowOf(Identity)

/**
 * Deletes a record for good and leaves its trail; `deleting` is the owner's own DELETE, which returns the row's
 * `operator_id` and `id`. Answers the id, or undefined where the operator has no such row.
 */
export const removal = (sql: SqlClient, record: string, deleting: (row: Givens<OwnRow>) => Fragment) => {
  const statement = onRecordInForms(sql, (row: Givens<OwnRow>) => ({
    change: sql`deleted AS (${deleting(row)})`,
    events: [],
    touched: touchedIn(sql, record, "deleted"),
    outcome: sql`SELECT id FROM deleted`
  }))
  return (operatorId: number, id: number) => readIdentity(statement({ operatorId, id }))
}

/**
 * Runs a change while no other of the operator's that waits its turn runs: in a transaction that begins by locking the
 * operator. What the change counts then stays so until it is through: a statement sees what was committed before it began,
 * so two at once would each see the last free place.
 */
export const inTurn =
  (sql: SqlClient) =>
  <A, E, R>(operatorId: number, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const lock = sql`SELECT FROM operators WHERE id = ${operatorId} FOR NO KEY UPDATE`
    return lockedFirst(sql)(lock, change)
  }
