import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { computeLeaseEnd, LeaseDuration } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { readRowId } from "../../operator-rows.ts"
import type { KnowledgeFragment } from "../search/fragments.ts"
import { ClaimedEntry } from "./claimed-entry.ts"
import {
  type Failed,
  type HandedBack,
  handingBack,
  type InHand,
  type Prepared,
  settlingFailed,
  settlingPrepared
} from "./settling.ts"
import { type Taking, takingDue } from "./taking.ts"

const readTaken = makeRowsReader(ClaimedEntry)

const inHand = ({ operator_id, id, attempts }: ClaimedEntry): InHand => ({ operator_id, id, attempts })

/**
 * Entries that are to be prepared, in the database, for any worker of any process. Each is timed work
 * (jobs/timed-work.ts) that an edit begins anew.
 */
export class PreparingQueue extends Context.Service<PreparingQueue>()(
  "latchkey/domain/knowledge/preparing/PreparingQueue",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
      const prepared = inForms(sql, (given: Givens<Prepared>) => settlingPrepared(sql, given))
      const failed = inForms(sql, (given: Givens<Failed>) => settlingFailed(sql, given))
      const handBack = inForms(sql, (given: Givens<HandedBack>) => handingBack(sql, given))
      return {
        /** Takes up to `most` due entries. `underWay` are those this process has already. */
        take: (now: Date, most: number, underWay: Iterable<ClaimedEntry>) =>
          Effect.flatMap(LeaseDuration, (leaseMs) =>
            readTaken(
              take({
                now,
                leaseEnd: computeLeaseEnd(now, leaseMs),
                most,
                busyOperators: Array.from(underWay, ({ operator_id }) => operator_id)
              })
            )
          ),

        /** Keeps what an entry is searched by; undefined where it was edited, deleted or taken by somebody else since. */
        prepared: (entry: ClaimedEntry, fragments: ReadonlyArray<KnowledgeFragment>) =>
          readRowId(retryOnLockConflict(prepared({ ...inHand(entry), fragments }))),

        /** Undefined as above. */
        failed: (entry: ClaimedEntry, nextTry: Date | undefined) =>
          readRowId(failed({ ...inHand(entry), nextTry: nextTry ?? null })),

        handBack: (entry: ClaimedEntry, now: Date) => Effect.orDie(handBack({ ...inHand(entry), now }))
      }
    })
  }
) {
  static readonly layer = Layer.effect(PreparingQueue, PreparingQueue.make)
}
