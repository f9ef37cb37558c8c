import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DictionaryName } from "../../../src/domain/money/dictionaries.ts"
import { OperatorDictionaries } from "../../../src/domain/money/OperatorDictionaries.ts"
import { DICTIONARY_ENTRIES_MAX, DICTIONARY_NAME_LENGTH } from "../../../src/platform/limits.ts"
import { loadAuditLinesWithActor } from "../../support/changes/audit-lines.ts"
import { MANUAL_RESERVATION } from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import {
  asSystemActor,
  call,
  createOperator,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../support/overlapping-transactions.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const layerDictionaries = Layer.mergeAll(layerTest, Layer.provide(OperatorDictionaries.layer, layerTestDatabase))

const income = { direction: "income", currency: "EUR", amount: 5, item_id: 11, payment_method_id: 197 } as const

/** What an operator does with its dictionaries, and its client. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator({ rateLimits: { user: { "1m": 10_000 } } })
  const { operatorId } = operator
  const property = yield* insertProperty(operatorId, "Harbour 1")
  const [own, api] = [yield* OperatorDictionaries, yield* typedClient]
  const add = (dictionary: DictionaryName, name: string) => asSystemActor(own.addEntry(operatorId, dictionary, name))
  const rename = (dictionary: DictionaryName, id: number, name: string) =>
    asSystemActor(own.updateEntry(operatorId, dictionary, { id, name }))
  const retire = (dictionary: DictionaryName, id: number) =>
    asSystemActor(own.updateEntry(operatorId, dictionary, { id, retired: true }))
  const restore = (dictionary: DictionaryName, id: number) =>
    asSystemActor(own.updateEntry(operatorId, dictionary, { id, retired: false }))
  const as = withToken(operator.token)
  const entered = (own: object = {}) =>
    Effect.map(
      api.create_transaction({ ...income, property_id: property, ...own }).pipe(as),
      (made) => made.transaction_id
    )
  const shown = (id: number) =>
    Effect.map(api.search_transactions({ id }).pipe(as), ({ transactions }) => {
      const [entry] = transactions
      return { item: entry?.item_name, method: entry?.payment_method_name, note: entry?.note }
    })
  const listedItems = Effect.map(api.query_income_items({}).pipe(as), ({ income_items }) => income_items)
  return { ...operator, property, own, api, as, add, rename, retire, restore, entered, shown, listedItems }
})

const refusal = <A, R>(effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag, message }) => `${_tag}: ${message}`)

layer(layerDictionaries, { excludeTestServices: false })("an operator's own dictionaries", (it) => {
  it.effect("are edited by sending a category back whole, and not in what is fixed", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* ready
      const { category } = yield* api.create_category({ dictionary: "income_items", name: "Late check-out" }).pipe(as)
      const edited = yield* api.update_category({ ...category, is_retired: true }).pipe(as)
      assert.deepStrictEqual(edited.category, { ...category, is_retired: true })
      const refused = yield* call(token, "update_category", { ...category, name: "Other", is_built_in: true })
      assert.strictEqual(refused.error_code, 422)
      assert.match(refused.error_msg, /^is_built_in: /)
      const { categories } = yield* api.list_categories({ dictionary: "income_items" }).pipe(as)
      assert.deepStrictEqual(
        categories.find(({ id }) => id === category.id),
        edited.category
      )
    })
  )

  it.effect("show all four, what is built in and what is its own", () =>
    Effect.gen(function* () {
      const { own, operatorId, add, rename } = yield* ready
      const fresh = yield* own.list(operatorId)
      assert.hasAllKeys(fresh, DictionaryName.literals)
      for (const entries of Object.values(fresh)) {
        assert.isNotEmpty(entries)
        for (const entry of entries) assert.deepInclude(entry, { built_in: true, renamed_from: null, retired: false })
      }
      const sauna = yield* add("income_items", "  Sauna ")
      yield* rename("expense_items", 52, "Linen service")
      const { income_items, expense_items } = yield* own.list(operatorId)
      assert.deepStrictEqual(income_items.at(-1), sauna)
      assert.deepStrictEqual(sauna, {
        ...{ id: sauna.id, name: "Sauna", built_in: false, renamed_from: null, retired: false }
      })
      assert.deepInclude(expense_items, {
        ...{ id: 52, name: "Linen service", built_in: true, renamed_from: "Laundry", retired: false }
      })
    })
  )

  it.effect("name entries: those of before too when they are renamed, and as built in when that is undone", () =>
    Effect.gen(function* () {
      const { operatorId, add, rename, entered, shown, listedItems } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const [sauna, barter] = [yield* add("income_items", "Sauna"), yield* add("income_methods", "Barter")]
      assert.notStrictEqual(sauna.id, barter.id)
      const entry = yield* entered({ item_id: sauna.id, payment_method_id: barter.id })
      assert.deepInclude(yield* shown(entry), { item: "Sauna", method: "Barter" })
      yield* rename("income_items", sauna.id, "Wellness")
      assert.deepInclude(yield* shown(entry), { item: "Wellness", method: "Barter" })
      const nights = yield* entered()
      yield* rename("income_items", 11, "Nights")
      assert.deepInclude(yield* shown(nights), { item: "Nights" })
      assert.deepInclude(yield* listedItems, { id: 11, name: "Nights" })
      yield* rename("income_items", 11, "Room fee")
      assert.deepInclude(yield* shown(nights), { item: "Room fee" })
      assert.lengthOf(yield* sql`SELECT FROM dictionary_entries WHERE operator_id = ${operatorId} AND id = 11`, 0)
    })
  )

  it.effect("keep a retired entry from what is new, and leave it to what has it", () =>
    Effect.gen(function* () {
      const { token, property, add, retire, restore, entered, shown, listedItems } = yield* ready
      const [sauna, barter] = [yield* add("income_items", "Sauna"), yield* add("income_methods", "Barter")]
      const entry = yield* entered({ item_id: sauna.id, payment_method_id: barter.id })
      const other = yield* entered()
      yield* retire("income_items", sauna.id)
      yield* retire("income_methods", barter.id)
      assert.notInclude(
        (yield* listedItems).map(({ id }) => id),
        sauna.id
      )
      const send = (operation: "create_transaction" | "update_transaction", fields: object) =>
        Effect.map(call(token, operation, fields), (envelope) => [envelope.error_code, fieldOfError(envelope)])
      const fields = { ...income, property_id: property }
      const refused = [422, "item_id"]
      assert.deepStrictEqual(yield* send("create_transaction", { ...fields, item_id: 424242 }), refused)
      assert.deepStrictEqual(yield* send("create_transaction", { ...fields, item_id: sauna.id }), refused)
      assert.deepStrictEqual(yield* send("update_transaction", { id: other, item_id: sauna.id }), refused)
      assert.deepStrictEqual(yield* send("update_transaction", { id: other, payment_method_id: barter.id }), [
        422,
        "payment_method_id"
      ])
      const kept = { id: entry, item_id: sauna.id, payment_method_id: barter.id, note: "kept" }
      assert.deepStrictEqual(yield* send("update_transaction", kept), [0, ""])
      assert.deepStrictEqual(yield* send("update_transaction", { id: entry, note: "again" }), [0, ""])
      assert.deepStrictEqual(yield* shown(entry), { item: "Sauna", method: "Barter", note: "again" })
      // Once it has another, it is as any.
      assert.deepStrictEqual(yield* send("update_transaction", { id: entry, item_id: 12 }), [0, ""])
      assert.deepStrictEqual(yield* send("update_transaction", { id: entry, item_id: sauna.id }), refused)
      yield* restore("income_items", sauna.id)
      assert.deepInclude(yield* listedItems, { id: sauna.id, name: "Sauna" })
      assert.deepStrictEqual(yield* send("update_transaction", { id: entry, item_id: sauna.id }), [0, ""])
    })
  )

  it.effect("retire built-in entries too, but for those that the service books with", () =>
    Effect.gen(function* () {
      const { operatorId, token, property, retire, restore, entered, shown, listedItems, own } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const pet = yield* entered({ item_id: 15, payment_method_id: 198 })
      assert.deepInclude(yield* retire("income_items", 15), { id: 15, name: "Pet fee", retired: true })
      yield* retire("income_methods", 198)
      assert.deepInclude(yield* shown(pet), { item: "Pet fee", method: "Other" })
      assert.notInclude(
        (yield* listedItems).map(({ id }) => id),
        15
      )
      const { error_code } = yield* call(token, "create_transaction", { ...income, property_id: property, item_id: 15 })
      assert.strictEqual(error_code, 422)
      const book = (income_method_id: number) =>
        call(token, "create_reservation", {
          ...MANUAL_RESERVATION,
          property_id: property,
          income_method_id,
          received_amount: 10
        })
      const refused = yield* book(198)
      assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [422, "income_method_id"])
      yield* restore("income_methods", 198)
      assert.strictEqual((yield* book(198)).error_code, 0)
      yield* restore("income_items", 15)
      assert.lengthOf(yield* sql`SELECT FROM dictionary_entries WHERE operator_id = ${operatorId}`, 0)
      for (const [dictionary, id] of [
        ["income_items", 11],
        ["expense_items", 58],
        ["income_methods", 27],
        ["income_methods", 36],
        ["expense_methods", 302]
      ] as const) {
        assert.match(yield* refusal(retire(dictionary, id)), /^Conflict: id: /)
      }
      assert.isFalse(Object.values(yield* own.list(operatorId)).some((all) => all.some((each) => each.retired)))
    })
  )

  it.effect("take an own income method for a reservation while it is not retired", () =>
    Effect.gen(function* () {
      const { token, property, add, retire } = yield* ready
      const voucher = yield* add("income_methods", "Voucher")
      const fields = { ...MANUAL_RESERVATION, property_id: property, income_method_id: voucher.id, received_amount: 10 }
      const book = (check_in_date: string, check_out_date: string) =>
        Effect.map(
          call(token, "create_reservation", { ...fields, check_in_date, check_out_date }),
          ({ error_code }) => error_code
        )
      assert.strictEqual(yield* book("2027-05-01", "2027-05-04"), 0)
      yield* retire("income_methods", voucher.id)
      assert.strictEqual(yield* book("2027-06-01", "2027-06-04"), 422)
    })
  )

  it.effect("refuse names that are taken, empty, of several lines or too long, and change nothing then", () =>
    Effect.gen(function* () {
      const { operatorId, add, rename, retire, restore } = yield* ready
      const longest = "x".repeat(DICTIONARY_NAME_LENGTH)
      const sauna = yield* add("income_items", "Sauna")
      yield* add("income_items", longest)
      yield* add("expense_items", "Sauna")
      const before = yield* loadAuditLinesWithActor(operatorId)
      for (const [name, says] of [
        ["Sauna ", /^Conflict: name: /],
        ["Cleaning fee", /^Conflict: /],
        [" ", /^ValidationFailed: name: .*empty/],
        ["two\nlines", /^ValidationFailed: name: /],
        ["half \ud800", /^ValidationFailed: name: /],
        [`${longest}x`, /^ValidationFailed: name: .*50/]
      ] as const) {
        assert.match(yield* refusal(add("income_items", name)), says)
        assert.match(yield* refusal(rename("income_items", 12, name)), says)
      }
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), before)
      yield* retire("income_items", sauna.id)
      const another = yield* add("income_items", "Sauna")
      assert.isAbove(another.id, sauna.id)
      assert.match(yield* refusal(restore("income_items", sauna.id)), /^Conflict: name: /)
      yield* rename("income_items", sauna.id, "Old sauna")
      assert.deepInclude(yield* restore("income_items", sauna.id), { name: "Old sauna", retired: false })
    })
  )

  it.effect("are one operator's: of another's entries nobody knows, and ids of none are 404", () =>
    Effect.gen(function* () {
      const { own, add, operatorId } = yield* ready
      const stranger = yield* ready
      const sauna = yield* add("income_items", "Sauna")
      const none = /^NotFound: id: .*income_items/
      for (const id of [sauna.id, 424242, 52, 0]) {
        assert.match(yield* refusal(stranger.rename("income_items", id, "Mine")), none)
        assert.match(yield* refusal(stranger.retire("income_items", id)), none)
        assert.match(yield* refusal(stranger.restore("income_items", id)), none)
      }
      assert.deepInclude((yield* own.list(operatorId)).income_items, sauna)
      assert.notInclude(
        (yield* own.list(stranger.operatorId)).income_items.map(({ name }) => name),
        "Sauna"
      )
      const nobody = /^NotFound: .*operator 1125899906842624/
      assert.match(yield* refusal(own.list(2 ** 50)), nobody)
      assert.match(yield* refusal(asSystemActor(own.addEntry(2 ** 50, "income_items", "X"))), nobody)
      assert.match(
        yield* refusal(asSystemActor(own.updateEntry(2 ** 50, "income_items", { id: 12, retired: true }))),
        nobody
      )
    })
  )

  it.effect("leave in the trail what changed of which entry, and nothing of what was so already", () =>
    Effect.gen(function* () {
      const { operatorId, add, rename, retire, restore } = yield* ready
      const { id } = yield* add("expense_methods", "Company card")
      for (const _twice of [1, 2]) {
        yield* rename("expense_methods", id, "Card of the company")
        yield* retire("expense_methods", id)
        yield* rename("expense_items", 52, "Linen service")
      }
      for (const _twice of [1, 2]) {
        yield* restore("expense_methods", id)
        yield* rename("expense_items", 52, "Laundry")
      }
      const own = `dictionary:expense_methods:${id}`
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operatorId), [
        `test: test ${own}`,
        `test: test ${own} (name)`,
        `test: test ${own} (retired_at)`,
        "test: test dictionary:expense_items:52 (name)",
        `test: test ${own} (retired_at)`,
        "test: test dictionary:expense_items:52 (name)"
      ])
    })
  )

  it.effect(
    `have room for ${DICTIONARY_ENTRIES_MAX} entries each, also where many are added at once, all under ids of their own`,
    () =>
      Effect.gen(function* () {
        const { operatorId, add, retire, own } = yield* ready
        yield* crowded(operatorId, DICTIONARY_ENTRIES_MAX - 3)
        const made = yield* Effect.forEach(
          Array.from({ length: 8 }, (_, at) => `Added ${at}`),
          (name) => Effect.result(add("income_items", name)),
          { concurrency: "unbounded" }
        )
        const ids = made.flatMap((each) => (each._tag === "Success" ? [each.success.id] : []))
        assert.strictEqual(new Set(ids).size, 3)
        for (const each of made) {
          if (each._tag === "Failure") assert.match(each.failure.message, /^dictionary_entries: .*200/)
        }
        yield* retire("income_items", ids[0] ?? 0)
        assert.match(yield* refusal(add("income_items", "One more")), /^ValidationFailed: /)
        yield* add("expense_items", "Elsewhere")
        const { income_items } = yield* own.list(operatorId)
        assert.lengthOf(
          income_items.filter((each) => !each.built_in),
          DICTIONARY_ENTRIES_MAX
        )
      })
  )
})

/** So many entries of the operator's own. */
const crowded = Effect.fnUntraced(function* (operatorId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO dictionary_entries (operator_id, dictionary, id, name)
    SELECT ${operatorId}::bigint, 'income_items', 20000 + n, 'One of many ' || n FROM generate_series(1, ${count}::int) n`
})

describe.skipIf(!canOverlap)(withServerNote("two at once"), () => {
  layer(layerDictionaries)((it) => {
    it.effect("that take the last free place, or one name, are not both given it", () =>
      Effect.gen(function* () {
        const { operatorId, add } = yield* ready
        const [one, other] = yield* runOverlapping(
          Effect.result(add("income_items", "Sauna")),
          Effect.result(add("income_items", "Sauna"))
        )
        assert.deepStrictEqual([one._tag, other._tag], ["Success", "Failure"])
        yield* crowded(operatorId, DICTIONARY_ENTRIES_MAX - 2)
        const [last, none] = yield* runOverlapping(
          Effect.result(add("income_items", "Last")),
          Effect.result(add("income_items", "Another"))
        )
        assert.deepStrictEqual([last._tag, none._tag], ["Success", "Failure"])
      })
    )

    it.effect("that add to two dictionaries get two ids, and a name that goes is free for who waited", () =>
      Effect.gen(function* () {
        const { add, retire } = yield* ready
        const [item, method] = yield* runOverlapping(add("income_items", "Sauna"), add("income_methods", "Sauna"))
        assert.notStrictEqual(item.id, method.id)
        const [, again] = yield* runOverlapping(retire("income_items", item.id), add("income_items", "Sauna"))
        assert.strictEqual(again.name, "Sauna")
      })
    )
  })
})
