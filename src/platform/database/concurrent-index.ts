import { Data, Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { errorCodeOf, findInnermostCause } from "./error-reason.ts"

// Only outside a transaction can PostgreSQL build an index without blocking writes. So a killed migration can leave an
// invalid index, and several processes can build the same one.

const MAX_POLLS = 3_600
const POLL_INTERVAL = Duration.seconds(1)

/**
 * One poll is not enough to call an index abandoned, because it reads the catalog and the progress view at different
 * times.
 */
const ABANDONED_POLLS = 2

/** Another process has been building the index for an hour, or PostgreSQL aborted every attempt. */
export class IndexNotBuilt extends Data.TaggedError("IndexNotBuilt")<{ readonly index: string }> {
  override get message(): string {
    return `the index ${this.index} is not built yet: another session may be building it`
  }
}

interface ConcurrentIndex {
  readonly name: string
  readonly unique: boolean
  /** Table and columns, such as `stays (operator_id, id)`. */
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

/** PostgreSQL's `duplicate_table`, which it also raises for an index. */
const INDEX_EXISTS = "42P07"

/** PostgreSQL's `internal_error`, raised when two sessions drop one index. */
const INTERNAL_ERROR = "XX000"

const codeOf = ({ reason }: SqlError) => errorCodeOf(findInnermostCause(reason.cause))

const isConcurrentBuildError = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" || codeOf(error) === INDEX_EXISTS

const isConcurrentDropError = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" || codeOf(error) === INTERNAL_ERROR

/** Empty inside a transaction, where PostgreSQL rejects CONCURRENTLY. */
export const concurrentlyKeyword: Effect.Effect<"CONCURRENTLY" | "", never, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.map(Effect.serviceOption(sql.transactionService), (transaction) =>
      Option.isSome(transaction) ? "" : "CONCURRENTLY"
    )
)

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
