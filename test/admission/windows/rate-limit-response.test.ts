import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { WindowsRejected } from "../../../src/admission/windows/admission.ts"
import { MemoryCounters } from "../../../src/admission/windows/memory-counters.ts"
import { rateLimitHeaders, rateLimitMessage } from "../../../src/admission/windows/rate-limit-response.ts"
import { type Bucket, type LimitScope, type WindowLabel, windowOf } from "../../../src/admission/windows/rate-window.ts"

const bucket = (scope: LimitScope, label: WindowLabel, max: number): Bucket => ({
  key: `${scope}:${label}`,
  scope,
  window: windowOf(label),
  max
})
const refused = (of: Bucket, retryAfterSeconds: number): WindowsRejected => ({
  _tag: "Refused",
  bucket: of,
  retryAfterSeconds
})

describe("a refusal", () => {
  it.each([
    ["user", "Too Many Attempts."],
    ["endpoint", "Too Many Attempts."],
    ["token", "Too Many Attempts."],
    ["conversation", "Too many requests. Try again in 17 seconds."],
    [
      "endpoint_error",
      "Too many invalid requests to this endpoint. They cannot succeed as sent: fix them instead of retrying."
    ]
  ] as const)("of scope %s says %s", (scope, message) => {
    assert.strictEqual(rateLimitMessage(refused(bucket(scope, "1h", 9), 17)), message)
  })

  it("names the bucket, its window and the wait in its headers", () => {
    assert.deepStrictEqual(rateLimitHeaders(refused(bucket("endpoint", "1m", 60), 42)), {
      "Retry-After": "42",
      "X-RateLimit-Scope": "endpoint",
      "X-RateLimit-Window": "1m",
      "X-RateLimit-Reason": "endpoint rate limit exceeded: 60 requests per 1m",
      RateLimit: '"endpoint-1m";r=0;t=42',
      "RateLimit-Policy": '"endpoint-1m";q=60;w=60'
    })
  })
})

describe("the headers of an admitted call", () => {
  const now = Date.UTC(2026, 4, 1, 12, 0, 18)

  it("name the window with the fewest calls left, and none of the refusal's", () => {
    const buckets = [bucket("user", "1m", 1_200), bucket("user", "10m", 6_000)]
    assert.deepStrictEqual(rateLimitHeaders(new MemoryCounters().admit(buckets, [], now)), {
      RateLimit: '"user-1m";r=1199;t=42',
      "RateLimit-Policy": '"user-1m";q=1200;w=60'
    })
  })

  it("of equals name the one that lasts longest", () => {
    const buckets = [bucket("user", "1m", 5), bucket("endpoint", "1h", 5), bucket("token", "1m", 5)]
    assert.strictEqual(
      rateLimitHeaders(new MemoryCounters().admit(buckets, [], now))["RateLimit-Policy"],
      '"endpoint-1h";q=5;w=3600'
    )
  })

  it("are none where nothing is counted", () => {
    assert.deepStrictEqual(rateLimitHeaders(new MemoryCounters().admit([], [], now)), {})
  })

  it("promise: r more calls pass, the next does not, and after t seconds there is room again", () => {
    const limits = fc.record({ "5s": fc.integer({ min: 1, max: 9 }), "1m": fc.integer({ min: 1, max: 9 }) })
    const used = fc.record({ "5s": fc.nat(8), "1m": fc.nat(8) })
    fc.assert(
      fc.property(limits, used, (limits, used) => {
        const short = bucket("conversation", "5s", limits["5s"])
        const long = bucket("user", "1m", limits["1m"])
        const counts = new MemoryCounters()
        for (let at = 0; at < Math.min(used["5s"], short.max - 1); at++) counts.count([short], now)
        for (let at = 0; at < Math.min(used["1m"], long.max - 1); at++) counts.count([long], now)
        const { RateLimit } = rateLimitHeaders(counts.admit([short, long], [], now))
        const [, left, reset] = /^"\w+-\w+";r=(\d+);t=(\d+)$/.exec(RateLimit ?? "") ?? []
        for (let at = 0; at < Number(left); at++) {
          assert.strictEqual(counts.admit([short, long], [], now)._tag, "Admitted")
        }
        const next = counts.admit([short, long], [], now)
        assert.strictEqual(next._tag, "Refused")
        if (next._tag === "Refused") {
          assert.isAtLeast(next.retryAfterSeconds, Number(reset))
          assert.strictEqual(counts.admit([short, long], [], now + next.retryAfterSeconds * 1_000)._tag, "Admitted")
        }
      })
    )
  })
})
