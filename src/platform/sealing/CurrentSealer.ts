import { Context, Effect, Layer, Redacted, Result } from "effect"
import { openStoredText, type RowSecretBinding, type SecretBinding, toStoredText } from "./sealed-text.ts"
import { noSecretKeys, type SecretKeys } from "./secret-keys.ts"

export interface SecretSealer {
  readonly keys: SecretKeys
  readonly seal: (binding: SecretBinding, text: string) => string
  /** Throws {@link UnsealFailed} as a defect, because callers cannot correct it. */
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
 * If the text cannot be decrypted, logs a warning and returns undefined, so that other rows of a list are not affected.
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

/** Without SECRET_KEY, secrets are stored unencrypted. */
export const CurrentSealer = Context.Reference<SecretSealer>("latchkey/platform/sealing/CurrentSealer", {
  defaultValue: () => makeSealer(noSecretKeys)
})

export const layerSealing = (keys: SecretKeys | undefined): Layer.Layer<never> =>
  Layer.succeed(CurrentSealer, makeSealer(keys ?? noSecretKeys))
