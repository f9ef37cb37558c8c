import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { MemoryDatabase } from "../../../src/changes/memory/MemoryDatabase.ts"
import type { AccessTokens } from "../../../src/domain/access/operators/AccessTokens.ts"
import type { OperatorStore } from "../../../src/domain/access/operators/OperatorStore.ts"
import { createOperator, type TestOperator } from "../harness.ts"
import { createMemoryOperator } from "./memory-operators.ts"

/** What the calls of an operator left beside its records, in the order in which they left it. */
export interface RecordedChanges {
  readonly events: ReadonlyArray<{ readonly event: string; readonly record: string; readonly payload: unknown }>
  readonly auditEntries: ReadonlyArray<{
    readonly operation: string
    readonly record: string
    readonly fields: ReadonlyArray<string>
  }>
  /** What each idempotency key keeps. */
  readonly outcomes: ReadonlyArray<unknown>
}

/** An installation on the SQL layers or on the memory layers, as a suite sees it that runs on both. */
export class Installation extends Context.Service<
  Installation,
  {
    readonly createOperator: Effect.Effect<TestOperator>
    readonly readChanges: (operatorId: number) => Effect.Effect<RecordedChanges>
  }
>()("latchkey/test/Installation") {
  static readonly layerSql = Layer.effect(
    Installation,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      createOperator: Effect.provideService(createOperator(), SqlClient.SqlClient, sql),
      readChanges: (operatorId) =>
        Effect.gen(function* () {
          const keys = yield* sql<{ outcome: unknown }>`
            SELECT outcome FROM idempotency_keys WHERE operator_id = ${operatorId} ORDER BY kept_at, digest`
          return {
            events: yield* sql<RecordedChanges["events"][number]>`
              SELECT event, record, payload FROM events WHERE operator_id = ${operatorId} ORDER BY id`,
            auditEntries: yield* sql<RecordedChanges["auditEntries"][number]>`
              SELECT operation, record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`,
            outcomes: keys.map(({ outcome }) => outcome)
          }
        }).pipe(Effect.orDie)
    }))
  )

  static readonly layerMemory = Layer.effect(
    Installation,
    Effect.gen(function* () {
      const context = yield* Effect.context<MemoryDatabase | OperatorStore | AccessTokens>()
      const database = yield* MemoryDatabase
      return {
        createOperator: Effect.provideContext(createMemoryOperator(), context),
        readChanges: (operatorId) =>
          Effect.sync(() => ({
            events: database.events.filter((event) => event.operator_id === operatorId).map(pickEvent),
            // Those of the operator itself, its account and its tokens are not what a suite looks at.
            auditEntries: database.auditEntries
              .filter((entry) => entry.operator_id === operatorId && entry.operation !== "test")
              .map(({ operation, record, fields }) => ({ operation, record, fields })),
            outcomes: Array.from(database.idempotencyKeys)
              .filter(([id]) => id.startsWith(`${operatorId}:`))
              .map(([, { outcome }]) => outcome)
          }))
      }
    })
  )
}

const pickEvent = ({ event, record, payload }: RecordedChanges["events"][number]) => ({ event, record, payload })
