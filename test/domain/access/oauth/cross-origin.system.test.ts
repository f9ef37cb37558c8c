import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  AUTHORIZATIONS_PATH,
  REGISTRATIONS_PATH,
  REVOKE_PATH,
  sendForm,
  sendOauthRequest
} from "../../../support/domain/access/oauth/oauth-requests.ts"
import { layerHttpServer } from "../../../support/http-server.ts"

// Which answers a page of another origin may read: those about who gives out tokens, and no other.

const ORIGIN = { origin: "https://inspector.example.com" }
const ENDPOINTS = [AUTHORIZATIONS_PATH, REVOKE_PATH, REGISTRATIONS_PATH]
const DOCUMENTS = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-authorization-server/mcp"
]
const ELSEWHERE = [
  "/v3/reservations",
  "/v3/oauth",
  "/v3/oauth/other",
  "/v3",
  "/mcp",
  "/console",
  "/authorization",
  "/",
  "/health/live"
]

const preflightOf = (path: string, method: string) =>
  sendOauthRequest(path, {
    method: "OPTIONS",
    headers: {
      ...ORIGIN,
      "access-control-request-method": method,
      "access-control-request-headers": "content-type,authorization,mcp-protocol-version"
    }
  })

layer(layerHttpServer())("a page of another origin", (it) => {
  it.effect("is let in by a preflight where tokens come from, and where it is said", () =>
    Effect.gen(function* () {
      for (const [path, methods] of [
        ...ENDPOINTS.map((path) => [path, "POST"] as const),
        ...DOCUMENTS.map((path) => [path, "GET, HEAD, OPTIONS"] as const)
      ]) {
        const { status, headers } = yield* preflightOf(path, methods.slice(0, 4).replace(",", ""))
        assert.strictEqual(status, 204, path)
        assert.isNull(headers.get("content-length"), path)
        assert.strictEqual(headers.get("access-control-allow-origin"), "*")
        assert.strictEqual(headers.get("access-control-allow-methods"), methods)
        assert.strictEqual(
          headers.get("access-control-allow-headers"),
          "content-type, authorization, mcp-protocol-version"
        )
        assert.strictEqual(headers.get("access-control-max-age"), "86400")
        assert.isNull(headers.get("access-control-allow-credentials"))
      }
    })
  )

  it.effect("is answered alike however the path is spelled", () =>
    Effect.gen(function* () {
      for (const path of [`${REVOKE_PATH}/`, "/v3//oauth/revoke", "/v3/oauth/revok%65"]) {
        const plain = yield* sendForm(REVOKE_PATH, { token: "x" })
        const { status, headers, body } = yield* sendForm(path, { token: "x" })
        assert.deepStrictEqual([status, body.error], [plain.status, plain.body.error], path)
        assert.strictEqual(headers.get("access-control-allow-origin"), "*", path)
      }
      assert.strictEqual((yield* sendForm("/V3/oauth/revoke", { token: "x" })).body.error_code, 404)
    })
  )

  it.effect("reads every answer there, refusals too", () =>
    Effect.gen(function* () {
      for (const path of ENDPOINTS) {
        for (const answer of [
          yield* sendForm(path, { grant_type: "authorization_code" }, ORIGIN),
          yield* sendOauthRequest(path, { headers: ORIGIN }),
          yield* sendOauthRequest(path, { method: "DELETE", headers: ORIGIN })
        ]) {
          assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
          assert.isNull(answer.headers.get("access-control-allow-credentials"))
        }
      }
      for (const path of DOCUMENTS) {
        for (const method of ["GET", "POST"]) {
          const { headers } = yield* sendOauthRequest(path, { method, headers: ORIGIN })
          assert.strictEqual(headers.get("access-control-allow-origin"), "*")
        }
      }
    })
  )

  it.effect("is let in nowhere else", () =>
    Effect.gen(function* () {
      for (const path of ELSEWHERE) {
        for (const answer of [yield* preflightOf(path, "POST"), yield* sendOauthRequest(path, { headers: ORIGIN })]) {
          for (const name of answer.headers.keys()) assert.notMatch(name, /^access-control-/, path)
        }
      }
    })
  )
})
