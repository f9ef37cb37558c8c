import { Context, type DateTime, Schema } from "effect"
import type { Actor } from "./actor.ts"
import { RateLimited, SubscriptionRequired, Unauthenticated } from "./errors.ts"

export const Caller = Schema.Struct({
  operatorId: Schema.Int,
  accountId: Schema.Int,
  accountName: Schema.String,
  role: Schema.Literals(["main", "sub"]),
  tokenId: Schema.Int,
  tokenName: Schema.String,
  /** The call may change only the webhook subscriptions of this application, or all if null. */
  application: Schema.NullOr(Schema.String),
  /** Null for an access token or a signed-in person. */
  grantId: Schema.NullOr(Schema.Int),
  scope: Schema.Literals(["read-only", "writable"]),
  timeZone: Schema.String,
  currency: Schema.String,
  edition: Schema.Literals(["pro", "basic"])
})
export type Caller = typeof Caller.Type

export interface TrustedAccount {
  readonly caller: Caller
  /** Set if an administrator acts for the account on the command line. */
  readonly actor?: Actor
  readonly status: "active" | "banned" | "closed"
  readonly subscriptionUntil: DateTime.Utc | null
}

export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("latchkey/contract/CurrentCaller") {}

export const GateError = Schema.Union([Unauthenticated, SubscriptionRequired, RateLimited])
export type GateError = typeof GateError.Type
