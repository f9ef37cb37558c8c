import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import fc from "fast-check"
import * as oauth from "oauth4webapi"
import { Partners } from "../../../../../src/domain/access/oauth/Partners.ts"
import { PublicClientEnabled } from "../../../../../src/platform/installation.ts"
import { parseBasicCredentials } from "../../../../../src/transports/oauth/public-request.ts"
import {
  AUTHORIZATIONS_PATH,
  makeBasicAuthorization,
  REVOKE_PATH,
  sendForm,
  sendJson
} from "../../../../support/domain/access/oauth/oauth-requests.ts"
import {
  createPartner,
  IssuerRequests,
  layerServiceWithScriptedIssuer
} from "../../../../support/domain/access/oauth/scripted-token-issuer.ts"
import { asSystemActor } from "../../../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../../../support/http-server.ts"

// RFC 6749 2.3: a client says who it is by its secret, in the body or by HTTP Basic, and in one way only.

const layerServed = layerHttpServerOf(layerServiceWithScriptedIssuer)

const GOOD = { grant_type: "authorization_code", code: "good" }
const WRONG = "client_id or client_secret is wrong, or the client was disabled."

layer(layerServed)("a client", (it) => {
  it.effect("proves itself by its secret, in JSON, in a form, or by Basic", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      const given = { ...GOOD, client_id, client_secret }
      for (const answer of [
        yield* sendJson(AUTHORIZATIONS_PATH, given),
        yield* sendForm(AUTHORIZATIONS_PATH, given),
        yield* sendForm(AUTHORIZATIONS_PATH, GOOD, makeBasicAuthorization(client_id, client_secret)),
        yield* sendForm(AUTHORIZATIONS_PATH, { ...GOOD, client_id }, makeBasicAuthorization(client_id, client_secret)),
        yield* sendJson(AUTHORIZATIONS_PATH, GOOD, makeBasicAuthorization(client_id, client_secret))
      ]) {
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(answer.body, { error_code: 0, access_token: "lk_issued", token_type: "Bearer" })
      }
      const heard = yield* IssuerRequests
      assert.deepInclude(heard.at(-1)?.[1], { id: client_id, isPublic: false })
    })
  )

  it.effect("of a library is understood: oauth4webapi by Basic and by post, exchange, renewal and end", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      const base = yield* BaseUrl
      const server: oauth.AuthorizationServer = {
        issuer: base,
        token_endpoint: `${base}${AUTHORIZATIONS_PATH}`,
        revocation_endpoint: `${base}${REVOKE_PATH}`
      }
      const client: oauth.Client = { client_id }
      const insecure = { [oauth.allowInsecureRequests]: true }
      for (const auth of [oauth.ClientSecretBasic(client_secret), oauth.ClientSecretPost(client_secret)]) {
        yield* Effect.promise(async () => {
          const callback = oauth.validateAuthResponse(
            server,
            client,
            new URLSearchParams({ code: "good" }),
            oauth.expectNoState
          )
          const exchanged = await oauth.authorizationCodeGrantRequest(
            server,
            client,
            auth,
            callback,
            "https://ledger.example.com/back",
            oauth.nopkce,
            insecure
          )
          const made = await oauth.processAuthorizationCodeResponse(server, client, exchanged)
          assert.deepInclude(made, {
            access_token: "lk_issued",
            token_type: "bearer",
            expires_in: 604_800,
            scope: "writable"
          })
          const renewed = await oauth.refreshTokenGrantRequest(server, client, auth, "good", insecure)
          assert.strictEqual(
            (await oauth.processRefreshTokenResponse(server, client, renewed)).refresh_token,
            "lkrefresh_issued"
          )
          const ended = await oauth.revocationRequest(server, client, auth, "lk_issued", insecure)
          await oauth.processRevocationResponse(ended)
        })
      }
    })
  )

  it.effect("that is public gives no secret, and one that gives some is refused", () =>
    Effect.gen(function* () {
      const given = { ...GOOD, client_id: "service_mcp", code_verifier: "v".repeat(43) }
      const taken = yield* sendForm(AUTHORIZATIONS_PATH, given)
      assert.strictEqual(taken.status, 200)
      const [, client, asked] = (yield* IssuerRequests).at(-1) ?? []
      assert.deepInclude(client, { id: "service_mcp", isPublic: true })
      assert.deepInclude(asked, { verifier: "v".repeat(43), redirectUri: undefined, resources: [] })
      // As libraries write it for a client that has none.
      assert.strictEqual(
        (yield* sendForm(AUTHORIZATIONS_PATH, given, makeBasicAuthorization("service_mcp", ""))).status,
        200
      )
      assert.strictEqual((yield* sendForm(AUTHORIZATIONS_PATH, { ...given, client_secret: "" })).status, 200)
      for (const refused of [
        yield* sendForm(AUTHORIZATIONS_PATH, { ...given, client_secret: "x" }),
        yield* sendForm(AUTHORIZATIONS_PATH, given, makeBasicAuthorization("service_mcp", "x"))
      ]) {
        assert.strictEqual(refused.status, 401)
        assert.deepInclude(refused.body, { error: "invalid_client", error_code: 401 })
      }
    })
  )

  it.effect("is told the same of an unknown id, a wrong secret and a disabled client, at each operation", () =>
    Effect.gen(function* () {
      const [known, disabled] = [yield* createPartner, yield* createPartner]
      yield* Effect.orDie(asSystemActor(Effect.flatMap(Partners, ({ disable }) => disable(disabled.client_id))))
      const strangers = [
        { client_id: "app_unknown", client_secret: known.client_secret },
        { client_id: known.client_id, client_secret: disabled.client_secret },
        { client_id: known.client_id, client_secret: `${known.client_secret}x` },
        disabled
      ]
      for (const [path, given] of [
        [AUTHORIZATIONS_PATH, GOOD],
        [AUTHORIZATIONS_PATH, { grant_type: "refresh_token", refresh_token: "good" }],
        [REVOKE_PATH, { token: "good" }]
      ] as const) {
        const before = (yield* IssuerRequests).length
        for (const stranger of strangers) {
          const json = yield* sendJson(path, { ...given, ...stranger })
          assert.strictEqual(json.status, 200)
          assert.deepInclude(json.body, { error_code: 401, error_msg: WRONG, error: "invalid_client", data: {} })
          assert.isNull(json.headers.get("www-authenticate"))
        }
        assert.strictEqual((yield* IssuerRequests).length, before)
      }
      const form = yield* sendForm(AUTHORIZATIONS_PATH, { ...GOOD, client_id: "app_unknown", client_secret: "x" })
      assert.strictEqual(form.status, 401)
      assert.strictEqual(form.headers.get("www-authenticate"), 'Basic realm="latchkey"')
    })
  )

  it.effect("that leaves out its id or its secret is 401, before anything else is asked of it", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      for (const [given, pattern] of [
        [{}, /^client_id: .*required/],
        [{ client_secret }, /^client_id: .*required/],
        [{ client_id }, /^client_secret: .*required/]
      ] as const) {
        const { status, body } = yield* sendForm(AUTHORIZATIONS_PATH, { grant_type: "authorization_code", ...given })
        assert.strictEqual(status, 401)
        assert.strictEqual(body["error"], "invalid_client")
        assert.match(String(body["error_msg"]), pattern)
      }
    })
  )

  it.effect("says once who it is: two ways or two ids are invalid_request", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      const right = makeBasicAuthorization(client_id, client_secret)
      for (const [fields, headers] of [
        [{ ...GOOD, client_secret }, right],
        [{ ...GOOD, client_id, client_secret }, right],
        [{ ...GOOD, client_id: "service_mcp" }, right]
      ] as const) {
        const form = yield* sendForm(AUTHORIZATIONS_PATH, fields, headers)
        assert.strictEqual(form.status, 400)
        assert.deepInclude(form.body, { error: "invalid_request", error_code: 400 })
        const json = yield* sendJson(AUTHORIZATIONS_PATH, fields, headers)
        assert.strictEqual(json.status, 200)
        assert.deepInclude(json.body, { error: "invalid_request", error_code: 400 })
      }
    })
  )

  it.effect("whose Basic cannot be read is not known, and told by which scheme it could be (RFC 6749 5.2)", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      const encoded = (text: string) => Buffer.from(text).toString("base64")
      for (const [path, fields] of [
        [AUTHORIZATIONS_PATH, GOOD],
        [AUTHORIZATIONS_PATH, { ...GOOD, client_id, client_secret }],
        [REVOKE_PATH, { token: "good" }]
      ] as const) {
        for (const credentials of [
          "",
          " !!!",
          " ????",
          ...["no colon", ":secret", "%zz:secret"].map((each) => ` ${encoded(each)}`)
        ]) {
          const headers = { authorization: `Basic${credentials}` }
          const form = yield* sendForm(path, fields, headers)
          assert.deepStrictEqual([form.status, form.headers.get("www-authenticate")], [401, 'Basic realm="latchkey"'])
          assert.deepInclude(form.body, { error: "invalid_client", error_code: 401 })
          const json = yield* sendJson(path, fields, headers)
          assert.deepStrictEqual([json.status, json.headers.get("www-authenticate")], [200, null])
          assert.deepInclude(json.body, { error: "invalid_client", error_code: 401 })
        }
      }
    })
  )

  it.effect("may bring a token, which nobody looks at", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      for (const headers of [{ authorization: "Bearer lk_unknown" }, { "service-access-token": "lk_unknown" }]) {
        const given = { ...GOOD, client_id, client_secret }
        assert.strictEqual((yield* sendForm(AUTHORIZATIONS_PATH, given, headers)).status, 200)
        assert.strictEqual((yield* sendJson(AUTHORIZATIONS_PATH, given, headers)).body["error_code"], 0)
      }
    })
  )

  it.effect("with a new secret is known by no other", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* createPartner
      const rotated = yield* Effect.orDie(Effect.flatMap(Partners, ({ rotateSecret: rotate }) => rotate(client_id)))
      const with_ = (secret: string) => sendForm(AUTHORIZATIONS_PATH, { ...GOOD, client_id, client_secret: secret })
      assert.strictEqual((yield* with_(client_secret)).status, 401)
      assert.strictEqual((yield* with_(rotated.client_secret)).status, 200)
    })
  )
})

layer(layerHttpServerOf(layerServiceWithScriptedIssuer.pipe(Layer.provide(Layer.succeed(PublicClientEnabled, false)))))(
  "where there is no public client",
  (it) => {
    it.effect("it is as unknown as any other", () =>
      Effect.gen(function* () {
        const { status, body } = yield* sendForm(AUTHORIZATIONS_PATH, { ...GOOD, client_id: "service_mcp" })
        assert.strictEqual(status, 401)
        assert.deepInclude(body, { error: "invalid_client", error_msg: WRONG })
      })
    )
  }
)

describe("HTTP Basic", () => {
  it("has both parts as a form has them, whatever they are made of", () => {
    const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point))
    const part = fc.string({ unit: character, minLength: 1, maxLength: 40 })
    const encoded = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)
    fc.assert(
      fc.property(part, part, (id, secret) => {
        const header = `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64")}`
        const [client_id, client_secret] = [id.toWellFormed(), secret.toWellFormed()]
        assert.deepStrictEqual(Result.getOrThrow(parseBasicCredentials(header)), { client_id, client_secret })
      })
    )
  })

  it("is one way to say it among others that say nothing of a client", () => {
    for (const header of [undefined, "", "Bearer lk_x", "Digest x", "Basically nothing"]) {
      assert.isUndefined(Result.getOrThrow(parseBasicCredentials(header)))
    }
  })
})
