import { Cause, Data, Predicate, Runtime } from "effect"
import { SqlError } from "effect/sql"
import { NotFound } from "../../contract/errors.ts"
import { findInnermostCause, toReason } from "../../platform/database/error-reason.ts"
import { MigrationFailed } from "../../platform/database/migrate.ts"
import { redactSecrets } from "../../platform/telemetry/secret-redaction.ts"

export const toUnknownOperatorError = (id: number) =>
  new NotFound({ message: `--operator: there is no operator ${id}.` })

export class DatabaseNotMigrated extends Data.TaggedError("DatabaseNotMigrated") {
  override get message(): string {
    return "the database is not up to date: run latchkey migrate first"
  }
}

/** The failure is already printed, so the process only exits with 1. */
export class CommandFailed extends Data.TaggedError("CommandFailed") {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false
}

export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{
  readonly location: "DATA_DIR" | "DATABASE_URL" | "--to"
  readonly cause: Cause.Cause<unknown>
}> {
  override get message(): string {
    const reason = toReason(Cause.squash(this.cause))
    return `${this.location}: cannot use the database: ${reason}${POOLER_REFUSAL.test(reason) ? POOLER_ADVICE : ""}`
  }
}

/** An error message of PgBouncer. */
const POOLER_REFUSAL = /^unsupported startup parameter/
const POOLER_ADVICE = " (the server is behind a connection pooler: set DATABASE_PREPARED=0)"

const DATA_FOLDER_TAKEN_ADVICE = "Stop that process, or set DATABASE_URL to a PostgreSQL server."

const UNREACHABLE_REASONS: ReadonlySet<string> = new Set([
  "ConnectionError",
  "AuthenticationError",
  "AuthorizationError"
])

/** `3D000` is PostgreSQL's `invalid_catalog_name`. */
const isMissingDatabase = (reason: unknown): boolean => Predicate.hasProperty(reason, "code") && reason.code === "3D000"

export const isDatabaseUnreachable = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return (
    SqlError.isSqlError(error) &&
    (UNREACHABLE_REASONS.has(error.reason._tag) || isMissingDatabase(findInnermostCause(error)))
  )
}

const failureMessage = (error: unknown): string => {
  if (Predicate.isTagged(error, "DataFolderTaken") && error instanceof Error)
    return `DATA_DIR: ${error.message}. ${DATA_FOLDER_TAKEN_ADVICE}`
  if (Predicate.isTagged(error, "DataFolderUnusable") && error instanceof Error) return `DATA_DIR: ${error.message}`
  if (error instanceof DatabaseUnreachable || error instanceof MigrationFailed) return error.message
  const text = toReason(error)
  if (Predicate.isTagged(error, "MetricsPortUnavailable")) return `METRICS_PORT: cannot listen: ${text}`
  return Predicate.isTagged(error, "ServeError") ? `PORT: cannot listen: ${text}` : text
}

/** Returns the reason in one line, without secrets. */
export const formatFailure = (cause: Cause.Cause<unknown>): string => {
  const error = isDatabaseUnreachable(cause)
    ? new DatabaseUnreachable({ location: "DATABASE_URL", cause })
    : Cause.squash(cause)
  return redactSecrets(failureMessage(error).replace(/\s*\n\s*/g, " "))
}
