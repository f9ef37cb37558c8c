import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeOptionalRowReader, makeReader } from "../../platform/database/rows.ts"
import { SANDBOX_LOGGED_REQUESTS_MAX } from "../../platform/limits.ts"
import { FailureMode, type SandboxAccount } from "./rows.ts"
import type { SandboxAccountKey } from "./SandboxRepository.ts"

type Sql = SqlClient.SqlClient

const readFailureMode = makeOptionalRowReader(FailureMode)
const readNothing = makeReader(() => undefined)

const DEFAULT_FAILURE_MODE: FailureMode = { mood: "accepts", mood_ms: 0, mood_reason: "" }

const makeFindFailureMode =
  (sql: Sql): SandboxAccounts["Service"]["findFailureMode"] =>
  ({ operator_id, account_id }) =>
    Effect.map(
      readFailureMode(sql`
        SELECT mood, mood_ms, mood_reason FROM sandbox_accounts
        WHERE operator_id = ${operator_id} AND account_id = ${account_id}`),
      (row) => row ?? DEFAULT_FAILURE_MODE
    )

const makeSaveFailureMode =
  (sql: Sql): SandboxAccounts["Service"]["saveFailureMode"] =>
  ({ operator_id, account_id, username }, failureMode, now) =>
    readNothing(
      sql`
        WITH put AS (
          INSERT INTO sandbox_accounts AS a (operator_id, account_id, mood, mood_ms, mood_reason)
          VALUES (${operator_id}, ${account_id}, ${failureMode.mood}, ${failureMode.mood_ms}, ${failureMode.mood_reason})
          ON CONFLICT (operator_id, account_id) DO UPDATE
            SET mood = excluded.mood, mood_ms = excluded.mood_ms, mood_reason = excluded.mood_reason, version = a.version + 1
          RETURNING operator_id, account_id, version
        )
        INSERT INTO sandbox_words AS w (operator_id, account_id, kind, subject, version, said, due_at)
        SELECT operator_id, account_id, 'account', '', version,
          jsonb_build_object('type', 'account', 'version', version, 'username', ${username}::text,
            'auth_status', ${failureMode.mood === "disconnected" ? "disconnected" : "active"}::text), ${now}::timestamptz
        FROM put
        ON CONFLICT (operator_id, account_id, kind, subject) DO UPDATE SET version = excluded.version,
          said = excluded.said, due_at = excluded.due_at, attempts = 0, heard = NULL`
    )

interface ChannelRequest {
  readonly act: string
  readonly subject: string
  readonly summary: string
  readonly answer: string
}

const makeRecordRequest =
  (sql: Sql): SandboxAccounts["Service"]["recordRequest"] =>
  ({ operator_id, account_id }, { act, subject, summary, answer }, now) =>
    readNothing(sql`
      WITH noted AS (
        INSERT INTO sandbox_asked (operator_id, account_id, act, subject, summary, answer, asked_at)
        VALUES (${operator_id}, ${account_id}, ${act}, ${subject}, ${summary}, ${answer}, ${now})
      )
      DELETE FROM sandbox_asked WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND id <= (
        SELECT id FROM sandbox_asked WHERE operator_id = ${operator_id} AND account_id = ${account_id}
        ORDER BY id DESC OFFSET ${sql.literal(String(SANDBOX_LOGGED_REQUESTS_MAX - 1))} LIMIT 1)`)

export class SandboxAccounts extends Context.Service<
  SandboxAccounts,
  {
    readonly findFailureMode: (account: SandboxAccountKey) => Effect.Effect<FailureMode>
    /** Also queues the event with the account's connection status. */
    readonly saveFailureMode: (account: SandboxAccount, failureMode: FailureMode, now: Date) => Effect.Effect<void>
    /** Deletes all but the last {@link SANDBOX_LOGGED_REQUESTS_MAX} requests. */
    readonly recordRequest: (account: SandboxAccountKey, request: ChannelRequest, now: Date) => Effect.Effect<void>
  }
>()("latchkey/connectors/sandbox/SandboxAccounts") {
  static readonly layer = Layer.effect(
    SandboxAccounts,
    Effect.map(SqlClient.SqlClient, (sql) =>
      SandboxAccounts.of({
        findFailureMode: makeFindFailureMode(sql),
        saveFailureMode: makeSaveFailureMode(sql),
        recordRequest: makeRecordRequest(sql)
      })
    )
  )
}
