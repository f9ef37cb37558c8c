import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { makeOptionalRowReader } from "../platform/database/rows.ts"
import type { NextDue } from "./WorkSchedule.ts"

const readDueRow = makeOptionalRowReader(Schema.Struct({ due: Schema.Int, oldest_at: Schema.NullOr(Schema.Date) }))

interface DueStatement {
  readonly statement: (sql: SqlClient, time: { readonly now: Date }) => Fragment
}

const toEarlier = (one: NextDue | undefined, other: NextDue | undefined): NextDue | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  return { at: one.at <= other.at ? one.at : other.at, count: one.count + other.count }
}

/** `selection` has the columns `due`, a count, and `oldest_at`, null if nothing becomes due. */
export const readNextDue = (selection: Effect.Effect<ReadonlyArray<object>, SqlError>) =>
  Effect.map(readDueRow(selection), (row): NextDue | undefined =>
    row === undefined || row.oldest_at === null ? undefined : { at: row.oldest_at, count: row.due }
  )

/** A backlog read at the time `until` tells the first job that becomes due by then. */
export const findNextDueJob = (
  sql: SqlClient,
  backlog: ReadonlyArray<DueStatement>,
  until: Date
): Effect.Effect<NextDue | undefined> =>
  Effect.forEach(backlog, ({ statement }) => readNextDue(sql`${statement(sql, { now: until })}`), {
    concurrency: "unbounded"
  }).pipe(Effect.map((dues) => dues.reduce(toEarlier, undefined)))
