import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../platform/database/rows.ts"
import { SANDBOX_THREADS } from "../../platform/limits.ts"
import type { Account } from "./becoming.ts"
import { Message, Offer, Review, Thread } from "./rows.ts"

// What the books say of threads with guests, of what is in them, and of reviews.

type Sql = SqlClient.SqlClient

/** What names a thread: its id, the offer that is in it, or its guest. */
export type ThreadNamed = { readonly threadId: string } | { readonly offerId: string } | { readonly guest: string }

/** What names an offer: the channel's id of it, or what the service calls it. */
export type OfferNamed = { readonly offerId: string } | { readonly reference: string }

const readThread = rowOf(Thread)
const readOffer = rowOf(Offer)
const readMessage = rowOf(Message)
const readReview = rowOf(Review)
const readNames = rowsOf(Schema.Struct({ thread_id: Schema.String }))
const readCount = onlyRowOf(Schema.Struct({ threads: Schema.Int }))

interface AnyThread extends Account {
  readonly threadId: string | undefined
  readonly offerId: string | undefined
  readonly guest: string | undefined
}

const thread = (sql: Sql) => {
  const statement = inForms(sql, ({ operator_id, account_id, threadId, offerId, guest }: Givens<AnyThread>) => {
    const ofOffer = sql`(SELECT thread_id FROM sandbox_offers
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND offer_id = ${offerId})`
    return sql`
      SELECT thread_id, guest, version, revision, messages, offers, said, last_message_at FROM sandbox_threads
      WHERE operator_id = ${operator_id} AND account_id = ${account_id}
        AND ${guest === undefined ? sql`thread_id = ${threadId === undefined ? ofOffer : threadId}` : sql`guest = ${guest}`}`
  })
  const unnamed = { threadId: undefined, offerId: undefined, guest: undefined }
  return ({ operator_id, account_id }: Account, named: ThreadNamed) =>
    readThread(statement({ operator_id, account_id, ...unnamed, ...named }))
}

interface AnyOffer extends Account {
  readonly offerId: string | undefined
  readonly reference: string | undefined
}

const offer = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, offerId, reference }: Givens<AnyOffer>) => sql`
      SELECT offer_id, thread_id, reference, version, status, said, expires_at FROM sandbox_offers
      WHERE operator_id = ${operator_id} AND account_id = ${account_id}
        AND ${offerId === undefined ? sql`reference = ${reference}` : sql`offer_id = ${offerId}`}`
  )
  const unnamed = { offerId: undefined, reference: undefined }
  return ({ operator_id, account_id }: Account, named: OfferNamed) =>
    readOffer(statement({ operator_id, account_id, ...unnamed, ...named }))
}

interface SentAs extends Account {
  readonly sentAs: string
}

const message = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, sentAs }: Givens<SentAs>) => sql`
      SELECT thread_id, number, sent_as, said FROM sandbox_messages
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND sent_as = ${sentAs}`
  )
  return ({ operator_id, account_id }: Account, sentAs: string) =>
    readMessage(statement({ operator_id, account_id, sentAs }))
}

interface OfOrder extends Account {
  readonly orderId: string
}

const review = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, orderId }: Givens<OfOrder>) => sql`
      SELECT order_id, version, said FROM sandbox_reviews
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND order_id = ${orderId}`
  )
  return ({ operator_id, account_id }: Account, orderId: string) =>
    readReview(statement({ operator_id, account_id, orderId }))
}

interface Several extends Account {
  readonly threadIds: ReadonlyArray<string>
}

/** Those of the threads that the account has. */
const known = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id, threadIds }: Givens<Several>) => sql`
      SELECT thread_id FROM sandbox_threads
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND thread_id = ANY (${threadIds}::text[])`
  )
  return ({ operator_id, account_id }: Account, threadIds: ReadonlyArray<string>) =>
    Effect.map(
      readNames(statement({ operator_id, account_id, threadIds })),
      (rows) => new Set(rows.map(({ thread_id }) => thread_id))
    )
}

/** Threads of the account, counted as far as it matters. */
const count = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, account_id }: Givens<Account>) => sql`
      SELECT count(*)::int AS threads FROM (
        SELECT FROM sandbox_threads WHERE operator_id = ${operator_id} AND account_id = ${account_id}
        LIMIT ${sql.literal(String(SANDBOX_THREADS))}) counted`
  )
  return ({ operator_id, account_id }: Account) =>
    Effect.map(readCount(statement({ operator_id, account_id })), ({ threads }) => threads)
}

export const readingThreads = (sql: Sql) => ({
  thread: thread(sql),
  offer: offer(sql),
  /** What the host sent under that name. */
  message: message(sql),
  review: review(sql),
  knownThreads: known(sql),
  threadCount: count(sql)
})
