// What nobody should send and somebody will: values that have broken programs before.

export const TEXTS: ReadonlyArray<string> = [
  ...["", " ", "\t\n", "\u0000", "a\u0000b", "\ud800", "\udc00\ud800", "x\udfff", "\ufeff", "\u2028", "\u200b"],
  ...["\u202eabc", "שלום", "مرحبا", "é", "e\u0301", "İ", "ﬁ", "👩‍👩‍👧‍👦", "🏳️‍🌈", "\u{10ffff}", "Z̷̡͇̀a̴"],
  ...["null", "undefined", "NaN", "Infinity", "-0", "0x10", "1e3", "1e999", " 1", "1 ", "１２", "٣", "1,000", "true"],
  ...["'; DROP TABLE operators; --", "%", "_", "\\", '"', "$1", "{}", "[]", "../../etc", "<script>", "%00", "+"],
  ...["__proto__", "constructor", "toString", ",", "1,,2", "1,2,", "-1", "1.5", "9".repeat(40)]
]

export const DATES: ReadonlyArray<string> = [
  ...["0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "-0001-01-01", "+2027-01-01", "1582-10-10"],
  ...["2027-02-29", "2028-02-29", "2100-02-29", "2027-13-01", "2027-00-10", "2027-04-31", "2027-1-1", "20270101"],
  ...["2027-03-28", "2027-10-31", "2027-05-07T00:00:00Z", "2027-05-07 ", "1970-01-01", "2038-01-19", "2027-05-0７"]
]

export const INSTANTS: ReadonlyArray<string> = [
  ...["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"],
  ...["2027-03-28T02:30:00", "2027-10-31T02:30:00", "2027-05-07T24:00:00Z", "2027-05-07T23:59:60Z", "2028-02-29T12:00"],
  ...["2027-05-07T10:00:00.123456789Z", "2027-05-07T10:00:00+14:00", "2027-05-07t10:00:00z", "1969-12-31T23:59:59.999Z"]
]

export const NUMBERS: ReadonlyArray<number> = [
  ...[0, -0, 1, -1, 0.1, 1.5, -1.5, 0.1 + 0.2, 1e-7, 5e-324, 99.999, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1],
  ...[2 ** 53, 2 ** 63, 1e21, 1e308, -1e308, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
]

/** An object with this own key, also where the key is `__proto__`. */
const keyed = (key: string, value: unknown): object => Object.fromEntries([[key, value]])

const deep = (levels: number): unknown => {
  let value: unknown = "deep"
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { in: value }
  return value
}

export const ODD_KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "operator_id",
  "",
  "\u0000"
]

/** Wrong wherever something else is asked for: the contract tests use them too. */
export const WRONG_TYPES: ReadonlyArray<unknown> = [{ an: "object" }, ["list", {}], null, "\u0000"]

export const STRUCTURES: ReadonlyArray<unknown> = [
  ...WRONG_TYPES,
  ...[true, false, [], {}, [[]], [null], [1, "1"], { id: 1 }, { length: 3 }, deep(40), deep(400)],
  ...ODD_KEYS.map((key) => keyed(key, { polluted: true }))
]
