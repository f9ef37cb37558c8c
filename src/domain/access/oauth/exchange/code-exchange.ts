import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { computeDigest } from "../../../../admission/gate/credentials.ts"
import type { CurrentActor } from "../../../../contract/actor.ts"
import { retryOptimistically } from "../../../../platform/database/optimistic-retry.ts"
import { OAUTH_TOKEN_MS, REFRESH_TOKEN_MS } from "../../../../platform/limits.ts"
import { newAccessToken } from "../../operators/access-token.ts"
import { runAsApplication } from "../application-actor.ts"
import { applicationNameOf } from "../application-name.ts"
import { newRefreshToken } from "../authorization-secrets.ts"
import type { FailedSecretChecks } from "../FailedSecretChecks.ts"
import { makeEndGrant } from "../grant-ending.ts"
import type { CodeExchangeRequest, IssuedTokens, TokenIssuerContext, TokenRequestError } from "../token-requests.ts"
import { judgeCode, type StoredCode, unknownCodeError, wrongVerifierError } from "./code-exchange-rules.ts"
import { makeCodeExchangeStore } from "./code-exchange-store.ts"

/** The second attempt already finds the final state: a code changes only once, from unused to used or invalid. */
const ATTEMPTS = 3

/** All MCP users share the public client, so its failures are counted per account. */
const toSecretCheckKey = ({ client }: CodeExchangeRequest, { accountId }: StoredCode): string =>
  client.isPublic ? `${client.id}:${accountId}` : client.id

export const makeCodeExchange = (
  sql: SqlClient.SqlClient,
  failedSecretChecks: FailedSecretChecks["Service"],
  { publicUrl, deployment }: TokenIssuerContext
) => {
  const store = makeCodeExchangeStore(sql)
  const endGrant = makeEndGrant(sql)

  const issueTokens = Effect.fnUntraced(function* (request: CodeExchangeRequest, code: StoredCode, now: Date) {
    const [accessToken, refreshToken] = [newAccessToken(), newRefreshToken()]
    const name = applicationNameOf(request.client, code.redirectUri)
    const grantId = yield* store
      .createGrant({
        codeDigest: computeDigest(request.code),
        clientId: request.client.id,
        isPublic: request.client.isPublic,
        name,
        scope: code.scope,
        tokenDigest: computeDigest(accessToken),
        tokenExpiresAt: new Date(now.getTime() + OAUTH_TOKEN_MS),
        deployment,
        refreshDigest: computeDigest(refreshToken),
        refreshExpiresAt: new Date(now.getTime() + REFRESH_TOKEN_MS),
        now
      })
      .pipe(runAsApplication({ accountId: code.accountId, name }))
    if (grantId === undefined) return undefined
    const issuedTokens: IssuedTokens = {
      accessToken,
      refreshToken,
      expiresIn: OAUTH_TOKEN_MS / 1000,
      scope: code.scope
    }
    return issuedTokens
  })

  const attemptExchange = Effect.fnUntraced(function* (
    request: CodeExchangeRequest
  ): Effect.fn.Return<IssuedTokens | undefined, TokenRequestError, CurrentActor> {
    const now = yield* DateTime.nowAsDate
    const digest = computeDigest(request.code)
    const verdict = judgeCode(yield* store.findCode(digest, deployment), request, publicUrl, now)
    if (verdict._tag === "Refused") return yield* verdict.error
    const { code } = verdict
    if (verdict._tag === "UsedTwice") {
      const { operatorId, grantId, accountId } = code
      const actor = { accountId, name: applicationNameOf(request.client, code.redirectUri) }
      if (grantId !== null) yield* runAsApplication(actor)(endGrant({ operatorId, grantId, endedBy: "reuse", now }))
      return yield* unknownCodeError
    }
    const isVerified = verdict._tag === "Good"
    // Invalidates the code before the error is returned, so that a crash cannot leave it valid.
    if (!isVerified && !(yield* store.invalidateCode(digest, now))) return undefined
    if (code.challenge !== null) yield* failedSecretChecks.recordResult(toSecretCheckKey(request, code), isVerified)
    return isVerified ? yield* issueTokens(request, code, now) : yield* wrongVerifierError
  })

  const stuckError = new Error("the database did not accept a valid authorization code")
  return (request: CodeExchangeRequest): Effect.Effect<IssuedTokens, TokenRequestError, CurrentActor> =>
    Effect.catchTag(retryOptimistically(ATTEMPTS, { _tag: "Stuck" } as const)(attemptExchange(request)), "Stuck", () =>
      Effect.die(stuckError)
    )
}
