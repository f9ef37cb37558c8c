import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { parseIdempotencyKey } from "../../src/contract/idempotency-key.ts"
import { IDEMPOTENCY_KEY_LENGTH } from "../../src/platform/limits.ts"

// The header is a String of Structured Fields (RFC 9651); a bare token is taken too.

const read = (value: unknown) => {
  const key = parseIdempotencyKey({ field: "Idempotency-Key", value })
  return Result.isSuccess(key) ? key.success : { refused: key.failure.message }
}

const refusalOf = (value: unknown) =>
  Result.match(parseIdempotencyKey({ field: "Idempotency-Key", value }), {
    onSuccess: () => "",
    onFailure: ({ message }) => message
  })

it("a quoted key and the same one bare are one key", () => {
  for (const key of ["abc", "8e03978e-40d5-43dd-bc93-6894a57f9324", "order:5-ABC/1", "YWJj+/==", "a.b_c~d"]) {
    assert.strictEqual(read(key), key)
    assert.strictEqual(read(`"${key}"`), key)
    assert.strictEqual(read(`  "${key}" `), key)
  }
})

it("quotation marks take what a bare key cannot have", () => {
  assert.strictEqual(read('"a b, c; d"'), "a b, c; d")
  assert.strictEqual(read(String.raw`"say \"hi\" \\ twice"`), String.raw`say "hi" \ twice`)
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 100 }), (key) => {
      assert.strictEqual(read(`"${key.replace(/["\\]/g, (sign) => `\\${sign}`)}"`), key)
    })
  )
})

it("1 to 255 characters, and not one more", () => {
  const longest = "k".repeat(IDEMPOTENCY_KEY_LENGTH)
  assert.strictEqual(read(longest), longest)
  assert.strictEqual(read(`"${longest}"`), longest)
  for (const key of ["", '""', "   ", `${longest}k`, `"${longest}k"`])
    assert.match(refusalOf(key), new RegExp(`^Idempotency-Key: .*1 to ${IDEMPOTENCY_KEY_LENGTH}`), key)
})

it("what is no single key of printable characters is refused", () => {
  for (const key of [
    "a b",
    "a, b",
    '"a", "b"',
    '"a',
    'a"',
    '"a"b',
    "clé",
    '"clé"',
    "a\u0000b",
    "a;b",
    String.raw`"\a"`
  ]) {
    assert.match(refusalOf(key), /^Idempotency-Key: .*printable ASCII/, key)
  }
  for (const key of [1, null, {}, ["a"]]) assert.match(refusalOf(key), /^Idempotency-Key: .*text/)
})
