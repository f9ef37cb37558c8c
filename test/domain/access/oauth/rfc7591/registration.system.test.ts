import { assert, layer } from "@effect/vitest"
import { registerClient as registerByNewer } from "@modelcontextprotocol/client"
import { registerClient as registerByOlder } from "@modelcontextprotocol/sdk/client/auth.js"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Clients } from "../../../../../src/domain/access/oauth/Clients.ts"
import { PublicClientEnabled } from "../../../../../src/platform/installation.ts"
import {
  CLIENT_NAME_LENGTH,
  REGISTRATION_LIST_MAX,
  REGISTRATION_REDIRECTS_MAX,
  REGISTRATIONS_A_MINUTE
} from "../../../../../src/platform/limits.ts"
import {
  AUTHORIZATIONS_PATH,
  REGISTRATIONS_PATH,
  sendForm,
  sendJson,
  sendOauthRequest
} from "../../../../support/domain/access/oauth/oauth-requests.ts"
import { layerTest } from "../../../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../../../support/http-server.ts"

// RFC 7591: MCP clients register themselves, and are all told the one public client.

const layerWithClients = Layer.merge(layerTest, Layer.provide(Clients.layer, layerTest))

const loopback = () => `http://127.0.0.1:33418/${crypto.randomUUID()}`

const as = (address: string) => ({ "x-forwarded-for": address })

layer(layerHttpServerOf(layerWithClients, { trustProxy: true }))("a registration", (it) => {
  it.effect("is told the public client, and its own addresses as it sent them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-01T09:00:00.700Z"))
      const redirect_uris = [loopback(), `https://${crypto.randomUUID()}.example.com/back?x=1`]
      const { status, body, headers } = yield* sendJson(REGISTRATIONS_PATH, {
        redirect_uris,
        client_name: "Inspector",
        client_uri: "https://example.com",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["code"],
        scope: "read-only",
        software_id: 7
      })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      const data = {
        client_id: "service_mcp",
        client_id_issued_at: Date.parse("2027-05-01T09:00:00Z") / 1000,
        redirect_uris,
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        client_name: "Inspector"
      }
      assert.deepStrictEqual(
        { ...body, request_id: "" },
        { request_id: "", error_code: 0, error_msg: "", data, ...data }
      )
      const clients = yield* Clients
      const client = yield* clients.find("service_mcp")
      assert(client !== undefined)
      for (const uri of redirect_uris) assert.isTrue(yield* clients.mayRedirectTo(client, uri))
      assert.isTrue(yield* clients.mayRedirectTo(client, (redirect_uris[0] ?? "").replace("33418", "5")))
      assert.isFalse(yield* clients.mayRedirectTo(client, `${redirect_uris[1]}&y=2`))
    })
  )

  it.effect("says nothing but its addresses, and may come again", () =>
    Effect.gen(function* () {
      const redirect_uris = [loopback()]
      const first = yield* sendJson(REGISTRATIONS_PATH, { redirect_uris })
      const again = yield* sendJson(REGISTRATIONS_PATH, { redirect_uris }, { "idempotency-key": "k" })
      const other = yield* sendJson(REGISTRATIONS_PATH, { redirect_uris: [loopback()] }, { "idempotency-key": "k" })
      assert.deepStrictEqual(again.body["data"], first.body["data"])
      assert.notProperty(first.body, "client_name")
      assert.strictEqual(other.body["error_code"], 0)
      const sql = yield* SqlClient.SqlClient
      const kept =
        yield* sql`SELECT uri FROM oauth_redirects WHERE uri = ${redirect_uris[0]?.replace(":33418", "") ?? ""}`
      assert.lengthOf(kept, 1)
    })
  )

  it.effect("that asks for a secret gets token_endpoint_auth_method none and no secret", () =>
    Effect.gen(function* () {
      for (const token_endpoint_auth_method of ["client_secret_post", "client_secret_basic", null]) {
        const redirect_uris = [`https://${crypto.randomUUID()}.example.com/api/mcp/auth_callback`]
        const { status, body } = yield* sendJson(
          REGISTRATIONS_PATH,
          {
            client_name: "Hosted",
            redirect_uris,
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
            token_endpoint_auth_method
          },
          as("2001:db8:7::1")
        )
        assert.deepStrictEqual([status, body["error_code"]], [200, 0])
        assert.deepInclude(body, { client_id: "service_mcp", redirect_uris, token_endpoint_auth_method: "none" })
        assert.notProperty(body, "client_secret")
      }
    })
  )

  it.effect("at a wrong method is 404 in the envelope, as everywhere", () =>
    Effect.gen(function* () {
      const { status, body } = yield* sendOauthRequest(REGISTRATIONS_PATH, { headers: as("2001:db8:8::1") })
      assert.deepStrictEqual([status, body["error_code"]], [200, 404])
    })
  )

  it.effect("succeeds and fails as both official MCP clients expect", () =>
    Effect.gen(function* () {
      const base = yield* BaseUrl
      const metadata = {
        issuer: base,
        authorization_endpoint: `${base}/authorization`,
        token_endpoint: `${base}${AUTHORIZATIONS_PATH}`,
        registration_endpoint: `${base}${REGISTRATIONS_PATH}`,
        response_types_supported: ["code"]
      }
      const requestFor = (uri: string) => ({
        metadata,
        clientMetadata: {
          redirect_uris: [uri],
          client_name: "Hosted",
          token_endpoint_auth_method: "client_secret_post"
        },
        fetchFn
      })
      const fetchFn: typeof fetch = (url, init) =>
        fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...as("2001:db8:9::1") } })
      for (const register of [registerByNewer, registerByOlder]) {
        const { client, error } = yield* Effect.promise(async () => ({
          client: await register(base, requestFor("https://hosted.example.com/cb")),
          error: await register(base, requestFor("javascript:alert(1)")).catch(String)
        }))
        assert.deepInclude(client, { client_id: "service_mcp", token_endpoint_auth_method: "none" })
        assert.match(String(error), /redirect_uris\[0\]: /)
      }
    })
  )

  it.effect("that could not work is refused, in the standard's words, and keeps nothing", () =>
    Effect.gen(function* () {
      const good = loopback()
      for (const [given, code, error, message] of [
        [{ redirect_uris: [good, "https://a.example.com/#x"] }, 422, "invalid_redirect_uri", /^redirect_uris\[1\]: /],
        [{ redirect_uris: ["javascript:alert(1)"] }, 422, "invalid_redirect_uri", /^redirect_uris\[0\]: /],
        [{ redirect_uris: [] }, 422, "invalid_client_metadata", /^redirect_uris: /],
        [{}, 400, "invalid_client_metadata", /^redirect_uris: is required\.$/],
        [{ redirect_uris: good }, 400, "invalid_client_metadata", /^redirect_uris: /],
        [
          { redirect_uris: [good], token_endpoint_auth_method: "private_key_jwt" },
          422,
          "invalid_client_metadata",
          /^token_endpoint_auth_method: must be one of none, client_secret_basic, client_secret_post\.$/
        ],
        [{ redirect_uris: [good], grant_types: ["implicit"] }, 422, "invalid_client_metadata", /^grant_types: /],
        [{ redirect_uris: [good], grant_types: [] }, 422, "invalid_client_metadata", /^grant_types: /],
        [{ redirect_uris: [good], response_types: ["token"] }, 422, "invalid_client_metadata", /^response_types: /],
        [
          { redirect_uris: [good], client_name: "x".repeat(CLIENT_NAME_LENGTH + 1) },
          422,
          "invalid_client_metadata",
          /^client_name: must be at most 100 characters\.$/
        ],
        [
          { redirect_uris: Array.from({ length: REGISTRATION_REDIRECTS_MAX + 1 }, loopback) },
          422,
          "invalid_client_metadata",
          /^redirect_uris: must be a list of at most 10/
        ],
        [
          {
            redirect_uris: [good],
            grant_types: Array.from({ length: REGISTRATION_LIST_MAX + 1 }, () => "authorization_code")
          },
          422,
          "invalid_client_metadata",
          /^grant_types: must be a list of at most 20/
        ],
        ["{", 400, "invalid_client_metadata", /^The body is not valid JSON\.$/]
      ] as const) {
        const { status, body } = yield* sendJson(REGISTRATIONS_PATH, given, as("2001:db8:1::1"))
        assert.strictEqual(status, 400)
        assert.deepInclude(body, { error_code: code, error, error_description: body["error_msg"], data: {} })
        assert.match(String(body["error_msg"]), message)
        assert.match(String(body["request_id"]), /^RT/)
      }
      const clients = yield* Clients
      const client = yield* clients.find("service_mcp")
      assert(client !== undefined)
      assert.isFalse(yield* clients.mayRedirectTo(client, good))
      const many = Array.from({ length: REGISTRATION_REDIRECTS_MAX }, loopback)
      const most = yield* sendJson(REGISTRATIONS_PATH, {
        redirect_uris: many,
        client_name: "x".repeat(CLIENT_NAME_LENGTH),
        grant_types: Array.from({ length: REGISTRATION_LIST_MAX }, () => "authorization_code")
      })
      assert.strictEqual(most.body["error_code"], 0)
      // A form has no lists: a registration is JSON (RFC 7591 3.1).
      const form = yield* sendForm(REGISTRATIONS_PATH, { redirect_uris: good })
      assert.strictEqual(form.status, 400)
      assert.strictEqual(form.body["error"], "invalid_client_metadata")
    })
  )

  it.effect(`comes ${REGISTRATIONS_A_MINUTE} times a minute from one address, and others are not held up`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-02T09:00:00Z"))
      const register = (address: string) => sendJson(REGISTRATIONS_PATH, { redirect_uris: ["nowhere"] }, as(address))
      const codeFrom = (address: string) => Effect.map(register(address), ({ body }) => body["error_code"])
      // What cannot even be read counts too.
      const unread = yield* sendJson(REGISTRATIONS_PATH, "{", as("203.0.113.7"))
      assert.strictEqual(unread.body["error_code"], 400)
      for (let nth = 1; nth < REGISTRATIONS_A_MINUTE; nth++) assert.strictEqual(yield* codeFrom("203.0.113.7"), 422)
      const refused = yield* register("203.0.113.7")
      assert.strictEqual(refused.status, 429)
      assert.deepInclude(refused.body, { error_code: 429, error: "temporarily_unavailable" })
      assert.strictEqual(refused.headers.get("retry-after"), "60")
      assert.strictEqual(refused.headers.get("x-ratelimit-scope"), "registration")
      // What its sender wrote in front of the proxy's own entry makes nobody of him.
      assert.strictEqual(yield* codeFrom("198.51.100.1, 203.0.113.7"), 429)
      // What is no address makes nobody of him either: those are counted as the proxy.
      for (let nth = 0; nth < REGISTRATIONS_A_MINUTE; nth++)
        assert.strictEqual(yield* codeFrom(`198.51.100.1, 203.0.113.7:${nth}`), 422)
      assert.strictEqual(yield* codeFrom("198.51.100.1, 203.0.113.7:99"), 429)
      const form = yield* sendForm(REGISTRATIONS_PATH, { redirect_uris: "nowhere" }, as("203.0.113.7"))
      assert.strictEqual(form.status, 429, "it is not read")
      assert.strictEqual(yield* codeFrom("203.0.113.8"), 422)
      // The addresses of one line are one.
      for (let nth = 0; nth < REGISTRATIONS_A_MINUTE; nth++)
        assert.strictEqual(yield* codeFrom(`2001:db8:0:1::${nth.toString(16)}`), 422)
      assert.strictEqual(yield* codeFrom("2001:db8:0:1:ffff::1"), 429)
      assert.strictEqual(yield* codeFrom("2001:db8:0:2::1"), 422)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* codeFrom("203.0.113.7"), 422)
    })
  )
})

const layerWithout = Layer.provide(Layer.fresh(layerWithClients), Layer.succeed(PublicClientEnabled, false))

layer(layerHttpServerOf(layerWithout))("without a public client", (it) => {
  it.effect("nobody registers: 501, and there is no such client", () =>
    Effect.gen(function* () {
      const json = yield* sendJson(REGISTRATIONS_PATH, { redirect_uris: [loopback()] })
      assert.strictEqual(json.status, 501)
      assert.deepInclude(json.body, { error_code: 501, error: "access_denied", data: {} })
      assert.match(String(json.body["error_msg"]), /no public client/)
      // Whatever they send: it is not looked at.
      for (const wrong of [{}, { redirect_uris: [] }, "{", "[]"]) {
        assert.strictEqual((yield* sendJson(REGISTRATIONS_PATH, wrong)).body["error_code"], 501)
      }
      const form = yield* sendForm(REGISTRATIONS_PATH, { redirect_uris: loopback() })
      assert.deepStrictEqual([form.status, form.body["error_code"]], [501, 501])
      const clients = yield* Clients
      assert.isUndefined(yield* clients.find("service_mcp"))
    })
  )
})
