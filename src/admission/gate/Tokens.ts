import { Cache, Context, Duration, Effect, Exit, Layer, Schema } from "effect"
import { Caller } from "../../contract/caller.ts"
import { clearAfterReset } from "../../platform/database/ResetListeners.ts"
import { makeReadClientChooser } from "../../platform/database/SharedReads.ts"
import { LimitOverrides, TokenLimits } from "../windows/limit-overrides.ts"
import { computeDigestHex, isSameDigest } from "./credentials.ts"

/** A revoked token must stop within 5 seconds in every process. */
const TOKEN_CACHE_SECONDS = 3
/** After this time a call must look its token up again, to meet the same 5 seconds. */
export const TOKEN_TRUSTED_MS = (5 - TOKEN_CACHE_SECONDS) * 1000
const TOKEN_CACHE_ENTRIES = 50_000

export const StoredToken = Schema.Struct({
  ...Caller.fields,
  digest: Schema.Uint8Array,
  status: Schema.Literals(["active", "banned", "closed"]),
  revoked: Schema.Boolean,
  /** The token works again once its account is enabled. */
  disabled: Schema.Boolean,
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** If null, every deployment accepts the token. */
  deployment: Schema.NullOr(Schema.String),
  subscriptionUntil: Schema.NullOr(Schema.DateTimeUtcFromDate),
  tokenLimits: Schema.NullOr(TokenLimits),
  overrides: Schema.NullOr(LimitOverrides)
})
export type StoredToken = typeof StoredToken.Type

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(StoredToken))

/** Also returns tokens that no longer work. Results are cached for {@link TOKEN_CACHE_SECONDS}. */
export class Tokens extends Context.Service<
  Tokens,
  {
    readonly lookup: (token: string) => Effect.Effect<StoredToken | undefined>
  }
>()("latchkey/admission/gate/Tokens") {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function* () {
      const read = yield* makeReadClientChooser

      const selectTokens = read(
        (sql) =>
          ({ digest }: { readonly digest: Uint8Array }) =>
            sql`
          SELECT t.operator_id AS "operatorId", t.account_id AS "accountId", t.id AS "tokenId", t.name AS "tokenName", t.scope, t.digest,
            t.application, t.grant_id AS "grantId", t.revoked_at IS NOT NULL AS revoked, t.expires_at AS "expiresAt", t.deployment,
            a.disabled_at IS NOT NULL AS disabled, a.name AS "accountName", a.role, o.time_zone AS "timeZone", o.currency, o.edition, o.status,
            o.subscription_until AS "subscriptionUntil",
            t.rate_limits AS "tokenLimits", o.rate_limits AS overrides
          FROM access_tokens t
          JOIN accounts a ON a.operator_id = t.operator_id AND a.id = t.account_id
          JOIN operators o ON o.id = t.operator_id
          WHERE t.digest = ${digest}`
      )

      const find = Effect.fnUntraced(function* (digestHex: string) {
        const digest = Buffer.from(digestHex, "hex")
        const rows = yield* selectTokens({ digest })
        const storedTokens = yield* decodeRows(rows)
        return storedTokens.find((each) => isSameDigest(each.digest, digest))
      }, Effect.orDie)

      // Keyed by digest, so that no token stays in memory. Unknown tokens are not cached, so a new one works at once.
      const cache = yield* Cache.makeWith(find, {
        capacity: TOKEN_CACHE_ENTRIES,
        timeToLive: (exit) =>
          Exit.isSuccess(exit) && exit.value !== undefined ? Duration.seconds(TOKEN_CACHE_SECONDS) : Duration.zero
      })

      yield* clearAfterReset(Cache.invalidateAll(cache))
      return { lookup: (token) => Cache.get(cache, computeDigestHex(token)) }
    })
  )
}
