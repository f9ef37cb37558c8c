import { Data, Effect } from "effect"
import { CurrentSealer } from "./CurrentSealer.ts"
import { findMissingKeyIds, loadKeyUsageAtEdges } from "./key-usage.ts"

export class KeyMissing extends Data.TaggedError("KeyMissing")<{ readonly keyIds: ReadonlyArray<string> }> {
  override get message(): string {
    const keys = this.keyIds.length === 1 ? "the key" : "the keys"
    return `SECRET_KEY: lacks ${keys} ${this.keyIds.join(", ")} of secrets in this database; add the former value of SECRET_KEY`
  }
}

/** Fails if a key is missing. Otherwise deliveries would fail one by one without notice. */
export const requireSecretKeys = Effect.gen(function* () {
  const { keys } = yield* CurrentSealer
  const keyIds = findMissingKeyIds(yield* loadKeyUsageAtEdges, keys)
  if (keyIds.length > 0) return yield* new KeyMissing({ keyIds })
})

export const warnSecretsInClear: Effect.Effect<void> = Effect.logWarning(
  "SECRET_KEY is not set: the database stores signing secrets and calendar addresses unencrypted; create a key with latchkey secret new"
)
