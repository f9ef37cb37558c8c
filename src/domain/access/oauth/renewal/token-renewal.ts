import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { computeDigest } from "../../../../admission/gate/credentials.ts"
import type { CurrentActor } from "../../../../contract/actor.ts"
import { retryOptimistically } from "../../../../platform/database/optimistic-retry.ts"
import { OAUTH_TOKEN_MS, REFRESH_TOKEN_MS } from "../../../../platform/limits.ts"
import { newAccessToken } from "../../operators/access-token.ts"
import { runAsApplication } from "../application-actor.ts"
import { newRefreshToken } from "../authorization-secrets.ts"
import { makeEndGrant } from "../grant-ending.ts"
import type { IssuedTokens, TokenIssuerContext, TokenRefreshRequest, TokenRequestError } from "../token-requests.ts"
import { type SealedResponse, sealResponse, unsealResponse } from "./sealed-response.ts"
import { judgeRefreshToken, type StoredRefreshToken, unknownTokenError } from "./token-renewal-rules.ts"
import { makeTokenRenewalStore } from "./token-renewal-store.ts"

/** The second attempt already finds the final state: a token changes only once, from unused to used. */
const ATTEMPTS = 3

const toIssuedTokens = ({ accessToken, refreshToken, scope, until }: SealedResponse, now: Date): IssuedTokens => ({
  accessToken,
  refreshToken,
  scope,
  expiresIn: Math.floor((until - now.getTime()) / 1000)
})

export const makeTokenRenewal = (sql: SqlClient.SqlClient, { publicUrl, deployment }: TokenIssuerContext) => {
  const store = makeTokenRenewalStore(sql)
  const endGrant = makeEndGrant(sql)

  const renewTokens = Effect.fnUntraced(function* (
    { client, refreshToken: usedToken }: TokenRefreshRequest,
    { operatorId, grantId }: StoredRefreshToken,
    scope: IssuedTokens["scope"],
    now: Date
  ) {
    const [accessToken, refreshToken, until] = [newAccessToken(), newRefreshToken(), now.getTime() + OAUTH_TOKEN_MS]
    const response: SealedResponse = { accessToken, refreshToken, scope, until }
    const isRenewed = yield* store.renewGrant({
      operatorId,
      grantId,
      clientId: client.id,
      isPublic: client.isPublic,
      digest: computeDigest(usedToken),
      answer: sealResponse(usedToken, response),
      scope,
      tokenDigest: computeDigest(accessToken),
      tokenExpiresAt: new Date(until),
      deployment,
      refreshDigest: computeDigest(refreshToken),
      refreshExpiresAt: new Date(now.getTime() + REFRESH_TOKEN_MS),
      now
    })
    return isRenewed ? toIssuedTokens(response, now) : undefined
  })

  const attemptRenewal = Effect.fnUntraced(function* (
    request: TokenRefreshRequest
  ): Effect.fn.Return<IssuedTokens | undefined, TokenRequestError, CurrentActor> {
    const now = yield* DateTime.nowAsDate
    const verdict = judgeRefreshToken(
      yield* store.findToken({ digest: computeDigest(request.refreshToken), deployment, now }),
      request,
      publicUrl,
      now
    )
    if (verdict._tag === "Refused") return yield* verdict.error
    if (verdict._tag === "Repeated") return toIssuedTokens(unsealResponse(request.refreshToken, verdict.answer), now)
    const { token } = verdict
    if (verdict._tag === "Good") return yield* runAsApplication(token)(renewTokens(request, token, verdict.scope, now))
    const { operatorId, grantId } = token
    yield* runAsApplication(token)(endGrant({ operatorId, grantId, endedBy: "reuse", now }))
    return yield* unknownTokenError
  })

  const stuckError = new Error("the database did not accept a valid refresh token")
  return (request: TokenRefreshRequest): Effect.Effect<IssuedTokens, TokenRequestError, CurrentActor> =>
    Effect.catchTag(retryOptimistically(ATTEMPTS, { _tag: "Stuck" } as const)(attemptRenewal(request)), "Stuck", () =>
      Effect.die(stuckError)
    )
}
