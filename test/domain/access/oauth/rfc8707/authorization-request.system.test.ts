import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { findProtectedResource } from "../../../../../src/domain/access/oauth/protected-resource.ts"
import { OAUTH_RESOURCES_MAX } from "../../../../../src/platform/limits.ts"
import {
  ConsentState,
  layerConsentPages,
  makeAllowForm,
  PUBLIC_URL,
  partnerRequestUrl,
  publicRequestUrl,
  readRedirectParams,
  signIn,
  visitPage
} from "../../../../support/domain/access/oauth/consent-pages.ts"

// RFC 8707 2: what the access is for must be ours.

const FOREIGN = [
  "https://other.example.test/mcp",
  "https://latchkey.example.test.evil.test/mcp",
  "https://latchkey.example.test@evil.test/mcp",
  "https://latchkey.example.test:444/mcp",
  `${PUBLIC_URL}/mcp//`,
  `${PUBLIC_URL}/MCP`,
  `${PUBLIC_URL}/mcp?x=1`,
  `${PUBLIC_URL}/mcp#x`,
  `${PUBLIC_URL}/v3/properties`,
  `${PUBLIC_URL}/x/../mcp`,
  "http://latchkey.example.test/mcp",
  "/mcp",
  "mcp",
  "urn:latchkey",
  " "
]

describe("a resource of ours", () => {
  it("is the service, REST or the MCP endpoint, with or without a last slash", () => {
    for (const base of [PUBLIC_URL, "https://example.test/latchkey", "http://127.0.0.1:8080"]) {
      for (const path of ["", "/v3", "/mcp"]) {
        assert.strictEqual(findProtectedResource(base, `${base}${path}`), `${base}${path}`)
        assert.strictEqual(findProtectedResource(base, `${base}${path}/`), `${base}${path}`)
      }
    }
    assert.strictEqual(findProtectedResource(PUBLIC_URL, "HTTPS://Latchkey.Example.TEST/mcp"), `${PUBLIC_URL}/mcp`)
  })

  it("is no other", () => {
    assert.deepStrictEqual(
      FOREIGN.filter((text) => findProtectedResource(PUBLIC_URL, text) !== undefined),
      []
    )
    assert.isUndefined(findProtectedResource("https://example.test/latchkey", "https://example.test/mcp"))
  })
})

const naming = (resources: ReadonlyArray<string>, target = publicRequestUrl()): string =>
  [target, ...resources.map((each) => `resource=${encodeURIComponent(each)}`)].join("&")

layer(layerConsentPages())("a request that names resources", (it) => {
  it.effect("is refused when one of them is another's", () =>
    Effect.gen(function* () {
      for (const foreign of FOREIGN) {
        for (const named of [[foreign], [`${PUBLIC_URL}/mcp`, foreign], [foreign, `${PUBLIC_URL}/mcp`]]) {
          for (const target of [publicRequestUrl(), partnerRequestUrl()]) {
            const { location } = yield* visitPage(naming(named, target))
            assert.strictEqual(readRedirectParams(location)["error"], "invalid_target", foreign)
          }
        }
      }
    })
  )

  it.effect("gives its code for the one it named; for several it is bound to none", () =>
    Effect.gen(function* () {
      const [{ issuedCodes: issued }, cookie] = [yield* ConsentState, yield* signIn()]
      const [whole, mcp, rest] = [`${PUBLIC_URL}/`, `${PUBLIC_URL}/mcp`, `${PUBLIC_URL}/v3`]
      for (const [named, kept] of [
        [[], null],
        [[mcp], mcp],
        [[whole], whole],
        [[mcp, mcp], mcp],
        [[mcp, `${mcp}/`], mcp],
        [[mcp, rest], null]
      ] as const) {
        yield* visitPage(naming(named), { cookie, form: makeAllowForm("read-only") })
        assert.strictEqual(issued.at(-1)?.consent.resource, kept)
      }
    })
  )

  it.effect(`names at most ${OAUTH_RESOURCES_MAX}`, () =>
    Effect.gen(function* () {
      const cookie = yield* signIn()
      const many = (count: number) => naming(Array.from({ length: count }, () => `${PUBLIC_URL}/mcp`))
      assert.strictEqual((yield* visitPage(many(OAUTH_RESOURCES_MAX), { cookie })).status, 200)
      const { location } = yield* visitPage(many(OAUTH_RESOURCES_MAX + 1), { cookie })
      assert.strictEqual(readRedirectParams(location)["error"], "invalid_target")
    })
  )
})
