import { PgClient } from "@effect/sql-pg"
import { type Duration, Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, StatementTimeoutError, UnknownError } from "effect/sql/SqlError"

// Behind a pooler the server cannot limit statements, because session settings do not work there. So the client cancels
// late statements.

const timeoutError = new SqlError({
  reason: new StatementTimeoutError({
    cause: new Error("canceled: the time of the statement was up"),
    message: "the time of the statement was up",
    operation: "query"
  })
})

/** The limit includes the wait in the pooler's queue. */
const withTimeout = (limit: Duration.Input) => {
  const interruptLate = Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.fail(timeoutError) })
  return (connection: Connection): Connection => ({
    execute: (...statement) => interruptLate(connection.execute(...statement)),
    executeRaw: (...statement) => interruptLate(connection.executeRaw(...statement)),
    executeValues: (...statement) => interruptLate(connection.executeValues(...statement)),
    executeUnprepared: (...statement) => interruptLate(connection.executeUnprepared(...statement)),
    executeValuesUnprepared: (...statement) => interruptLate(connection.executeValuesUnprepared(...statement)),
    executeStream: (...statement) =>
      Stream.interruptWhen(connection.executeStream(...statement), Effect.delay(Effect.fail(timeoutError), limit))
  })
}

/** PostgreSQL responds to the `COMMIT` of an aborted transaction with `ROLLBACK`. */
const isRolledBack = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && "command" in answer && answer.command === "ROLLBACK"

const rolledBackError = new SqlError({
  reason: new UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit"
  })
})

/** A late statement fails with the same error as a statement that the server stops. */
export const makeTimeoutClient = Effect.fnUntraced(function* (client: PgClient.PgClient, limit: Duration.Input) {
  const acquirer = Effect.map(client.reserve, withTimeout(limit))
  const timedClient = yield* SqlClient.make({
    acquirer,
    compiler: PgClient.makeCompiler(),
    driver: client.driver,
    spanAttributes: [["db.system.name", "postgresql"]],
    commit: (connection) =>
      Effect.flatMap(connection.executeRaw("COMMIT", []), (answer) =>
        isRolledBack(answer) ? Effect.fail(rolledBackError) : Effect.void
      ),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const { config, json, listen, notify } = client
  return Object.assign(timedClient, { [PgClient.TypeId]: PgClient.TypeId, config, json, listen, notify })
})
