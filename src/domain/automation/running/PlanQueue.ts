import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { busyWith, type Taking, type Whose } from "../../../jobs/in-turn.ts"
import { leaseEnd } from "../../../jobs/lease.ts"
import { rowIfAnyUnless } from "../../../platform/database/constraints.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { patiently } from "../../../platform/database/patience.ts"
import { rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { newCode } from "../../guests/conversations/known-conversation.ts"
import { refusedByLane } from "../../guests/conversations/lane.ts"
import { type OwnRow, readIdentity } from "../../own-row.ts"
import { Identity } from "../../row-fields.ts"
import { noRoom } from "../asked-actions.ts"
import { Ground, type PlanGround, readingGround } from "./ground.ts"
import type { Doing } from "./judging.ts"
import {
  deleting,
  handingBack,
  markingItsStay,
  puttingOff,
  type Said,
  type Settled,
  type Skipped,
  saying,
  settlingDone,
  skipping,
  type Waits
} from "./settling.ts"
import { REVIEWING_ROOM, TakenPlan, takingDue } from "./taking.ts"

/** Milliseconds a worker has a plan to itself: one act at a channel and writing down how it ended fit into it. */
export const RUN_LEASE_MS = 45_000

/** What of a plan that is under way says whose room it takes. */
type UnderWay = Whose & Pick<TakenPlan, "kind">

const readTaken = rowsOf(TakenPlan)
const readGround = rowOf(Ground)
const readSaid = rowIfAnyUnless(Identity, (broken) => (refusedByLane(broken) === undefined ? undefined : noRoom))

const mine = ({ operator_id: operatorId, id, attempts }: TakenPlan) => ({ operatorId, id, attempts })

const take = (sql: SqlClient.SqlClient) => {
  const statement = inForms(sql, (taking: Givens<Taking>, kind: TakenPlan["kind"]) => takingDue(sql, taking, kind))
  const takeOf = (kind: TakenPlan["kind"], now: Date, most: number, underWay: Iterable<Whose>) =>
    most > 0
      ? readTaken(statement({ now, leaseEnd: leaseEnd(now, RUN_LEASE_MS), most, ...busyWith(underWay) }, kind))
      : Effect.succeed([])
  return Effect.fnUntraced(function* (now: Date, most: number, underWay: Iterable<UnderWay>) {
    const of = Map.groupBy(underWay, ({ kind }) => kind)
    const reviewing = of.get("review") ?? []
    const messages = yield* takeOf("send_message", now, most, of.get("send_message") ?? [])
    const room = Math.min(most - messages.length, REVIEWING_ROOM - reviewing.length)
    return [...messages, ...(yield* takeOf("review", now, room, reviewing))]
  })
}

/**
 * What rules are going to do, in the database, for any worker of any process and for whoever runs one by hand. A plan is timed
 * work (jobs/timed-work.ts).
 */
export class PlanQueue extends Context.Service<PlanQueue>()("latchkey/resources/PlanQueue", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const ground = inForms(sql, (plan: Givens<OwnRow>) => readingGround(sql, plan))
    const say = onRecordInForms(sql, (said: Givens<Said>) => saying(sql, said))
    const done = inForms(sql, (settled: Givens<Settled>) => settlingDone(sql, settled))
    const skip = onRecordInForms(sql, (skipped: Givens<Skipped>) => skipping(sql, skipped))
    const putOff = inForms(sql, (waits: Givens<Waits>) => puttingOff(sql, waits))
    const markStay = inForms(sql, (plan: Givens<ReturnType<typeof mine> & { readonly now: Date }>) =>
      markingItsStay(sql, plan)
    )
    const handBack = inForms(sql, (plan: Givens<ReturnType<typeof mine> & { readonly now: Date }>) =>
      handingBack(sql, plan)
    )
    const remove = onRecordInForms(sql, (plan: Givens<Settled>) => deleting(sql, plan))
    return {
      /** Takes up to `most` due plans, messages first. `underWay` are those this process has already. */
      take: take(sql),

      /** All that is known of a plan that waits, as of now; undefined: the operator has none of that id. */
      ground: (operatorId: number, id: number) => readGround(ground({ operatorId, id })),

      /** Says it. Undefined: it was settled or moved since, or its rule paused. Fails where the lane is full. */
      say: (plan: PlanGround, message: Extract<Doing, { readonly does: "message" }>) =>
        Effect.flatMap(DateTime.nowAsDate, (now) =>
          readSaid(
            say({
              operatorId: plan.operator_id,
              id: plan.plan_id,
              scheduledAt: plan.scheduled_at,
              conversationId: message.conversationId,
              code: newCode(),
              text: message.text,
              sources: message.sources,
              now
            })
          )
        ),

      done: ({ operator_id: operatorId, plan_id: id }: PlanGround) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => readIdentity(done({ operatorId, id, now }))),

      /** It is not done, and why. Undefined: it is the worker's no more. */
      skip: (plan: TakenPlan, reason: string, now: Date) => readIdentity(skip({ ...mine(plan), reason, now })),

      putOff: (plan: TakenPlan, reason: string | null, nextTry: Date) =>
        Effect.orDie(putOff({ ...mine(plan), reason, nextTry })),

      /** Its stay is planned anew. */
      markStay: (plan: TakenPlan, now: Date) => Effect.orDie(patiently(markStay({ ...mine(plan), now }))),

      handBack: (plan: TakenPlan, now: Date) => Effect.orDie(handBack({ ...mine(plan), now })),

      /** Takes it away; undefined: none of that id waits. */
      remove: (operatorId: number, id: number, now: Date) => readIdentity(remove({ operatorId, id, now }))
    }
  })
}) {
  static readonly layer = Layer.effect(PlanQueue, PlanQueue.make)
}
