import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { columnDefinitions, columnNames } from "../../platform/database/columns.ts"
import { jsonParameter } from "../../platform/database/parameters.ts"
import { SandboxMessage, SandboxOffer, SandboxReview, SandboxThread } from "./rows.ts"
import type { SandboxAccountKey, SandboxWrite } from "./sandbox-write.ts"

type Sql = SqlClient.SqlClient

export interface ThreadWriteParameters {
  readonly threadRevisions: ReadonlyArray<{ readonly thread_id: string; readonly revision: number }> | undefined
  readonly threads: ReadonlyArray<SandboxThread> | undefined
  readonly messages: ReadonlyArray<SandboxMessage> | undefined
  readonly offers: ReadonlyArray<SandboxOffer> | undefined
  readonly reviews: ReadonlyArray<SandboxReview> | undefined
}

export const toThreadWriteParameters = ({
  threads,
  messages,
  offers,
  reviews
}: Omit<SandboxWrite, "outboxEvents">): ThreadWriteParameters => ({
  threadRevisions: threads?.flatMap(({ before }) =>
    before === undefined ? [] : [{ thread_id: before.thread_id, revision: before.revision }]
  ),
  threads: threads?.map(({ before, after }) => ({ ...after, revision: (before?.revision ?? 0) + 1 })),
  messages,
  offers,
  reviews
})

/** The subquery on `standing` makes PostgreSQL lock the order before the threads. */
export const unchangedThreadsSql = (
  sql: Sql,
  { operator_id, account_id, threadRevisions }: SandboxAccountKey & ThreadWriteParameters
): Fragment =>
  threadRevisions === undefined
    ? sql`threads_as_read AS (SELECT true AS is_so)`
    : sql`
  wanted_thread AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(threadRevisions)}::jsonb) AS given (thread_id text, revision bigint)
  ), thread AS (
    SELECT thread_id, revision FROM sandbox_threads
    WHERE operator_id = ${operator_id} AND account_id = ${account_id}
      AND thread_id IN (SELECT thread_id FROM wanted_thread) AND (SELECT count(*) FROM standing) >= 0
    ORDER BY thread_id FOR NO KEY UPDATE
  ), threads_as_read AS (
    SELECT (SELECT count(*) FROM wanted_thread JOIN thread USING (thread_id, revision))
      = (SELECT count(*) FROM wanted_thread) AS is_so
  )`

export const insertIfUnchangedSql =
  (sql: Sql, { operator_id, account_id }: SandboxAccountKey) =>
  (list: ReadonlyArray<unknown>, columns: Parameters<typeof columnNames>[0]): Fragment =>
    sql`
    (operator_id, account_id, ${sql.literal(columnNames(columns))})
    SELECT ${operator_id}::bigint, ${account_id}::bigint, ${sql.literal(columnNames(columns, "given"))}
    FROM as_read, jsonb_to_recordset(${jsonParameter(list)}::jsonb) AS given (${sql.literal(columnDefinitions(columns))})`

/** Each CTE ends with a comma. */
export const writeThreadsSql = (sql: Sql, parameters: SandboxAccountKey & ThreadWriteParameters): Fragment => {
  const insertRows = insertIfUnchangedSql(sql, parameters)
  const { threads, messages, offers, reviews } = parameters
  const emptySql = sql``
  return sql`${
    threads === undefined
      ? emptySql
      : sql`threads AS (
        INSERT INTO sandbox_threads ${insertRows(threads, SandboxThread)}
        ON CONFLICT (operator_id, account_id, thread_id) DO UPDATE SET version = excluded.version,
          revision = excluded.revision, messages = excluded.messages, offers = excluded.offers, said = excluded.said,
          last_message_at = excluded.last_message_at
      ),`
  }${messages === undefined ? emptySql : sql` messages AS (INSERT INTO sandbox_messages ${insertRows(messages, SandboxMessage)}),`}${
    offers === undefined
      ? emptySql
      : sql` offers AS (
        INSERT INTO sandbox_offers ${insertRows(offers, SandboxOffer)}
        ON CONFLICT (operator_id, account_id, offer_id) DO UPDATE SET version = excluded.version,
          status = excluded.status, said = excluded.said
      ),`
  }${
    reviews === undefined
      ? emptySql
      : sql` reviews AS (
        INSERT INTO sandbox_reviews ${insertRows(reviews, SandboxReview)}
        ON CONFLICT (operator_id, account_id, order_id) DO UPDATE SET version = excluded.version, said = excluded.said
      ),`
  }`
}
