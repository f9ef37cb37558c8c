import { Schema } from "effect"

const Max = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const max = Schema.optionalKey(Max)

const CallWindows = Schema.Struct({ "1m": max, "10m": max, "1h": max, "24h": max })

/**
 * `POST /reservations`, all routes that begin alike such as `POST /listings/*`, `unmatched`, or `*` for the routes without
 * limits of their own.
 */
const RouteTemplate = Schema.String.check(Schema.isPattern(/^((GET|POST|PUT|PATCH|DELETE) \/\S*|unmatched|\*)$/))

/**
 * Other limits for one operator, as stored in jsonb: a number here replaces the table's, or adds a window the route does
 * not have. `{"user": {"1m": 5000}, "endpoint": {"POST /reservations": {"1m": 300}}, "endpoint_error": {"1h": 50}}`.
 */
export const LimitOverrides = Schema.Struct({
  user: Schema.optionalKey(CallWindows),
  endpoint: Schema.optionalKey(Schema.Record(RouteTemplate, CallWindows)),
  conversation: Schema.optionalKey(Schema.Struct({ "5s": max, "60s": max, "30m": max, "2h": max, "24h": max })),
  endpoint_error: Schema.optionalKey(Schema.Struct({ "1h": max, "24h": max }))
})
export type LimitOverrides = typeof LimitOverrides.Type

/** Limits of one token. They only tighten: a number above the account's counts as the account's. */
export const TokenLimits = Schema.Struct({ "1m": max, "1h": max })
export type TokenLimits = typeof TokenLimits.Type

/** A misspelled layer or window fails here instead of being no limit at all. */
export const decodeLimitOverrides = Schema.decodeUnknownEffect(LimitOverrides, { onExcessProperty: "error" })
export const decodeTokenLimits = Schema.decodeUnknownEffect(TokenLimits, { onExcessProperty: "error" })
