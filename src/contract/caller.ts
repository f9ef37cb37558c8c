import { Context, Schema } from "effect"
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
  scope: Schema.Literals(["read-only", "writable"]),
  /** IANA zone in which the operator's dates are read. */
  timeZone: Schema.String,
  /** ISO 4217 code the operator works in by default. */
  currency: Schema.String,
  edition: Schema.Literals(["pro", "basic"])
})
export type Caller = typeof Caller.Type

/** Who is calling; provided by the Gate to every handler. */
export class CurrentOperator extends Context.Service<CurrentOperator, Caller>()("latchkey/contract/CurrentOperator") {}

/** What the Gate itself can answer, before a handler runs. */
export const GateError = Schema.Union([Unauthenticated, SubscriptionRequired, RateLimited])
export type GateError = typeof GateError.Type
