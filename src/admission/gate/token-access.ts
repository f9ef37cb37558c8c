import { DateTime, Option } from "effect"
import type { Caller, TrustedAccount } from "../../contract/caller.ts"
import { SubscriptionRequired, Unauthenticated } from "../../contract/errors.ts"
import type { StoredToken } from "./Tokens.ts"

/**
 * Whether the account behind a known token may call at all, and whether its scope covers the call (specification,
 * Authentication errors). A lapsed, banned or basic account keeps its tokens, which work again once the host has put
 * that right. `now` is milliseconds since the epoch.
 */
export const accessError = (
  token: Pick<Caller, "edition" | "scope"> & Pick<TrustedAccount, "status" | "subscriptionUntil">,
  call: { readonly isRead: boolean; readonly now: number }
): Option.Option<Unauthenticated | SubscriptionRequired> => {
  if (token.status === "banned") return Option.some(new SubscriptionRequired({ message: "Account banned" }))
  if (token.subscriptionUntil !== null && DateTime.toEpochMillis(token.subscriptionUntil) <= call.now) {
    return Option.some(new SubscriptionRequired({ message: "Subscription expired" }))
  }
  if (token.edition === "basic") {
    return Option.some(new SubscriptionRequired({ message: "Basic edition does not support this feature" }))
  }
  if (token.scope === "read-only" && !call.isRead) {
    return Option.some(new Unauthenticated({ message: "Not authorized for this action" }))
  }
  return Option.none()
}

/**
 * Whether a known token is good for nothing: one that was revoked, or is of a closed operator or a disabled account, or is older
 * than it may be, or was given out by the other deployment, is as if there were none.
 */
export const isInvalidToken = (
  token: StoredToken,
  context: { readonly now: number; readonly deployment: string }
): boolean =>
  token.revoked ||
  token.disabled ||
  token.status === "closed" ||
  (token.expiresAt !== null && DateTime.toEpochMillis(token.expiresAt) <= context.now) ||
  (token.deployment !== null && token.deployment !== context.deployment)

export const invalidTokenError = (): Unauthenticated => new Unauthenticated({ message: "Invalid access token" })
