import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as oauth from "oauth4webapi"
import {
  createPartnerClient,
  createSignInHost,
  giveConsent,
  layerOauthService
} from "../../../support/domain/access/oauth/oauth-service.ts"
import { BaseUrl } from "../../../support/http-server.ts"

// A partner's way from nothing to a token and back, by a client library that nobody here wrote.

const CALLBACK = "https://partner.example.test/cb?tenant=7"
const insecure = { [oauth.allowInsecureRequests]: true }

const discovered = (base: string) =>
  Effect.promise(async () => {
    const issuer = new URL(base)
    const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" })
    return oauth.processDiscoveryResponse(issuer, found)
  })

const propertiesOf = (base: string, token: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/v3/properties`, { headers: { authorization: `Bearer ${token}` } })
    const { error_code }: { readonly error_code: number } = JSON.parse(await response.text())
    return error_code
  })

/** What is asked of the host, as the library's documentation shows it. */
const asking = (as: oauth.AuthorizationServer, parameters: Readonly<Record<string, string>>): string => {
  const url = new URL(as.authorization_endpoint ?? "none:")
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

interface Way {
  readonly authentication: (secret: string) => oauth.ClientAuth
  readonly pkce: boolean
}

const WAYS: Readonly<Record<string, Way>> = {
  "client_secret_basic, with PKCE": { authentication: oauth.ClientSecretBasic, pkce: true },
  "client_secret_post, without PKCE": { authentication: oauth.ClientSecretPost, pkce: false }
}

// Needs all parts of the service: codes, tokens, signing in.
describe("a partner by oauth4webapi", () => {
  layer(layerOauthService)((it) => {
    for (const [name, { authentication, pkce }] of Object.entries(WAYS)) {
      it.effect(`gets, renews and gives back its access by ${name}`, () =>
        Effect.gen(function* () {
          const [base, host] = [yield* BaseUrl, yield* createSignInHost]
          const { id, secret } = yield* createPartnerClient([CALLBACK])
          const as = yield* discovered(base)
          const [client, proof] = [{ client_id: id }, authentication(secret)]
          const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()]
          const challenge = yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier))
          const proven = pkce ? { code_challenge: challenge, code_challenge_method: "S256" } : {}
          const asked = asking(as, {
            client_id: id,
            redirect_uri: CALLBACK,
            response_type: "code",
            scope: "writable",
            state,
            ...proven
          })
          const back = yield* giveConsent(base, host.email, asked, "allow")
          const callback = oauth.validateAuthResponse(as, client, new URL(back), state)
          const { first, second } = yield* Effect.promise(async () => {
            const answer = await oauth.authorizationCodeGrantRequest(
              as,
              client,
              proof,
              callback,
              CALLBACK,
              pkce ? verifier : oauth.nopkce,
              insecure
            )
            const first = await oauth.processAuthorizationCodeResponse(as, client, answer)
            const renewal = await oauth.refreshTokenGrantRequest(as, client, proof, first.refresh_token ?? "", insecure)
            return { first, second: await oauth.processRefreshTokenResponse(as, client, renewal) }
          })
          assert.deepStrictEqual([first.expires_in, first.scope, first.token_type], [604_800, "writable", "bearer"])
          assert.notStrictEqual(first.refresh_token, second.refresh_token)
          assert.strictEqual(yield* propertiesOf(base, second.access_token), 0)
          yield* Effect.promise(async () =>
            oauth.processRevocationResponse(
              await oauth.revocationRequest(as, client, proof, second.refresh_token ?? "", insecure)
            )
          )
          // The first was never used, so nothing remembers it.
          assert.strictEqual(yield* propertiesOf(base, first.access_token), 401)
        })
      )
    }

    it.effect("is told that the host refused, and takes no answer of another", () =>
      Effect.gen(function* () {
        const [base, host] = [yield* BaseUrl, yield* createSignInHost]
        const { id } = yield* createPartnerClient([CALLBACK])
        const as = yield* discovered(base)
        const asked = asking(as, { client_id: id, redirect_uri: CALLBACK, state: "abc" })
        const back = new URL(yield* giveConsent(base, host.email, asked, "deny"))
        const read = (url: URL, state: string) => () => oauth.validateAuthResponse(as, { client_id: id }, url, state)
        assert.throws(read(back, "abc"), oauth.AuthorizationResponseError)
        assert.throws(read(back, "abd"), /state/)
        back.searchParams.set("iss", "https://evil.example.test")
        assert.throws(read(back, "abc"), /iss/)
      })
    )

    it.effect("speaks JSON as its facts show: without redirect_uri, PKCE and response_type", () =>
      Effect.gen(function* () {
        const [base, host] = [yield* BaseUrl, yield* createSignInHost]
        const { id: client_id, secret: client_secret } = yield* createPartnerClient([CALLBACK])
        const query = new URLSearchParams({ client_id, redirect_uri: CALLBACK, state: "abc" }).toString()
        const back = new URL(yield* giveConsent(base, host.email, `${base}/authorization?${query}`, "allow"))
        assert.strictEqual(back.searchParams.get("state"), "abc")
        const told = (path: string, body: Readonly<Record<string, string | null>>) =>
          Effect.promise(async () => {
            const response = await fetch(`${base}/v3/oauth/${path}`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ client_id, client_secret, ...body })
            })
            assert.strictEqual(response.status, 200)
            const envelope: { readonly error_code: number; readonly data: Readonly<Record<string, string>> } =
              JSON.parse(await response.text())
            return envelope
          })
        const grant = { grant_type: "authorization_code", code: back.searchParams.get("code") }
        const { data } = yield* told("authorizations", grant)
        assert.strictEqual(Number(data["expires_in"]), 604_800)
        const renewal = { grant_type: "refresh_token", refresh_token: data["refresh_token"] ?? null }
        const renewed = yield* told("authorizations", renewal)
        assert.strictEqual(renewed.error_code, 0)
        const token = renewed.data["access_token"] ?? null
        assert.strictEqual((yield* told("revoke", { token })).error_code, 0)
        assert.strictEqual((yield* told("authorizations", renewal)).error_code, 401)
        assert.strictEqual((yield* told("authorizations", grant)).error_code, 401)
      })
    )
  })
})
