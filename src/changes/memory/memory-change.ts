import { isDeepStrictEqual } from "node:util"
import { DateTime, Effect, Schema } from "effect"
import { CurrentActor } from "../../contract/actor.ts"
import { toStoredKeyId } from "../IdempotencyKeys.ts"
import type { MemoryDatabase, MemoryEvent, MemoryRecord } from "./MemoryDatabase.ts"

interface MemoryChange<Outcome> {
  readonly outcome: Outcome
  readonly events?: ReadonlyArray<Omit<MemoryEvent, "operator_id">>
  readonly changedRecords: ReadonlyArray<{ readonly record: string; readonly fields: ReadonlyArray<string> }>
  readonly write: () => void
}

type MemoryDecision<Outcome, Unchanged, E> =
  | MemoryChange<Outcome>
  | { readonly unchanged: Unchanged }
  | { readonly error: E }

/** Dies if the idempotency key is in use. The caller then looks the key up (idempotency.ts). */
export const recordMemoryChange = <Outcome, Unchanged = never, E = never>(
  database: MemoryDatabase["Service"],
  operatorId: number,
  outcomeSchema: Schema.ConstraintCodec<Outcome, unknown>,
  decide: () => MemoryDecision<Outcome, Unchanged, E>
): Effect.Effect<Outcome | Unchanged, E, CurrentActor> =>
  Effect.gen(function* () {
    const actor = yield* CurrentActor
    const at = yield* DateTime.nowAsDate
    const encode = Schema.encodeSync(Schema.toCodecJson(outcomeSchema))
    return yield* Effect.suspend((): Effect.Effect<Outcome | Unchanged, E> => {
      const decision = decide()
      if ("error" in decision) return Effect.fail(decision.error)
      if ("unchanged" in decision) return Effect.succeed(decision.unchanged)
      const { outcome, events = [], changedRecords, write } = decision
      const { idempotencyKey, accountId, application, operation, requestId } = actor
      if (idempotencyKey !== undefined) {
        const keyId = toStoredKeyId(idempotencyKey)
        // A call that has claimed its key replaces its claim.
        const isTaken = idempotencyKey.claimedUntil === undefined && database.idempotencyKeys.has(keyId)
        if (isTaken) return Effect.die(new Error("the idempotency key is in use"))
        const { fingerprint, grantId } = idempotencyKey
        const stored = { fingerprint, grant_id: grantId, outcome: encode(outcome), under_way_until: null }
        database.idempotencyKeys.set(keyId, stored)
        idempotencyKey.progress = "kept"
      }
      write()
      for (const event of events) database.events.push({ operator_id: operatorId, ...event })
      for (const { record, fields } of changedRecords) {
        database.auditEntries.push({
          operator_id: operatorId,
          at,
          account_id: accountId,
          application,
          operation,
          request_id: requestId,
          record,
          fields
        })
      }
      return Effect.succeed(outcome)
    })
  })

export const createdOrDeletedRecord = (kind: string, id: number) => [{ record: `${kind}:${id}`, fields: [] }]

export const editedRecord = <Row extends MemoryRecord>(kind: string, before: Row, after: Row) => {
  const former = fieldsOf(before)
  const changed = Array.from(fieldsOf(after)).filter(
    ([name, value]) => !UNRECORDED_FIELDS.has(name) && !isDeepStrictEqual(former.get(name), value)
  )
  return [{ record: `${kind}:${before.id}`, fields: changed.map(([name]) => name).toSorted() }]
}

const UNRECORDED_FIELDS: ReadonlySet<string> = new Set(["updated_at"])

const fieldsOf = (record: object): ReadonlyMap<string, unknown> => new Map(Object.entries(record))

export const applyEdit = <Row extends object>(
  record: Row,
  edit: { readonly [Field in keyof Row]?: Row[Field] | undefined }
): Row => ({
  ...record,
  ...Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined))
})

export const deleteMemoryRecord = <Row extends MemoryRecord>(
  database: MemoryDatabase["Service"],
  records: Map<number, Row>,
  kind: string,
  { operatorId, id }: { readonly operatorId: number; readonly id: number }
) =>
  recordMemoryChange(database, operatorId, DeletedRecord, () =>
    records.get(id)?.operator_id === operatorId
      ? { outcome: { id }, changedRecords: createdOrDeletedRecord(kind, id), write: () => records.delete(id) }
      : { unchanged: undefined }
  )

const DeletedRecord = Schema.Struct({ id: Schema.Int })
