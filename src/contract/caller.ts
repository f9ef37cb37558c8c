import { Context, type DateTime, Schema } from "effect"
import type { Actor } from "./actor.ts"
import { RateLimited, SubscriptionRequired, Unauthenticated } from "./errors.ts"

/** The operator a call belongs to and the account and token that made it. */
export const Caller = Schema.Struct({
  operatorId: Schema.Int,
  accountId: Schema.Int,
  /** The account's display name: who is said to have created an entry. */
  accountName: Schema.String,
  /** The main account may do what a sub-account may not (operator-level entries). */
  role: Schema.Literals(["main", "sub"]),
  tokenId: Schema.Int,
  /** What the token is called: the application that calls. */
  tokenName: Schema.String,
  /**
   * Whose webhook subscriptions it may change: those of this application. Null: the host's own hand, by a token or a page of the
   * console, which may change all.
   */
  application: Schema.NullOr(Schema.String),
  /** The grant of the OAuth connection that the token belongs to; null: an access token, or a signed-in person. */
  grantId: Schema.NullOr(Schema.Int),
  scope: Schema.Literals(["read-only", "writable"]),
  /** IANA zone in which the operator's dates are read. */
  timeZone: Schema.String,
  /** ISO 4217 code the operator works in by default. */
  currency: Schema.String,
  edition: Schema.Literals(["pro", "basic"])
})
export type Caller = typeof Caller.Type

/** An account that a transport has authenticated, with what may suspend its operator. */
export interface TrustedAccount {
  readonly caller: Caller
  /** The actor in the audit log, if it is not the account: an administrator who calls for it on the command line. */
  readonly actor?: Actor
  readonly status: "active" | "banned" | "closed"
  readonly subscriptionUntil: DateTime.Utc | null
}

/** Who is calling; provided by the Gate to every handler. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("latchkey/contract/CurrentCaller") {}

/** What the Gate itself can answer, before a handler runs. */
export const GateError = Schema.Union([Unauthenticated, SubscriptionRequired, RateLimited])
export type GateError = typeof GateError.Type
