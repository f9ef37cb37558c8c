import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import {
  isRegisteredUri,
  parseRedirectTarget,
  toResponseUrl,
  validateRedirectUri
} from "../../../../../src/domain/access/oauth/redirect-uri.ts"
import { REDIRECT_URI_LENGTH } from "../../../../../src/platform/limits.ts"
import { PROPERTY_RUNS } from "../../../../support/property-runs.ts"

// RFC 6749 3.1.2 and RFC 9700 2.1 and 4.1: a code goes to an address that was registered, to the letter.

const takes = (uri: string, client: "partner" | "public" = "partner"): boolean =>
  Result.isSuccess(validateRedirectUri(uri, client))

const REGISTERED = "https://app.example.test/oauth/cb"
const LOCAL = "http://127.0.0.1/cb"

/** What somebody asks for in place of {@link REGISTERED}, or of {@link LOCAL}. */
const VARIANTS: ReadonlyArray<readonly [what: string, uri: string]> = [
  ["a user name", "https://user@app.example.test/oauth/cb"],
  ["the host as a user name", "https://app.example.test@evil.test/oauth/cb"],
  ["the host as user name and password", "https://app.example.test:443@evil.test/oauth/cb"],
  ["the host as the beginning of another", "https://app.example.test.evil.test/oauth/cb"],
  ["the host as the end of another", "https://evilapp.example.test/oauth/cb"],
  ["a host below it", "https://evil.app.example.test/oauth/cb"],
  ["the host above it", "https://example.test/oauth/cb"],
  ["a path that goes up", "https://app.example.test/oauth/cb/../../evil"],
  ["a path that goes up and comes back", "https://app.example.test/evil/../oauth/cb"],
  ["a path that goes up in percent", "https://app.example.test/oauth/cb/%2e%2e/evil"],
  ["a path that stays", "https://app.example.test/oauth/./cb"],
  ["a slash in percent", "https://app.example.test/oauth%2Fcb"],
  ["a letter in percent", "https://app.example.test/oauth/%63b"],
  ["two slashes", "https://app.example.test//oauth/cb"],
  ["a slash at the end", "https://app.example.test/oauth/cb/"],
  ["a longer path", "https://app.example.test/oauth/cb/evil"],
  ["a longer last word", "https://app.example.test/oauth/cbevil"],
  ["a shorter path", "https://app.example.test/oauth"],
  ["a parameter of the path", "https://app.example.test/oauth/cb;evil"],
  ["capitals in the host", "https://APP.example.test/oauth/cb"],
  ["capitals in the scheme", "HTTPS://app.example.test/oauth/cb"],
  ["capitals in the path", "https://app.example.test/OAuth/cb"],
  ["a dot at the end of the host", "https://app.example.test./oauth/cb"],
  ["the port that it has anyway", "https://app.example.test:443/oauth/cb"],
  ["another port", "https://app.example.test:8443/oauth/cb"],
  ["no port after the colon", "https://app.example.test:/oauth/cb"],
  ["http", "http://app.example.test/oauth/cb"],
  ["a query", "https://app.example.test/oauth/cb?next=https://evil.test"],
  ["an empty query", "https://app.example.test/oauth/cb?"],
  ["a fragment", "https://app.example.test/oauth/cb#evil"],
  ["an empty fragment", "https://app.example.test/oauth/cb#"],
  ["a backslash for a slash", "https://app.example.test\\oauth/cb"],
  ["a backslash before another host", "https://evil.test\\@app.example.test/oauth/cb"],
  ["a full stop of another script", "https://app.example\u3002test/oauth/cb"],
  ["a letter of another script", "https://\u0430pp.example.test/oauth/cb"],
  ["a blank before", " https://app.example.test/oauth/cb"],
  ["a line's end after", "https://app.example.test/oauth/cb\n"],
  ["a tab within", "https://app.ex\tample.test/oauth/cb"],
  ["a zero after", "https://app.example.test/oauth/cb\u0000"],
  ["no scheme", "//app.example.test/oauth/cb"],
  ["no host", "/oauth/cb"],
  ["one slash after the scheme", "https:/app.example.test/oauth/cb"],
  ["three slashes after the scheme", "https:///app.example.test/oauth/cb"],
  ["a wildcard", "https://*.example.test/oauth/cb"],
  ["a wildcard path", "https://app.example.test/*"],
  ["two at once", "https://app.example.test/oauth/cb,https://evil.test"],
  ["a script", "javascript:location='https://evil.test'//https://app.example.test/oauth/cb"],
  ["data", "data:text/html,https://app.example.test/oauth/cb"],
  ["this machine as the beginning of a host", "http://127.0.0.1.evil.test/cb"],
  ["this machine as a user name", "http://127.0.0.1:80@evil.test/cb"],
  ["this machine as a user name of a backslash", "http://127.0.0.1\\@evil.test/cb"],
  ["this machine as a number", "http://2130706433/cb"],
  ["this machine in hexadecimal", "http://0x7f.0.0.1/cb"],
  ["this machine, shortened", "http://127.1/cb"],
  ["another address of this machine", "http://127.0.0.2/cb"],
  ["this machine in IPv6 of IPv4", "http://[::ffff:127.0.0.1]/cb"],
  ["this machine's name instead", "http://localhost/cb"],
  ["a name below localhost", "http://localhost.evil.test/cb"],
  ["all addresses", "http://0.0.0.0/cb"],
  ["a port above all", "http://127.0.0.1:65536/cb"],
  ["port 0", "http://127.0.0.1:0/cb"],
  ["a port with zeros before", "http://127.0.0.1:08080/cb"],
  ["a port with a sign", "http://127.0.0.1:+80/cb"],
  ["another path of this machine", "http://127.0.0.1/cb/evil"],
  ["a query at this machine", "http://127.0.0.1:8080/cb?x=1"]
]

describe("an address that resembles one that was registered", () => {
  for (const [what, uri] of VARIANTS) {
    it(`is none with ${what}`, () => {
      assert.isFalse(isRegisteredUri([REGISTERED, LOCAL], uri, "partner"))
      assert.isFalse(isRegisteredUri([REGISTERED, LOCAL], uri, "public"))
    })
  }

  it("is one to the letter", () => {
    assert.isTrue(isRegisteredUri([LOCAL, REGISTERED], REGISTERED, "partner"))
    assert.isTrue(isRegisteredUri([LOCAL, REGISTERED], REGISTERED, "public"))
    assert.isFalse(isRegisteredUri([LOCAL], "http://127.0.0.1:8080/cb", "partner"))
  })
})

describe("an address to register", () => {
  it("is https, and what a browser makes of it is what is written", () => {
    const good = [
      REGISTERED,
      "https://app.example.test",
      "https://app.example.test?x=1",
      "https://app.example.test:8443/cb?a=b&c=%2F",
      "https://xn--80ak6aa92e.example.test/cb",
      "https://[2001:db8::1]/cb",
      "https://192.0.2.7/cb"
    ]
    assert.deepStrictEqual(
      good.filter((uri) => takes(uri)),
      good
    )
    assert.deepStrictEqual(
      good.filter((uri) => takes(uri, "public")),
      good
    )
    const bad = [
      "",
      "cb",
      "ftp://app.example.test/cb",
      "https://",
      "https://app.example.test:99999/cb",
      "https://a;script-src'none'/cb",
      "https://a,b.test/cb",
      "https://app.example.test/%",
      "https://app.example.test/cb?code=1",
      "https://app.example.test/cb?a=1&state=2",
      "https://app.example.test/cb?iss=x",
      "https://[2001:DB8::1]/cb",
      "https://[2001:db8:0::1]/cb",
      "https://2130706433/cb"
    ]
    const odd = VARIANTS.map(([, uri]) => uri).filter((uri) => URL.parse(uri)?.href !== uri)
    assert.deepStrictEqual(
      [...bad, ...odd].filter((uri) => takes(uri) || takes(uri, "public")),
      []
    )
  })

  it(`has at most ${REDIRECT_URI_LENGTH} characters`, () => {
    const of = (length: number): string => `${REGISTERED}/`.padEnd(length, "x")
    assert.isTrue(takes(of(REDIRECT_URI_LENGTH)))
    assert.match(
      Result.merge(Result.flip(validateRedirectUri(of(REDIRECT_URI_LENGTH + 1), "partner"))),
      new RegExp(`${REDIRECT_URI_LENGTH} characters`)
    )
  })

  it("says what is wrong with it, and nothing of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 3 }), (text) => {
        const answer = validateRedirectUri(`https://app.example.test/cb#${text}`, "partner")
        assert.match(Result.merge(answer), /^must [ -~]*\.$/)
      })
    )
  })
})

/** Texts that look like addresses, more or less. */
const address = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ["https", "http"] }),
  fc
    .array(
      fc.constantFrom(
        "https",
        "http",
        ":",
        "/",
        "//",
        "@",
        "\\",
        "127.0.0.1",
        "[::1]",
        "localhost",
        ".",
        "..",
        "evil.test",
        "?",
        "#",
        "%2e",
        ":80",
        ";",
        "'",
        "a",
        "com.x"
      ),
      { maxLength: 12 }
    )
    .map((parts) => parts.join(""))
)

describe("whatever is registered", () => {
  it("leads a browser to the host that is shown, with no other way to write it", () => {
    fc.assert(
      fc.property(address, fc.constantFrom("partner", "public"), (uri, client) => {
        if (!takes(uri, client)) return
        const [place, url] = [parseRedirectTarget(uri), new URL(uri)]
        assert.strictEqual(url.username + url.password + url.hash, "")
        if (place === undefined) assert.fail("it leads nowhere")
        else if (place._tag === "Program") assert.strictEqual(url.protocol, `${place.scheme}:`)
        else assert.strictEqual(url.hostname, place.host)
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("is itself when asked for, and no other is", () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        assert.strictEqual(isRegisteredUri([one], one, "partner"), takes(one))
        if (one !== other) assert.isFalse(isRegisteredUri([one], other, "partner"))
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("keeps its query to the letter, and gets the answer after it", () => {
    const pair = fc.tuple(fc.stringMatching(/^[a-b]{1,3}$/), fc.stringMatching(/^(?:[a-z0-9.~-]|%2F){0,5}$/))
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 3 }), fc.string({ unit: "grapheme" }), (pairs, state) => {
        const query = pairs.map(([name, value]) => `${name}=${value}`).join("&")
        const uri = query === "" ? REGISTERED : `${REGISTERED}?${query}`
        const answered = toResponseUrl(uri, { code: "c", state, iss: undefined })
        assert.isTrue(answered.startsWith(uri))
        const found = new URL(answered).searchParams
        assert.deepStrictEqual(Array.from(found.keys()), [...pairs.map(([name]) => name), "code", "state"])
        assert.strictEqual(found.get("state"), state.toWellFormed())
      })
    )
    assert.strictEqual(toResponseUrl(`${REGISTERED}?`, { code: "c" }), `${REGISTERED}?code=c`)
    assert.strictEqual(toResponseUrl(`${REGISTERED}?a&`, { code: "c" }), `${REGISTERED}?a&code=c`)
  })
})
