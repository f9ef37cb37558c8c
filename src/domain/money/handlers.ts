import { Clock, Effect } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { BadRequest, Forbidden, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { makeImmutableFieldCheck } from "../../contract/immutable-fields.ts"
import { formatMinorUnits, parseMinorUnits } from "../../contract/money.ts"
import { toPage } from "../../contract/page.ts"
import {
  currentSecond,
  formatUtcInstant,
  toInstantRange,
  toUtcInstantText,
  truncateToSecond
} from "../../contract/time.ts"
import { retryWhileOrderChanges } from "../bookings/orders/order-change-retry.ts"
import { RowId } from "../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../operation-handlers.ts"
import { unknownPropertyIdError } from "../properties/properties/ownership.ts"
import {
  type create_transaction,
  type delete_transaction,
  type search_transactions,
  type Transaction,
  TransactionOperations,
  update_transaction
} from "./contract.ts"
import {
  checkInDictionary,
  type DictionaryName,
  listSelectableEntries,
  resolveEntryName,
  selectDictionaries
} from "./dictionaries.ts"
import {
  checkMarkedPaid,
  getOrderCodeField,
  hasChanges,
  isSameActionTime,
  type OrderCodeFields,
  parseOrderCode,
  parseSearchDays,
  resolveEditedStatus,
  splitIntoShares,
  toTransactionStatus
} from "./rules.ts"
import { TransactionStore } from "./store.ts"

type Store = TransactionStore["Service"]

const searchTransactions = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof search_transactions.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const order_code = yield* Effect.fromResult(parseOrderCode(payload))
    const days = yield* Effect.fromResult(parseSearchDays(payload))
    const instants = days === undefined ? undefined : toInstantRange(days.start, days.end, caller.timeZone)
    const filters = { ...payload, instants, order_code }
    const page = yield* store.search(caller.operatorId, filters, toPage(payload))
    if (page.total === 0 && (filters.property_id ?? order_code) !== undefined) {
      const existing = yield* store.checkFilters(caller.operatorId, filters)
      if (!existing.property) return yield* unknownPropertyIdError
      if (!existing.order) return yield* toOrderNotFoundError(payload)
    }
    return { transactions: page.rows.map(addDictionaryNames), total: page.total }
  })

const createTransaction = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof create_transaction.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const { direction, property_id, item_id, payment_method_id, note = "" } = payload
    const order_code = yield* Effect.fromResult(parseOrderCode(payload))
    if (property_id !== undefined && order_code !== undefined) return yield* conflictingLinksError(payload)
    if (property_id === undefined && order_code === undefined && caller.role === "sub") {
      return yield* mainAccountOnlyError("create")
    }
    if (order_code === undefined && payload.currency === undefined) return yield* missingCurrencyError

    const { items, methods } = selectDictionaries(direction)
    const preconditions = yield* store.findPreconditions({
      operatorId: caller.operatorId,
      property_id,
      order_code,
      item: { dictionary: items, id: item_id },
      method: { dictionary: methods, id: payment_method_id }
    })
    if (!preconditions.property_known) return yield* unknownPropertyIdError
    if (order_code !== undefined && preconditions.order_id === null) return yield* toOrderNotFoundError(payload)
    yield* Effect.fromResult(checkInDictionary("item_id", items, item_id, preconditions.item_listed))
    yield* Effect.fromResult(
      checkInDictionary("payment_method_id", methods, payment_method_id, preconditions.method_listed)
    )
    const currency = preconditions.order_currency ?? payload.currency ?? caller.currency
    if (payload.currency !== undefined && payload.currency !== currency) return yield* currencyMismatchError(currency)
    const units = yield* Effect.fromResult(parseMinorUnits("amount", payload.amount, currency))

    const now = yield* Clock.currentTimeMillis
    const action_at =
      payload.action_at === undefined
        ? formatUtcInstant(truncateToSecond(now))
        : toUtcInstantText(payload.action_at, caller.timeZone)
    const link = { property_id: property_id ?? null, operator_name: caller.accountName }
    const amount = formatMinorUnits(units, currency)
    const status = toTransactionStatus(Date.parse(action_at), now)
    const created = yield* store.create(
      caller.operatorId,
      { direction, amount, currency, item_id, payment_method_id, action_at, note, ...link, status },
      {
        order:
          preconditions.order_id === null
            ? undefined
            : { id: preconditions.order_id, currency, stays: preconditions.stays },
        shares: splitIntoShares(units, currency, preconditions.stays)
      },
      truncateToSecond(now)
    )
    return created
  }, retryWhileOrderChanges)

const updateTransaction = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_transaction.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const entry = yield* store.findTransaction(caller.operatorId, payload.id, payload)
    if (entry === undefined) return yield* transactionNotFoundError
    if (caller.role === "sub" && entry.link_type === "operator") return yield* mainAccountOnlyError("change")
    yield* Effect.fromResult(checkFixedFields(addDictionaryNames(entry), payload))
    const marksPaid = yield* Effect.fromResult(checkMarkedPaid(payload.status, entry.status))
    if (!hasChanges({ ...payload, status: marksPaid ? payload.status : undefined })) return {}

    const { currency } = entry
    const { item_id, payment_method_id, note } = payload
    const { items, methods } = selectDictionaries(entry.direction)
    // A transaction may keep its present category and payment method even if they are retired.
    if (item_id !== undefined && item_id !== entry.item_id) {
      yield* Effect.fromResult(checkInDictionary("item_id", items, item_id, entry.item_listed))
    }
    if (payment_method_id !== undefined && payment_method_id !== entry.payment_method_id) {
      yield* Effect.fromResult(checkInDictionary("payment_method_id", methods, payment_method_id, entry.method_listed))
    }
    const units =
      payload.amount === undefined
        ? undefined
        : yield* Effect.fromResult(parseMinorUnits("amount", payload.amount, currency))
    const amount = units === undefined ? undefined : formatMinorUnits(units, currency)
    const now = yield* Clock.currentTimeMillis
    const sentTime = payload.action_at === undefined ? undefined : toUtcInstantText(payload.action_at, caller.timeZone)
    const status = yield* Effect.fromResult(
      resolveEditedStatus({ status: payload.status, action_at: sentTime }, entry, now)
    )
    const action_at = sentTime === undefined || isSameActionTime(sentTime, entry.action_at) ? undefined : sentTime
    const order = entry.order_id === null ? undefined : { id: entry.order_id, currency, stays: entry.stays }
    const updated = yield* store.update(
      caller.operatorId,
      payload.id,
      { amount, item_id, payment_method_id, action_at, status, note },
      units === undefined
        ? { order: undefined, shares: [] }
        : { order, shares: splitIntoShares(units, currency, entry.stays) },
      truncateToSecond(now)
    )
    return updated
  }, retryWhileOrderChanges)

const deleteTransaction = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_transaction.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    // A transaction never moves between property, reservation and operator, so the check stays valid.
    if (caller.role === "sub") {
      const entry = yield* store.findTransaction(caller.operatorId, payload.id, {})
      if (entry?.link_type === "operator") return yield* mainAccountOnlyError("delete")
    }
    const deletedEntry = yield* store.remove(caller.operatorId, payload.id, yield* currentSecond)
    return deletedEntry ?? (yield* transactionNotFoundError)
  })

const queryDictionary = (store: Store, name: DictionaryName) =>
  Effect.gen(function* () {
    const caller = yield* CurrentCaller
    return listSelectableEntries(name, yield* store.listDictionary(caller.operatorId, name))
  })

const checkFixedFields = makeImmutableFieldCheck(update_transaction.payloadSchema, {
  changedBy: { item_name: "item_id", payment_method_name: "payment_method_id", shares: "amount" }
})

const transactionNotFoundError = new NotFound({ message: "id: no such entry." })
const toOrderNotFoundError = (sent: OrderCodeFields) =>
  new NotFound({ message: `${getOrderCodeField(sent)}: no such order.` })
const conflictingLinksError = (sent: OrderCodeFields) =>
  new BadRequest({ message: `property_id: cannot be given together with ${getOrderCodeField(sent)}.` })
const mainAccountOnlyError = (action: "create" | "change" | "delete") =>
  new Forbidden({ message: `Only the main account may ${action} an entry without property_id and reservation_code.` })
const missingCurrencyError = new BadRequest({ message: "currency: is required unless reservation_code is given." })
const currencyMismatchError = (currency: string) =>
  new ValidationFailed({ message: `currency: must be ${currency}, the currency of the order.` })

const addDictionaryNames = (row: Transaction): Transaction => {
  const { items, methods } = selectDictionaries(row.direction)
  return {
    ...row,
    item_name: resolveEntryName(items, row.item_id, row.item_name),
    payment_method_name: resolveEntryName(methods, row.payment_method_id, row.payment_method_name)
  }
}

export const layerTransactions = layerOperations(
  Effect.map(TransactionStore, (store) =>
    handleOperations(TransactionOperations, {
      search_transactions: searchTransactions(store),
      create_transaction: changeHandler(createTransaction(store), RowId, ({ id }) => ({ transaction_id: id })),
      update_transaction: voidChangeHandler(updateTransaction(store)),
      delete_transaction: voidChangeHandler(deleteTransaction(store)),
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
)
