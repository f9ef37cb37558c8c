import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { digestOf } from "../../../../admission/gate/credentials.ts"
import type { Acting } from "../../../../contract/acting.ts"
import { asRead } from "../../../../platform/database/optimistic.ts"
import { OAUTH_TOKEN_MS, REFRESH_TOKEN_MS } from "../../../../platform/limits.ts"
import { newToken } from "../../operators/token.ts"
import { actingAs } from "../acting-client.ts"
import { endOne } from "../ending.ts"
import type { FailedChecks } from "../FailedChecks.ts"
import type { GivenCode, Issued, Place, Refusal } from "../issued.ts"
import { newRefreshToken } from "../secrets.ts"
import { shownName } from "../shown-name.ts"
import { judged, type KnownCode, noSuchCode, wrongVerifier } from "./rules.ts"
import { exchangeStore } from "./store.ts"

/** A code goes from unused to used or dead and no further, so who looks again finds what it will stay. */
const ATTEMPTS = 3

/** Everybody is the public client, so what one gets wrong must not lock out the others: there it is the account of the code. */
const counted = ({ client }: GivenCode, { accountId }: KnownCode): string =>
  client.isPublic ? `${client.id}:${accountId}` : client.id

/** Gives tokens for a code (RFC 6749 4.1.3 and 4.1.4). */
export const exchange = (
  sql: SqlClient.SqlClient,
  checks: FailedChecks["Service"],
  { publicUrl, deployment }: Place
) => {
  const store = exchangeStore(sql)
  const end = endOne(sql)

  const use = Effect.fnUntraced(function* (given: GivenCode, code: KnownCode, now: Date) {
    const [accessToken, refreshToken] = [newToken(), newRefreshToken()]
    const name = shownName(given.client, code.redirectUri)
    const made = yield* store
      .make({
        codeDigest: digestOf(given.code),
        clientId: given.client.id,
        isPublic: given.client.isPublic,
        name,
        scope: code.scope,
        tokenDigest: digestOf(accessToken),
        tokenUntil: new Date(now.getTime() + OAUTH_TOKEN_MS),
        deployment,
        refreshDigest: digestOf(refreshToken),
        refreshUntil: new Date(now.getTime() + REFRESH_TOKEN_MS),
        now
      })
      .pipe(actingAs({ accountId: code.accountId, name }))
    if (made === undefined) return undefined
    const issued: Issued = { accessToken, refreshToken, expiresIn: OAUTH_TOKEN_MS / 1000, scope: code.scope }
    return issued
  })

  const attempt = Effect.fnUntraced(function* (
    given: GivenCode
  ): Effect.fn.Return<Issued | undefined, Refusal, Acting> {
    const now = yield* DateTime.nowAsDate
    const digest = digestOf(given.code)
    const verdict = judged(yield* store.find(digest, deployment), given, publicUrl, now)
    if (verdict._tag === "Refused") return yield* verdict.error
    const { code } = verdict
    if (verdict._tag === "UsedTwice") {
      const { operatorId, grantId, accountId } = code
      const actor = { accountId, name: shownName(given.client, code.redirectUri) }
      if (grantId !== null) yield* actingAs(actor)(end({ operatorId, grantId, by: "reuse", now }))
      return yield* noSuchCode
    }
    const isRight = verdict._tag === "Good"
    // Dead before anybody is told: a crash in between must not leave it another try.
    if (!isRight && !(yield* store.kill(digest, now))) return undefined
    if (code.challenge !== null) yield* checks.told(counted(given, code), isRight)
    return isRight ? yield* use(given, code, now) : yield* wrongVerifier
  })

  const stuck = new Error("the database did not accept a valid authorization code")
  return (given: GivenCode): Effect.Effect<Issued, Refusal, Acting> =>
    Effect.catchTag(asRead(ATTEMPTS, { _tag: "Stuck" } as const)(attempt(given)), "Stuck", () => Effect.die(stuck))
}
