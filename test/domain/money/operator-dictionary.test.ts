import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import type { Conflict, NotFound, ValidationFailed } from "../../../src/contract/errors.ts"
import { toTransaction } from "../../../src/domain/money/channel-payment-store.ts"
import {
  type DictionaryEntryState,
  DictionaryName,
  getBuiltInEntries,
  isUsedByService,
  listSelectableEntries,
  selectDictionaries
} from "../../../src/domain/money/dictionaries.ts"
import {
  addEntry,
  type EntryChange,
  isUnchangedBuiltIn,
  listEntries,
  type OperatorEntryStates,
  updateEntry
} from "../../../src/domain/money/operator-dictionary.ts"
import { DICTIONARY_ENTRIES_MAX } from "../../../src/platform/limits.ts"

const NOTHING: OperatorEntryStates = { income_items: [], expense_items: [], income_methods: [], expense_methods: [] }

/** What the operator says when the change is written down. */
const written = (own: OperatorEntryStates, dictionary: DictionaryName, { entry }: EntryChange): OperatorEntryStates => {
  const { id, name, retired: isRetired } = entry
  const others = own[dictionary].filter((each) => each.id !== id)
  const kept = isUnchangedBuiltIn(entry) ? others : [...others, { id, name, retired: isRetired }]
  return { ...own, [dictionary]: kept }
}

const why = (result: Result.Result<EntryChange, { readonly _tag: string }>) =>
  Result.match(result, {
    onFailure: ({ _tag }) => _tag,
    onSuccess: ({ changes }) => (changes === "created" ? changes : changes.join() || "nothing")
  })

const NAMES = ["Room fee", "Cleaning", "Cash", "Bank transfer", "Sauna", "Kayak", "Card"]

const change = fc.record({
  dictionary: fc.constantFrom(...DictionaryName.literals),
  act: fc.constantFrom("add", "rename", "retire", "restore"),
  name: fc.constantFrom(...NAMES),
  /** Which of the entries there are. */
  at: fc.nat()
})

type Judged = Result.Result<EntryChange, Conflict | NotFound | ValidationFailed>

const judged = (
  own: OperatorEntryStates,
  { dictionary, act, name, at }: typeof change extends fc.Arbitrary<infer A> ? A : never
): Judged => {
  const entries = listEntries(own, dictionary)
  const id = entries[at % entries.length]?.id ?? 0
  switch (act) {
    case "add":
      return addEntry(own, dictionary, name)
    case "rename":
      return updateEntry(own, dictionary, { id, name })
    case "retire":
      return updateEntry(own, dictionary, { id: id, retired: true })
    default:
      return updateEntry(own, dictionary, { id: id, retired: false })
  }
}

describe("an operator's own dictionaries", () => {
  it("whatever is done to them lose no entry, give no id twice, list no name twice and keep what is booked with", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        let own = NOTHING
        const given = new Set(DictionaryName.literals.flatMap((each) => Array.from(getBuiltInEntries(each).keys())))
        for (const each of changes) {
          const { dictionary } = each
          const before = listEntries(own, dictionary)
          const said = judged(own, each)
          if (Result.isFailure(said)) continue
          const { entry } = said.success
          if (each.act === "add") {
            assert.isFalse(given.has(entry.id))
            given.add(entry.id)
          }
          own = written(own, dictionary, said.success)
          const now = listEntries(own, dictionary)
          assert.deepStrictEqual(
            now.find(({ id }) => id === entry.id),
            entry
          )
          assert.includeMembers(
            now.map(({ id }) => id),
            before.map(({ id }) => id)
          )
          assert.deepStrictEqual(
            now.filter(({ id }) => id !== entry.id),
            before.filter(({ id }) => id !== entry.id)
          )
        }
        for (const dictionary of DictionaryName.literals) {
          const names = listSelectableEntries(dictionary, own[dictionary]).map(({ name }) => name)
          assert.strictEqual(new Set(names).size, names.length)
          for (const { id, retired: isRetired } of listEntries(own, dictionary)) {
            if (isUsedByService(dictionary, id)) assert.isFalse(isRetired)
          }
        }
      })
    )
  })

  it("tell of a built-in entry what it was called, until it is called so again", () => {
    const linen = updateEntry(NOTHING, "expense_items", { id: 52, name: "Linen service" })
    const own = Result.isSuccess(linen) ? written(NOTHING, "expense_items", linen.success) : NOTHING
    const shown = (of: OperatorEntryStates) => listEntries(of, "expense_items").find(({ id }) => id === 52)
    assert.deepStrictEqual(shown(own), {
      ...{ id: 52, name: "Linen service", built_in: true, renamed_from: "Laundry", retired: false }
    })
    const back = updateEntry(own, "expense_items", { id: 52, name: "Laundry" })
    assert.strictEqual(why(back), "name")
    assert.deepStrictEqual(Result.isSuccess(back) ? written(own, "expense_items", back.success) : own, NOTHING)
    assert.strictEqual(shown(NOTHING)?.renamed_from, null)
  })

  it("take what is so already as it is, and know nothing of ids that are in another dictionary or in none", () => {
    assert.strictEqual(why(updateEntry(NOTHING, "income_items", { id: 12, name: "Deposit" })), "nothing")
    assert.strictEqual(why(updateEntry(NOTHING, "income_items", { id: 12, retired: false })), "nothing")
    const own = { ...NOTHING, income_items: [{ id: 12, name: "Deposit", retired: true }] }
    assert.strictEqual(why(updateEntry(own, "income_items", { id: 12, retired: true })), "nothing")
    for (const id of [0, -1, 52, 10_001]) {
      assert.strictEqual(why(updateEntry(NOTHING, "income_items", { id, name: "X" })), "NotFound")
      assert.strictEqual(why(updateEntry(NOTHING, "income_items", { id: id, retired: true })), "NotFound")
      assert.strictEqual(why(updateEntry(NOTHING, "income_items", { id: id, retired: false })), "NotFound")
    }
  })

  it("let a name be taken that nobody can choose, and look at it when its first entry comes back", () => {
    const own = { ...NOTHING, income_items: [{ id: 10_001, name: "Sauna", retired: true }] }
    const again = addEntry(own, "income_items", "Sauna")
    assert.strictEqual(why(again), "created")
    const both = Result.isSuccess(again) ? written(own, "income_items", again.success) : own
    assert.strictEqual(why(updateEntry(both, "income_items", { id: 10_001, retired: false })), "Conflict")
    assert.strictEqual(why(updateEntry(both, "income_items", { id: 10_001, name: "Cleaning fee" })), "name")
    assert.strictEqual(why(updateEntry(both, "income_items", { id: 10_002, name: "Cleaning fee" })), "Conflict")
  })

  it("have names that differ in more than case and Unicode form, but for those that were there before", () => {
    const own = { ...NOTHING, income_items: [{ id: 10_001, name: "Caf\u00e9", retired: false }] }
    for (const name of ["CAFE\u0301", "caf\u00e9", "CLEANING FEE"]) {
      assert.strictEqual(why(addEntry(own, "income_items", name)), "Conflict")
      assert.strictEqual(why(updateEntry(own, "income_items", { id: 12, name })), "Conflict")
    }
    assert.strictEqual(why(updateEntry(own, "income_items", { id: 10_001, name: "CAF\u00c9" })), "name")
    const both = { ...NOTHING, income_items: [...own.income_items, { id: 10_002, name: "caf\u00e9", retired: false }] }
    assert.strictEqual(why(updateEntry(both, "income_items", { id: 10_002, name: "caf\u00e9" })), "nothing")
  })

  it(`have room for ${DICTIONARY_ENTRIES_MAX} entries of one's own each, retired ones among them, and names of built-in ones beside`, () => {
    const entries: ReadonlyArray<DictionaryEntryState> = Array.from(
      { length: DICTIONARY_ENTRIES_MAX - 1 },
      (_, at) => ({
        ...{ id: 10_001 + at, name: `Own ${at}`, retired: at % 2 === 0 }
      })
    )
    const own = { ...NOTHING, income_items: [{ id: 12, name: "Bond", retired: false }, ...entries] }
    const last = addEntry(own, "income_items", "The last")
    assert.strictEqual(why(last), "created")
    const full = Result.isSuccess(last) ? written(own, "income_items", last.success) : own
    assert.strictEqual(why(addEntry(full, "income_items", "One more")), "ValidationFailed")
    assert.strictEqual(why(addEntry(full, "expense_items", "Elsewhere")), "created")
    assert.strictEqual(why(updateEntry(full, "income_items", { id: 13, name: "Cleaning" })), "name")
  })

  it("keep all that the service itself books money of channels with", () => {
    const told = { operatorId: 1, accountId: 1, paymentId: "P", channelId: "C", amount: "1", currency: "EUR" }
    const paidAt = new Date(0)
    for (const kind of ["payment", "refund"] as const) {
      for (const channelType of ["booking_site", "airbnb"]) {
        const { direction, item_id, payment_method_id } = toTransaction({ ...told, kind, channelType, paidAt }, paidAt)
        const { items, methods } = selectDictionaries(direction)
        assert.strictEqual(why(updateEntry(NOTHING, items, { id: item_id, retired: true })), "Conflict")
        assert.strictEqual(why(updateEntry(NOTHING, methods, { id: payment_method_id, retired: true })), "Conflict")
      }
    }
  })
})
