import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeChallenge, makeHostRule, makeOriginRule } from "../../../src/transports/mcp/access-rules.ts"

const host = fc.domain()
const port = fc.integer({ min: 1, max: 65_535 })
const loopback = fc.constantFrom("localhost", "app.localhost", "127.0.0.1", "127.8.9.10", "[::1]")

describe("which pages may call", () => {
  it("whoever is no page: there is no origin", () => {
    for (const publicUrl of ["http://localhost:8080", "https://api.example.com"]) {
      assert.isTrue(makeOriginRule(publicUrl)(undefined))
    }
  })

  it("a public service is called by its own pages alone", () => {
    fc.assert(
      fc.property(host, host, port, loopback, (own, other, at, local) => {
        fc.pre(own !== other)
        const allows = makeOriginRule(`https://${own}/api`)
        assert.isTrue(allows(`https://${own}`))
        for (const origin of [
          `http://${own}`,
          `https://${own}:${at === 443 ? 444 : at}`,
          `https://${other}`,
          `https://${own}.${other}`,
          `http://${local}:${at}`,
          "null",
          ""
        ]) {
          assert.isFalse(allows(origin), origin)
        }
      })
    )
  })

  it("a service on this machine is called by the pages of this machine", () => {
    fc.assert(
      fc.property(loopback, loopback, port, host, (own, other, at, foreign) => {
        const allows = makeOriginRule(`http://${own}:8080`)
        assert.isTrue(allows(`http://${other}:${at}`))
        for (const origin of [
          `http://${foreign}:8080`,
          `http://${foreign}`,
          "http://localhost.example.com",
          "http://127.0.0.1.example.com:8080",
          "null"
        ]) {
          assert.isFalse(allows(origin), origin)
        }
      })
    )
  })
})

describe("which names are the service's", () => {
  it("are this machine's, where the service is on it alone", () => {
    fc.assert(
      fc.property(loopback, loopback, port, host, (own, other, at, foreign) => {
        const isMeant = makeHostRule(`http://${own}:8080`)
        assert.isTrue(isMeant(`${other}:${at}`))
        assert.isTrue(isMeant(other))
        for (const name of [foreign, `${foreign}:8080`, `localhost.${foreign}`, "127.0.0.1.example.com", "", "a b"]) {
          assert.isFalse(isMeant(name), name)
        }
        assert.isFalse(isMeant(undefined))
      })
    )
  })

  it("are whatever a proxy says, elsewhere", () => {
    for (const name of ["latchkey:8080", "10.0.0.7", undefined]) {
      assert.isTrue(makeHostRule("https://api.example.com")(name))
      assert.isTrue(makeHostRule("http://0.0.0.0:8080")(name))
    }
  })
})

describe("the challenge", () => {
  it("points to the metadata at the origin, whatever path the service has", () => {
    assert.strictEqual(
      makeChallenge("https://api.example.com/stays")(undefined),
      'Bearer realm="latchkey", resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"'
    )
  })

  it("never repeats the token", () => {
    assert.notInclude(makeChallenge("https://api.example.com")("secret-token"), "secret-token")
  })
})
