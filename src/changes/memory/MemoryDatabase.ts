import { Context, Layer, type Schema } from "effect"
import { nameKeyOf } from "../../contract/names.ts"
import type { Page } from "../../contract/page.ts"
import type { EventName } from "../../jobs/events/event-statements.ts"

// The records of memory layers. A test that swaps stores for memory layers gives all of them one MemoryDatabase, so that a task
// finds the property it is for.

/** A record of an operator. Ids ascend and are unique across tables. */
export interface MemoryRecord {
  readonly operator_id: number
  readonly id: number
}

/** An event as the table `events` has it, before a worker dispatches it. */
export interface MemoryEvent {
  readonly operator_id: number
  readonly event: EventName
  readonly record: string
  readonly payload: Schema.JsonObject
}

/** An audit entry as the table `trail` has it. */
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

/** A used idempotency key as the table `idempotency_keys` has it. */
export interface MemoryIdempotencyKey {
  readonly fingerprint: Uint8Array
  readonly grant_id: number
  /** Null while an external action is under way. */
  readonly outcome: Schema.Json | null
  readonly under_way_until: Date | null
}

/** Holds what memory layers store: the records of each table ({@link makeMemoryTable}), events, audit entries and idempotency keys. */
export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    readonly takeId: () => number
    readonly events: Array<MemoryEvent>
    readonly auditEntries: Array<MemoryAuditEntry>
    /** By operator and digest (IdempotencyKeys). */
    readonly idempotencyKeys: Map<string, MemoryIdempotencyKey>
  }
>()("latchkey/changes/memory/MemoryDatabase") {
  static readonly layer = Layer.sync(MemoryDatabase, () => {
    let lastId = 0
    return { takeId: () => ++lastId, events: [], auditEntries: [], idempotencyKeys: new Map() }
  })
}

type MemoryTable<Row> = (database: MemoryDatabase["Service"]) => Map<number, Row>

/** Returns a table: a function that returns the records by id, in the order of their ids, of a database. */
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

/** Returns the operator's record with the id, or undefined. */
export const findRecord = <Row extends MemoryRecord>(
  records: ReadonlyMap<number, Row>,
  operatorId: number,
  id: number | null | undefined
): Row | undefined => {
  const record = id === null || id === undefined ? undefined : records.get(id)
  return record?.operator_id === operatorId ? record : undefined
}

/** Returns the operator's records in the order of their ids. */
export const listRecords = <Row extends MemoryRecord>(
  records: ReadonlyMap<number, Row>,
  operatorId: number
): ReadonlyArray<Row> => Array.from(records.values()).filter((record) => record.operator_id === operatorId)

/** Returns one page of records, and how many there are in all. */
export const toRecordPage = <Row>(
  records: ReadonlyArray<Row>,
  { offset, limit }: Page
): { readonly rows: ReadonlyArray<Row>; readonly total: number } => ({
  rows: records.slice(offset, offset + limit),
  total: records.length
})

/** Returns the record with the name, or one whose name differs only in case or Unicode form. */
export const findNamed = <Row extends MemoryRecord>(
  records: ReadonlyArray<Row>,
  nameOf: (record: Row) => string,
  name: string
): Row | undefined =>
  records.find((record) => nameOf(record) === name) ??
  records.find((record) => nameKeyOf(nameOf(record)) === nameKeyOf(name))

/** Returns whether a text contains a keyword, ignoring case and Unicode form as `normalizeForSearch` of the SQL stores does. */
export const textContainsKeyword = (text: string, keyword: string): boolean =>
  foldForSearch(text).includes(foldForSearch(keyword))

const foldForSearch = (text: string): string => text.normalize("NFC").toLowerCase()
