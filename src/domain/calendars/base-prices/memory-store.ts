import { Effect, Layer } from "effect"
import { operatorRecords } from "../../../changes/memory/access-records.ts"
import {
  findRecord,
  listRecords,
  MemoryDatabase,
  type MemoryRecord,
  makeMemoryTable
} from "../../../changes/memory/MemoryDatabase.ts"
import { recordMemoryChange } from "../../../changes/memory/memory-change.ts"
import { propertyRecords, roomTypeRecords } from "../../properties/properties/memory-records.ts"
import { listDates } from "../availability/rules.ts"
import { BasePriceChangeRow } from "./base-price-changes.ts"
import type { BasePriceDay } from "./contract.ts"
import type { PriceTarget } from "./price-target.ts"
import type { BasePriceDayChange } from "./rules.ts"
import { BasePriceStore } from "./store.ts"

type Database = MemoryDatabase["Service"]

/** The id of the property or room type. In the memory database, ids are unique across tables. */
interface PriceCalendarRecord extends MemoryRecord {
  readonly days: ReadonlyMap<string, BasePriceDay>
}

const calendarRecords = makeMemoryTable<PriceCalendarRecord>()

/**
 * No store in memory has listings or currencies of properties, so nothing is pushed and all prices have one currency.
 */
export const layerMemory: Layer.Layer<BasePriceStore, never, MemoryDatabase> = Layer.effect(
  BasePriceStore,
  Effect.map(MemoryDatabase, (database) => ({
    readDays: (target, { start, end }) =>
      Effect.sync(() => {
        if (!isKnownTarget(database, target)) return undefined
        const readDay = makeReadDay(database, target.operatorId)
        const days = listDates(start, end).map((date) => readDay(target.id, date))
        return { currency: operatorRecords(database).get(target.operatorId)?.currency ?? "", days }
      }),

    change: (target, changes) =>
      recordMemoryChange<BasePriceChangeRow, BasePriceChangeRow>(
        database,
        target.operatorId,
        BasePriceChangeRow,
        () => {
          if (!isKnownTarget(database, target)) return { unchanged: { ...NO_CHANGE, is_known: false } }
          const calendar = changeCalendar(findCalendar(database, target.operatorId, target.id), target, changes)
          const conflictingDate = findConflictingDate(database, target, calendar, changes)
          if (conflictingDate !== undefined) return { unchanged: { ...NO_CHANGE, conflicting_date: conflictingDate } }
          const readDayBefore = makeReadDay(database, target.operatorId)
          const readDayAfter = makeReadDay(database, target.operatorId, calendar)
          const isSame = changes.every(
            ({ date }) => !hasChanged(readDayBefore(target.id, date), readDayAfter(target.id, date))
          )
          return {
            outcome: NO_CHANGE,
            changedRecords: [{ record: `${target.type}:${target.id}`, fields: isSame ? [] : ["base_prices"] }],
            write: () => calendarRecords(database).set(target.id, calendar)
          }
        }
      )
  }))
)

const NO_CHANGE: BasePriceChangeRow = {
  is_known: true,
  conflicting_date: null,
  has_too_many_listings: false,
  is_queue_full: false,
  pushed: [],
  skipped: []
}

const isKnownTarget = (database: Database, { operatorId, type, id }: PriceTarget): boolean =>
  findRecord(type === "property" ? propertyRecords(database) : roomTypeRecords(database), operatorId, id) !== undefined

const findCalendar = (database: Database, operatorId: number, id: number | undefined) =>
  findRecord(calendarRecords(database), operatorId, id)

const changeCalendar = (
  before: PriceCalendarRecord | undefined,
  { operatorId, id }: PriceTarget,
  changes: ReadonlyArray<BasePriceDayChange>
): PriceCalendarRecord => {
  const changedDays = changes.map(
    (change) => [change.date, { ...toEmptyDay(change.date), ...before?.days.get(change.date), ...change }] as const
  )
  return { operator_id: operatorId, id, days: new Map([...(before?.days ?? []), ...changedDays]) }
}

const toEmptyDay = (date: string): BasePriceDay => ({ date, price: null, minimum_stay: null, maximum_stay: null })

/** `proposed` replaces the stored calendar of its owner. */
const makeReadDay =
  (database: Database, operatorId: number, proposed?: PriceCalendarRecord) =>
  (ownerId: number, date: string): BasePriceDay => {
    const roomType = listRecords(roomTypeRecords(database), operatorId).find((each) =>
      each.property_ids.includes(ownerId)
    )
    const [own, shared] = [ownerId, roomType?.id].map((id) =>
      (proposed !== undefined && proposed.id === id ? proposed : findCalendar(database, operatorId, id))?.days.get(date)
    )
    return {
      date,
      price: own?.price ?? shared?.price ?? null,
      minimum_stay: own?.minimum_stay ?? shared?.minimum_stay ?? null,
      maximum_stay: own?.maximum_stay ?? shared?.maximum_stay ?? null
    }
  }

const hasChanged = (before: BasePriceDay, after: BasePriceDay): boolean =>
  before.price !== after.price || haveStayLengthsChanged(before, after)

const haveStayLengthsChanged = (before: BasePriceDay, after: BasePriceDay): boolean =>
  before.minimum_stay !== after.minimum_stay || before.maximum_stay !== after.maximum_stay

/** The changes are sorted by date. */
const findConflictingDate = (
  database: Database,
  { operatorId, id }: PriceTarget,
  calendar: PriceCalendarRecord,
  changes: ReadonlyArray<BasePriceDayChange>
): string | undefined => {
  const readDayBefore = makeReadDay(database, operatorId)
  const readDayAfter = makeReadDay(database, operatorId, calendar)
  const ownerIds = [id, ...(findRecord(roomTypeRecords(database), operatorId, id)?.property_ids ?? [])]
  return changes.find(({ date }) =>
    ownerIds.some((ownerId) => {
      const { minimum_stay, maximum_stay } = readDayAfter(ownerId, date)
      const isConflict = minimum_stay !== null && maximum_stay !== null && minimum_stay > maximum_stay
      return isConflict && haveStayLengthsChanged(readDayBefore(ownerId, date), readDayAfter(ownerId, date))
    })
  )?.date
}
