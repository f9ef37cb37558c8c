import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { FULL_REPORT_PARTS } from "../../src/contract/decoder.ts"
import { errorCode } from "../../src/contract/errors.ts"
import {
  CalendarDate,
  Currency,
  Id,
  InstantText,
  isCalendarDate,
  MicrosecondInstantText,
  PositiveAmount,
  RecordCode,
  textUpTo
} from "../../src/contract/fields.ts"
import { IdsOrText } from "../../src/contract/id-list.ts"
import { makeInputDecoder } from "../../src/contract/input.ts"
import { pageFields } from "../../src/contract/page.ts"
import { MICROSECOND_TEXT_LENGTH, REPORTED_FIELDS_MAX } from "../../src/platform/limits.ts"
import { PROPERTY_RUNS } from "../support/property-runs.ts"

const Payload = Schema.Struct({
  id: Id,
  kind: Schema.optionalKey(Schema.Literals(["income", "expense"])),
  day: Schema.optionalKey(CalendarDate),
  at: Schema.optionalKey(InstantText),
  exactly_at: Schema.optionalKey(MicrosecondInstantText),
  amount: Schema.optionalKey(PositiveAmount),
  currency: Schema.optionalKey(Currency),
  note: Schema.optionalKey(textUpTo(5)),
  ids: Schema.optionalKey(IdsOrText),
  list: Schema.optionalKey(Schema.Array(Id)),
  words: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  texts: Schema.optionalKey(Schema.Array(Schema.Struct({ text: Schema.String }))),
  code: Schema.optionalKey(RecordCode),
  ...pageFields
})
const YEARS = /^422 at: .*1 to 9999/
const IDS_WANTED = /^400 ids: .*1,2,3/

const decode = makeInputDecoder(Payload, { method: "POST", params: ["id"] })

const outcome = (input: Parameters<typeof decode>[0], path: Record<string, string> = {}) =>
  Effect.runSync(
    decode(input, path).pipe(
      Effect.match({
        onSuccess: (value): unknown => value,
        onFailure: (error) => `${errorCode(error)} ${error.message}`
      })
    )
  )
const json = (fields: unknown) => outcome({ encoding: "json", fields })

describe("reading input", () => {
  it("takes a body that names the record of its path, and none that names another", () => {
    const body = (fields: object) => outcome({ encoding: "body", fields }, { id: "7" })
    for (const fields of [{}, { id: 7 }, { id: "7" }]) assert.deepStrictEqual(body(fields), { id: 7 })
    // A generated client writes null for what stands in the path.
    assert.deepStrictEqual(body({ id: null }), { id: 7 })
    for (const id of [8, "8", [7], {}, { toString: 1 }, { toString: null, valueOf: null }]) {
      assert.match(String(body({ id })), /^422 id: /)
    }
  })

  it("takes null in the body of an edit for another record than its path's", () => {
    const edit = makeInputDecoder(Payload, { method: "PATCH", params: ["id"] })
    const refused = Effect.runSync(Effect.flip(edit({ encoding: "body", fields: { id: null } }, { id: "7" })))
    assert.match(refused.message, /^id: /)
  })

  const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
    [{}, /^400 id: .*required/],
    [{ id: "x" }, /^400 id: .*a number/],
    [{ id: 1.5 }, /^400 id: .*a whole number/],
    [{ id: 0 }, /^422 id: .*positive/],
    [{ id: null }, /^400 id: .*a number/],
    [{ id: 1, kind: "loss" }, /^422 kind: .*income, expense/],
    [{ id: 1, kind: 3 }, /^400 kind: .*income, expense/],
    [{ id: 1, day: "2027-02-30" }, /^400 day: .*YYYY-MM-DD/],
    [{ id: 1, day: "tomorrow" }, /^400 day: .*YYYY-MM-DD/],
    [{ id: 1, at: "2027-05-07" }, /^400 at: .*ISO.*8601.*2027-05-07T10:00:00Z/],
    [{ id: 1, at: "2027-05-07T25:00:00Z" }, /^400 at: .*ISO.*8601.*2027-05-07T10:00:00Z/],
    [{ id: 1, at: "2027-05-07T10:00:00+24:00" }, /^400 at: .*ISO.*8601.*2027-05-07T10:00:00Z/],
    [{ id: 1, at: "2027-05-07T10:00:00-02:60" }, /^400 at: .*ISO.*8601.*2027-05-07T10:00:00Z/],
    [{ id: 1, amount: 0 }, /^422 amount: .*above/],
    [{ id: 1, amount: -1 }, /^422 amount: .*above/],
    [{ id: 1, amount: "5" }, /^400 amount: .*a number/],
    [{ id: 1, amount: 1e12 }, /^422 amount: .*999999999999/],
    [{ id: 1, currency: "eur" }, /^422 currency: .*ISO.*4217.*EUR/],
    [{ id: 1, currency: "XXX" }, /^422 currency: .*ISO.*4217.*EUR/],
    [{ id: 1, note: "123456" }, /^422 note: .*5/],
    [{ id: 1, note: 5 }, /^400 note: .*a text/],
    [{ id: 1, note: "a\u0000" }, /^422 note: .*U\+0000/],
    [{ id: 1, note: "a\ud83d" }, /^422 note: .*surrogate/],
    [{ id: 1, note: "\ude00\ud83d" }, /^422 note: .*surrogate/],
    ...["1,,2", "1 2", "1 2,3", "[1 2]", "[1,2", "[]", ""].map((ids) => [{ id: 1, ids }, IDS_WANTED] as const),
    [{ id: 1, list: [1, "x"] }, /^400 list\[1\]: .*a number/],
    [{ id: 1, list: 5 }, /^400 list: .*an array/],
    [{ id: 1, limit: 101 }, /^422 limit: .*1.*100/],
    [{ id: 1, limit: 0 }, /^422 limit: .*1.*100/],
    [{ id: 1, offset: -1 }, /^422 offset: .*0/],
    [{ note: "123456" }, /^400 id: .* note: /],
    [{ id: 0, note: "123456", day: "x" }, /^400 day: .* id: .* note: /],
    [{ id: 1, kind: "a\ud83d" }, /^422 kind: .*income, expense/],
    [{ id: 1, day: "2027-05-07\u0000" }, /^422 day: .*U\+0000/],
    [{ id: 1, note: "\u0000", words: { "\ud83d": "x" } }, /^422 note: .*U\+0000\. words\.\ufffd: .*surrogate/],
    [{ id: 1, texts: [{ text: "a" }, { text: "\u0000" }] }, /^422 texts\[1\]\.text: .*U\+0000/],
    [{ id: 1, words: { ["\u0007".repeat(60)]: "\u0000" } }, /^422 words\.\ufffd{50}…: .*U\+0000/],
    [{ id: 1, at: "0001-01-01T00:00:00+00:01" }, YEARS],
    [{ id: 1, at: "9999-12-31T23:59:59.999-00:01" }, YEARS],
    [{ id: 1, at: "9999-12-31T00:00:00" }, YEARS],
    [{ id: 1, ids: 5 }, /^400 ids: .*1,2,3/],
    [{ id: 1, ids: [] }, /^422 ids: .*at least one/],
    [{ id: 1, ids: [1, "x"] }, /^400 ids\[1\]: .*a number/],
    [{ id: 1, ids: Array.from({ length: 101 }, () => 1) }, /^422 ids: .*100/],
    [{ id: 1, ids: `1${",1".repeat(100)}` }, /^422 ids: .*100/],
    [{ id: 1, code: "" }, /^422 code: .*empty/],
    [{ id: 1, code: "a".repeat(101) }, /^422 code: .*100/],
    ["text", /^400 .*an object/],
    [[], /^400 .*an object/]
  ]
  for (const [fields, expected] of cases) {
    it(`answers ${JSON.stringify(fields)} with ${expected.source.slice(1, 4)}`, () => {
      assert.match(String(json(fields)), expected)
    })
  }

  it(`takes a time with microseconds of ${MICROSECOND_TEXT_LENGTH} characters, and none that is longer`, () => {
    const longest = "2027-05-07T10:00:00.123456+02:00"
    const longer = "2027-05-07T10:00:00.1234567+02:00"
    assert.deepStrictEqual([longest.length, longer.length], [MICROSECOND_TEXT_LENGTH, MICROSECOND_TEXT_LENGTH + 1])
    assert.deepStrictEqual(json({ id: 1, exactly_at: longest }), { id: 1, exactly_at: longest })
    assert.match(String(json({ id: 1, exactly_at: longer })), /^422 exactly_at: .*decimals/)
  })

  it("tells of as many fields as fit an answer, and how many more there are", () => {
    const many = (length: number) =>
      json({ id: 1, words: Object.fromEntries(Array.from({ length }, (_, index) => [`w${index}`, 5])) })
    const namedIn = (length: number) =>
      Array.from(String(many(length)).matchAll(/words\.w\d+(?=: )/g), ([name]) => name)
    const first = Array.from({ length: REPORTED_FIELDS_MAX }, (_, index) => `words.w${index}`)
    assert.deepStrictEqual(namedIn(REPORTED_FIELDS_MAX), first)
    assert.notMatch(String(many(REPORTED_FIELDS_MAX)), /more/)
    assert.deepStrictEqual(namedIn(REPORTED_FIELDS_MAX + 1), first)
    assert.match(String(many(REPORTED_FIELDS_MAX + 1)), / 1 more\.$/)
  })

  it("tells of the first of a list's elements, and of each field before more of one", () => {
    const list = Array.from({ length: 50 }, () => "x")
    const words = Object.fromEntries(list.map((_, index) => [`w${index}`, 5]))
    assert.match(String(json({ id: 1, list, note: 5 })), /^400 note: [^:]* list\[0\]: [^:]*$/)
    const many = String(json({ id: 1, words, list, note: 5 }))
    assert.match(many, /^400 note: [^:]* list\[0\]: [^:]* words\.w0: [^:]* words\.w1: /)
    assert.isTrue(many.endsWith(` ${2 + list.length - REPORTED_FIELDS_MAX} more.`))
  })

  it(`tells of all that is wrong in up to ${FULL_REPORT_PARTS} parts, and of the first thing in more`, () => {
    const filled = (parts: number) => ({ id: "x", note: 5, list: Array.from({ length: parts - 3 }, () => "x") })
    assert.match(String(json(filled(FULL_REPORT_PARTS))), /^400 id: [^:]* note: [^:]* list\[0\]: [^:]*$/)
    assert.match(String(json(filled(FULL_REPORT_PARTS + 1))), /^400 id: [^:]*$/)
  })

  it("drops unknown fields before it reports errors", () => {
    const unknown = Object.fromEntries(Array.from({ length: FULL_REPORT_PARTS + 1 }, (_, n) => [`unknown_${n}`, n]))
    const wrong = { ...unknown, note: 5, texts: [{ ...unknown, text: 5 }] }
    const named = /^400 id: [^:]* note: [^:]* texts\[0\]\.text: [^:]*$/
    assert.match(String(json({ ...wrong, id: "x" })), named)
    assert.match(String(outcome({ encoding: "body", fields: wrong }, { id: "x" })), named)
  })

  it("takes the first and the last instants there are", () => {
    for (const at of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "0001-01-02T00:00:00", "9999-12-30T23:59"]) {
      assert.deepStrictEqual(json({ id: 1, at }), { id: 1, at })
    }
  })

  it("takes ids as a list and as text", () => {
    for (const ids of [[3, 1], "3,1", " 3 , 1 ", "[3, 1]", ["3", "1"]])
      assert.deepStrictEqual(json({ id: 1, ids }), { id: 1, ids: [3, 1] })
  })

  it("takes the limits themselves", () => {
    assert.deepStrictEqual(json({ id: 1, note: "12345", limit: 100 }), { id: 1, note: "12345", limit: 100 })
    assert.deepStrictEqual(json({ id: 1, note: "😀😀😀😀😀" }), { id: 1, note: "😀😀😀😀😀" })
  })

  it("ignores fields it does not know", () => {
    assert.deepStrictEqual(json({ id: 1, colour: "red" }), { id: 1 })
  })

  it("ignores them too where an operation knows none, whatever they hold and however deep", () => {
    const nothing = makeInputDecoder(Schema.Struct({}), { method: "POST", params: [] })
    const deep: unknown = JSON.parse(`${"[".repeat(30_000)}${"]".repeat(30_000)}`)
    for (const encoding of ["json", "body"] as const) {
      assert.deepStrictEqual(Effect.runSync(nothing({ encoding, fields: { deep, text: "\u0000" } }, {})), {})
    }
    assert.deepStrictEqual(Effect.runSync(nothing({ encoding: "text", fields: { text: "\u0000" } }, {})), {})
  })

  it("reads the same values from a query", () => {
    const fields = { id: "7", kind: "income", ids: "1, 2,3", limit: "5", amount: "2.5" }
    assert.deepStrictEqual(outcome({ encoding: "text", fields }), {
      id: 7,
      kind: "income",
      ids: [1, 2, 3],
      limit: 5,
      amount: 2.5
    })
  })

  it("names the field of a query that is not what it should be", () => {
    assert.match(String(outcome({ encoding: "text", fields: { id: "abc" } })), /^400 id: .*a number/)
    assert.match(String(outcome({ encoding: "text", fields: { id: "" } })), /^400 id: .*a number/)
    assert.match(String(outcome({ encoding: "text", fields: { id: "1", kind: "x" } })), /^422 kind: /)
  })

  it("takes path parameters as text beside a JSON body", () => {
    assert.deepStrictEqual(outcome({ encoding: "body", fields: { note: "hi" } }, { id: "7" }), {
      id: 7,
      note: "hi"
    })
    assert.match(String(outcome({ encoding: "body", fields: {} }, { id: "x" })), /^400 id: .*a number/)
    assert.match(String(outcome({ encoding: "body", fields: [1] }, { id: "7" })), /^400 .*JSON object/)
  })

  it("never throws and never answers anything but a value, a 400 or a 422", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record({ id: fc.jsonValue(), day: fc.jsonValue(), at: fc.string(), ids: fc.string() })
        ),
        (fields) => {
          const result = json(fields)
          return typeof result !== "string" || /^4(00|22) /.test(result)
        }
      ),
      { numRuns: PROPERTY_RUNS }
    )
  })
})

describe("isCalendarDate", () => {
  it("agrees with the calendar", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1900, max: 2100 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const text = [year, String(month).padStart(2, "0"), String(day).padStart(2, "0")].join("-")
          const date = new Date(Date.UTC(year, month - 1, day))
          const real = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
          return isCalendarDate(text) === real
        }
      )
    )
  })

  it("begins with the year 1, as the database does", () => {
    assert.isFalse(isCalendarDate("0000-12-31"))
    assert.isTrue(isCalendarDate("0001-01-01"))
    assert.isTrue(isCalendarDate("9999-12-31"))
  })
})
