import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { digestOf } from "../../../../admission/gate/credentials.ts"
import type { Acting } from "../../../../contract/acting.ts"
import { asRead } from "../../../../platform/database/optimistic.ts"
import { OAUTH_TOKEN_MS, REFRESH_TOKEN_MS } from "../../../../platform/limits.ts"
import { newToken } from "../../operators/token.ts"
import { actingAs } from "../acting-client.ts"
import { endOne } from "../ending.ts"
import type { GivenRefreshToken, Issued, Place, Refusal } from "../issued.ts"
import { newRefreshToken } from "../secrets.ts"
import { judged, type KnownRefreshToken, noSuchToken } from "./rules.ts"
import { opened, type SealedAnswer, sealed } from "./sealed-answer.ts"
import { renewalStore } from "./store.ts"

/** A refresh token goes from unused to used and no further, so who looks again finds what it will stay. */
const ATTEMPTS = 3

const issued = ({ accessToken, refreshToken, scope, until }: SealedAnswer, now: Date): Issued => ({
  accessToken,
  refreshToken,
  scope,
  expiresIn: Math.floor((until - now.getTime()) / 1000)
})

/** Gives new tokens for a refresh token, which is good no more then (RFC 6749 6, RFC 9700 4.14.2). */
export const renewal = (sql: SqlClient.SqlClient, { publicUrl, deployment }: Place) => {
  const store = renewalStore(sql)
  const end = endOne(sql)

  const use = Effect.fnUntraced(function* (
    { client, refreshToken: used }: GivenRefreshToken,
    { operatorId, grantId }: KnownRefreshToken,
    scope: Issued["scope"],
    now: Date
  ) {
    const [accessToken, refreshToken, until] = [newToken(), newRefreshToken(), now.getTime() + OAUTH_TOKEN_MS]
    const answer: SealedAnswer = { accessToken, refreshToken, scope, until }
    const isMade = yield* store.renew({
      operatorId,
      grantId,
      clientId: client.id,
      isPublic: client.isPublic,
      digest: digestOf(used),
      answer: sealed(used, answer),
      scope,
      tokenDigest: digestOf(accessToken),
      tokenUntil: new Date(until),
      deployment,
      refreshDigest: digestOf(refreshToken),
      refreshUntil: new Date(now.getTime() + REFRESH_TOKEN_MS),
      now
    })
    return isMade ? issued(answer, now) : undefined
  })

  const attempt = Effect.fnUntraced(function* (
    given: GivenRefreshToken
  ): Effect.fn.Return<Issued | undefined, Refusal, Acting> {
    const now = yield* DateTime.nowAsDate
    const verdict = judged(
      yield* store.find({ digest: digestOf(given.refreshToken), deployment, now }),
      given,
      publicUrl,
      now
    )
    if (verdict._tag === "Refused") return yield* verdict.error
    if (verdict._tag === "Repeated") return issued(opened(given.refreshToken, verdict.answer), now)
    const { token } = verdict
    if (verdict._tag === "Good") return yield* actingAs(token)(use(given, token, verdict.scope, now))
    const { operatorId, grantId } = token
    yield* actingAs(token)(end({ operatorId, grantId, by: "reuse", now }))
    return yield* noSuchToken
  })

  const stuck = new Error("the database did not accept a valid refresh token")
  return (given: GivenRefreshToken): Effect.Effect<Issued, Refusal, Acting> =>
    Effect.catchTag(asRead(ATTEMPTS, { _tag: "Stuck" } as const)(attempt(given)), "Stuck", () => Effect.die(stuck))
}
