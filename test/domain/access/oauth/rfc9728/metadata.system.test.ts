import { assert, layer } from "@effect/vitest"
import { discoverOAuthProtectedResourceMetadata } from "@modelcontextprotocol/sdk/client/auth.js"
import { Effect } from "effect"
import * as oauth from "oauth4webapi"
import { sendOauthRequest } from "../../../../support/domain/access/oauth/oauth-requests.ts"
import { createOperator, layerTest } from "../../../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../../../support/http-server.ts"

// RFC 9728: who calls the tool endpoint without a token is told where tokens come from.

const ORIGIN = "https://api.latchkey.example"
const RESOURCE = "/.well-known/oauth-protected-resource"
const SERVER = "/.well-known/oauth-authorization-server"
const INITIALIZE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })

const layerAt = (publicUrl: string) => layerHttpServerOf(layerTest, { publicUrl })

const documentOf = (resource: string, server: string) => ({
  resource,
  authorization_servers: [server],
  bearer_methods_supported: ["header"],
  scopes_supported: ["read-only", "writable"],
  resource_name: "Latchkey",
  resource_documentation: `${server}/docs/`
})

const fetchHere = Effect.map(
  BaseUrl,
  (base) => (url: string | URL, init?: RequestInit) => fetch(String(url).replace(ORIGIN, base), init)
)

layer(layerAt(ORIGIN))("the metadata of what tokens are for", (it) => {
  it.effect("names the tool endpoint, or the whole service, and who gives out tokens for it", () =>
    Effect.gen(function* () {
      const [whole, tools] = [yield* sendOauthRequest(RESOURCE), yield* sendOauthRequest(`${RESOURCE}/mcp`)]
      assert.deepStrictEqual(whole.body, documentOf(ORIGIN, ORIGIN))
      assert.deepStrictEqual(tools.body, documentOf(`${ORIGIN}/mcp`, ORIGIN))
      for (const { status, headers } of [whole, tools]) {
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("content-type"), "application/json")
        assert.strictEqual(headers.get("cache-control"), "public, max-age=300")
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
      }
      assert.strictEqual((yield* sendOauthRequest(`${RESOURCE}/mcp`, { method: "DELETE" })).status, 405)
      assert.strictEqual((yield* sendOauthRequest(`${RESOURCE}/other`)).status, 404)
    })
  )

  it.effect("is what the 401 of the tool endpoint points at", () =>
    Effect.gen(function* () {
      for (const request of [
        { method: "GET" },
        { method: "POST", headers: { "content-type": "application/json" }, body: INITIALIZE }
      ]) {
        const { status, headers } = yield* sendOauthRequest("/mcp", request)
        assert.strictEqual(status, 401)
        assert.strictEqual(
          headers.get("www-authenticate"),
          `Bearer realm="latchkey", resource_metadata="${ORIGIN}${RESOURCE}/mcp"`
        )
        const named = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "")?.[1] ?? ""
        assert.strictEqual((yield* sendOauthRequest(named.replace(ORIGIN, ""))).body["resource"], `${ORIGIN}/mcp`)
      }
    })
  )

  it.effect("is the same at an address with a slash at the end, and so is the tool endpoint", () =>
    Effect.gen(function* () {
      for (const path of [RESOURCE, `${RESOURCE}/mcp`, SERVER, `${SERVER}/mcp`]) {
        const [bare, slashed] = [yield* sendOauthRequest(path), yield* sendOauthRequest(`${path}/`)]
        assert.deepStrictEqual([slashed.status, slashed.body], [200, bare.body], path)
      }
      assert.strictEqual((yield* sendOauthRequest(`${RESOURCE}/mcp//`)).status, 404)
      assert.strictEqual((yield* sendOauthRequest("/mcp//")).status, 404)
      const { token } = yield* createOperator()
      const listing = { method: "POST", body: INITIALIZE }
      const json = { "content-type": "application/json", accept: "application/json" }
      const challenges = yield* Effect.forEach(["/mcp", "/mcp/"], (path) =>
        Effect.map(sendOauthRequest(path, { ...listing, headers: json }), ({ status, headers }) => [
          status,
          headers.get("www-authenticate")
        ])
      )
      assert.deepStrictEqual(challenges[1], challenges[0])
      assert.strictEqual(challenges[1]?.[0], 401)
      const [bare, slashed] = yield* Effect.forEach(["/mcp", "/mcp/"], (path) =>
        sendOauthRequest(path, { ...listing, headers: { ...json, authorization: `Bearer ${token}` } })
      )
      assert.strictEqual(slashed?.status, 200)
      assert.property(slashed?.body, "result")
      assert.deepStrictEqual(slashed?.body, bare?.body)
    })
  )

  it.effect("is read by the official MCP library from an address with a slash", () =>
    Effect.gen(function* () {
      const fetchFn = yield* fetchHere
      const metadata = yield* Effect.promise(() =>
        discoverOAuthProtectedResourceMetadata(new URL(`${ORIGIN}/mcp/`), undefined, fetchFn)
      )
      assert.strictEqual(metadata.resource, `${ORIGIN}/mcp`)
    })
  )

  it.effect("is found and believed by oauth4webapi and the official MCP library", () =>
    Effect.gen(function* () {
      const fetchFn = yield* fetchHere
      yield* Effect.promise(async () => {
        const tools = new URL(`${ORIGIN}/mcp`)
        const response = await oauth.resourceDiscoveryRequest(tools, {
          [oauth.customFetch]: (url, { headers, method }) => fetchFn(url, { headers, method })
        })
        const found = await oauth.processResourceDiscoveryResponse(tools, response)
        assert.deepStrictEqual(found.authorization_servers, [ORIGIN])
        const sdk = await discoverOAuthProtectedResourceMetadata(tools, undefined, fetchFn)
        assert.deepStrictEqual(sdk.resource, `${ORIGIN}/mcp`)
      })
    })
  )
})

layer(layerAt(`${ORIGIN}/pms`))("the metadata of a service below a path", (it) => {
  it.effect("is behind the well-known name, with that path and without", () =>
    Effect.gen(function* () {
      const [whole, tools] = [`${ORIGIN}/pms`, `${ORIGIN}/pms/mcp`]
      for (const [path, resource] of [
        ["", whole],
        ["/pms", whole],
        ["/mcp", tools],
        ["/pms/mcp", tools]
      ] as const) {
        assert.deepStrictEqual((yield* sendOauthRequest(`${RESOURCE}${path}`)).body, documentOf(resource, whole))
      }
    })
  )
})
