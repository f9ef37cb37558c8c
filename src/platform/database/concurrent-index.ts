import { Data, Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { errorCodeOf, findInnermostCause } from "./error-reason.ts"

// An index that is built while others write. The database does that outside of a transaction only, so a migration of such
// ones is not one transaction: it may have died in the middle, which leaves an index that is not valid, and others may be at it too.

/** How long a migration goes on waiting for another process that builds the same index: so many looks, so far apart. */
const MAX_POLLS = 3_600
const POLL_INTERVAL = Duration.seconds(1)

/**
 * An index is dropped as abandoned when so many polls in a row find it invalid while no session builds it. One poll is not enough: it
 * reads the catalog at its snapshot and the progress view at present, so an index that becomes valid in between looks abandoned.
 */
const ABANDONED_POLLS = 2

/** Another process was building the index for an hour, or every try of ours was given up by the database. */
export class IndexNotBuilt extends Data.TaggedError("IndexNotBuilt")<{ readonly index: string }> {
  override get message(): string {
    return `the index ${this.index} is not built yet: another session may be building it`
  }
}

interface ConcurrentIndex {
  readonly name: string
  readonly unique: boolean
  /** Its table and what follows it: `stays (operator_id, id)`. */
  readonly on: string
}

interface IndexStatus {
  readonly is_valid: boolean
  readonly is_being_built: boolean
}

const loadIndexStatus = (sql: SqlClient.SqlClient, name: string) => sql<IndexStatus>`
  SELECT i.indisvalid AS is_valid,
    EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid) AS is_being_built
  FROM pg_index i WHERE i.indexrelid = to_regclass(${name})`

/** PostgreSQL's `duplicate_table`, which it also says of an index. */
const INDEX_EXISTS = "42P07"

/** PostgreSQL's `internal_error`, which it raises for two sessions that drop one index ("tuple concurrently updated"). */
const INTERNAL_ERROR = "XX000"

const codeOf = ({ reason }: SqlError) => errorCodeOf(findInnermostCause(reason.cause))

/** True for the errors of a session that builds an index while another does. The caller polls again. */
const isConcurrentBuildError = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" || codeOf(error) === INDEX_EXISTS

/** True for the errors of a session that drops an index while another does. The caller polls again. */
const isConcurrentDropError = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" || codeOf(error) === INTERNAL_ERROR

/**
 * The word for an index that is built or goes beside others' writes. None within a transaction, where there can be no others:
 * a restore makes the tables in one.
 */
export const concurrentlyKeyword: Effect.Effect<"CONCURRENTLY" | "", never, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.map(Effect.serviceOption(sql.transactionService), (transaction) =>
      Option.isSome(transaction) ? "" : "CONCURRENTLY"
    )
)

/** Builds it unless it is there; answers once it is, whoever built it. */
export const buildIndexConcurrently = Effect.fn("buildIndexConcurrently")(function* ({
  name,
  unique,
  on
}: ConcurrentIndex) {
  const sql = yield* SqlClient.SqlClient
  const keyword = yield* concurrentlyKeyword
  const wait = Effect.sleep(POLL_INTERVAL)
  const build = sql.unsafe(`CREATE ${unique ? "UNIQUE " : ""}INDEX ${keyword} ${name} ON ${on}`)
  const drop = sql.unsafe(`DROP INDEX ${keyword} IF EXISTS ${name}`)
  let abandonedPolls = 0
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const [status] = yield* loadIndexStatus(sql, name)
    if (status?.is_valid === true) return
    abandonedPolls = status === undefined || status.is_being_built ? 0 : abandonedPolls + 1
    if (status === undefined) yield* Effect.catchIf(build, isConcurrentBuildError, () => wait)
    else if (abandonedPolls < ABANDONED_POLLS) yield* wait
    else yield* Effect.catchIf(drop, isConcurrentDropError, () => wait)
  }
  return yield* new IndexNotBuilt({ index: name })
})
