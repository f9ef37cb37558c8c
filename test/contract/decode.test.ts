import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { ALL_TOLD_PARTS } from "../../src/contract/decode.ts"
import { errorCode } from "../../src/contract/errors.ts"
import {
  CalendarDate,
  Code,
  Currency,
  Id,
  InstantText,
  isCalendarDate,
  MicrosecondText,
  PositiveAmount,
  textUpTo
} from "../../src/contract/fields.ts"
import { IdsOrText } from "../../src/contract/id-list.ts"
import { inputDecoderOf } from "../../src/contract/input.ts"
import { pageFields } from "../../src/contract/page.ts"
import { FIELDS_TOLD, MICROSECOND_TEXT } from "../../src/platform/limits.ts"

const Payload = Schema.Struct({
  id: Id,
  kind: Schema.optionalKey(Schema.Literals(["income", "expense"])),
  day: Schema.optionalKey(CalendarDate),
  at: Schema.optionalKey(InstantText),
  exactly_at: Schema.optionalKey(MicrosecondText),
  amount: Schema.optionalKey(PositiveAmount),
  currency: Schema.optionalKey(Currency),
  note: Schema.optionalKey(textUpTo(5)),
  ids: Schema.optionalKey(IdsOrText),
  list: Schema.optionalKey(Schema.Array(Id)),
  words: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  texts: Schema.optionalKey(Schema.Array(Schema.Struct({ text: Schema.String }))),
  code: Schema.optionalKey(Code),
  ...pageFields
})
const NO_NUL = "must not hold the character U+0000"
const YEARS = "must be a time in the years 1 to 9999, its offset counted"
const DAY_FIRST =
  "400 day: must be a date in the form YYYY-MM-DD. id: must be a positive id. note: must be at most 5 characters."
const IDS_WANTED = "400 ids: must be ids separated by commas, such as 1,2,3."
const BOTH_SPOILT = `422 note: ${NO_NUL}. words.\ufffd: must not hold half a character.`

const decode = inputDecoderOf(Payload, { method: "POST", params: ["id"] })

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
      assert.match(body({ id }), /^422 id: /)
    }
  })

  it("takes null in the body of an edit for another record than its path's", () => {
    const edit = inputDecoderOf(Payload, { method: "PATCH", params: ["id"] })
    const refused = Effect.runSync(Effect.flip(edit({ encoding: "body", fields: { id: null } }, { id: "7" })))
    assert.match(refused.message, /^id: /)
  })

  const cases: ReadonlyArray<readonly [unknown, string]> = [
    [{}, "400 id: is required."],
    [{ id: "x" }, "400 id: must be a number."],
    [{ id: 1.5 }, "400 id: must be a whole number."],
    [{ id: 0 }, "422 id: must be a positive id."],
    [{ id: null }, "400 id: must be a number."],
    [{ id: 1, kind: "loss" }, "422 kind: must be one of income, expense."],
    [{ id: 1, kind: 3 }, "400 kind: must be one of income, expense."],
    [{ id: 1, day: "2027-02-30" }, "400 day: must be a date in the form YYYY-MM-DD."],
    [{ id: 1, day: "tomorrow" }, "400 day: must be a date in the form YYYY-MM-DD."],
    [{ id: 1, at: "2027-05-07" }, "400 at: must be a time in ISO 8601, such as 2027-05-07T10:00:00Z."],
    [{ id: 1, at: "2027-05-07T25:00:00Z" }, "400 at: must be a time in ISO 8601, such as 2027-05-07T10:00:00Z."],
    [{ id: 1, at: "2027-05-07T10:00:00+24:00" }, "400 at: must be a time in ISO 8601, such as 2027-05-07T10:00:00Z."],
    [{ id: 1, at: "2027-05-07T10:00:00-02:60" }, "400 at: must be a time in ISO 8601, such as 2027-05-07T10:00:00Z."],
    [{ id: 1, amount: 0 }, "422 amount: must be an amount above zero."],
    [{ id: 1, amount: -1 }, "422 amount: must be an amount above zero."],
    [{ id: 1, amount: "5" }, "400 amount: must be a number."],
    [{ id: 1, amount: 1e12 }, "422 amount: must be an amount of at most 999999999999."],
    [{ id: 1, currency: "eur" }, "422 currency: must be the ISO 4217 code of a currency in use, such as EUR."],
    [{ id: 1, currency: "XXX" }, "422 currency: must be the ISO 4217 code of a currency in use, such as EUR."],
    [{ id: 1, note: "123456" }, "422 note: must be at most 5 characters."],
    [{ id: 1, note: 5 }, "400 note: must be a text."],
    [{ id: 1, note: "a\u0000" }, "422 note: must not hold the character U+0000."],
    [{ id: 1, note: "a\ud83d" }, "422 note: must not hold half a character."],
    [{ id: 1, note: "\ude00\ud83d" }, "422 note: must not hold half a character."],
    ...["1,,2", "1 2", "1 2,3", "[1 2]", "[1,2", "[]", ""].map((ids) => [{ id: 1, ids }, IDS_WANTED] as const),
    [{ id: 1, list: [1, "x"] }, "400 list[1]: must be a number."],
    [{ id: 1, list: 5 }, "400 list: must be an array."],
    [{ id: 1, limit: 101 }, "422 limit: must be a limit from 1 to 100."],
    [{ id: 1, limit: 0 }, "422 limit: must be a limit from 1 to 100."],
    [{ id: 1, offset: -1 }, "422 offset: must be an offset of at least 0."],
    [{ note: "123456" }, "400 id: is required. note: must be at most 5 characters."],
    [{ id: 0, note: "123456", day: "x" }, DAY_FIRST],
    [{ id: 1, kind: "a\ud83d" }, "422 kind: must be one of income, expense."],
    [{ id: 1, day: "2027-05-07\u0000" }, "422 day: must not hold the character U+0000."],
    [{ id: 1, note: "\u0000", words: { "\ud83d": "x" } }, BOTH_SPOILT],
    [{ id: 1, texts: [{ text: "a" }, { text: "\u0000" }] }, `422 texts[1].text: ${NO_NUL}.`],
    [{ id: 1, words: { ["\u0007".repeat(60)]: "\u0000" } }, `422 words.${"\ufffd".repeat(50)}…: ${NO_NUL}.`],
    [{ id: 1, at: "0001-01-01T00:00:00+00:01" }, `422 at: ${YEARS}.`],
    [{ id: 1, at: "9999-12-31T23:59:59.999-00:01" }, `422 at: ${YEARS}.`],
    [{ id: 1, at: "9999-12-31T00:00:00" }, `422 at: ${YEARS}.`],
    [{ id: 1, ids: 5 }, "400 ids: must be ids separated by commas, such as 1,2,3, or a list of them."],
    [{ id: 1, ids: [] }, "422 ids: must be a list of at least one id."],
    [{ id: 1, ids: [1, "x"] }, "400 ids[1]: must be a number."],
    [{ id: 1, ids: Array.from({ length: 101 }, () => 1) }, "422 ids: must be at most 100 ids."],
    [{ id: 1, ids: `1${",1".repeat(100)}` }, "422 ids: must be at most 100 ids."],
    [{ id: 1, code: "" }, "422 code: must not be empty."],
    [{ id: 1, code: "a".repeat(101) }, "422 code: must be at most 100 characters."],
    ["text", "400 Must be an object."],
    [[], "400 Must be an object."]
  ]
  for (const [fields, expected] of cases) {
    it(`answers ${JSON.stringify(fields)} with ${expected.slice(0, 3)}`, () => {
      assert.strictEqual(json(fields), expected)
    })
  }

  it(`takes a time with microseconds of ${MICROSECOND_TEXT} characters, and none that is longer`, () => {
    const longest = "2027-05-07T10:00:00.123456+02:00"
    const longer = "2027-05-07T10:00:00.1234567+02:00"
    assert.deepStrictEqual([longest.length, longer.length], [MICROSECOND_TEXT, MICROSECOND_TEXT + 1])
    assert.deepStrictEqual(json({ id: 1, exactly_at: longest }), { id: 1, exactly_at: longest })
    assert.match(json({ id: 1, exactly_at: longer }), /^422 exactly_at: .*decimals/)
  })

  it("tells of as many fields as fit an answer, and how many more there are", () => {
    const many = (length: number) =>
      json({ id: 1, words: Object.fromEntries(Array.from({ length }, (_, index) => [`w${index}`, 5])) })
    const told = (length: number) =>
      `400 ${Array.from({ length }, (_, index) => `words.w${index}: must be a text.`).join(" ")}`
    assert.strictEqual(many(FIELDS_TOLD), told(FIELDS_TOLD))
    assert.strictEqual(many(FIELDS_TOLD + 1), `${told(FIELDS_TOLD)} And 1 more.`)
  })

  it("tells of the first of a list's elements, and of each field before more of one", () => {
    const list = Array.from({ length: 50 }, () => "x")
    const words = Object.fromEntries(list.map((_, index) => [`w${index}`, 5]))
    const first = "note: must be a text. list[0]: must be a number."
    assert.strictEqual(json({ id: 1, list, note: 5 }), `400 ${first}`)
    const many = String(json({ id: 1, words, list, note: 5 }))
    assert.isTrue(many.startsWith(`400 ${first} words.w0: must be a text. words.w1: must be a text.`))
    assert.isTrue(many.endsWith(` And ${2 + list.length - FIELDS_TOLD} more.`))
  })

  it(`tells of all that is wrong in up to ${ALL_TOLD_PARTS} parts, and of the first thing in more`, () => {
    const filled = (parts: number) => ({ id: "x", note: 5, list: Array.from({ length: parts - 3 }, () => "x") })
    const all = "400 id: must be a number. note: must be a text. list[0]: must be a number."
    assert.strictEqual(json(filled(ALL_TOLD_PARTS)), all)
    assert.match(json(filled(ALL_TOLD_PARTS + 1)), /^400 id: .*a number/)
  })

  it("drops unknown fields before it reports errors", () => {
    const unknown = Object.fromEntries(Array.from({ length: ALL_TOLD_PARTS + 1 }, (_, n) => [`unknown_${n}`, n]))
    const wrong = { ...unknown, note: 5, texts: [{ ...unknown, text: 5 }] }
    const message = "400 id: must be a number. note: must be a text. texts[0].text: must be a text."
    assert.strictEqual(json({ ...wrong, id: "x" }), message)
    assert.strictEqual(outcome({ encoding: "body", fields: wrong }, { id: "x" }), message)
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
    const nothing = inputDecoderOf(Schema.Struct({}), { method: "POST", params: [] })
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
    assert.match(outcome({ encoding: "text", fields: { id: "abc" } }), /^400 id: .*a number/)
    assert.match(outcome({ encoding: "text", fields: { id: "" } }), /^400 id: .*a number/)
    assert.match(outcome({ encoding: "text", fields: { id: "1", kind: "x" } }), /^422 kind: /)
  })

  it("takes path parameters as text beside a JSON body", () => {
    assert.deepStrictEqual(outcome({ encoding: "body", fields: { note: "hi" } }, { id: "7" }), {
      id: 7,
      note: "hi"
    })
    assert.match(outcome({ encoding: "body", fields: {} }, { id: "x" }), /^400 id: .*a number/)
    assert.strictEqual(outcome({ encoding: "body", fields: [1] }, { id: "7" }), "400 The body must be a JSON object.")
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
      { numRuns: 500 }
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
