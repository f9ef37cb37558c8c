import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { isAppScheme } from "../../../../../src/domain/access/oauth/app-scheme.ts"
import {
  isRegisteredUri,
  parseRedirectTarget,
  toRegisteredUri,
  validateRedirectUri
} from "../../../../../src/domain/access/oauth/redirect-uri.ts"
import { REDIRECT_SCHEME_LENGTH } from "../../../../../src/platform/limits.ts"

const takes = (uri: string): boolean => Result.isSuccess(validateRedirectUri(uri, "public"))

describe("an address of this machine (RFC 8252 7.3)", () => {
  const HOSTS = ["127.0.0.1", "[::1]", "localhost"]
  const port = fc.integer({ min: 1, max: 65_535 })
  const path = fc.stringMatching(/^(?:\/[a-z0-9-]{1,8}){0,3}(?:\?[a-z]{1,3}=[a-z0-9]{0,5})?$/)

  it("is the same at any port, and at no other host or path", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...HOSTS),
        fc.constantFrom(...HOSTS),
        path,
        path,
        port,
        port,
        (here, there, a, b, m, n) => {
          const registered = toRegisteredUri(`http://${here}:${m}${a}`)
          assert.strictEqual(registered, `http://${here}${a}`)
          assert.isTrue(takes(registered))
          assert.isTrue(isRegisteredUri([registered], `http://${here}:${n}${a}`, "public"))
          assert.isTrue(isRegisteredUri([registered], registered, "public"))
          assert.strictEqual(
            isRegisteredUri([registered], `http://${there}:${n}${b}`, "public"),
            here === there && a === b
          )
        }
      )
    )
  })

  it("has a port that there is", () => {
    const of = (text: string): boolean =>
      isRegisteredUri(["http://127.0.0.1/cb"], `http://127.0.0.1:${text}/cb`, "public")
    assert.deepStrictEqual(["1", "80", "8080", "65535"].filter(of), ["1", "80", "8080", "65535"])
    assert.deepStrictEqual(
      ["", "0", "00", "080", "65536", "99999", "100000", "-1", "8a", "80:80", "%38"].filter(of),
      []
    )
  })

  it("is http, where https has the port that was registered", () => {
    assert.isFalse(isRegisteredUri(["https://localhost:3000/cb"], "https://localhost:3001/cb", "public"))
    assert.isFalse(isRegisteredUri(["http://127.0.0.1/cb"], "https://127.0.0.1/cb", "public"))
  })

  it("is to the letter for a partner, port and all", () => {
    assert.isTrue(isRegisteredUri(["http://localhost:3000/cb"], "http://localhost:3000/cb", "partner"))
    assert.isFalse(isRegisteredUri(["http://localhost:3000/cb"], "http://localhost:3001/cb", "partner"))
  })
})

describe("a scheme that a program has for itself (RFC 8252 7.1)", () => {
  const KNOWN = [
    "com.example.app:/oauth/cb",
    "com.example.app://cb",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://ms-vscode.example/cb",
    "vscode-insiders://example.mcp/cb",
    "windsurf://callback",
    "raycast://oauth?package_name=Extension",
    "goose://oauth/callback"
  ]

  it("is one in use, for the public client alone", () => {
    assert.deepStrictEqual(KNOWN.filter(takes), KNOWN)
    assert.deepStrictEqual(
      KNOWN.filter((uri) => Result.isSuccess(validateRedirectUri(uri, "partner"))),
      []
    )
    assert.isTrue(isRegisteredUri(KNOWN, "windsurf://callback", "public"))
    assert.isFalse(isRegisteredUri(KNOWN, "windsurf://callback/", "public"))
  })

  it("is none that a browser or the system does something with", () => {
    const schemes =
      "http ws wss ftp file filesystem blob data javascript vbscript about view-source chrome chrome-extension moz-extension mailto tel sms intent content ms-settings ms-msdt search-ms shell ssh web+evil itms-apps"
    const bad = schemes.split(" ").flatMap((scheme) => [`${scheme}://x/cb`, `${scheme}:/cb`])
    assert.deepStrictEqual(bad.filter(takes), [])
  })

  it("is none by which a browser opens what follows as a site, whatever it is called", () => {
    const schemes =
      "x-safari-https googlechromes googlechrome opera-https opera touch-https touch-http firefox firefox-focus microsoft-edge-https msedge ucbrowser yandexbrowser-open-url brave-https x-web-search ddgquicklink icabmobile"
    const bad = schemes.split(" ").flatMap((scheme) => [`${scheme}://evil.example/cb`, `${scheme}:/cb`])
    assert.deepStrictEqual(bad.filter(takes), [])
    // A domain in reverse is somebody's own, whatever it is called.
    assert.isTrue(takes("com.example.browser:/cb"))
  })

  it("is written small, followed by a path, and no script", () => {
    const bad = [
      "Cursor://x/cb",
      "cursor:cb",
      "cursor:",
      "x:/cb",
      "c:/windows",
      ".app:/cb",
      "app.:/cb",
      "1app:/cb",
      "cursor://user@host/cb",
      "cursor://host/../cb",
      "cursor://host/cb#f",
      "JavaScript://%0aalert(1)",
      "javascript:/*/alert(1)"
    ]
    assert.deepStrictEqual(bad.filter(takes), [])
  })

  it(`has at most ${REDIRECT_SCHEME_LENGTH} characters`, () => {
    assert.isTrue(takes(`${"com.a".padEnd(REDIRECT_SCHEME_LENGTH, "a")}:/cb`))
    assert.isFalse(takes(`${"com.a".padEnd(REDIRECT_SCHEME_LENGTH + 1, "a")}:/cb`))
  })

  it("is what a browser takes for its scheme", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9+.-]{1,12}$/), (scheme) => {
        if (isAppScheme(scheme) && takes(`${scheme}:/cb`)) {
          assert.deepStrictEqual(parseRedirectTarget(`${scheme}:/cb`), { _tag: "Program", scheme })
          assert.strictEqual(new URL(`${scheme}:/cb`).protocol, `${scheme}:`)
        }
      })
    )
  })
})
