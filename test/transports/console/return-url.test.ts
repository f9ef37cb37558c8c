import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { toLocalUrl } from "../../../src/transports/console/return-url.ts"
import { PROPERTY_RUNS } from "../../support/property-runs.ts"

const OTHERWISE = "/console/access"
const targeted = (text: string | null) => toLocalUrl(text, OTHERWISE)

describe("where signing in leads to", () => {
  it("is one of our pages, as it was asked for", () => {
    for (const ours of [
      "/console/access",
      "/console/access?tokens=12",
      "/console/access/webhooks?id=3",
      "/console/password",
      "/console/money.csv?from=2026-01-01",
      "/authorization",
      `/authorization?client_id=a&redirect_uri=https%3A%2F%2Fx.example%2F%3Fa%3Db&state=${"%25".repeat(2_000)}`
    ]) {
      assert.strictEqual(targeted(ours), ours)
    }
    // As a browser would write it.
    assert.strictEqual(targeted("/authorization?state=a'b\"c"), "/authorization?state=a%27b%22c")
  })

  it("is nowhere else, however it is written", () => {
    for (const evil of [
      ...[
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "///evil.example"
      ],
      ...[
        "https://evil.example/console/access",
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil.example/console/access"
      ],
      ...["/console/../..//evil.example", "/console/%2e%2e/%2e%2e//evil.example", "/console/..%2f..%2f/evil.example"],
      ...[
        "/authorization@evil.example",
        "/authorization.evil.example",
        "/authorizationx",
        "/authorization/x",
        "/authorization/../evil"
      ],
      ...[
        "/console//evil.example",
        "/console/@evil.example",
        "/console/.",
        "/console/.csv",
        "/console/money.csv/x",
        "/console/money.exe",
        "/console/..",
        "/console/%0d%0aset-cookie:a=b"
      ],
      ...[
        "/console\r\nset-cookie: a=b",
        "/console/access\u0000",
        "/console/access#//evil",
        " /console/access",
        "/console/access "
      ],
      ...[
        "/CONSOLE/access",
        "/v3/transactions",
        "/mcp",
        "/",
        "",
        "console/access",
        "?next=x",
        "#",
        "/console/\u202eaccess"
      ],
      // Where signing in leads back to signing in, nobody arrives.
      ...["/console", "/console?next=/console", "/console/"]
    ]) {
      assert.strictEqual(targeted(evil), OTHERWISE, JSON.stringify(evil))
    }
    assert.strictEqual(targeted(null), OTHERWISE)
  })

  it("is of this origin and one of its pages, whatever is asked for", () => {
    const part = fc.constantFrom(
      "/",
      "\\",
      "..",
      "console",
      "authorization",
      "@",
      "evil.example",
      "%2f",
      "?",
      "#",
      ":",
      "\n",
      "a"
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const url = new URL(targeted(parts.join("")), "https://pms.example")
        assert.strictEqual(url.origin, "https://pms.example")
        assert.match(url.pathname, /^\/(authorization$|console\/[\w-])/)
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })
})
