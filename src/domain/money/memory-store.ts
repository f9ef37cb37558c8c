import { Effect, Layer } from "effect"
import {
  findRecord,
  listRecords,
  MemoryDatabase,
  type MemoryRecord,
  makeMemoryTable,
  textContainsKeyword,
  toRecordPage
} from "../../changes/memory/MemoryDatabase.ts"
import {
  applyEdit,
  createdOrDeletedRecord,
  editedRecord,
  recordMemoryChange
} from "../../changes/memory/memory-change.ts"
import { formatUtcInstant, shortenFraction } from "../../contract/time.ts"
import { RowId } from "../column-schemas.ts"
import { propertyRecords } from "../properties/properties/memory-records.ts"
import { TransactionStore } from "./store.ts"
import type { NewTransaction } from "./transaction-changes.ts"
import type { TransactionFilters } from "./transaction-search.ts"

interface TransactionRecord extends MemoryRecord, Omit<NewTransaction, "amount"> {
  readonly amount: number
  readonly created_at: Date
  readonly updated_at: Date
}

const transactionRecords = makeMemoryTable<TransactionRecord>()

/** Memory has no orders, so every `reservation_code` is unknown. Only the built-in dictionaries apply. */
export const layerMemory: Layer.Layer<TransactionStore, never, MemoryDatabase> = Layer.effect(
  TransactionStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = transactionRecords(database)
    const isKnownProperty = (operatorId: number, id: number | undefined) =>
      id === undefined || findRecord(propertyRecords(database), operatorId, id) !== undefined
    const toRow = makeToTransaction(database)
    return {
      search: (operatorId, filters, page) =>
        Effect.sync(() => {
          const entries = listRecords(records, operatorId).filter((entry) => matchesFilters(entry, filters))
          const sorted = entries.toSorted(
            (one, other) => Date.parse(other.action_at) - Date.parse(one.action_at) || other.id - one.id
          )
          return toRecordPage(sorted.map(toRow), page)
        }),
      checkFilters: (operatorId, { property_id, order_code }) =>
        Effect.sync(() => ({ property: isKnownProperty(operatorId, property_id), order: order_code === undefined })),
      findPreconditions: ({ operatorId, property_id }) =>
        Effect.sync(() => ({
          property_known: isKnownProperty(operatorId, property_id),
          item_listed: null,
          method_listed: null,
          order_id: null,
          order_currency: null,
          stays: []
        })),
      create: makeCreate(database),
      findTransaction: (operatorId, id) =>
        Effect.sync(() => {
          const entry = findRecord(records, operatorId, id)
          if (entry === undefined) return undefined
          return { ...toRow(entry), order_id: null, stays: [], item_listed: null, method_listed: null }
        }),
      update: makeUpdate(database),
      remove: makeRemove(database),
      listDictionary: () => Effect.succeed([])
    }
  })
)

const makeToTransaction = (database: MemoryDatabase["Service"]) => (entry: TransactionRecord) => {
  const { operator_id, created_at, updated_at, action_at, ...fields } = entry
  const property = findRecord(propertyRecords(database), operator_id, entry.property_id)
  return {
    ...fields,
    action_at: shortenFraction(action_at),
    item_name: null,
    payment_method_name: null,
    link_type: entry.property_id === null ? ("operator" as const) : ("property" as const),
    property_title: property?.title ?? null,
    reservation_code: null,
    stay_code: null,
    shares: [],
    created_at: formatUtcInstant(created_at),
    updated_at: formatUtcInstant(updated_at)
  }
}

const makeCreate =
  (database: MemoryDatabase["Service"]): TransactionStore["Service"]["create"] =>
  (operatorId, { amount, ...entry }, _split, now) =>
    recordMemoryChange(database, operatorId, RowId, () => {
      const id = database.takeId()
      return {
        outcome: { id },
        events: toEvents("transaction_created", id),
        changedRecords: createdOrDeletedRecord("transaction", id),
        write: () =>
          transactionRecords(database).set(id, {
            ...entry,
            operator_id: operatorId,
            id,
            amount: Number(amount),
            created_at: now,
            updated_at: now
          })
      }
    })

const makeUpdate =
  (database: MemoryDatabase["Service"]): TransactionStore["Service"]["update"] =>
  (operatorId, id, { amount, ...edit }, _split, now) =>
    recordMemoryChange(database, operatorId, RowId, () => {
      const records = transactionRecords(database)
      const before = findRecord(records, operatorId, id)
      if (before === undefined) return { unchanged: undefined }
      const numericAmount = amount === undefined ? undefined : Number(amount)
      const after = { ...applyEdit(before, { ...edit, amount: numericAmount }), updated_at: now }
      return {
        outcome: { id },
        events: toEvents("transaction_updated", id),
        changedRecords: editedRecord("transaction", before, after),
        write: () => records.set(id, after)
      }
    })

const makeRemove =
  (database: MemoryDatabase["Service"]): TransactionStore["Service"]["remove"] =>
  (operatorId, id) =>
    recordMemoryChange(database, operatorId, RowId, () => {
      const records = transactionRecords(database)
      if (findRecord(records, operatorId, id) === undefined) return { unchanged: undefined }
      return {
        outcome: { id },
        events: toEvents("transaction_deleted", id),
        changedRecords: createdOrDeletedRecord("transaction", id),
        write: () => records.delete(id)
      }
    })

const toEvents = (event: "transaction_created" | "transaction_updated" | "transaction_deleted", id: number) => [
  { event, record: `transaction:${id}`, payload: { transaction_id: id } }
]

const EXACT_FILTERS = ["id", "property_id", "direction", "item_id", "payment_method_id", "currency", "status"] as const

const matchesFilters = (entry: TransactionRecord, filters: TransactionFilters): boolean => {
  const { instants, order_code, keyword } = filters
  if (order_code !== undefined) return false
  const at = Date.parse(entry.action_at)
  if (instants !== undefined && (at < instants.from.getTime() || at >= instants.until.getTime())) return false
  if (keyword !== undefined && !textContainsKeyword(entry.note, keyword)) return false
  return EXACT_FILTERS.every((name) => filters[name] === undefined || filters[name] === entry[name])
}
