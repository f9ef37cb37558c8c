import { Context, Data, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { makeSingleRowReader } from "./rows.ts"
import { retryOnLockConflict } from "./statement-retry.ts"
import {
  COPY_TABLES,
  CREATE_RESET_FUNCTION,
  CREATE_SCHEMA,
  CREATE_SEQUENCE_LIST,
  CREATE_TABLE_LIST,
  CREATE_WRITE_COUNTER,
  DROP_TEMPLATE
} from "./test-template-statements.ts"

export class TestTemplateRejected extends Data.TaggedError("TestTemplateRejected")<{
  /** The role that the service connects as. */
  readonly role: string
}> {
  override get message(): string {
    return `the database role ${this.role} may not turn off triggers, which a test server needs to restore rows: GRANT SET ON PARAMETER session_replication_role TO "${this.role}"`
  }
}

/** A reset leaves dead rows and write-ahead log. This many resets share the cost of removing them. */
export const RESETS_PER_CLEANUP = 20

const readRole = makeSingleRowReader(Schema.Struct({ role: Schema.String, mayRestore: Schema.Boolean }))
const readServerProcess = makeSingleRowReader(Schema.Struct({ hasCheckpointer: Schema.Boolean }))
const readRestored = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ tables: Schema.Array(Schema.String) })]))

/**
 * Restores the database of a test server to an earlier state: all rows and sequences of schema `public`. Changes of the
 * schema are not restored, and need a new template.
 */
export class TestTemplate extends Context.Service<
  TestTemplate,
  {
    /** Copies all tables and begins to count writes. Replaces the former template. */
    readonly take: Effect.Effect<void, TestTemplateRejected | SqlError>
    /**
     * Restores every table written since the template or the last reset. Waits for open transactions that have written.
     * Must not run in a transaction. Fails without a template.
     */
    readonly reset: Effect.Effect<void, SqlError>
  }
>()("latchkey/platform/database/TestTemplate") {
  static readonly layer: Layer.Layer<TestTemplate, never, SqlClient> = Layer.effect(
    TestTemplate,
    Effect.map(SqlClient, (sql) => {
      const dirtyTables = new Set<string>()
      let resets = 0

      const take = Effect.andThen(checkRole(sql), retryOnLockConflict(copyTables(sql)))

      const cleanUp = Effect.suspend(() => {
        resets += 1
        if (resets % RESETS_PER_CLEANUP !== 0) return Effect.void
        const tables = Array.from(dirtyTables)
        dirtyTables.clear()
        return Effect.andThen(vacuum(sql, tables), removeWal(sql))
      })

      const reset = retryOnLockConflict(sql`SELECT latchkey_template.reset() AS tables`).pipe(
        Effect.flatMap((rows) => Effect.orDie(readRestored(rows))),
        Effect.tap(([{ tables }]) => Effect.sync(() => tables.forEach((table) => void dirtyTables.add(table)))),
        Effect.andThen(cleanUp),
        Effect.asVoid
      )
      return { take, reset }
    })
  )
}

const checkRole = Effect.fnUntraced(function* (sql: SqlClient) {
  const { role, mayRestore } = yield* readRole(sql`
    SELECT current_user::text AS role,
      has_parameter_privilege(current_user, 'session_replication_role', 'SET') AS "mayRestore"`)
  if (!mayRestore) return yield* new TestTemplateRejected({ role })
})

const vacuum = (sql: SqlClient, tables: ReadonlyArray<string>) =>
  tables.length === 0 ? Effect.void : sql.unsafe(`VACUUM ${tables.join(", ")}`).unprepared

/** The embedded database has no checkpointer process, so its write-ahead log would grow without end. */
const removeWal = Effect.fnUntraced(function* (sql: SqlClient) {
  const { hasCheckpointer } = yield* readServerProcess(sql`
    SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS "hasCheckpointer"`)
  if (!hasCheckpointer) yield* sql`CHECKPOINT`.unprepared
})

const copyTables = (sql: SqlClient) =>
  sql.withTransaction(
    Effect.forEach(
      [
        // Dropping a schema reports each of its tables and triggers.
        "SET LOCAL client_min_messages = warning",
        "SET LOCAL statement_timeout = 0",
        DROP_TEMPLATE,
        CREATE_SCHEMA,
        CREATE_TABLE_LIST,
        CREATE_SEQUENCE_LIST,
        CREATE_WRITE_COUNTER,
        COPY_TABLES,
        CREATE_RESET_FUNCTION
      ],
      (statement) => sql.unsafe(statement).unprepared,
      { discard: true }
    )
  )
