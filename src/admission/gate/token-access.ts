import { DateTime, Option } from "effect"
import type { Caller, TrustedAccount } from "../../contract/caller.ts"
import { SubscriptionRequired, Unauthenticated } from "../../contract/errors.ts"
import type { StoredToken } from "./Tokens.ts"

/**
 * Returns why the account or scope of a valid token forbids the call (specification, Authentication errors). `now` is
 * in milliseconds.
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
