import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { successEnvelope } from "../../../../../src/contract/envelope.ts"
import {
  type ApiError,
  BadRequest,
  NotImplemented,
  RateLimited,
  ServerError,
  Unauthenticated,
  Upstream,
  ValidationFailed
} from "../../../../../src/contract/errors.ts"
import { OAUTH_BODY_BYTES } from "../../../../../src/platform/limits.ts"
import {
  toErrorDescription,
  toHttpStatus,
  toOauthError,
  toOauthResponse,
  toResponseFormat
} from "../../../../../src/transports/oauth/oauth-response.ts"
import {
  AUTHORIZATIONS_PATH,
  type OauthResponse as HeardAnswer,
  REGISTRATIONS_PATH,
  REVOKE_PATH,
  sendForm,
  sendJson,
  sendOauthRequest
} from "../../../../support/domain/access/oauth/oauth-requests.ts"
import {
  createPartner,
  IssuerRequests,
  layerServiceWithScriptedIssuer
} from "../../../../support/domain/access/oauth/scripted-token-issuer.ts"
import { layerHttpServerOf } from "../../../../support/http-server.ts"

// RFC 6749 3.2, 5.1 and 5.2 beside the envelope: one answer that both kinds of client read.

const ENVELOPE = ["request_id", "error_code", "error_msg", "data"]
const FORM = { "content-type": "application/x-www-form-urlencoded" }

const isNeverKept = ({ headers }: HeardAnswer) => {
  assert.strictEqual(headers.get("cache-control"), "no-store")
  assert.strictEqual(headers.get("pragma"), "no-cache")
}

layer(layerHttpServerOf(layerServiceWithScriptedIssuer, { trustProxy: true }))("the token endpoint", (it) => {
  it.effect("answers the envelope and the standard fields beside it", () =>
    Effect.gen(function* () {
      const client = yield* createPartner
      const given = { grant_type: "refresh_token", refresh_token: "good", ...client }
      const data = {
        access_token: "lk_issued",
        refresh_token: "lkrefresh_issued",
        expires_in: 604_800,
        token_type: "Bearer",
        scope: "writable"
      }
      for (const answer of [yield* sendJson(AUTHORIZATIONS_PATH, given), yield* sendForm(AUTHORIZATIONS_PATH, given)]) {
        const { request_id, ...body } = answer.body
        assert.match(String(request_id), /^RT/)
        assert.deepStrictEqual(body, { error_code: 0, error_msg: "", data, ...data })
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.strictEqual(answer.headers.get("x-request-id"), request_id)
        isNeverKept(answer)
      }
      const revoked = yield* sendForm(REVOKE_PATH, { token: "anything", token_type_hint: "refresh_token", ...client })
      assert.strictEqual(revoked.status, 200)
      assert.sameMembers(Object.keys(revoked.body), ENVELOPE)
      isNeverKept(revoked)
      assert.deepStrictEqual((yield* IssuerRequests).at(-1)?.[2], { token: "anything" })
    })
  )

  it.effect("hands over what was sent, and nothing that was not", () =>
    Effect.gen(function* () {
      const client = yield* createPartner
      const more = { redirect_uri: "https://a.example.com/", code_verifier: "v", resource: "https://r.example.com/" }
      yield* sendForm(AUTHORIZATIONS_PATH, { grant_type: "authorization_code", code: "good", ...more, ...client })
      const [what, , given] = (yield* IssuerRequests).at(-1) ?? []
      assert.strictEqual(what, "exchange")
      assert.deepStrictEqual(given, {
        code: "good",
        verifier: "v",
        redirectUri: more.redirect_uri,
        resources: [more.resource]
      })
      yield* sendForm(AUTHORIZATIONS_PATH, {
        grant_type: "refresh_token",
        refresh_token: "good",
        scope: "read-only",
        ...client
      })
      assert.deepStrictEqual((yield* IssuerRequests).at(-1)?.[2], {
        refreshToken: "good",
        scope: "read-only",
        resources: []
      })
    })
  )

  it.effect("tells who sent a form by HTTP status, and everybody by the body, in words that the standard allows", () =>
    Effect.gen(function* () {
      const client = yield* createPartner
      const code = { grant_type: "authorization_code", ...client }
      for (const [given, status, error_code, error, description] of [
        [{ ...code, code: "bad" }, 400, 401, "invalid_grant", /code/],
        [{ ...code, code: "good", resource: "elsewhere" }, 400, 400, "invalid_target", /^resource: /],
        [{ ...code }, 400, 400, "invalid_request", /^code: .*required/],
        [{ ...client, grant_type: "refresh_token" }, 400, 400, "invalid_request", /^refresh_token: .*required/],
        [{ ...client }, 400, 400, "invalid_request", /^grant_type: .*required/],
        [
          { ...client, grant_type: "password" },
          400,
          422,
          "unsupported_grant_type",
          /^grant_type: .*authorization_code, refresh_token/
        ],
        [{ ...code, code: "x".repeat(501) }, 400, 422, "invalid_request", /^code: .*500/],
        [{ ...code, code: "broken" }, 500, 500, "server_error", /request_id/]
      ] as const) {
        const json = yield* sendJson(AUTHORIZATIONS_PATH, given)
        assert.strictEqual(json.status, 200)
        const form = yield* sendForm(AUTHORIZATIONS_PATH, { ...given })
        assert.strictEqual(form.status, status, error)
        for (const answer of [json, form]) {
          assert.deepInclude(answer.body, { error_code, error, data: {} })
          assert.match(String(answer.body["error_description"]), description)
          assert.sameMembers(Object.keys(answer.body), [...ENVELOPE, "error", "error_description"])
          assert.isNull(answer.headers.get("www-authenticate"))
          isNeverKept(answer)
        }
      }
    })
  )

  it.effect("takes a parameter once, in the body, and one without a value as if it were not sent", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      const body = new URLSearchParams({
        grant_type: "authorization_code",
        code: "good",
        client_id,
        client_secret
      }).toString()
      for (const twice of ["code=good", "code=bad", "client_id=app_x", "nobody_knows=1&nobody_knows=1"]) {
        const { status, body: answer } = yield* sendForm(AUTHORIZATIONS_PATH, `${body}&${twice}`)
        assert.strictEqual(status, 400)
        assert.strictEqual(answer["error"], "invalid_request")
        assert.match(String(answer["error_msg"]), /: is given twice\.$/)
      }
      const empty = yield* sendForm(AUTHORIZATIONS_PATH, `${body}&redirect_uri=&resource=&code_verifier=`)
      assert.strictEqual(empty.status, 200)
      assert.deepInclude((yield* IssuerRequests).at(-1)?.[2], {
        redirectUri: undefined,
        resources: [],
        verifier: undefined
      })
      const unknown = yield* sendForm(AUTHORIZATIONS_PATH, `${body}&nobody_knows=1`)
      assert.strictEqual(unknown.status, 200)
      const query = yield* sendForm(`${AUTHORIZATIONS_PATH}?grant_type=authorization_code&code=good`, {
        client_id,
        client_secret
      })
      assert.strictEqual(query.status, 400)
      assert.match(String(query.body["error_msg"]), /^grant_type: .*required/)
      const beside = yield* sendForm(`${AUTHORIZATIONS_PATH}?code=bad`, body)
      assert.strictEqual(beside.status, 200)
    })
  )

  it.effect("answers a body that is none in the manner its type asks for", () =>
    Effect.gen(function* () {
      const post = (headers: Record<string, string>, body?: string | Uint8Array<ArrayBuffer>) =>
        sendOauthRequest(AUTHORIZATIONS_PATH, { method: "POST", headers, ...(body === undefined ? {} : { body }) })
      for (const [answer, status, pattern] of [
        [yield* post({ "content-type": "application/json" }, "{"), 200, /JSON/],
        [yield* post({ "content-type": "application/json" }, "[]"), 200, /JSON object/],
        [yield* post({ "content-type": "application/json" }, ""), 200, /^grant_type: .*required/],
        [yield* post({}), 200, /^grant_type: .*required/],
        [yield* post(FORM), 400, /^grant_type: .*required/],
        [
          yield* post({ "content-type": "application/x-www-form-urlencoded; charset=UTF-8" }, ""),
          400,
          /^grant_type: .*required/
        ],
        [yield* post(FORM, new Uint8Array([0xff, 0xfe])), 400, /UTF-8/],
        [yield* post(FORM, "grant_type=%FF"), 400, /^grant_type: .*surrogate/],
        [yield* post(FORM, '{"grant_type":"authorization_code"}'), 400, /^grant_type: .*required/],
        [yield* post({ "content-type": "text/plain" }, "grant_type=authorization_code"), 200, /application\/json/]
      ] as const) {
        assert.strictEqual(answer.status, status)
        assert.match(String(answer.body["error_msg"]), pattern)
        assert.strictEqual(answer.body["error"], "invalid_request")
      }
    })
  )

  it.effect(`takes ${OAUTH_BODY_BYTES} bytes and not one more, at each of its operations`, () =>
    Effect.gen(function* () {
      const fill = (start: string, size: number) => `${start}&pad=${"a".repeat(size - start.length - 5)}`
      for (const path of [AUTHORIZATIONS_PATH, REVOKE_PATH, REGISTRATIONS_PATH]) {
        const most = yield* sendForm(path, fill("grant_type=x", OAUTH_BODY_BYTES))
        assert.notMatch(String(most.body["error_msg"]), /larger/)
        const more = yield* sendForm(path, fill("grant_type=x", OAUTH_BODY_BYTES + 1))
        assert.strictEqual(more.status, 400)
        assert.include(String(more.body["error_msg"]), `${OAUTH_BODY_BYTES}`)
      }
    })
  )

  it.effect("answers every odd request with an envelope and a word of the standard, and breaks at none", () =>
    Effect.gen(function* () {
      const { client_id } = yield* createPartner
      const words = [
        "grant_type",
        "code",
        "client_id",
        "client_secret",
        "redirect_uris",
        "token",
        "__proto__",
        "constructor"
      ]
      const piece = fc.oneof(
        fc.constantFrom(
          ...words,
          client_id,
          "service_mcp",
          "authorization_code",
          "=",
          "&",
          ";",
          "%",
          "%00",
          "%ff",
          "+",
          "\u0000"
        ),
        fc.string({ maxLength: 5 })
      )
      const odd = fc.record({
        path: fc.constantFrom(AUTHORIZATIONS_PATH, REVOKE_PATH, REGISTRATIONS_PATH),
        type: fc.constantFrom(
          FORM["content-type"],
          "application/json",
          "text/plain",
          "application/x-www-form-urlencoded;"
        ),
        body: fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
        authorization: fc.option(fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join("")))
      })
      for (const [nth, { path, type, body, authorization }] of fc.sample(odd, { numRuns: 150, seed: 7 }).entries()) {
        const named =
          authorization === null ? {} : { authorization: `Basic ${Buffer.from(authorization).toString("base64")}` }
        // Each from a place of its own, which nothing has been counted of.
        const from = { "x-forwarded-for": `203.0.113.${nth}` }
        const init = { method: "POST", headers: { "content-type": type, ...from, ...named }, body }
        const answer = yield* sendOauthRequest(path, init)
        const shown = JSON.stringify([path, init, answer.body])
        assert.include([200, 400, 401], answer.status, shown)
        assert.includeMembers(Object.keys(answer.body), ENVELOPE, shown)
        assert.include([400, 401, 422], answer.body["error_code"], shown)
        assert.match(
          String(answer.body["error"]),
          /^(invalid_request|invalid_client|invalid_client_metadata|unsupported_grant_type)$/,
          shown
        )
      }
    })
  )

  it.effect("is a POST, whatever else is asked of it", () =>
    Effect.gen(function* () {
      const get = yield* sendOauthRequest(`${AUTHORIZATIONS_PATH}?grant_type=authorization_code`)
      assert.strictEqual(get.status, 200)
      assert.deepInclude(get.body, { error_code: 404, error: "invalid_request" })
      assert.match(String(get.body["error_msg"]), /this path takes POST$/)
    })
  )
})

layer(layerHttpServerOf(layerServiceWithScriptedIssuer, { requireHttps: true, trustProxy: true }))(
  "the token endpoint behind HTTPS",
  (it) => {
    it.effect("refuses plain HTTP in the same manner", () =>
      Effect.gen(function* () {
        const plain = yield* sendForm(AUTHORIZATIONS_PATH, { grant_type: "authorization_code" })
        assert.strictEqual(plain.status, 400)
        assert.deepInclude(plain.body, { error: "invalid_request", error_code: 400 })
        const behind = yield* sendForm(
          AUTHORIZATIONS_PATH,
          { grant_type: "authorization_code" },
          { "x-forwarded-proto": "https" }
        )
        assert.strictEqual(behind.status, 401)
      })
    )
  }
)

describe("a failure in the words of OAuth", () => {
  const message = "m"
  const table: ReadonlyArray<readonly [error: ApiError, oauth: string, status: number]> = [
    [new BadRequest({ message }), "invalid_request", 400],
    [new BadRequest({ message, oauthErrorCode: "invalid_scope" }), "invalid_scope", 400],
    [new ValidationFailed({ message }), "invalid_request", 400],
    [new ValidationFailed({ message, oauthErrorCode: "invalid_redirect_uri" }), "invalid_redirect_uri", 400],
    [new Unauthenticated({ message }), "invalid_client", 401],
    [new Unauthenticated({ message, oauthErrorCode: "invalid_grant" }), "invalid_grant", 400],
    [new RateLimited({ message, headers: {} }), "temporarily_unavailable", 429],
    [new ServerError({ message }), "server_error", 500],
    [new ServerError({ message, retryAfter: 1 }), "temporarily_unavailable", 500],
    [new NotImplemented({ message }), "access_denied", 501],
    [new Upstream({ message, code: 503 }), "temporarily_unavailable", 503]
  ]
  for (const [error, oauth, status] of table) {
    it(`${error._tag} is ${oauth}, ${status}`, () => {
      const said = toOauthError(error, "invalid_request")
      assert.strictEqual(said, oauth)
      assert.strictEqual(toHttpStatus(error, said), status)
    })
  }

  it("is described in characters that the standard allows", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0x10ffff).map((point) => String.fromCodePoint(point)) }), (text) => {
        assert.isTrue(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/.test(toErrorDescription(text)))
      })
    )
    assert.strictEqual(toErrorDescription("code: must be 5 characters."), "code: must be 5 characters.")
  })

  it("and a success stand beside the envelope, and never in its place", () => {
    const data = { request_id: "x", error_code: 7, data: "x", error_msg: "x", scope: "writable" }
    const envelope = successEnvelope("RT1", data)
    const { body } = toOauthResponse({ envelope, headers: {} }, "form", "invalid_request")
    assert.deepStrictEqual(JSON.parse(body), { ...envelope, scope: "writable" })
  })

  it("is told in the manner of a form to none but a form", () => {
    for (const type of ["application/x-www-form-urlencoded", "Application/X-WWW-Form-URLencoded; charset=utf-8"])
      assert.strictEqual(toResponseFormat(type), "form")
    for (const type of [undefined, "", "application/json", "application/x-www-form-urlencodedx", "multipart/form-data"])
      assert.strictEqual(toResponseFormat(type), "envelope")
  })
})
