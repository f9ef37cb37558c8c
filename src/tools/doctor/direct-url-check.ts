import { Effect, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { findInnermostCause } from "../../platform/database/error-reason.ts"
import { layerPostgres } from "../../platform/database/postgres.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import type { Settings } from "../../service/configuration.ts"
import { runCheckWithTimeout } from "./checks.ts"
import { errorFinding, type Finding, okFinding, unknownFinding } from "./finding.ts"

const readIdentity = makeSingleRowReader(Schema.Struct({ identity: Schema.String }))

/** Identifies server and database, also through a pooler. */
const loadDatabaseIdentity = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    readIdentity(sql`
      SELECT system_identifier || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS identity
      FROM pg_control_system()`)
  ).pipe(
    Effect.provide(layerPostgres({ url, pooler: { supportsPreparedStatements: false }, maxConnections: 1 }), {
      local: true
    })
  )

const CHECK = "DATABASE_DIRECT_URL"

/** The direct connection receives notifications. From another database they would never arrive. */
export const checkDirectUrl = ({
  databaseUrl,
  databaseDirectUrl
}: Pick<Settings, "databaseUrl" | "databaseDirectUrl">): Effect.Effect<ReadonlyArray<Finding>> => {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return Effect.succeed([])
  const { host } = new URL(Redacted.value(databaseDirectUrl))
  const compareDatabases = Effect.gen(function* () {
    const directDatabase = yield* loadDatabaseIdentity(databaseDirectUrl)
    // Another check reports an unreachable DATABASE_URL.
    const pooledDatabase = yield* Effect.option(Effect.catchDefect(loadDatabaseIdentity(databaseUrl), Effect.fail))
    if (Option.isNone(pooledDatabase))
      return [unknownFinding(CHECK, `${host} responds, but DATABASE_URL does not: cannot compare them`)]
    return [
      directDatabase.identity === pooledDatabase.value.identity
        ? okFinding(CHECK, `${host} is the same database`)
        : errorFinding(
            CHECK,
            `${host} is not the database of DATABASE_URL`,
            "set it to the same database, without the pooler"
          )
    ]
  })
  return runCheckWithTimeout(
    Effect.mapError(Effect.catchDefect(compareDatabases, Effect.fail), findInnermostCause),
    (reason) =>
      errorFinding(
        CHECK,
        `${host} cannot be reached: ${reason}`,
        "check it; meanwhile each process polls for work every second"
      )
  )
}
