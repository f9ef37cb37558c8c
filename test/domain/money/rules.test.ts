import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { errorCode } from "../../../src/contract/errors.ts"
import { addDays } from "../../../src/contract/time.ts"
import { checkInDictionary, listSelectableEntries, resolveEntryName } from "../../../src/domain/money/dictionaries.ts"
import {
  checkMarkedPaid,
  getOrderCodeField,
  hasChanges,
  parseSearchDays,
  resolveEditedStatus,
  splitIntoShares,
  toTransactionStatus
} from "../../../src/domain/money/rules.ts"
import { TRANSACTION_DAYS } from "../../../src/platform/limits.ts"

const stays = fc.array(
  fc.record({
    id: fc.integer({ min: 1 }),
    revenue: fc.integer({ min: 0, max: 10_000_000 }).map((units) => (units / 100).toFixed(4))
  }),
  { minLength: 1, maxLength: 12 }
)

describe("sharesOf", () => {
  for (const [currency, decimals] of [
    ["EUR", 2],
    ["JPY", 0],
    ["KWD", 3]
  ] as const) {
    it(`adds up to the amount in ${currency}, each share in whole smallest units`, () => {
      fc.assert(
        fc.property(fc.bigInt({ min: 1n, max: 10n ** 13n }), stays, (units, of) => {
          const shares = splitIntoShares(units, currency, of)
          assert.deepStrictEqual(
            shares.map((share) => share.stay_id),
            of.map((stay) => stay.id)
          )
          for (const { amount } of shares)
            assert.match(amount, decimals === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${decimals}}$`))
          return shares.reduce((sum, { amount }) => sum + BigInt(amount.replace(".", "")), 0n) === units
        })
      )
    })
  }
})

const rangeCode = (payload: Parameters<typeof parseSearchDays>[0]): number =>
  Result.match(parseSearchDays(payload), { onFailure: errorCode, onSuccess: () => 0 })

describe("daysOf", () => {
  const start = "2027-01-01"
  it("takes as many days as may be and not one more, both ends counted", () => {
    assert.strictEqual(rangeCode({ start_date: start, end_date: addDays(start, TRANSACTION_DAYS - 1) }), 0)
    assert.strictEqual(rangeCode({ start_date: start, end_date: addDays(start, TRANSACTION_DAYS) }), 422)
  })

  it("wants both ends, unless an id is given alone", () => {
    assert.strictEqual(rangeCode({}), 400)
    assert.strictEqual(rangeCode({ start_date: start }), 400)
    assert.strictEqual(rangeCode({ end_date: start }), 400)
    assert.strictEqual(rangeCode({ id: 1, end_date: start }), 400)
    assert.strictEqual(rangeCode({ id: 1 }), 0)
    assert.strictEqual(rangeCode({ id: 1, start_date: start, end_date: start }), 0)
  })

  it("does not run backwards", () => {
    assert.strictEqual(rangeCode({ start_date: "2027-01-02", end_date: "2027-01-01" }), 422)
  })
})

describe("statusAt", () => {
  it("is outstanding exactly in the future", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer(),
        (at, now) => toTransactionStatus(at, now) === (at > now ? "outstanding" : "paid")
      )
    )
  })
})

describe("an edit", () => {
  it("changes something when it sends a field that it can change", () => {
    assert.isFalse(hasChanges({}))
    for (const field of ["amount", "item_id", "payment_method_id", "action_at", "status", "note"]) {
      assert.isTrue(hasChanges({ [field]: "" }), field)
    }
  })

  it("may settle its entry, and set no other status than that or the one it has", () => {
    const judged = (sent: "paid" | "outstanding" | undefined, present: "paid" | "outstanding") =>
      Result.match(checkMarkedPaid(sent, present), {
        onFailure: errorCode,
        onSuccess: (isSettled): number | boolean => isSettled
      })
    assert.deepStrictEqual([judged("paid", "paid"), judged("paid", "outstanding")], [true, true])
    assert.deepStrictEqual([judged(undefined, "paid"), judged("outstanding", "outstanding")], [false, false])
    assert.strictEqual(judged("outstanding", "paid"), 422)
  })

  it("decides the status by a time that differs, and by no other", () => {
    const present = { action_at: "2027-05-10T10:00:00.000001Z" }
    const now = Date.parse("2027-05-10T10:00:01Z")
    const edited = (action_at: string | undefined, status?: "paid" | "outstanding") =>
      Result.match(resolveEditedStatus({ status, action_at }, present, now), {
        onFailure: errorCode,
        onSuccess: (edit): number | string | undefined => edit
      })
    assert.isUndefined(edited(undefined))
    assert.isUndefined(edited(present.action_at))
    // Its milliseconds, as a program sends them back that keeps no more.
    assert.isUndefined(edited("2027-05-10T10:00:00Z"))
    assert.strictEqual(edited("2027-05-10T10:00:00.000002Z"), "paid")
    assert.strictEqual(edited("2027-05-10T10:00:02Z"), "outstanding")
    assert.strictEqual(edited("2027-05-10T10:00:02Z", "paid"), "paid")
    assert.strictEqual(edited(undefined, "paid"), "paid")
    assert.strictEqual(edited("2027-05-10T10:00:02Z", "outstanding"), "outstanding")
    assert.strictEqual(edited("2027-05-10T09:00:00Z", "outstanding"), 422)
  })
})

describe("the order", () => {
  it("is called by the name it was sent by", () => {
    assert.strictEqual(getOrderCodeField({ reservation_code: "5-A" }), "reservation_code")
    assert.strictEqual(getOrderCodeField({ stay_code: "5-A" }), "stay_code")
  })
})

describe("dictionaries", () => {
  it("put the account's names before the built-in ones and keep every built-in entry", () => {
    const own = [
      { id: 11, name: "Nights", retired: false },
      { id: 9001, name: "Sauna", retired: false }
    ]
    const rows = listSelectableEntries("income_items", own)
    assert.strictEqual(rows.find(({ id }) => id === 11)?.name, "Nights")
    assert.strictEqual(rows.at(-1)?.name, "Sauna")
    assert.strictEqual(rows.length, listSelectableEntries("income_items", []).length + 1)
    for (const { id } of listSelectableEntries("income_items", [])) {
      assert.isTrue(Result.isSuccess(checkInDictionary("item_id", "income_items", id, null)))
    }
  })

  it("name an entry of neither as nothing", () => {
    assert.isNull(resolveEntryName("income_items", 424242, null))
    assert.strictEqual(resolveEntryName("income_items", 424242, "Own"), "Own")
  })
})
