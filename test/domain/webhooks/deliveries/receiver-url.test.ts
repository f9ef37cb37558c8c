import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { ValidationFailed } from "../../../../src/contract/errors.ts"
import { parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { parseReceiverUrl } from "../../../../src/domain/webhooks/deliveries/receiver-url.ts"
import { WEBHOOK_URL_LENGTH } from "../../../../src/platform/limits.ts"

const judge = (text: string, { allowed = "", publicUrl = "https://api.example.com" } = {}) =>
  parseReceiverUrl(text, { allowedHosts: Result.getOrThrow(parseAllowedHosts(allowed)), publicUrl: new URL(publicUrl) })
const accepted = (...args: Parameters<typeof judge>) => Result.isSuccess(judge(...args))
const reason = (...args: Parameters<typeof judge>) =>
  Result.match(judge(...args), { onFailure: (error) => error.message, onSuccess: (url) => `accepted ${url}` })

describe("a receiver's URL", () => {
  it("is https, and kept as the parser writes it", () => {
    expect(judge("https://Example.com:443/hooks?a=b c".replace(" ", "%20"))).toEqual(
      Result.succeed("https://example.com/hooks?a=b%20c")
    )
    expect(accepted("HTTPS://bücher.example:8443/x")).toBe(true)
  })

  it("is refused with 422 and the field's name", () => {
    const refusal = judge("ftp://example.com/")
    expect(Result.isFailure(refusal) && refusal.failure).toBeInstanceOf(ValidationFailed)
    for (const text of [
      "",
      "example.com/x",
      "/x",
      "https://",
      "https:example.com",
      "javascript:1",
      "https:\\\\example.com"
    ]) {
      expect(reason(text), text).toMatch(/^url: .*absolute https address/)
    }
    for (const text of [" https://example.com", "https://example.com/a\nb", "https://exa mple.com", "https://[::1"]) {
      expect(reason(text), text).toMatch(/^url: .*absolute https address/)
    }
    expect(reason("http://example.com/")).toMatch(/^url: .*begin with https:\/\//)
  })

  it("holds no credentials", () => {
    for (const user of ["a@", "a:b@", ":b@"]) {
      expect(reason(`https://${user}example.com/`)).toMatch(/^url: .*user name/)
    }
  })

  it(`has at most ${WEBHOOK_URL_LENGTH} characters, as given and as encoded`, () => {
    const base = "https://example.com/"
    const filled = (character: string, length: number) => base + character.repeat(length - base.length)
    expect(accepted(filled("a", WEBHOOK_URL_LENGTH))).toBe(true)
    expect(reason(filled("a", WEBHOOK_URL_LENGTH + 1))).toMatch(
      new RegExp(`^url: .*${WEBHOOK_URL_LENGTH} characters\\.$`)
    )
    const umlauts = (WEBHOOK_URL_LENGTH - base.length) / 6
    expect(accepted(base + "ä".repeat(Math.floor(umlauts)))).toBe(true)
    expect(reason(base + "ä".repeat(Math.floor(umlauts) + 1))).toContain("once encoded")
  })

  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.1./",
    "https://１２７.0.0.1/",
    "https://%31%32%37.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://app.localhost:8443/"
  ])("is refused when it is loopback: %s", (text) => {
    expect(reason(text)).toMatch(/^url: .*loopback/)
  })

  it.each([
    "https://10.0.0.1/",
    "https://169.254.169.254/latest",
    "https://[fd00:ec2::254]/",
    "https://0/",
    "https://[64:ff9b::7f00:1]/"
  ])("is refused when it is a forbidden literal: %s", (text) => {
    expect(reason(text)).toMatch(/^url: must not point at /)
  })

  it("may name an allowed host or address over https", () => {
    expect(accepted("https://10.0.0.1:8443/x", { allowed: "10.0.0.1" })).toBe(true)
    expect(accepted("https://localhost/x", { allowed: "localhost" })).toBe(true)
    expect(accepted("https://10.0.0.2/x", { allowed: "10.0.0.1" })).toBe(false)
  })

  describe("over http", () => {
    const local = { publicUrl: "http://127.0.0.1:8080" }
    it("may be an allowed loopback host of a service that is http on loopback", () => {
      expect(accepted("http://127.0.0.1:9000/x", { ...local, allowed: "127.0.0.1" })).toBe(true)
      expect(accepted("http://localhost:9000/x", { ...local, allowed: "127.0.0.1,localhost" })).toBe(true)
      expect(accepted("http://[::1]:9000/x", { publicUrl: "http://localhost", allowed: "::1" })).toBe(true)
    })

    it.each([
      ["http://127.0.0.1:9000/", { ...local, allowed: "" }],
      ["http://127.0.0.1:9000/", { ...local, allowed: "127.0.0.2" }],
      ["http://127.0.0.1:9000/", { publicUrl: "https://127.0.0.1", allowed: "127.0.0.1" }],
      ["http://127.0.0.1:9000/", { publicUrl: "http://api.example.com", allowed: "127.0.0.1" }],
      ["http://10.0.0.1/", { ...local, allowed: "10.0.0.1" }],
      ["http://receiver.internal/", { ...local, allowed: "receiver.internal" }],
      ["http://localhost.evil.com/", { ...local, allowed: "localhost" }]
    ])("is refused otherwise: %s %o", (text, policy) => {
      expect(reason(text, policy)).toMatch(/^url: .*begin with https:\/\//)
    })
  })

  it("never passes text the URL parser would change the meaning of", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string().map((tail) => `https://${tail}`)
        ),
        (text) => {
          const result = judge(text)
          if (Result.isFailure(result)) return result.failure.message.startsWith("url: must")
          const kept = new URL(result.success)
          return kept.protocol === "https:" && kept.username === "" && kept.href === result.success
        }
      )
    )
  })
})
