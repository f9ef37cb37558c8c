import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OAUTH_RESOURCES_MAX } from "../../../../../src/platform/limits.ts"
import { AUTHORIZATIONS_PATH, sendForm, sendJson } from "../../../../support/domain/access/oauth/oauth-requests.ts"
import {
  createPartner,
  IssuerRequests,
  layerServiceWithScriptedIssuer
} from "../../../../support/domain/access/oauth/scripted-token-issuer.ts"
import { layerHttpServerOf } from "../../../../support/http-server.ts"

// RFC 8707 2: a request for a token may name several resources, in a form by as many parameters of one name.

const named = (number: number) => Array.from({ length: number }, (_, nth) => `https://r.example.com/${nth}`)

/** What was handed over last. */
const heard = Effect.map(IssuerRequests, (all) => all.at(-1)?.[2])

layer(layerHttpServerOf(layerServiceWithScriptedIssuer))("the resources of a request for a token", (it) => {
  it.effect(`are as many as were sent, in a form and in JSON, ${OAUTH_RESOURCES_MAX} at most`, () =>
    Effect.gen(function* () {
      const client = yield* createPartner
      for (const grant of [
        { grant_type: "authorization_code", code: "good" },
        { grant_type: "refresh_token", refresh_token: "good" }
      ]) {
        const fields = { ...grant, ...client }
        const byForm = (resources: ReadonlyArray<string>) =>
          sendForm(
            AUTHORIZATIONS_PATH,
            new URLSearchParams([
              ...Object.entries(fields),
              ...resources.map((each) => ["resource", each] as [string, string])
            ]).toString()
          )
        for (const number of [0, 1, 2, OAUTH_RESOURCES_MAX]) {
          assert.strictEqual((yield* byForm(named(number))).status, 200)
          assert.deepInclude(yield* heard, { resources: named(number) })
          const json = yield* sendJson(AUTHORIZATIONS_PATH, { ...fields, resource: named(number) })
          assert.strictEqual(json.body["error_code"], 0)
          assert.deepInclude(yield* heard, { resources: named(number) })
        }
        const more = named(OAUTH_RESOURCES_MAX + 1)
        const form = yield* byForm(more)
        assert.strictEqual(form.status, 400)
        for (const { body } of [form, yield* sendJson(AUTHORIZATIONS_PATH, { ...fields, resource: more })]) {
          assert.deepInclude(body, { error: "invalid_request", error_code: 422 })
          assert.match(String(body["error_msg"]), new RegExp(`^resource: .*${OAUTH_RESOURCES_MAX}`))
        }
        const elsewhere = yield* byForm(["https://r.example.com/", "elsewhere"])
        assert.deepStrictEqual([elsewhere.status, elsewhere.body["error"]], [400, "invalid_target"])
        assert.strictEqual((yield* byForm(["", "https://r.example.com/", ""])).status, 200)
        assert.deepInclude(yield* heard, { resources: ["https://r.example.com/"] })
      }
    })
  )

  it.effect("are texts, each of them", () =>
    Effect.gen(function* () {
      const fields = { grant_type: "refresh_token", refresh_token: "good", ...(yield* createPartner) }
      for (const resource of [7, {}, ["https://r.example.com/", 7]]) {
        const { body } = yield* sendJson(AUTHORIZATIONS_PATH, { ...fields, resource })
        assert.deepInclude(body, { error: "invalid_request", error_code: 400 })
      }
    })
  )
})
