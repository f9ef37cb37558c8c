import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { computeLeaseEnd, LeaseDuration } from "../../../jobs/lease.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import type { RowId } from "../../column-schemas.ts"
import { readRowId } from "../../operator-rows.ts"
import type { KnowledgeFragment } from "../search/fragments.ts"
import { ClaimedEntry } from "./claimed-entry.ts"
import {
  type CompleteEntryParameters,
  type FailEntryParameters,
  type InHand,
  type ReleaseEntryParameters,
  releaseEntrySql,
  settlingFailed,
  settlingPrepared
} from "./settling.ts"
import { type Taking, takingDue } from "./taking.ts"

const readTaken = makeRowsReader(ClaimedEntry)

const inHand = ({ operator_id, id, attempts }: ClaimedEntry): InHand => ({ operator_id, id, attempts })

const makePreparingQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const take = inForms(sql, (taking: Givens<Taking>) => takingDue(sql, taking))
  const complete = inForms(sql, (parameters: Givens<CompleteEntryParameters>) => settlingPrepared(sql, parameters))
  const fail = inForms(sql, (parameters: Givens<FailEntryParameters>) => settlingFailed(sql, parameters))
  const release = inForms(sql, (parameters: Givens<ReleaseEntryParameters>) => releaseEntrySql(sql, parameters))
  return {
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
    complete: (entry: ClaimedEntry, fragments: ReadonlyArray<KnowledgeFragment>) =>
      readRowId(retryOnLockConflict(complete({ ...inHand(entry), fragments }))),
    fail: (entry: ClaimedEntry, nextTry: Date | undefined) =>
      readRowId(fail({ ...inHand(entry), nextTry: nextTry ?? null })),
    release: (entry: ClaimedEntry, now: Date) => Effect.orDie(release({ ...inHand(entry), now }))
  }
})

/**
 * Entries that are to be prepared, in the database, for any worker of any process. Each is timed work
 * (jobs/timed-work.ts) that an edit begins anew.
 */
export class PreparingQueue extends Context.Service<
  PreparingQueue,
  {
    /** Takes up to `most` due entries. `underWay` are those this process has already. */
    readonly take: (
      now: Date,
      most: number,
      underWay: Iterable<ClaimedEntry>
    ) => Effect.Effect<ReadonlyArray<ClaimedEntry>>
    /** Saves the fragments by which an entry is searched. Undefined: it was edited, deleted or taken by another worker since. */
    readonly complete: (
      entry: ClaimedEntry,
      fragments: ReadonlyArray<KnowledgeFragment>
    ) => Effect.Effect<RowId | undefined>
    /** Undefined as in `complete`. */
    readonly fail: (entry: ClaimedEntry, nextTry: Date | undefined) => Effect.Effect<RowId | undefined>
    readonly release: (entry: ClaimedEntry, now: Date) => Effect.Effect<void>
  }
>()("latchkey/domain/knowledge/preparing/PreparingQueue") {
  static readonly layer = Layer.effect(PreparingQueue, makePreparingQueue)
}
