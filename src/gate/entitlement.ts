import { DateTime, Option } from "effect"
import { SubscriptionRequired, Unauthenticated } from "../contract/errors.ts"
import type { KnownToken } from "./Tokens.ts"

/**
 * Whether the account behind a known token may call at all, and whether its scope covers the call (specification,
 * Authentication errors). A lapsed, banned or basic account keeps its tokens, which work again once the host has put
 * that right. `now` is milliseconds since the epoch.
 */
export const refusalOf = (
  token: KnownToken,
  call: { readonly read: boolean; readonly now: number }
): Option.Option<Unauthenticated | SubscriptionRequired> => {
  if (token.status === "banned") return Option.some(new SubscriptionRequired({ message: "Account banned" }))
  if (token.subscriptionUntil !== null && DateTime.toEpochMillis(token.subscriptionUntil) <= call.now) {
    return Option.some(new SubscriptionRequired({ message: "Subscription expired" }))
  }
  if (token.edition === "basic") {
    return Option.some(new SubscriptionRequired({ message: "Basic edition does not support this feature" }))
  }
  if (token.scope === "read-only" && !call.read) {
    return Option.some(new Unauthenticated({ message: "Not authorized for this action" }))
  }
  return Option.none()
}

/** Whether a known token is good for anything: a revoked one, or one of a closed account, is as if there were none. */
export const isEnded = (token: KnownToken): boolean => token.revoked || token.status === "closed"

export const invalidToken = (): Unauthenticated => new Unauthenticated({ message: "Invalid access token" })
