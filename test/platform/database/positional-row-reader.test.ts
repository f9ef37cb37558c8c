import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaTransformation } from "effect"
import fc from "fast-check"
import { Id } from "../../../src/contract/fields.ts"
import { AmountColumn, InstantColumn } from "../../../src/domain/column-schemas.ts"
import {
  listColumnNames,
  makePositionalRowReader,
  type RowStruct
} from "../../../src/platform/database/positional-row-reader.ts"
import { PROPERTY_RUNS } from "../../support/property-runs.ts"

const Nested = Schema.Struct({ id: Schema.NullOr(Id), amount: Schema.Finite })

const Everything = Schema.Struct({
  text: Schema.String,
  short: Schema.String.check(Schema.isMaxLength(3)),
  id: Id,
  count: Schema.Int,
  size: Schema.Finite,
  any: Schema.Number,
  flag: Schema.Boolean,
  side: Schema.Literals(["left", "right"]),
  nobody: Schema.NullOr(Schema.String),
  amount: AmountColumn,
  fee: Schema.NullOr(AmountColumn),
  positive: AmountColumn.check(Schema.isGreaterThan(0)),
  rounded: Schema.NullOr(AmountColumn).check(
    Schema.makeFilter((amount) => amount === null || Number.isInteger(amount))
  ),
  somebody: Schema.NullOr(AmountColumn).check(Schema.makeFilter((amount) => amount !== null)),
  told: Schema.NullOr(AmountColumn).pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform<string, number | null>({ decode: String, encode: Number })
    )
  ),
  doubled: Schema.NumberFromString.pipe(
    Schema.decodeTo(
      Schema.NullOr(AmountColumn),
      SchemaTransformation.transform<string | null, number>({ decode: (n) => `${n * 2}`, encode: Number })
    )
  ),
  at: InstantColumn,
  until: Schema.NullOr(InstantColumn),
  day: Schema.Date,
  zoned: Schema.DateTimeUtcFromDate,
  bytes: Schema.Uint8Array,
  shares: Schema.Array(Nested),
  nested: Schema.NullOr(Nested),
  json: Schema.Json,
  perhaps: Schema.optionalKey(Schema.String)
})

const FITS: { readonly [Name in keyof typeof Everything.fields]: ReadonlyArray<unknown> } = {
  text: ["", "x", "it's"],
  short: ["", "abc"],
  id: [1, 2 ** 52],
  count: [0, -3],
  size: [0.5, -1],
  any: [Number.NaN, 3],
  flag: [true, false],
  side: ["left", "right"],
  nobody: [null, "somebody"],
  amount: ["12.50", "-0.01", "0"],
  fee: [null, "3.00"],
  positive: ["1", "0.5"],
  rounded: [null, "3.00", "-1"],
  somebody: ["3.5", "0"],
  told: [null, "3.50"],
  doubled: ["1.5", "-2"],
  at: [new Date(0), new Date(1_700_000_000_123)],
  until: [null, new Date(-1)],
  day: [new Date(5)],
  zoned: [new Date(7)],
  bytes: [new Uint8Array([1, 2])],
  shares: [
    [],
    [
      { id: 1, amount: 2.5 },
      { id: null, amount: 0, more: 1 }
    ]
  ],
  nested: [null, { id: 4, amount: 1 }],
  json: [null, { a: [1, "x"] }],
  perhaps: ["there"]
}

const ODD = fc.constantFrom<unknown>(
  ...["", " ", "abcd", "0.5", "1e3", "NaN", "Infinity", "0x10", "up", "2026-01-01T00:00:00Z", "99999999999999999999"],
  ...[0, -1, 1.5, 2 ** 53, 2 ** 60, Number.NaN, Number.POSITIVE_INFINITY, 10n, true, null, undefined],
  ...[new Date(0), new Date(Number.NaN), [], {}, [{ id: 0, amount: 1 }], [{ id: 1 }], new Uint8Array()]
)

/** What comes of a row: a record, or that it is none. */
const outcome = (read: () => unknown) => {
  try {
    return { record: read() }
  } catch (error) {
    assert.instanceOf(error, Error)
    return { refused: true }
  }
}

const readsAsSchema = <A>(row: RowStruct<A>, values: ReadonlyArray<unknown>) => {
  const names = listColumnNames(row)
  const decode = Schema.decodeUnknownSync(row)
  const bySchema = outcome(() => decode(Object.fromEntries(names.map((name, at) => [name, values[at]]))))
  assert.deepStrictEqual(
    outcome(() => makePositionalRowReader(row)(values)),
    bySchema
  )
  assert.deepStrictEqual(
    outcome(() => makePositionalRowReader(row, 2)([1, 2, ...values])),
    bySchema
  )
  return bySchema
}

const fitting = fc.tuple(...Object.values(FITS).map((values) => fc.constantFrom(...values)))

describe("a row that is read by position", () => {
  it("is what the Schema of its record makes of it", () => {
    fc.assert(
      fc.property(fitting, (values) => {
        assert.property(readsAsSchema(Everything, values), "record")
      })
    )
  })

  it("is refused where the Schema refuses it, and else read as the Schema does", () => {
    const column = fc.integer({ min: 0, max: Object.keys(FITS).length - 1 })
    fc.assert(
      fc.property(fitting, column, ODD, (values, at, odd) => {
        readsAsSchema(Everything, values.with(at, odd))
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("that does not fit says which column, and what is wrong with it", () => {
    const read = makePositionalRowReader(Schema.Struct({ id: Schema.Int, name: Schema.String }))
    assert.throws(() => read([1, null]), /name/)
    assert.throws(() => read([1]), /name/)
    assert.throws(() => read([1n, "x"]), /id/)
  })

  it("is left to the Schema where a struct is more than its columns", () => {
    const Checked = Schema.Struct({ from: Schema.Int, to: Schema.Int }).check(
      Schema.makeFilter(({ from, to }) => from <= to)
    )
    assert.deepStrictEqual(makePositionalRowReader(Checked)([1, 2]), { from: 1, to: 2 })
    assert.throws(() => makePositionalRowReader(Checked)([2, 1]))
  })

  it("has names that are no code", () => {
    const Odd = Schema.Struct({ '"]: (() => { throw 1 })() //': Schema.Int, "a\nb": Schema.String })
    assert.deepStrictEqual(makePositionalRowReader(Odd)([1, "x"]), { '"]: (() => { throw 1 })() //': 1, "a\nb": "x" })
  })
})
