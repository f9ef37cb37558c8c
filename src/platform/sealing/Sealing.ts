import { Context, Effect, Layer, Redacted, Result } from "effect"
import { noKeys, type SecretKeys } from "./keys.ts"
import { kept, type OwnPlace, opened, type Place } from "./sealed-text.ts"

/** Seals secrets for their columns and opens them again; stores use it where they write and read such a column. */
export interface Seals {
  readonly keys: SecretKeys
  /** A secret as its column keeps it. */
  readonly seal: (place: Place, text: string) => string
  /** What a column keeps, as it was before. Throws {@link NotOpened}, a defect: callers cannot mend it. */
  readonly open: (place: Place, text: string) => string
  readonly sealRedacted: (place: Place, text: Redacted.Redacted) => Redacted.Redacted
  readonly openRedacted: (place: Place, text: Redacted.Redacted) => Redacted.Redacted
}

export const sealsWith = (keys: SecretKeys): Seals => {
  const seal: Seals["seal"] = (place, text) => kept(keys, place, text)
  const open: Seals["open"] = (place, text) =>
    Result.getOrThrowWith(opened(keys, place, text), (notOpened) => notOpened)
  return {
    keys,
    seal,
    open,
    sealRedacted: (place, text) => Redacted.make(seal(place, Redacted.value(text))),
    openRedacted: (place, text) => Redacted.make(open(place, Redacted.value(text)))
  }
}

/**
 * What a column keeps, for a list: undefined where it does not open, which is logged. A row whose key is lost, or that somebody
 * changed, is in the way of no other.
 */
export const openedOrTold = ({ keys }: Seals, place: OwnPlace, text: string): Effect.Effect<string | undefined> =>
  Result.match(opened(keys, place, text), {
    onSuccess: Effect.succeed,
    onFailure: ({ message }) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning(message), { of: place.owner.join(":") }), undefined)
  })

/** What this installation seals with. Unless somebody says otherwise, as where SECRET_KEY is not set: in the clear. */
export const Sealing = Context.Reference<Seals>("latchkey/sealing/Sealing", {
  defaultValue: () => sealsWith(noKeys)
})

/** With the keys that the settings name. */
export const layerSealing = (keys: SecretKeys | undefined): Layer.Layer<never> =>
  Layer.succeed(Sealing, sealsWith(keys ?? noKeys))
