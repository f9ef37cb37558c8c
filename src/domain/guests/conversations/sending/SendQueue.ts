import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { busyWith, type Taking, type Whose } from "../../../../jobs/in-turn.ts"
import { leaseEnd } from "../../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../../platform/database/forms.ts"
import { rowOf, rowsOf } from "../../../../platform/database/rows.ts"
import { MESSAGE_TRIED_MS } from "../../../../platform/limits.ts"
import { TakenMessage } from "./message.ts"
import {
  type Failed,
  handingBack,
  type LaneInHand,
  type Over,
  type Sent,
  settlingFailed,
  settlingOver,
  settlingSent
} from "./settling.ts"
import { takingDue } from "./taking.ts"

/** Milliseconds a worker has a lane to itself: one try and writing down how it ended fit into it. */
export const SEND_LEASE_MS = 45_000

const readTaken = rowsOf(TakenMessage)
const readEchoes = rowOf(Schema.Struct({ echoes: Schema.Array(Schema.String) }))
const readCount = rowOf(Schema.Struct({ messages: Schema.Int }))

const laneInHand = ({ operator_id, conversation_id, attempts }: TakenMessage, now: Date): LaneInHand => ({
  operator_id,
  conversation_id,
  attempts,
  now
})

const inHand = (taken: TakenMessage, now: Date) => ({ ...laneInHand(taken, now), message_id: taken.message_id })

/**
 * What guests are still to be told, in the database, for any worker of any process. Each conversation has a lane, taken for one
 * message at a time: so its messages arrive in order, and nothing overtakes one that is tried again. What a dead worker had is
 * taken again when its lease ends, and known to have been tried.
 */
export class SendQueue extends Context.Service<SendQueue>()("latchkey/resources/SendQueue", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
    const sent = inForms(sql, (given: Givens<Sent>) => settlingSent(sql, given))
    const over = inForms(sql, (given: Givens<Over>) => settlingOver(sql, given))
    const failed = inForms(sql, (given: Givens<Failed>) => settlingFailed(sql, given))
    const handBack = inForms(sql, (given: Givens<LaneInHand>) => handingBack(sql, given))
    return {
      /** Takes up to `most` due lanes. `underWay` are those this process has already. */
      take: (now: Date, most: number, underWay: Iterable<Whose>) =>
        readTaken(take({ now, leaseEnd: leaseEnd(now, SEND_LEASE_MS), most, ...busyWith(underWay) })),

      /** The guest has it. Answers the names of what the channel had told of it before, which are it, and are gone. */
      sent: (taken: TakenMessage, channelMessageId: string | null, now: Date) =>
        Effect.map(
          readEchoes(sent({ ...inHand(taken, now), channel_message_id: channelMessageId ?? undefined })),
          (row) => row?.echoes ?? []
        ),

      /** It is over. Answers whether it was until now. */
      over: (taken: TakenMessage, delivery: Over["delivery"], reason: string, now: Date) =>
        Effect.map(readCount(over({ ...inHand(taken, now), delivery, reason })), (row) => (row?.messages ?? 0) > 0),

      /** It is tried again then. Answers how many of the lane were given up, since they waited for too long. */
      failed: (taken: TakenMessage, reason: string, maybe: boolean, nextTry: Date, now: Date) =>
        Effect.map(
          readCount(
            failed({
              ...inHand(taken, now),
              failures: taken.failures,
              nextTry,
              reason,
              maybe,
              tooOld: new Date(now.getTime() - MESSAGE_TRIED_MS),
              lost: `given up after a day: ${reason}`,
              unsure: `given up after a day, and it may have been delivered: ${reason}`
            })
          ),
          (row) => row?.messages ?? 0
        ),

      handBack: (taken: TakenMessage, now: Date) => Effect.orDie(handBack(laneInHand(taken, now)))
    }
  })
}) {
  static readonly layer = Layer.effect(SendQueue, SendQueue.make)
}
