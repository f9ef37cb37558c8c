import { Cause, Data, Predicate, Runtime } from "effect"
import { SqlError } from "effect/sql"
import { MigrationFailed } from "../../platform/database/migrate.ts"
import { innermost, reasonOf } from "../../platform/database/reason.ts"
import { withoutSecrets } from "../../platform/telemetry/secrets.ts"

/** The database has not the tables this release works with. */
export class NotMigrated extends Data.TaggedError("NotMigrated") {
  override get message(): string {
    return "the database is not up to date: run latchkey migrate first"
  }
}

/** A command failed and has said so: the process ends with 1 and nothing more is printed. */
export class Refused extends Data.TaggedError("Refused") {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false
}

/** The database could not be reached, or not any longer. */
export class Unreached extends Data.TaggedError("Unreached")<{
  /** The setting or option that names it. */
  readonly at: "DATA_DIR" | "DATABASE_URL" | "--to"
  readonly cause: Cause.Cause<unknown>
}> {
  override get message(): string {
    const why = reasonOf(Cause.squash(this.cause))
    return `${this.at}: cannot use the database: ${why}${REFUSED_BY_POOLER.test(why) ? WITHOUT_SESSIONS : ""}`
  }
}

/** PgBouncer's words: it gives nobody a session that has settings. */
const REFUSED_BY_POOLER = /^unsupported startup parameter/
const WITHOUT_SESSIONS = " (the server is behind a connection pooler: set DATABASE_PREPARED=0)"

const TAKEN = "Stop that process, or set DATABASE_URL to a PostgreSQL server."

const UNREACHED: ReadonlySet<string> = new Set(["ConnectionError", "AuthenticationError", "AuthorizationError"])

/** PostgreSQL's `invalid_catalog_name`: the server is there, the database that is named is not. */
const isNoDatabase = (reason: unknown): boolean => Predicate.hasProperty(reason, "code") && reason.code === "3D000"

/** Whether something failed because the database is not there for it. */
export const isUnreached = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return SqlError.isSqlError(error) && (UNREACHED.has(error.reason._tag) || isNoDatabase(innermost(error)))
}

const messageOf = (error: unknown): string => {
  if (Predicate.isTagged(error, "DataFolderTaken") && error instanceof Error)
    return `DATA_DIR: ${error.message}. ${TAKEN}`
  if (Predicate.isTagged(error, "DataFolderUnusable") && error instanceof Error) return `DATA_DIR: ${error.message}`
  // The database's own words alone do not say in which step of the schema they were said.
  if (error instanceof Unreached || error instanceof MigrationFailed) return error.message
  const text = reasonOf(error)
  if (Predicate.isTagged(error, "MetricsPortUnusable")) return `METRICS_PORT: cannot listen on HOST: ${text}`
  return Predicate.isTagged(error, "ServeError") ? `PORT: cannot listen on HOST: ${text}` : text
}

/** Why something failed, in one line for people and without a secret. */
export const lineOf = (cause: Cause.Cause<unknown>): string => {
  const told = isUnreached(cause) ? new Unreached({ at: "DATABASE_URL", cause }) : Cause.squash(cause)
  return withoutSecrets(messageOf(told).replace(/\s*\n\s*/g, " "))
}
