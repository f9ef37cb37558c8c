import { Result, Schema } from "effect"
import { BadRequest, RateLimited, Unauthenticated } from "../../../../contract/errors.ts"
import { GRANT_RENEWALS, REFRESH_GRACE_MS } from "../../../../platform/limits.ts"
import { clientGone } from "../exchange/rules.ts"
import type { GivenRefreshToken } from "../issued.ts"
import { resourceOf } from "../resource.ts"
import { type Scope, scopeIn } from "../scope.ts"

/** A refresh token as it is kept, with its grant. */
export const KnownRefreshToken = Schema.Struct({
  operatorId: Schema.Int,
  grantId: Schema.Int,
  accountId: Schema.Int,
  name: Schema.String,
  clientId: Schema.String,
  clientDisabled: Schema.Boolean,
  /** What the host has consented to. */
  scope: Schema.Literals(["read-only", "writable"]),
  grantEnded: Schema.Boolean,
  expiresAt: Schema.Date,
  usedAt: Schema.NullOr(Schema.Date),
  /** What was answered then, sealed; null: the token of that answer was used since, or it is long ago. */
  answer: Schema.NullOr(Schema.Uint8Array),
  /** How often the grant was renewed within the last hour, as far as it matters, and when first. */
  renewals: Schema.Int,
  firstRenewal: Schema.NullOr(Schema.Date)
})
export type KnownRefreshToken = typeof KnownRefreshToken.Type

export type Renewal =
  /** `scope` is what the new access token may do. */
  | { readonly _tag: "Good"; readonly token: KnownRefreshToken; readonly scope: Scope }
  /** The client asks once more for what it did not hear. */
  | { readonly _tag: "Repeated"; readonly answer: Uint8Array }
  /** It was used before: a thief has it, or had it (RFC 9700 4.14.2). The whole grant ends. */
  | { readonly _tag: "Reused"; readonly token: KnownRefreshToken }
  | { readonly _tag: "Refused"; readonly error: BadRequest | Unauthenticated | RateLimited }

const refused = (error: BadRequest | Unauthenticated | RateLimited): Renewal => ({ _tag: "Refused", error })

/** One wording for all. */
export const noSuchToken = new Unauthenticated({
  message: "refresh_token: is unknown, expired, used or revoked.",
  oauth: "invalid_grant"
})

const noSuchTarget = new BadRequest({
  message: "resource: must be an address of this service.",
  oauth: "invalid_target"
})

const tooWide = new BadRequest({
  message: "scope: must not exceed the scope that the host granted.",
  oauth: "invalid_scope"
})

/** What is to be done with a refresh token that its client gives (RFC 6749 6). Another client's is as if there were none. */
export const judged = (
  known: KnownRefreshToken | undefined,
  given: GivenRefreshToken,
  publicUrl: string,
  now: Date
): Renewal => {
  if (known === undefined || known.clientId !== given.client.id || known.grantEnded) return refused(noSuchToken)
  const { usedAt, answer } = known
  const heard = usedAt === null || !isWithinGrace(usedAt, now) ? null : answer
  if (usedAt !== null && heard === null) return { _tag: "Reused", token: known }
  if (usedAt === null && known.expiresAt <= now) return refused(noSuchToken)
  if (known.clientDisabled) return refused(clientGone)
  if (given.resources.some((each) => resourceOf(publicUrl, each) === undefined)) return refused(noSuchTarget)
  const scope = narrowed(known.scope, given.scope)
  if (Result.isFailure(scope)) return refused(scope.failure)
  if (heard !== null) return { _tag: "Repeated", answer: heard }
  return known.renewals < GRANT_RENEWALS
    ? { _tag: "Good", token: known, scope: scope.success }
    : refused(tooOften(known.firstRenewal ?? now, now))
}

const isWithinGrace = (usedAt: Date, now: Date): boolean => now.getTime() - usedAt.getTime() <= REFRESH_GRACE_MS

const HOUR_MS = 60 * 60 * 1000

const tooOften = (first: Date, now: Date): RateLimited =>
  new RateLimited({
    message: `refresh_token: was used ${GRANT_RENEWALS} times within an hour; keep each access token until it expires.`,
    headers: { "Retry-After": String(Math.max(1, Math.ceil((first.getTime() + HOUR_MS - now.getTime()) / 1000))) }
  })

/** What the host consented to, or less (RFC 6749 6). */
export const narrowed = (consented: Scope, asked: string | undefined): Result.Result<Scope, BadRequest> => {
  const scope = scopeIn(asked) ?? consented
  return scope === "writable" && consented === "read-only" ? Result.fail(tooWide) : Result.succeed(scope)
}
