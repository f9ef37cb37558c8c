import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { SANDBOX_THREADS_MAX } from "../../platform/limits.ts"
import { SandboxMessage, SandboxOffer, SandboxReview, SandboxThread } from "./rows.ts"
import type { SandboxAccountKey } from "./sandbox-write.ts"

type Sql = SqlClient.SqlClient

export type ThreadKey = { readonly threadId: string } | { readonly offerId: string } | { readonly guest: string }

export type OfferKey = { readonly offerId: string } | { readonly reference: string }

const readThread = makeOptionalRowReader(SandboxThread)
const readOffer = makeOptionalRowReader(SandboxOffer)
const readMessage = makeOptionalRowReader(SandboxMessage)
const readReview = makeOptionalRowReader(SandboxReview)
const readThreadIds = makeRowsReader(Schema.Struct({ thread_id: Schema.String }))
const readThreadCount = makeSingleRowReader(Schema.Struct({ threads: Schema.Int }))

export interface ThreadQueries {
  readonly findThread: (account: SandboxAccountKey, key: ThreadKey) => Effect.Effect<SandboxThread | undefined>
  readonly findOffer: (account: SandboxAccountKey, key: OfferKey) => Effect.Effect<SandboxOffer | undefined>
  readonly findSentMessage: (
    account: SandboxAccountKey,
    hostMessageId: string
  ) => Effect.Effect<SandboxMessage | undefined>
  readonly findReview: (account: SandboxAccountKey, orderId: string) => Effect.Effect<SandboxReview | undefined>
  readonly findExistingThreads: (
    account: SandboxAccountKey,
    threadIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlySet<string>>
  readonly countThreads: (account: SandboxAccountKey) => Effect.Effect<number>
}

interface ThreadQuery extends SandboxAccountKey {
  readonly threadId: string | undefined
  readonly offerId: string | undefined
  readonly guest: string | undefined
}

const makeFindThread = (sql: Sql): ThreadQueries["findThread"] => {
  const statement = ({ operator_id, account_id, threadId, offerId, guest }: ThreadQuery) => {
    const offerThreadSql = sql`(SELECT thread_id FROM sandbox_offers
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND offer_id = ${offerId})`
    return sql`
      SELECT thread_id, guest, version, revision, messages, offers, said, last_message_at FROM sandbox_threads
      WHERE operator_id = ${operator_id} AND account_id = ${account_id}
        AND ${guest === undefined ? sql`thread_id = ${threadId === undefined ? offerThreadSql : threadId}` : sql`guest = ${guest}`}`
  }
  const emptyKey = { threadId: undefined, offerId: undefined, guest: undefined }
  return ({ operator_id, account_id }, key) => readThread(statement({ operator_id, account_id, ...emptyKey, ...key }))
}

interface OfferQuery extends SandboxAccountKey {
  readonly offerId: string | undefined
  readonly reference: string | undefined
}

const makeFindOffer = (sql: Sql): ThreadQueries["findOffer"] => {
  const statement = ({ operator_id, account_id, offerId, reference }: OfferQuery) => sql`
      SELECT offer_id, thread_id, reference, version, status, said, expires_at FROM sandbox_offers
      WHERE operator_id = ${operator_id} AND account_id = ${account_id}
        AND ${offerId === undefined ? sql`reference = ${reference}` : sql`offer_id = ${offerId}`}`
  const emptyKey = { offerId: undefined, reference: undefined }
  return ({ operator_id, account_id }, key) => readOffer(statement({ operator_id, account_id, ...emptyKey, ...key }))
}

const makeFindSentMessage =
  (sql: Sql): ThreadQueries["findSentMessage"] =>
  ({ operator_id, account_id }, hostMessageId) =>
    readMessage(sql`
      SELECT thread_id, number, sent_as, said FROM sandbox_messages
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND sent_as = ${hostMessageId}`)

const makeFindReview =
  (sql: Sql): ThreadQueries["findReview"] =>
  ({ operator_id, account_id }, orderId) =>
    readReview(sql`
      SELECT order_id, version, said FROM sandbox_reviews
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}`)

const makeFindExistingThreads =
  (sql: Sql): ThreadQueries["findExistingThreads"] =>
  ({ operator_id, account_id }, threadIds) =>
    Effect.map(
      readThreadIds(sql`
        SELECT thread_id FROM sandbox_threads
        WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND thread_id = ANY (${threadIds}::text[])`),
      (rows) => new Set(rows.map(({ thread_id }) => thread_id))
    )

const makeCountThreads =
  (sql: Sql): ThreadQueries["countThreads"] =>
  ({ operator_id, account_id }) =>
    Effect.map(
      readThreadCount(sql`
        SELECT count(*)::int AS threads FROM (
          SELECT FROM sandbox_threads WHERE operator_id = ${operator_id} AND account_id = ${account_id}
          LIMIT ${sql.literal(String(SANDBOX_THREADS_MAX))}) counted`),
      ({ threads }) => threads
    )

export const makeThreadQueries = (sql: Sql): ThreadQueries => ({
  findThread: makeFindThread(sql),
  findOffer: makeFindOffer(sql),
  findSentMessage: makeFindSentMessage(sql),
  findReview: makeFindReview(sql),
  findExistingThreads: makeFindExistingThreads(sql),
  countThreads: makeCountThreads(sql)
})
