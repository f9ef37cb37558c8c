import { Context, Layer, type Schema } from "effect"
import { nameKeyOf } from "../../contract/names.ts"
import type { Page } from "../../contract/page.ts"
import type { EventName } from "../../jobs/events/event-statements.ts"

// Storage of the memory layers, which replace the database in tests. All memory layers of a test share one
// MemoryDatabase, so that a task finds its property.

/** Ids ascend and are unique across tables. */
export interface MemoryRecord {
  readonly operator_id: number
  readonly id: number
}

export interface MemoryEvent {
  readonly operator_id: number
  readonly event: EventName
  readonly record: string
  readonly payload: Schema.JsonObject
}

interface MemoryAuditEntry {
  readonly operator_id: number
  readonly at: Date
  readonly account_id: number | null
  readonly application: string
  readonly operation: string
  readonly request_id: string | null
  readonly record: string
  readonly fields: ReadonlyArray<string>
}

export interface MemoryIdempotencyKey {
  readonly fingerprint: Uint8Array
  readonly grant_id: number
  readonly outcome: Schema.Json | null
  readonly under_way_until: Date | null
}

export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    readonly takeId: () => number
    readonly events: Array<MemoryEvent>
    readonly auditEntries: Array<MemoryAuditEntry>
    readonly idempotencyKeys: Map<string, MemoryIdempotencyKey>
  }
>()("latchkey/changes/memory/MemoryDatabase") {
  static readonly layer = Layer.sync(MemoryDatabase, () => {
    let lastId = 0
    return { takeId: () => ++lastId, events: [], auditEntries: [], idempotencyKeys: new Map() }
  })
}

type MemoryTable<Row> = (database: MemoryDatabase["Service"]) => Map<number, Row>

export const makeMemoryTable = <Row extends MemoryRecord>(): MemoryTable<Row> => {
  const recordsByDatabase = new WeakMap<MemoryDatabase["Service"], Map<number, Row>>()
  return (database) => {
    const existing = recordsByDatabase.get(database)
    if (existing !== undefined) return existing
    const records = new Map<number, Row>()
    recordsByDatabase.set(database, records)
    return records
  }
}

export const findRecord = <Row extends MemoryRecord>(
  records: ReadonlyMap<number, Row>,
  operatorId: number,
  id: number | null | undefined
): Row | undefined => {
  const record = id === null || id === undefined ? undefined : records.get(id)
  return record?.operator_id === operatorId ? record : undefined
}

export const listRecords = <Row extends MemoryRecord>(
  records: ReadonlyMap<number, Row>,
  operatorId: number
): ReadonlyArray<Row> => Array.from(records.values()).filter((record) => record.operator_id === operatorId)

export const toRecordPage = <Row>(
  records: ReadonlyArray<Row>,
  { offset, limit }: Page
): { readonly rows: ReadonlyArray<Row>; readonly total: number } => ({
  rows: records.slice(offset, offset + limit),
  total: records.length
})

export const findNamed = <Row extends MemoryRecord>(
  records: ReadonlyArray<Row>,
  nameOf: (record: Row) => string,
  name: string
): Row | undefined =>
  records.find((record) => nameOf(record) === name) ??
  records.find((record) => nameKeyOf(nameOf(record)) === nameKeyOf(name))

/** Ignores case and Unicode form, as `normalizeForSearch` does in SQL. */
export const textContainsKeyword = (text: string, keyword: string): boolean =>
  foldForSearch(text).includes(foldForSearch(keyword))

const foldForSearch = (text: string): string => text.normalize("NFC").toLowerCase()
