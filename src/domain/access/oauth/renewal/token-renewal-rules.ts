import { Result, Schema } from "effect"
import { BadRequest, RateLimited, Unauthenticated } from "../../../../contract/errors.ts"
import { GRANT_RENEWALS_MAX, REFRESH_GRACE_MS } from "../../../../platform/limits.ts"
import { clientDisabledError } from "../exchange/code-exchange-rules.ts"
import { findProtectedResource } from "../protected-resource.ts"
import { parseScope, type Scope } from "../scope.ts"
import type { TokenRefreshRequest } from "../token-requests.ts"

export const StoredRefreshToken = Schema.Struct({
  operatorId: Schema.Int,
  grantId: Schema.Int,
  accountId: Schema.Int,
  name: Schema.String,
  clientId: Schema.String,
  clientDisabled: Schema.Boolean,
  scope: Schema.Literals(["read-only", "writable"]),
  grantEnded: Schema.Boolean,
  expiresAt: Schema.Date,
  usedAt: Schema.NullOr(Schema.Date),
  /**
   * The encrypted response to the renewal with this token (sealed-response.ts). Null if the next token was used, or the
   * grace period is over.
   */
  answer: Schema.NullOr(Schema.Uint8Array),
  /** Counted within the last hour, up to {@link GRANT_RENEWALS_MAX}. `firstRenewal` is the earliest of them. */
  renewals: Schema.Int,
  firstRenewal: Schema.NullOr(Schema.Date)
})
export type StoredRefreshToken = typeof StoredRefreshToken.Type

type TokenRenewalVerdict =
  | { readonly _tag: "Good"; readonly token: StoredRefreshToken; readonly scope: Scope }
  | { readonly _tag: "Repeated"; readonly answer: Uint8Array }
  /** The token may be stolen (RFC 9700 4.14.2). The caller must end the grant. */
  | { readonly _tag: "Reused"; readonly token: StoredRefreshToken }
  | { readonly _tag: "Refused"; readonly error: BadRequest | Unauthenticated | RateLimited }

const errorVerdict = (error: BadRequest | Unauthenticated | RateLimited): TokenRenewalVerdict => ({
  _tag: "Refused",
  error
})

/** One message for all these cases, so that guessing reveals nothing. */
export const unknownTokenError = new Unauthenticated({
  message: "refresh_token: is unknown, expired, used or revoked.",
  oauthErrorCode: "invalid_grant"
})

const unknownResourceError = new BadRequest({
  message: "resource: must be an address of this service.",
  oauthErrorCode: "invalid_target"
})

const scopeTooWideError = new BadRequest({
  message: "scope: must not exceed the scope that the host granted.",
  oauthErrorCode: "invalid_scope"
})

export const judgeRefreshToken = (
  token: StoredRefreshToken | undefined,
  request: TokenRefreshRequest,
  publicUrl: string,
  now: Date
): TokenRenewalVerdict => {
  if (token === undefined || token.clientId !== request.client.id || token.grantEnded)
    return errorVerdict(unknownTokenError)
  const { usedAt, answer } = token
  const repeatableAnswer = usedAt === null || !isWithinGrace(usedAt, now) ? null : answer
  if (usedAt !== null && repeatableAnswer === null) return { _tag: "Reused", token }
  if (usedAt === null && token.expiresAt <= now) return errorVerdict(unknownTokenError)
  if (token.clientDisabled) return errorVerdict(clientDisabledError)
  if (request.resources.some((each) => findProtectedResource(publicUrl, each) === undefined))
    return errorVerdict(unknownResourceError)
  const scope = narrowScope(token.scope, request.scope)
  if (Result.isFailure(scope)) return errorVerdict(scope.failure)
  if (repeatableAnswer !== null) return { _tag: "Repeated", answer: repeatableAnswer }
  return token.renewals < GRANT_RENEWALS_MAX
    ? { _tag: "Good", token, scope: scope.success }
    : errorVerdict(renewedTooOftenError(token.firstRenewal ?? now, now))
}

const isWithinGrace = (usedAt: Date, now: Date): boolean => now.getTime() - usedAt.getTime() <= REFRESH_GRACE_MS

const HOUR_MS = 60 * 60 * 1000

const renewedTooOftenError = (firstRenewal: Date, now: Date): RateLimited =>
  new RateLimited({
    message: `refresh_token: was used ${GRANT_RENEWALS_MAX} times within an hour; keep each access token until it expires.`,
    headers: {
      "Retry-After": String(Math.max(1, Math.ceil((firstRenewal.getTime() + HOUR_MS - now.getTime()) / 1000)))
    }
  })

export const narrowScope = (consented: Scope, requested: string | undefined): Result.Result<Scope, BadRequest> => {
  const scope = parseScope(requested) ?? consented
  return scope === "writable" && consented === "read-only" ? Result.fail(scopeTooWideError) : Result.succeed(scope)
}
