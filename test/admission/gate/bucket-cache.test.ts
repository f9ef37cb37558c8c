import { assert, describe, it } from "@effect/vitest"
import { makeBucketCache } from "../../../src/admission/gate/bucket-cache.ts"
import type { StoredToken } from "../../../src/admission/gate/Tokens.ts"
import { bucketsOf } from "../../../src/admission/windows/call-buckets.ts"

const token = (tokenId: number, given: Partial<StoredToken> = {}): StoredToken => ({
  operatorId: 7,
  accountId: 70,
  tokenId,
  tokenName: "bench",
  application: null,
  grantId: null,
  accountName: "Owner",
  role: "main",
  scope: "writable",
  timeZone: "Europe/Berlin",
  currency: "EUR",
  edition: "pro",
  digest: new Uint8Array(),
  status: "active",
  revoked: false,
  disabled: false,
  expiresAt: null,
  deployment: null,
  subscriptionUntil: null,
  tokenLimits: null,
  overrides: null,
  ...given
})

const call = { route: "GET /transactions" }

describe("remembered buckets", () => {
  it("are those of the table, made once for a token and a route", () => {
    const buckets = makeBucketCache()
    const one = token(1)
    const first = buckets.get(one, call)
    assert.deepStrictEqual(first, bucketsOf({ operatorId: 7, tokenId: 1, ...call }))
    assert.strictEqual(buckets.get(one, call), first)
    assert.notStrictEqual(buckets.get(one, { route: "GET /tags" }), first)
    assert.deepStrictEqual(
      buckets.get(token(11), { route: "GET /x" }),
      bucketsOf({ operatorId: 7, tokenId: 11, route: "GET /x" })
    )
  })

  it("are made again when the token was looked up again: its limits may be others", () => {
    const buckets = makeBucketCache()
    buckets.get(token(1), call)
    const tighter = buckets.get(token(1, { tokenLimits: { "1m": 3 } }), call)
    assert.strictEqual(tighter.call.find(({ scope }) => scope === "token")?.max, 3)
    assert.strictEqual(buckets.size, 1)
  })

  it("are never those of another conversation", () => {
    const buckets = makeBucketCache()
    const one = token(1)
    const keys = ["41", "42"].map((conversationId) => buckets.get(one, { ...call, conversationId }).call.at(-1)?.key)
    assert.deepStrictEqual(keys, ["{op:7}:conversation:41", "{op:7}:conversation:42"])
    assert.strictEqual(buckets.size, 0)
  })

  it("are so many and no more: the first goes for the next", () => {
    const buckets = makeBucketCache(2)
    const [one, two, three] = [token(1), token(2), token(3)]
    const first = buckets.get(one, call)
    const second = buckets.get(two, call)
    assert.strictEqual(buckets.get(one, call), first)
    buckets.get(three, call)
    assert.strictEqual(buckets.size, 2)
    assert.strictEqual(buckets.get(two, call), second)
    assert.notStrictEqual(buckets.get(one, call), first)
    assert.strictEqual(buckets.size, 2)
  })
})
