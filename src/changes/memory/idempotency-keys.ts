import { DateTime, Effect, Layer } from "effect"
import type { IdempotencyKeyState } from "../../contract/actor.ts"
import { IdempotencyKeys, recordClaim, toStoredKeyId } from "../IdempotencyKeys.ts"
import { MemoryDatabase, type MemoryIdempotencyKey } from "./MemoryDatabase.ts"

export const layerMemory: Layer.Layer<IdempotencyKeys, never, MemoryDatabase> = Layer.effect(
  IdempotencyKeys,
  Effect.map(MemoryDatabase, ({ idempotencyKeys: keys }) => {
    const find = (key: IdempotencyKeyState) => keys.get(toStoredKeyId(key))
    const set = (key: IdempotencyKeyState, stored: Omit<MemoryIdempotencyKey, "fingerprint" | "grant_id">): true => {
      keys.set(toStoredKeyId(key), { fingerprint: key.fingerprint, grant_id: key.grantId, ...stored })
      return true
    }
    const hasOwnClaim = (key: IdempotencyKeyState): boolean => {
      const stored = find(key)
      return stored?.outcome === null && stored.under_way_until?.getTime() === key.claimedUntil?.getTime()
    }
    return {
      find: (key) => Effect.sync(() => find(key)),
      store: (key, outcome) =>
        Effect.sync(
          () => (find(key) === undefined || hasOwnClaim(key)) && set(key, { outcome, under_way_until: null })
        ),
      claim: (key) =>
        recordClaim(key, (until) =>
          Effect.sync(() => find(key) === undefined && set(key, { outcome: null, under_way_until: until }))
        ),
      takeOver: (key) =>
        recordClaim(key, (until, now) =>
          Effect.sync(() => {
            const stored = find(key)
            const isFree =
              stored?.outcome === null &&
              stored.under_way_until !== null &&
              stored.under_way_until <= now &&
              Buffer.compare(stored.fingerprint, key.fingerprint) === 0
            return isFree && set(key, { outcome: null, under_way_until: until })
          })
        ),
      renew: (key) =>
        recordClaim(key, (until) =>
          Effect.sync(() => hasOwnClaim(key) && set(key, { outcome: null, under_way_until: until }))
        ),
      abandon: (key) =>
        Effect.map(DateTime.nowAsDate, (now) => {
          if (hasOwnClaim(key)) set(key, { outcome: null, under_way_until: now })
        }),
      release: (key) =>
        Effect.sync(() => {
          if (hasOwnClaim(key)) keys.delete(toStoredKeyId(key))
          key.progress = "none"
        })
    }
  })
)
