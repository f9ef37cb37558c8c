import { assert, layer } from "@effect/vitest"
import { discoverAuthorizationServerMetadata as discoverNow } from "@modelcontextprotocol/client"
import { discoverAuthorizationServerMetadata } from "@modelcontextprotocol/sdk/client/auth.js"
import { Effect, Layer } from "effect"
import * as oauth from "oauth4webapi"
import { PublicClientEnabled } from "../../../../../src/platform/installation.ts"
import { sendOauthRequest } from "../../../../support/domain/access/oauth/oauth-requests.ts"
import { layerTest } from "../../../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../../../support/http-server.ts"

// RFC 8414: where clients learn how access is asked for and given out.

const ISSUER = "https://api.latchkey.example"
const SERVER = "/.well-known/oauth-authorization-server"

/** A fetch to the service under test, as if it were at its public address. */
const fetchAt = (publicUrl: string) =>
  Effect.map(
    BaseUrl,
    (base) => (url: string | URL, init?: RequestInit) =>
      fetch(String(url).replace(new URL(publicUrl).origin, base), init)
  )

layer(layerHttpServerOf(layerTest, { publicUrl: ISSUER }))("the metadata of the authorization server", (it) => {
  it.effect("says all that a client needs, below the issuer", () =>
    Effect.gen(function* () {
      const { status, headers, body } = yield* sendOauthRequest(SERVER)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(headers.get("cache-control"), "public, max-age=300")
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      assert.deepStrictEqual(body, {
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorization`,
        token_endpoint: `${ISSUER}/v3/oauth/authorizations`,
        revocation_endpoint: `${ISSUER}/v3/oauth/revoke`,
        registration_endpoint: `${ISSUER}/v3/oauth/registrations`,
        scopes_supported: ["read-only", "writable"],
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${ISSUER}/docs/`,
        protected_resources: [ISSUER, `${ISSUER}/mcp`]
      })
      assert.deepStrictEqual((yield* sendOauthRequest(`${SERVER}/mcp`)).body, body)
      assert.deepStrictEqual((yield* sendOauthRequest(`${SERVER}?x=1`)).body, body)
    })
  )

  it.effect("is found and believed by oauth4webapi and by both clients of the official MCP library", () =>
    Effect.gen(function* () {
      const fetchFn = yield* fetchAt(ISSUER)
      yield* Effect.promise(async () => {
        const issuer = new URL(ISSUER)
        const response = await oauth.discoveryRequest(issuer, {
          algorithm: "oauth2",
          [oauth.customFetch]: (url, { headers, method }) => fetchFn(url, { headers, method })
        })
        const server = await oauth.processDiscoveryResponse(issuer, response)
        assert.isTrue(server.authorization_response_iss_parameter_supported)
        for (const at of [ISSUER, `${ISSUER}/mcp`]) {
          const found = await discoverAuthorizationServerMetadata(at, { fetchFn })
          assert.strictEqual(found?.issuer, ISSUER)
          assert.strictEqual(found?.token_endpoint, server.token_endpoint)
        }
        // It holds that the issuer is the address it asked for, as RFC 8414 3.3 says, so it asks for the one that the resource names.
        assert.strictEqual((await discoverNow(ISSUER, { fetchFn }))?.issuer, ISSUER)
      })
    })
  )

  it.effect("is read, and nothing else: HEAD and OPTIONS too, 405 for others, 404 where there is none", () =>
    Effect.gen(function* () {
      const head = yield* sendOauthRequest(SERVER, { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.headers.get("cache-control"), "public, max-age=300")
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const { status, headers } = yield* sendOauthRequest(SERVER, { method })
        assert.strictEqual(status, 405, method)
        assert.strictEqual(headers.get("allow"), "GET, HEAD, OPTIONS")
      }
      for (const tail of ["//", "/mcp//", "/tenant", "/mcp/x", "x", "/%6dcp"]) {
        const { status, headers } = yield* sendOauthRequest(`${SERVER}${tail}`)
        assert.strictEqual(status, 404, tail)
        // A page must be able to read that there is none, or it looks no further.
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      }
      assert.strictEqual((yield* sendOauthRequest("/.well-known/openid-configuration")).status, 404)
    })
  )
})

const layerWithout = Layer.provide(Layer.fresh(layerTest), Layer.succeed(PublicClientEnabled, false))

layer(
  Layer.provide(
    layerHttpServerOf(layerWithout, { publicUrl: `${ISSUER}/pms` }),
    Layer.succeed(PublicClientEnabled, false)
  )
)("without a public client, and below a path", (it) => {
  it.effect("it offers no registration and nothing for who has no secret", () =>
    Effect.gen(function* () {
      const { body } = yield* sendOauthRequest(SERVER)
      assert.notProperty(body, "registration_endpoint")
      assert.deepInclude(body, {
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"]
      })
    })
  )

  it.effect("it is where the standard puts the path of an issuer: behind the well-known name", () =>
    Effect.gen(function* () {
      const issuer = `${ISSUER}/pms`
      const { body } = yield* sendOauthRequest(`${SERVER}/pms`)
      assert.deepInclude(body, { issuer, token_endpoint: `${issuer}/v3/oauth/authorizations` })
      for (const path of ["", "/mcp", "/pms/mcp"])
        assert.deepStrictEqual((yield* sendOauthRequest(`${SERVER}${path}`)).body, body)
      const fetchFn = yield* fetchAt(ISSUER)
      const found = yield* Effect.promise(() => discoverNow(issuer, { fetchFn }))
      assert.strictEqual(found?.issuer, issuer)
    })
  )
})
