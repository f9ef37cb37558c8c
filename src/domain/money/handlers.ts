import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { BadRequest, Forbidden, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { fixedFieldsOf } from "../../contract/fixed-fields.ts"
import { decimalText, unitsOf } from "../../contract/money.ts"
import { pageOf } from "../../contract/page.ts"
import { currentSecond, instantsOfDays, instantText, instantTextOf, wholeSecond } from "../../contract/time.ts"
import { unlessOrderChanges } from "../bookings/orders/rules.ts"
import { change, done, handled, layerHandled } from "../handled.ts"
import { noSuchProperty } from "../properties/properties/belonging.ts"
import { Identity } from "../row-fields.ts"
import {
  type create_transaction,
  type delete_transaction,
  type search_transactions,
  type Transaction,
  Transactions,
  update_transaction
} from "./contract.ts"
import { type Dictionary, dictionariesOf, inDictionary, listed, nameOf } from "./dictionaries.ts"
import {
  changesSomething,
  daysOf,
  editedStatus,
  fieldOfOrder,
  isSameTime,
  type NamesOfOrder,
  orderCodeOf,
  settles,
  sharesOf,
  statusAt
} from "./rules.ts"
import { TransactionStore } from "./store.ts"

type Store = TransactionStore["Service"]

const searchTransactions = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof search_transactions.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const order_code = yield* Effect.fromResult(orderCodeOf(payload))
    const days = yield* Effect.fromResult(daysOf(payload))
    const instants = days === undefined ? undefined : instantsOfDays(days.start, days.end, caller.timeZone)
    const wanted = { ...payload, instants, order_code }
    const found = yield* store.search(caller.operatorId, wanted, pageOf(payload))
    if (found.total === 0 && (wanted.property_id ?? order_code) !== undefined) {
      const known = yield* store.known(caller.operatorId, wanted)
      if (!known.property) return yield* noSuchProperty
      if (!known.order) return yield* noSuchOrder(payload)
    }
    return { transactions: found.rows.map(named), total: found.total }
  })

const createTransaction = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof create_transaction.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const { direction, property_id, item_id, payment_method_id, note = "" } = payload
    const order_code = yield* Effect.fromResult(orderCodeOf(payload))
    if (property_id !== undefined && order_code !== undefined) return yield* twoLinks(payload)
    if (property_id === undefined && order_code === undefined && caller.role === "sub") {
      return yield* mainAccountOnly("create")
    }
    if (order_code === undefined && payload.currency === undefined) return yield* noCurrency

    const { items, methods } = dictionariesOf(direction)
    const before = yield* store.preconditions({
      operatorId: caller.operatorId,
      property_id,
      order_code,
      item: { dictionary: items, id: item_id },
      method: { dictionary: methods, id: payment_method_id }
    })
    if (!before.property_known) return yield* noSuchProperty
    if (order_code !== undefined && before.order_id === null) return yield* noSuchOrder(payload)
    yield* Effect.fromResult(inDictionary("item_id", items, item_id, before.item_listed))
    yield* Effect.fromResult(inDictionary("payment_method_id", methods, payment_method_id, before.method_listed))
    const currency = before.order_currency ?? payload.currency ?? caller.currency
    if (payload.currency !== undefined && payload.currency !== currency) return yield* notTheOrders(currency)
    const units = yield* Effect.fromResult(unitsOf("amount", payload.amount, currency))

    const now = yield* Clock.currentTimeMillis
    const action_at =
      payload.action_at === undefined
        ? instantText(wholeSecond(now))
        : instantTextOf(payload.action_at, caller.timeZone)
    const link = { property_id: property_id ?? null, operator_name: caller.accountName }
    const amount = decimalText(units, currency)
    const status = statusAt(Date.parse(action_at), now)
    const created = yield* store.create(
      caller.operatorId,
      { direction, amount, currency, item_id, payment_method_id, action_at, note, ...link, status },
      {
        order: before.order_id === null ? undefined : { id: before.order_id, currency, stays: before.stays },
        shares: sharesOf(units, currency, before.stays)
      },
      wholeSecond(now)
    )
    return created
  }, unlessOrderChanges)

const updateTransaction = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_transaction.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const entry = yield* store.existing(caller.operatorId, payload.id, payload)
    if (entry === undefined) return yield* noSuchEntry
    if (caller.role === "sub" && entry.link_type === "operator") return yield* mainAccountOnly("change")
    yield* Effect.fromResult(fixedFields(named(entry), payload))
    const isSettled = yield* Effect.fromResult(settles(payload.status, entry.status))
    if (!changesSomething({ ...payload, status: isSettled ? payload.status : undefined })) return {}

    const { currency } = entry
    const { item_id, payment_method_id, note } = payload
    const { items, methods } = dictionariesOf(entry.direction)
    // What the entry has already it may keep, whatever has become of it in the dictionary.
    if (item_id !== undefined && item_id !== entry.item_id) {
      yield* Effect.fromResult(inDictionary("item_id", items, item_id, entry.item_listed))
    }
    if (payment_method_id !== undefined && payment_method_id !== entry.payment_method_id) {
      yield* Effect.fromResult(inDictionary("payment_method_id", methods, payment_method_id, entry.method_listed))
    }
    const units =
      payload.amount === undefined ? undefined : yield* Effect.fromResult(unitsOf("amount", payload.amount, currency))
    const amount = units === undefined ? undefined : decimalText(units, currency)
    const now = yield* Clock.currentTimeMillis
    const sentTime = payload.action_at === undefined ? undefined : instantTextOf(payload.action_at, caller.timeZone)
    const status = yield* Effect.fromResult(editedStatus({ status: payload.status, action_at: sentTime }, entry, now))
    const action_at = sentTime === undefined || isSameTime(sentTime, entry.action_at) ? undefined : sentTime
    const order = entry.order_id === null ? undefined : { id: entry.order_id, currency, stays: entry.stays }
    const updated = yield* store.update(
      caller.operatorId,
      payload.id,
      { amount, item_id, payment_method_id, action_at, status, note },
      units === undefined
        ? { order: undefined, shares: [] }
        : { order, shares: sharesOf(units, currency, entry.stays) },
      wholeSecond(now)
    )
    return updated
  }, unlessOrderChanges)

const deleteTransaction = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_transaction.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    // The link of an entry never changes, so the check stays valid.
    if (caller.role === "sub") {
      const entry = yield* store.existing(caller.operatorId, payload.id, {})
      if (entry?.link_type === "operator") return yield* mainAccountOnly("delete")
    }
    const removed = yield* store.remove(caller.operatorId, payload.id, yield* currentSecond)
    return removed ?? (yield* noSuchEntry)
  })

const queryDictionary = (store: Store, name: Dictionary) =>
  Effect.gen(function* () {
    const caller = yield* CurrentOperator
    return listed(name, yield* store.dictionary(caller.operatorId, name))
  })

const fixedFields = fixedFieldsOf(update_transaction.payloadSchema, {
  changedBy: { item_name: "item_id", payment_method_name: "payment_method_id", shares: "amount" }
})

const noSuchEntry = new NotFound({ message: "id: no such entry." })
const noSuchOrder = (sent: NamesOfOrder) => new NotFound({ message: `${fieldOfOrder(sent)}: no such order.` })
const twoLinks = (sent: NamesOfOrder) =>
  new BadRequest({ message: `property_id: cannot be given together with ${fieldOfOrder(sent)}.` })
const mainAccountOnly = (act: "create" | "change" | "delete") =>
  new Forbidden({ message: `Only the main account may ${act} an entry without property_id and reservation_code.` })
const noCurrency = new BadRequest({ message: "currency: is required unless reservation_code is given." })
const notTheOrders = (currency: string) =>
  new ValidationFailed({ message: `currency: must be ${currency}, the currency of the order.` })

/** The entry as it is shown: what the account has no name for has the built-in one. */
const named = (row: Transaction): Transaction => {
  const { items, methods } = dictionariesOf(row.direction)
  return {
    ...row,
    item_name: nameOf(items, row.item_id, row.item_name),
    payment_method_name: nameOf(methods, row.payment_method_id, row.payment_method_name)
  }
}

export const layerTransactions = layerHandled(
  Effect.map(TransactionStore, (store) =>
    handled(Transactions, {
      search_transactions: searchTransactions(store),
      create_transaction: change(createTransaction(store), Identity, ({ id }) => ({ transaction_id: id })),
      update_transaction: done(updateTransaction(store)),
      delete_transaction: done(deleteTransaction(store)),
      query_income_items: () =>
        Effect.map(queryDictionary(store, "income_items"), (income_items) => ({ income_items })),
      query_expense_items: () =>
        Effect.map(queryDictionary(store, "expense_items"), (expense_items) => ({ expense_items })),
      query_income_methods: () =>
        Effect.map(queryDictionary(store, "income_methods"), (income_methods) => ({ income_methods })),
      query_expense_methods: () =>
        Effect.map(queryDictionary(store, "expense_methods"), (expense_methods) => ({ expense_methods }))
    })
  )
).pipe(Layer.provide(TransactionStore.layer))
