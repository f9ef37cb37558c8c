import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import {
  bucketsOf,
  CONVERSATION_KEY_LENGTH,
  countsAsInvalid,
  type RateLimitedCall
} from "../../../src/admission/windows/call-buckets.ts"
import { decodeLimitOverrides, decodeTokenLimits } from "../../../src/admission/windows/limit-overrides.ts"
import type { Bucket } from "../../../src/admission/windows/rate-window.ts"
import { rateLimitOf, routeOf } from "../../../src/contract/operation.ts"
import { operations } from "../../../src/service/Api.ts"

const call = (route: string, more?: Partial<RateLimitedCall>): RateLimitedCall => ({
  operatorId: 7,
  tokenId: 99,
  route,
  ...more
})
const shown = (buckets: ReadonlyArray<Bucket>) =>
  buckets.map(({ max, scope, window }) => `${scope} ${window.label} ${max}`)
const named = ({ key, window }: Bucket) => `${key} ${window.seconds}`

const account = ["user 1m 1200", "user 10m 6000", "user 1h 20000", "user 24h 100000"]
const ordinary = ["endpoint 1m 600", "endpoint 10m 3000", "endpoint 1h 10000", "endpoint 24h 50000"]
const conversation = [
  "conversation 5s 5",
  "conversation 60s 10",
  "conversation 30m 30",
  "conversation 2h 60",
  "conversation 24h 120"
]

describe("the buckets of a call", () => {
  it.each([
    ["GET /reservations", undefined, ordinary],
    ["POST /availabilities", { "1m": 120 }, ["endpoint 1m 120"]],
    ["POST /reservations", { "1m": 60, "24h": 900 }, ["endpoint 1m 60", "endpoint 24h 900"]],
    ["unmatched", undefined, ordinary]
  ])("%s with limits of its own %j: the operator's and the route's", (route, limits, endpoint) => {
    const buckets = bucketsOf(call(route, { limits }))
    assert.deepStrictEqual(shown(buckets.call), [...account, ...endpoint])
    assert.deepStrictEqual(shown(buckets.invalid), ["endpoint_error 1h 500", "endpoint_error 24h 2000"])
  })

  it("are the specification's for the routes that have numbers of their own, and the ordinary ones for all others", () => {
    const declared = operations.flatMap((operation) => {
      const { limits } = rateLimitOf(operation)
      const { method, path } = routeOf(operation)
      return limits === undefined ? [] : [[`${method} ${path}`, limits]]
    })
    assert.deepStrictEqual(Object.fromEntries(declared), {
      "POST /availabilities": { "1m": 120 },
      "POST /reservations": { "1m": 60 },
      "POST /quotes": { "1m": 60 },
      // An extension of ours, which fetches from another host.
      "POST /imported_calendars/{id}/fetch": { "1m": 10 },
      "GET /listings/airbnb/price_and_rules": { "1m": 120 },
      // POST /v3/listings/*
      "POST /listings/calendar": { "1m": 120 },
      "POST /listings/prices": { "1m": 120 },
      "POST /listings/inventories": { "1m": 120 },
      "POST /listings/restrictions": { "1m": 120 },
      "POST /listings/airbnb/price_and_rules": { "1m": 120 },
      "POST /listings/vrbo/price_and_rules": { "1m": 120 }
    })
  })

  it("of a message: the conversation's too", () => {
    const message = bucketsOf(call("POST /conversations/{conversation_id}", { conversationId: "c-1" }))
    assert.deepStrictEqual(shown(message.call), [...account, ...ordinary, ...conversation])
  })

  it("are the operator's, whichever token of whichever account calls", () => {
    const keys = (more: Partial<RateLimitedCall>, scope: string) =>
      bucketsOf(call("POST /conversations/{id}", { conversationId: 5, ...more }))
        .call.filter((bucket) => bucket.scope === scope)
        .map(named)
    assert.notDeepEqual(keys({ conversationId: 5 }, "conversation"), keys({ conversationId: 6 }, "conversation"))
    assert.notDeepEqual(keys({ operatorId: 1 }, "conversation"), keys({ operatorId: 2 }, "conversation"))
    for (const scope of ["user", "endpoint"]) {
      assert.deepStrictEqual(keys({ tokenId: 1 }, scope), keys({ tokenId: 2 }, scope))
      assert.notDeepEqual(keys({ operatorId: 1 }, scope), keys({ operatorId: 2 }, scope))
    }
  })

  it("are separate for two routes of one row", () => {
    const endpoint = (route: string) => bucketsOf(call(route)).call.find((bucket) => bucket.scope === "endpoint")?.key
    assert.notStrictEqual(endpoint("POST /listings/prices"), endpoint("POST /listings/inventories"))
  })

  it(`tell conversations apart by ${CONVERSATION_KEY_LENGTH} characters and not by more`, () => {
    const keyOf = (conversationId: string) =>
      bucketsOf(call("POST /conversations/{id}", { conversationId })).call.at(-1)?.key ?? ""
    const same = "c".repeat(CONVERSATION_KEY_LENGTH - 1)
    assert.notStrictEqual(keyOf(`${same}a`), keyOf(`${same}b`))
    assert.strictEqual(keyOf(`${same}ca`), keyOf(`${same}cb`))
    assert.strictEqual(keyOf("c".repeat(10_000)).length, keyOf(`${same}c`).length)
  })

  it("have names of their own, all with the operator's hash tag first", () => {
    const id = fc.oneof(fc.nat(), fc.string({ maxLength: 20 }))
    fc.assert(
      fc.property(fc.nat(), fc.nat(), id, (operatorId, tokenId, conversationId) => {
        const buckets = bucketsOf(
          call("POST /conversations/{id}", {
            operatorId,
            tokenId,
            conversationId,
            tokenLimits: { "1m": 5, "1h": 9 }
          })
        )
        const all = [...buckets.call, ...buckets.invalid]
        assert.strictEqual(all.length, 17)
        assert.strictEqual(new Set(all.map(named)).size, all.length)
        assert.isTrue(all.every(({ key }) => key.startsWith(`{op:${operatorId}}:`)))
      })
    )
  })
})

describe("limits of a token", () => {
  const limitsOf = (more: Partial<RateLimitedCall>) =>
    shown(bucketsOf(call("GET /tasks", more)).call.filter((bucket) => bucket.scope === "token"))

  it("are off by default", () => {
    assert.deepStrictEqual(limitsOf({}), [])
  })

  it("only tighten: the account's number is the most", () => {
    assert.deepStrictEqual(limitsOf({ tokenLimits: { "1m": 30 } }), ["token 1m 30"])
    assert.deepStrictEqual(limitsOf({ tokenLimits: { "1m": 1_200, "1h": 20_000 } }), [
      "token 1m 1200",
      "token 1h 20000"
    ])
    assert.deepStrictEqual(limitsOf({ tokenLimits: { "1m": 1_201, "1h": 20_001 } }), [
      "token 1m 1200",
      "token 1h 20000"
    ])
    assert.deepStrictEqual(limitsOf({ tokenLimits: { "1m": 9_000 }, overrides: { user: { "1m": 5_000 } } }), [
      "token 1m 5000"
    ])
  })
})

describe("overrides of an operator", () => {
  const limitsOf = (route: string, overrides: RateLimitedCall["overrides"], more?: Partial<RateLimitedCall>) => {
    const buckets = bucketsOf(call(route, { overrides, ...more }))
    return shown([...buckets.call, ...buckets.invalid])
  }

  it("replace a number and leave the rest", () => {
    assert.deepStrictEqual(limitsOf("POST /reservations", { user: { "1m": 5_000 } }, { limits: { "1m": 60 } }), [
      "user 1m 5000",
      ...account.slice(1),
      "endpoint 1m 60",
      "endpoint_error 1h 500",
      "endpoint_error 24h 2000"
    ])
    assert.deepStrictEqual(
      limitsOf("GET /tasks", { endpoint_error: { "24h": 10 }, conversation: { "5s": 1 } }).slice(-2),
      ["endpoint_error 1h 500", "endpoint_error 24h 10"]
    )
    assert.include(
      limitsOf("POST /conversations/{id}", { conversation: { "5s": 1 } }, { conversationId: 1 }),
      "conversation 5s 1"
    )
  })

  it("name a route or how several begin, and what says more comes first", () => {
    const endpoint = {
      "POST /listings/prices": { "1m": 300, "1h": 900 },
      "POST /listings/*": { "1m": 200 },
      "POST /*": { "1m": 7 },
      "*": { "1m": 900 }
    }
    const of = (route: string, limits?: RateLimitedCall["limits"]) =>
      limitsOf(route, { endpoint }, { limits }).filter((limit) => limit.startsWith("endpoint "))
    const own = { "1m": 120 }
    assert.deepStrictEqual(of("POST /listings/prices", own), ["endpoint 1m 300", "endpoint 1h 900"])
    assert.deepStrictEqual(of("POST /listings/calendar", own), ["endpoint 1m 200"])
    assert.deepStrictEqual(of("POST /reservations", own), ["endpoint 1m 7"])
    assert.deepStrictEqual(of("PUT /prices", own), ["endpoint 1m 120"])
    assert.deepStrictEqual(of("GET /tasks"), ["endpoint 1m 900", ...ordinary.slice(1)])
  })

  it.effect.each([
    [{ user: { "1m": 5_000 }, endpoint: { "POST /reservations": { "1m": 300 }, unmatched: { "1h": 5 } } }, true],
    [{}, true],
    [{ user: { "1m": 1 } }, true],
    [{ user: { "1m": 0 } }, false],
    [{ user: { "1m": 1.5 } }, false],
    [{ user: { "1m": "5000" } }, false],
    [{ users: { "1m": 5_000 } }, false],
    [{ user: { "5m": 5_000 } }, false],
    [{ endpoint: { "/reservations": { "1m": 300 } } }, false]
  ] as const)("read from the database: %j, accepted %s", ([stored, accepted]) =>
    Effect.map(Effect.exit(decodeLimitOverrides(stored)), (exit) => {
      assert.strictEqual(Exit.isSuccess(exit), accepted)
    })
  )

  it.effect("a token's are read the same way", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* decodeTokenLimits({ "1m": 10 }), { "1m": 10 })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(decodeTokenLimits({ "10m": 10 }))))
    })
  )
})

it("only 400 and 404 use up the invalid-call quota", () => {
  const codes = [0, 400, 401, 403, 404, 409, 420, 422, 429, 500, 501, 502, 503, 504]
  assert.deepStrictEqual(codes.filter(countsAsInvalid), [400, 404])
})
