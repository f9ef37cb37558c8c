import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { leaseEnd } from "../../background/lease.ts"
import { type Givens, inForms } from "../../database/forms.ts"
import { rowOf, rowsOf } from "../../database/rows.ts"
import { CHANNEL_TEXT, LISTING_PUSH_TRIED_MS } from "../../limits.ts"
import { type Span, TakenPush } from "./push.ts"
import {
  type Failed,
  handingBack,
  type Pushed,
  type Refused,
  settlingFailed,
  settlingPushed,
  settlingRefused
} from "./settling.ts"
import { type Taking, takingDue } from "./taking.ts"

/** Milliseconds a worker has a lane to itself: one push and writing down how it ended fit into it. */
export const PUSH_LEASE_MS = 45_000

const readTaken = rowsOf(TakenPush)
const readCount = rowOf(Schema.Struct({ pushes: Schema.Int }))

/** Whose a push is. */
type Whose = Pick<TakenPush, "operator_id" | "account_id">

/** How many of each account. */
const countsOf = (underWay: Iterable<Whose>) => {
  const counts = new Map<number, { readonly operator_id: number; pushes: number }>()
  for (const { operator_id, account_id } of underWay) {
    const count = counts.get(account_id) ?? { operator_id, pushes: 0 }
    count.pushes += 1
    counts.set(account_id, count)
  }
  return counts
}

const inHand = ({ operator_id, listing_row, attempts, push_id }: TakenPush, now: Date) => ({
  operator_id,
  listing_row,
  attempts,
  push_id,
  now
})

/** A channel's words, as far as they can be stored and are worth reading. */
const asText = (reason: string): string => reason.slice(0, CHANNEL_TEXT).toWellFormed().replaceAll("\0", "\uFFFD")

/**
 * What channels are still to be told, in the database, for any worker of any process. Each listing has a lane, taken for one
 * push at a time: so its changes arrive in order, nothing overtakes one that is tried again, and what a dead worker had is
 * told once more when its lease ends. A lane is timed work (background/timed-work.ts) that is never settled: it counts what
 * waits in it.
 */
export class PushQueue extends Context.Service<PushQueue>()("latchkey/resources/PushQueue", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
    const pushed = inForms(sql, (given: Givens<Pushed>) => settlingPushed(sql, given))
    const refused = inForms(sql, (given: Givens<Refused>) => settlingRefused(sql, given))
    const failed = inForms(sql, (given: Givens<Failed>) => settlingFailed(sql, given))
    const handBack = inForms(sql, (given: Givens<ReturnType<typeof inHand>>) => handingBack(sql, given))
    return {
      /** Takes up to `most` due lanes. `underWay` are those this process has already. */
      take: (now: Date, most: number, underWay: Iterable<Whose>) => {
        const counts = countsOf(underWay)
        return readTaken(
          take({
            now,
            leaseEnd: leaseEnd(now, PUSH_LEASE_MS),
            most,
            busyAccounts: Array.from(counts.keys()),
            busyOperators: Array.from(counts.values(), (count) => count.operator_id),
            busyPushes: Array.from(counts.values(), (count) => count.pushes)
          })
        )
      },

      /** The channel took it; without a span there was nothing to tell it, for that reason. */
      pushed: (push: TakenPush, span: Span | undefined, now: Date) =>
        readCount(
          pushed({
            ...inHand(push, now),
            reason: span === undefined ? `${push.channel_type} honours nothing of it` : undefined,
            start_date: span?.start_date,
            end_date: span?.end_date
          })
        ),

      refused: (push: TakenPush, reason: string, now: Date) =>
        readCount(refused({ ...inHand(push, now), reason: asText(reason) })),

      /** It is tried again then. Answers how many pushes of the lane were given up, since they waited for too long. */
      failed: (push: TakenPush, reason: string, nextTry: Date, now: Date) =>
        readCount(
          failed({
            ...inHand(push, now),
            reason: asText(reason),
            failures: push.failures,
            nextTry,
            tooOld: new Date(now.getTime() - LISTING_PUSH_TRIED_MS)
          })
        ).pipe(Effect.map((row) => row?.pushes ?? 0)),

      handBack: (push: TakenPush, now: Date) => Effect.orDie(handBack(inHand(push, now)))
    }
  })
}) {
  static readonly layer = Layer.effect(PushQueue, PushQueue.make)
}
