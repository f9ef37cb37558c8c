import { Context, Effect, Layer, Redacted, Result } from "effect"
import { openStoredText, type RowSecretBinding, type SecretBinding, toStoredText } from "./sealed-text.ts"
import { noSecretKeys, type SecretKeys } from "./secret-keys.ts"

/** Seals secrets for their columns and opens them again; stores use it where they write and read such a column. */
export interface SecretSealer {
  readonly keys: SecretKeys
  /** A secret as its column keeps it. */
  readonly seal: (binding: SecretBinding, text: string) => string
  /** What a column keeps, as it was before. Throws {@link UnsealFailed}, a defect: callers cannot mend it. */
  readonly open: (binding: SecretBinding, text: string) => string
  readonly sealRedacted: (binding: SecretBinding, text: Redacted.Redacted) => Redacted.Redacted
  readonly openRedacted: (binding: SecretBinding, text: Redacted.Redacted) => Redacted.Redacted
}

export const makeSealer = (keys: SecretKeys): SecretSealer => {
  const seal: SecretSealer["seal"] = (binding, text) => toStoredText(keys, binding, text)
  const open: SecretSealer["open"] = (binding, text) =>
    Result.getOrThrowWith(openStoredText(keys, binding, text), (error) => error)
  return {
    keys,
    seal,
    open,
    sealRedacted: (binding, text) => Redacted.make(seal(binding, Redacted.value(text))),
    openRedacted: (binding, text) => Redacted.make(open(binding, Redacted.value(text)))
  }
}

/**
 * What a column keeps, for a list: undefined where it does not open, which is logged. A row whose key is lost, or that somebody
 * changed, is in the way of no other.
 */
export const openOrWarn = (
  { keys }: SecretSealer,
  binding: RowSecretBinding,
  text: string
): Effect.Effect<string | undefined> =>
  Result.match(openStoredText(keys, binding, text), {
    onSuccess: Effect.succeed,
    onFailure: ({ message }) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning(message), { of: binding.owner.join(":") }), undefined)
  })

/** What this installation seals with. Unless somebody says otherwise, as where SECRET_KEY is not set: in the clear. */
export const CurrentSealer = Context.Reference<SecretSealer>("latchkey/platform/sealing/CurrentSealer", {
  defaultValue: () => makeSealer(noSecretKeys)
})

/** With the keys that the settings name. */
export const layerSealing = (keys: SecretKeys | undefined): Layer.Layer<never> =>
  Layer.succeed(CurrentSealer, makeSealer(keys ?? noSecretKeys))
