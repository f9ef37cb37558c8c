import { Schema } from "effect"

const Max = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const max = Schema.optionalKey(Max)

const CallWindows = Schema.Struct({ "1m": max, "10m": max, "1h": max, "24h": max })

/**
 * `POST /reservations`, a prefix such as `POST /listings/*`, `unmatched`, or `*` for routes without limits of their
 * own.
 */
const RouteTemplate = Schema.String.check(Schema.isPattern(/^((GET|POST|PUT|PATCH|DELETE) \/\S*|unmatched|\*)$/))

/**
 * Limits of one operator. A number replaces the default or adds a window: `{"user": {"1m": 5000}, "endpoint": {"POST
 * /reservations": {"1m": 300}}}`.
 */
export const LimitOverrides = Schema.Struct({
  user: Schema.optionalKey(CallWindows),
  endpoint: Schema.optionalKey(Schema.Record(RouteTemplate, CallWindows)),
  conversation: Schema.optionalKey(Schema.Struct({ "5s": max, "60s": max, "30m": max, "2h": max, "24h": max })),
  endpoint_error: Schema.optionalKey(Schema.Struct({ "1h": max, "24h": max }))
})
export type LimitOverrides = typeof LimitOverrides.Type

/** A token's limit only tightens the limit of its operator. */
export const TokenLimits = Schema.Struct({ "1m": max, "1h": max })
export type TokenLimits = typeof TokenLimits.Type

export const decodeLimitOverrides = Schema.decodeUnknownEffect(LimitOverrides, { onExcessProperty: "error" })
export const decodeTokenLimits = Schema.decodeUnknownEffect(TokenLimits, { onExcessProperty: "error" })
