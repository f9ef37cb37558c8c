import { Clock, Effect, Layer, Predicate } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { BadRequest, Conflict, Forbidden, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { decimalText } from "../../contract/money.ts"
import { pageOf } from "../../contract/page.ts"
import { instantOf, instantsOfDays, instantText, wholeSecond } from "../../contract/time.ts"
import { ORDER_CHANGE_ATTEMPTS } from "../../limits.ts"
import { handled, layerHandled } from "../handled.ts"
import { type Transaction, Transactions } from "./contract.ts"
import { type Dictionary, dictionariesOf, isSystemEntry, merged, nameOf } from "./dictionaries.ts"
import { changedFixedField, changesSomething, orderCodeOf, rangeOf, sharesOf, statusAt, unitsOf } from "./rules.ts"
import { type EntryRow, TransactionStore } from "./store.ts"

export const layerTransactions = layerHandled(
  Effect.gen(function* () {
    const store = yield* TransactionStore

    const dictionary = Effect.fnUntraced(function* (name: Dictionary) {
      const caller = yield* CurrentOperator
      return merged(name, yield* store.dictionary(caller.operatorId, name))
    })

    return handled(Transactions, {
      search_transactions: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const orderCode = yield* Effect.fromResult(orderCodeOf(payload))
        const range = yield* Effect.fromResult(rangeOf(payload))
        const wanted = {
          id: payload.id,
          instants: range === undefined ? undefined : instantsOfDays(range.start, range.end, caller.timeZone),
          propertyId: payload.property_id,
          orderCode,
          direction: payload.direction,
          itemId: payload.item_id,
          paymentMethodId: payload.payment_method_id,
          currency: payload.currency,
          keyword: payload.keyword
        }
        const found = yield* store.search(caller.operatorId, wanted, pageOf(payload))
        if (found.total === 0 && (wanted.propertyId ?? orderCode) !== undefined) {
          const known = yield* store.known(caller.operatorId, wanted)
          if (known?.property === false) return yield* noSuchProperty
          if (known?.order === false) return yield* noSuchOrder
        }
        return { transactions: found.rows.map(toTransaction), total: found.total }
      }),

      create_transaction: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const orderCode = yield* Effect.fromResult(orderCodeOf(payload))
        if (payload.property_id !== undefined && orderCode !== undefined) {
          return yield* new BadRequest({ message: "property_id: cannot be given together with reservation_code." })
        }
        if (payload.property_id === undefined && orderCode === undefined && caller.role === "sub") {
          return yield* new Forbidden({
            message: "Only the main account may create an entry without property_id and reservation_code."
          })
        }
        if (orderCode === undefined && payload.currency === undefined) {
          return yield* new BadRequest({ message: "currency: is required unless reservation_code is given." })
        }
        const { items, methods } = dictionariesOf(payload.direction)
        const ground = yield* store.ground(caller.operatorId, {
          propertyId: payload.property_id,
          orderCode,
          item: { dictionary: items, id: payload.item_id },
          method: { dictionary: methods, id: payload.payment_method_id }
        })
        if (ground === undefined || !ground.propertyKnown) return yield* noSuchProperty
        if (orderCode !== undefined && ground.orderId === null) return yield* noSuchOrder
        if (!ground.itemKnown && !isSystemEntry(items, payload.item_id)) return yield* notIn("item_id", items)
        if (!ground.methodKnown && !isSystemEntry(methods, payload.payment_method_id)) {
          return yield* notIn("payment_method_id", methods)
        }
        const currency = ground.orderCurrency ?? payload.currency ?? caller.currency
        if (payload.currency !== undefined && payload.currency !== currency) {
          return yield* new ValidationFailed({ message: `currency: must be ${currency}, the currency of the order.` })
        }
        const units = yield* Effect.fromResult(unitsOf(payload.amount, currency))
        const now = yield* Clock.currentTimeMillis
        const actionAt =
          payload.action_at === undefined ? wholeSecond(now) : instantOf(payload.action_at, caller.timeZone)
        const created = yield* store.create(
          caller.operatorId,
          {
            direction: payload.direction,
            amount: decimalText(units, currency),
            currency,
            itemId: payload.item_id,
            paymentMethodId: payload.payment_method_id,
            actionAt,
            note: payload.note ?? "",
            propertyId: payload.property_id ?? null,
            order: ground.orderId === null ? undefined : { id: ground.orderId, currency, stays: ground.stays },
            status: statusAt(actionAt.getTime(), now),
            operatorName: caller.accountName,
            shares: sharesOf(units, currency, ground.stays)
          },
          wholeSecond(now)
        )
        return created === undefined ? undefined : { transaction_id: created.id }
      }, againWhileItChanges),

      update_transaction: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const entry = yield* store.existing(caller.operatorId, payload.id, {
          itemId: payload.item_id,
          paymentMethodId: payload.payment_method_id
        })
        if (entry === undefined) return yield* noSuchEntry
        const fixed = {
          direction: entry.direction,
          currency: entry.currency,
          property_id: entry.propertyId,
          reservation_code: entry.reservationCode
        }
        const changed = changedFixedField(fixed, payload)
        if (changed !== undefined) {
          return yield* new ValidationFailed({
            message: `${changed}: cannot be changed; delete the entry and create a new one.`
          })
        }
        if (!changesSomething(payload)) return {}
        const { items, methods } = dictionariesOf(entry.direction)
        if (payload.item_id !== undefined && !entry.ownItem && !isSystemEntry(items, payload.item_id)) {
          return yield* notIn("item_id", items)
        }
        if (
          payload.payment_method_id !== undefined &&
          !entry.ownMethod &&
          !isSystemEntry(methods, payload.payment_method_id)
        ) {
          return yield* notIn("payment_method_id", methods)
        }
        const units =
          payload.amount === undefined ? undefined : yield* Effect.fromResult(unitsOf(payload.amount, entry.currency))
        const now = yield* Clock.currentTimeMillis
        const actionAt = payload.action_at === undefined ? undefined : instantOf(payload.action_at, caller.timeZone)
        const updated = yield* store.update(
          caller.operatorId,
          payload.id,
          {
            amount: units === undefined ? undefined : decimalText(units, entry.currency),
            itemId: payload.item_id,
            paymentMethodId: payload.payment_method_id,
            actionAt,
            status: actionAt === undefined ? undefined : statusAt(actionAt.getTime(), now),
            note: payload.note,
            order:
              units === undefined || entry.orderId === null
                ? undefined
                : { id: entry.orderId, currency: entry.currency, stays: entry.stays },
            shares: units === undefined ? [] : sharesOf(units, entry.currency, entry.stays)
          },
          wholeSecond(now)
        )
        return updated === undefined ? undefined : {}
      }, againWhileItChanges),

      delete_transaction: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const now = yield* Clock.currentTimeMillis
        const removed = yield* store.remove(caller.operatorId, payload.id, wholeSecond(now))
        return removed === undefined ? yield* noSuchEntry : {}
      }),

      query_income_items: () => Effect.map(dictionary("income_items"), (income_items) => ({ income_items })),
      query_expense_items: () => Effect.map(dictionary("expense_items"), (expense_items) => ({ expense_items })),
      query_income_methods: () => Effect.map(dictionary("income_methods"), (income_methods) => ({ income_methods })),
      query_expense_methods: () => Effect.map(dictionary("expense_methods"), (expense_methods) => ({ expense_methods }))
    })
  })
).pipe(Layer.provide(TransactionStore.layer))

/** Works an entry out again for as long as its order changes between reading and writing; undefined says that it did. */
const againWhileItChanges = <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E | Conflict, R> =>
  Effect.repeat(attempt, { times: ORDER_CHANGE_ATTEMPTS - 1, until: Predicate.isNotUndefined }).pipe(
    Effect.flatMap((done) => (done === undefined ? Effect.fail(busy) : Effect.succeed(done)))
  )

const busy = new Conflict({ message: "The order is being changed by others at the same moment; try again." })
const noSuchEntry = new NotFound({ message: "id: no such entry." })
const noSuchProperty = new NotFound({ message: "property_id: no such property." })
const noSuchOrder = new NotFound({ message: "reservation_code: no such order." })

const notIn = (field: string, dictionary: Dictionary) =>
  new ValidationFailed({ message: `${field}: is not in the dictionary GET /${dictionary}.` })

const toTransaction = (row: EntryRow): Transaction => ({
  id: row.id,
  direction: row.direction,
  amount: row.amount,
  currency: row.currency,
  status: row.status,
  action_at: instantText(row.actionAt),
  item_id: row.itemId,
  item_name: nameOf(dictionariesOf(row.direction).items, row.itemId, row.itemName),
  payment_method_id: row.paymentMethodId,
  payment_method_name: nameOf(dictionariesOf(row.direction).methods, row.paymentMethodId, row.paymentMethodName),
  note: row.note,
  operator_name: row.operatorName,
  link_type: row.reservationCode !== null ? "reservation" : row.propertyId !== null ? "property" : "operator",
  property_id: row.propertyId,
  property_title: row.propertyTitle,
  reservation_code: row.reservationCode,
  stay_code: row.reservationCode,
  shares: row.shares,
  created_at: instantText(row.createdAt),
  updated_at: instantText(row.updatedAt)
})
