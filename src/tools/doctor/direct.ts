import { Effect, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../../platform/database/postgres.ts"
import { innermost } from "../../platform/database/reason.ts"
import { onlyRowOf } from "../../platform/database/rows.ts"
import type { Settings } from "../../service/configuration.ts"
import { type Finding, fine, unsure, wrong } from "./finding.ts"
import { inTime } from "./look.ts"

const readIdentity = onlyRowOf(Schema.Struct({ identity: Schema.String }))

/** Which database of which server an address leads to, through whatever is in between. */
const identityAt = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    readIdentity(sql`
      SELECT system_identifier || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS identity
      FROM pg_control_system()`)
  ).pipe(Effect.provide(layerPostgres({ url, pooler: { prepared: false }, maxConnections: 1 }), { local: true }))

const CHECK = "DATABASE_DIRECT_URL"

/** Whether the address past the pooler leads to the same database: on another one nobody would hear of this one's work. */
export const direct = ({
  databaseUrl,
  databaseDirectUrl
}: Pick<Settings, "databaseUrl" | "databaseDirectUrl">): Effect.Effect<ReadonlyArray<Finding>> => {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return Effect.succeed([])
  const { host } = new URL(Redacted.value(databaseDirectUrl))
  const compared = Effect.gen(function* () {
    const there = yield* identityAt(databaseDirectUrl)
    // That DATABASE_URL is away is said by itself.
    const here = yield* Effect.option(Effect.catchDefect(identityAt(databaseUrl), Effect.fail))
    if (Option.isNone(here)) return [unsure(CHECK, `${host} responds, but DATABASE_URL does not: cannot compare them`)]
    return [
      there.identity === here.value.identity
        ? fine(CHECK, `${host} is the same database`)
        : wrong(CHECK, `${host} is not the database of DATABASE_URL`, "set it to the same database, without the pooler")
    ]
  })
  return inTime(Effect.mapError(Effect.catchDefect(compared, Effect.fail), innermost), (why) =>
    wrong(CHECK, `${host} cannot be reached: ${why}`, "check it; meanwhile each process polls for work every second")
  )
}
