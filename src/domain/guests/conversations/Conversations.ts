import { Context, Data, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { retryOptimistically } from "../../../platform/database/optimistic-retry.ts"
import type { ChannelMessageEvent, ChannelOrderEvent, ChannelThreadEvent } from "../../channels/port/channel-events.ts"
import {
  type ChannelAccountRef,
  InvalidChannelEvent,
  toVersionOutcome,
  type VersionOutcome
} from "../../channels/port/event-handling.ts"
import { confirmLocalMessage, insertChannelMessage, recognizeMessage } from "./channel-messages.ts"
import { ensureOrderThread, ingestThread } from "./channel-threads.ts"

export class Conversations extends Context.Service<
  Conversations,
  {
    readonly handleThread: (
      account: ChannelAccountRef,
      thread: ChannelThreadEvent,
      at: Date
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
    /** The event of a message that this service sent confirms the delivery of that message. */
    readonly handleMessage: (
      account: ChannelAccountRef,
      message: ChannelMessageEvent
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
    readonly ensureForOrder: (
      account: ChannelAccountRef,
      threadId: string,
      booker: ChannelOrderEvent["booker"],
      at: Date
    ) => Effect.Effect<string, never, CurrentActor>
  }
>()("latchkey/domain/guests/conversations/Conversations") {
  static readonly layer = Layer.effect(
    Conversations,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Conversations.of({
        handleThread: makeHandleThread(sql),
        handleMessage: makeHandleMessage(sql),
        ensureForOrder: makeEnsureForOrder(sql)
      })
    )
  )
}

const INGEST_ATTEMPTS = 10

class KeepsChanging extends Data.TaggedError("KeepsChanging") {}

const retryWhileBusy = retryOptimistically(INGEST_ATTEMPTS, new KeepsChanging())

const retryConflicts = <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchIf(
    retryWhileBusy(attempt),
    (error): error is KeepsChanging => error instanceof KeepsChanging,
    () => Effect.die(new Error("another worker keeps handling the same channel event"))
  )

const unknownAccountError = new InvalidChannelEvent({ reason: "there is no such account" })

const makeHandleThread = (sql: SqlClient.SqlClient): Conversations["Service"]["handleThread"] => {
  const ingest = ingestThread(sql)
  return (account, thread, at) => {
    if (isInquiryWithoutNights(thread)) return inquiryWithoutNights
    return retryConflicts(
      Effect.gen(function* () {
        const { speaker_known, applied, last_version } = yield* ingest(account, thread, at)
        if (!speaker_known) return yield* unknownAccountError
        if (applied) return "applied"
        const outcome = toVersionOutcome(last_version ?? 0, thread.version)
        // Another worker changed the thread at the same time, so the version was not applied. The attempt is repeated.
        return outcome === "applied" ? undefined : outcome
      })
    )
  }
}

const isInquiryWithoutNights = ({ inquiry }: ChannelThreadEvent): boolean =>
  inquiry !== undefined && inquiry !== null && inquiry.check_out_date <= inquiry.check_in_date

const inquiryWithoutNights = Effect.fail(
  new InvalidChannelEvent({ reason: "inquiry.check_out_date: must be after inquiry.check_in_date" })
)

const makeHandleMessage = (sql: SqlClient.SqlClient): Conversations["Service"]["handleMessage"] => {
  const recognize = recognizeMessage(sql)
  const insertMessage = insertChannelMessage(sql)
  const confirmMessage = confirmLocalMessage(sql)
  return (account, message) =>
    retryConflicts(
      Effect.gen(function* () {
        const now = yield* DateTime.nowAsDate
        const { speaker_known, is_known, ours } = yield* recognize(account, message, now)
        if (!speaker_known) return yield* unknownAccountError
        if (is_known) return "known"
        const handledMessage =
          ours === null
            ? yield* insertMessage(account, message, now)
            : yield* confirmMessage(account.operatorId, ours, message, now)
        return handledMessage === undefined ? undefined : "applied"
      })
    )
}

const makeEnsureForOrder = (sql: SqlClient.SqlClient): Conversations["Service"]["ensureForOrder"] => {
  const ensureThread = ensureOrderThread(sql)
  return (account, threadId, booker, at) => retryConflicts(ensureThread(account, threadId, booker, at))
}
