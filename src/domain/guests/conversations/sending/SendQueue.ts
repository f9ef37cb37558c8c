import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountKey, type ClaimRequest, toBusyCounts } from "../../../../jobs/fair-queue.ts"
import { computeLeaseEnd } from "../../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../../platform/database/rows.ts"
import { MESSAGE_GIVE_UP_MS } from "../../../../platform/limits.ts"
import { TakenMessage } from "./claimed-message.ts"
import {
  type ClaimedSendPartition,
  type MessageFailedParameters,
  type MessageRefusedOrUnknownParameters,
  type MessageSentParameters,
  releasePartitionSql,
  settlingFailed,
  settlingOver,
  settlingSent
} from "./settling.ts"
import { takingDue } from "./taking.ts"

/** Milliseconds a worker has a lane to itself: one try and writing down how it ended fit into it. */
export const SEND_LEASE_MS = 45_000

const readTaken = makeRowsReader(TakenMessage)
const readEchoes = makeOptionalRowReader(Schema.Struct({ echoes: Schema.Array(Schema.String) }))
const readMessageCount = makeOptionalRowReader(Schema.Struct({ messages: Schema.Int }))

const toClaimedPartition = (
  { operator_id, conversation_id, attempts }: TakenMessage,
  now: Date
): ClaimedSendPartition => ({
  operator_id,
  conversation_id,
  attempts,
  now
})

const toClaimedMessage = (message: TakenMessage, now: Date) => ({
  ...toClaimedPartition(message, now),
  message_id: message.message_id
})

const makeSendQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const take = inForms(sql, (taking: Givens<ClaimRequest>) => takingDue(sql, taking))
  const recordSent = inForms(sql, (parameters: Givens<MessageSentParameters>) => settlingSent(sql, parameters))
  const recordRefusedOrUnknown = inForms(sql, (parameters: Givens<MessageRefusedOrUnknownParameters>) =>
    settlingOver(sql, parameters)
  )
  const postpone = inForms(sql, (parameters: Givens<MessageFailedParameters>) => settlingFailed(sql, parameters))
  const release = inForms(sql, (parameters: Givens<ClaimedSendPartition>) => releasePartitionSql(sql, parameters))
  return {
    take: (now: Date, maxJobs: number, inProgress: Iterable<AccountKey>) =>
      readTaken(take({ now, leaseEnd: computeLeaseEnd(now, SEND_LEASE_MS), maxJobs, ...toBusyCounts(inProgress) })),
    recordSent: (message: TakenMessage, channelMessageId: string | null, now: Date) =>
      Effect.map(
        readEchoes(
          recordSent({ ...toClaimedMessage(message, now), channel_message_id: channelMessageId ?? undefined })
        ),
        (row) => row?.echoes ?? []
      ),
    recordRefusedOrUnknown: (
      message: TakenMessage,
      delivery: MessageRefusedOrUnknownParameters["delivery"],
      reason: string,
      now: Date
    ) =>
      Effect.map(
        readMessageCount(recordRefusedOrUnknown({ ...toClaimedMessage(message, now), delivery, reason })),
        (row) => (row?.messages ?? 0) > 0
      ),
    postpone: (message: TakenMessage, reason: string, maybeSent: boolean, nextTry: Date, now: Date) =>
      Effect.map(
        readMessageCount(
          postpone({
            ...toClaimedMessage(message, now),
            failures: message.failures,
            nextTry,
            reason,
            maybeSent,
            giveUpCreatedUntil: new Date(now.getTime() - MESSAGE_GIVE_UP_MS),
            refusedReason: `given up after a day: ${reason}`,
            unknownReason: `given up after a day, and it may have been delivered: ${reason}`
          })
        ),
        (row) => row?.messages ?? 0
      ),
    release: (message: TakenMessage, now: Date) => Effect.orDie(release(toClaimedPartition(message, now)))
  }
})

/**
 * What guests are still to be told, in the database, for any worker of any process. Each conversation has a lane, taken for one
 * message at a time: so its messages arrive in order, and nothing overtakes one that is tried again. What a dead worker had is
 * taken again when its lease ends, and known to have been tried.
 */
export class SendQueue extends Context.Service<
  SendQueue,
  {
    /** Takes up to `maxJobs` due conversations. `inProgress` are those this process has already. */
    readonly take: (
      now: Date,
      maxJobs: number,
      inProgress: Iterable<AccountKey>
    ) => Effect.Effect<ReadonlyArray<TakenMessage>>
    /** Records that the guest has the message. Returns the codes of copies that the channel reported before, which are removed. */
    readonly recordSent: (
      message: TakenMessage,
      channelMessageId: string | null,
      now: Date
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Ends a message. Returns whether it was open until now. */
    readonly recordRefusedOrUnknown: (
      message: TakenMessage,
      delivery: MessageRefusedOrUnknownParameters["delivery"],
      reason: string,
      now: Date
    ) => Effect.Effect<boolean>
    /** Tries the message again at `nextTry`. Returns how many messages of the conversation were given up because they waited too long. */
    readonly postpone: (
      message: TakenMessage,
      reason: string,
      maybeSent: boolean,
      nextTry: Date,
      now: Date
    ) => Effect.Effect<number>
    readonly release: (message: TakenMessage, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/guests/conversations/sending/SendQueue") {
  static readonly layer = Layer.effect(SendQueue, makeSendQueue)
}
