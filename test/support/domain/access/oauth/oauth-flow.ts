import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../../../../src/contract/actor.ts"
import type { BadRequest, RateLimited, Unauthenticated } from "../../../../../src/contract/errors.ts"
import { AuthorizationCodes, type Consent } from "../../../../../src/domain/access/oauth/AuthorizationCodes.ts"
import type { OAuthClient } from "../../../../../src/domain/access/oauth/Clients.ts"
import { FailedSecretChecks } from "../../../../../src/domain/access/oauth/FailedSecretChecks.ts"
import { Grants } from "../../../../../src/domain/access/oauth/Grants.ts"
import { challengeOf } from "../../../../../src/domain/access/oauth/pkce.ts"
import {
  type CodeExchangeRequest,
  type IssuedTokens,
  TokenIssuer,
  type TokenRefreshRequest
} from "../../../../../src/domain/access/oauth/TokenIssuer.ts"
import { createOperator } from "../../../harness.ts"
import { layerTestDatabase } from "../../../test-database.ts"

// Codes, exchange, renewal and the end of what came of them, without doors and pages: what is checked before stands outside.

/** Who was told of, and whether it was right; nobody is locked out. */
export const secretCheckLog: Array<readonly [string, boolean]> = []

const layerRecordedSecretChecks = Layer.succeed(FailedSecretChecks, {
  recordResult: (key, isRight) => Effect.sync(() => secretCheckLog.push([key, isRight])).pipe(Effect.as(isRight))
})

/** The services over a database. */
export const layerOauthFlowOver = <E, R>(
  database: Layer.Layer<SqlClient.SqlClient, E, R>,
  layerChecks: Layer.Layer<FailedSecretChecks> = layerRecordedSecretChecks
) =>
  Layer.mergeAll(AuthorizationCodes.layer, TokenIssuer.layer, Grants.layer).pipe(
    Layer.provideMerge(layerChecks),
    Layer.provideMerge(Layer.succeed(CurrentActor, systemActor("test", "oauth"))),
    Layer.provideMerge(database)
  )

export const layerOauthFlow = layerOauthFlowOver(layerTestDatabase)

/** What a request's verifier is, and another that is not. */
export const CODE_VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
export const OTHER_CODE_VERIFIER = "aBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

export const REDIRECT_URI = "https://partner.example/callback"

/** A partner of a test's own. */
export const createPartner = (name = "Partner") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const id = `lkapp_${randomBytes(8).toString("hex")}`
    yield* sql`
      INSERT INTO oauth_clients (id, name, redirect_uris, secret_digest, created_at)
      VALUES (${id}, ${name}, ${[REDIRECT_URI]}, '\\x00', now())`
    const client: OAuthClient = { id, name, redirectUris: [REDIRECT_URI], isPublic: false }
    return client
  }).pipe(Effect.orDie)

export const PUBLIC_CLIENT: OAuthClient = { id: "service_mcp", name: "MCP client", redirectUris: [], isPublic: true }

/** What the host of a test says yes to. */
export const makeConsent = (
  client: OAuthClient,
  caller: Consent["caller"],
  overrides: Partial<Omit<Consent, "client" | "caller">> = {}
): Consent => ({
  caller,
  client,
  scope: "writable",
  redirectUri: REDIRECT_URI,
  challenge: challengeOf(CODE_VERIFIER),
  resource: null,
  ...overrides
})

export const issueCode = (consent: Consent) => AuthorizationCodes.use((codes) => codes.issue(consent))

/** A code as its client gives it, all of it right. */
export const toCodeExchange = (
  client: OAuthClient,
  code: string,
  overrides: Partial<CodeExchangeRequest> = {}
): CodeExchangeRequest => ({
  client,
  code,
  verifier: CODE_VERIFIER,
  redirectUri: REDIRECT_URI,
  resources: [],
  ...overrides
})

export const exchangeCode = (request: CodeExchangeRequest) => TokenIssuer.use((issuer) => issuer.exchange(request))

export const renewToken = (client: OAuthClient, refreshToken: string, overrides: Partial<TokenRefreshRequest> = {}) =>
  TokenIssuer.use((issuer) => issuer.renew({ client, refreshToken, scope: undefined, resources: [], ...overrides }))

export const revokeToken = (client: OAuthClient, token: string) =>
  TokenIssuer.use((issuer) => issuer.revoke(client, token))

/** A connection of a new operator, or of one there is, with its first tokens. */
export const connectClient = Effect.fnUntraced(function* (
  client: OAuthClient,
  overrides: Partial<Omit<Consent, "client" | "caller">> = {},
  caller?: Consent["caller"]
) {
  const operator = caller ?? (yield* createOperator())
  const code = yield* Effect.orDie(issueCode(makeConsent(client, operator, overrides)))
  const tokens = yield* Effect.orDie(exchangeCode(toCodeExchange(client, code)))
  return { operator, code, ...tokens, grantId: yield* findGrantId(tokens.accessToken) }
})

/** `error: name` of what OAuth refuses. */
export const oauthErrorOf = <A, R>(effect: Effect.Effect<A, BadRequest | Unauthenticated | RateLimited, R>) =>
  Effect.map(
    Effect.flip(effect),
    (error) => `${error._tag} ${"oauthErrorCode" in error ? error.oauthErrorCode : error.message}`
  )

/** `ok`, or what {@link oauthErrorOf} says. */
export const tokenOutcomeOf = <R>(effect: Effect.Effect<IssuedTokens, BadRequest | Unauthenticated | RateLimited, R>) =>
  Effect.match(effect, {
    onSuccess: () => "ok",
    onFailure: (error) => `${error._tag} ${"oauthErrorCode" in error ? error.oauthErrorCode : error.message}`
  })

export const INVALID_GRANT_ERROR = "Unauthenticated invalid_grant"

/** The grant of an access token. */
export const findGrantId = Effect.fnUntraced(function* (token: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`
    SELECT grant_id AS id FROM access_tokens WHERE digest = sha256(${token}::text::bytea)`
  return rows[0]?.id ?? (yield* Effect.die(new Error("no such token")))
}, Effect.orDie)

/** Who ended a grant (undefined: nobody has), and its tokens and subscriptions that are good. */
export const loadGrantState = Effect.fnUntraced(function* (operatorId: number, grantId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ ended_by: string | null; tokens: number; subscriptions: number }>`
    SELECT ended_by,
      (SELECT count(*)::int FROM access_tokens t WHERE t.operator_id = g.operator_id AND t.grant_id = g.id AND t.revoked_at IS NULL)
        AS tokens,
      (SELECT count(*)::int FROM webhook_subscriptions s WHERE s.operator_id = g.operator_id AND s.grant_id = g.id
        AND s.deleted_at IS NULL) AS subscriptions
    FROM oauth_grants g WHERE operator_id = ${operatorId} AND id = ${grantId}`
  return rows[0] ?? (yield* Effect.die(new Error("no such grant")))
}, Effect.orDie)

/** A webhook subscription that was made by a grant, for a statement that holds it as one that makes it must. */
export const insertGrantSubscription = Effect.fnUntraced(function* (operatorId: number, grantId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    WITH live AS MATERIALIZED (
      SELECT id FROM oauth_grants WHERE operator_id = ${operatorId} AND id = ${grantId} AND ended_at IS NULL FOR SHARE
    ), receiver AS (
      INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at)
      SELECT ${operatorId}::bigint, 'https://hooks.example/in', 'secret', now() FROM live
      ON CONFLICT (operator_id, url) DO UPDATE SET url = excluded.url RETURNING url
    )
    INSERT INTO webhook_subscriptions (operator_id, url, secret_token, events, secret, older_events, created_at, updated_at, grant_id)
    SELECT ${operatorId}::bigint, url, 'secret', '{task_created}', 'whsec', '{}', now(), now(), live.id FROM live, receiver
    RETURNING id`
  return rows.length
}, Effect.orDie)
