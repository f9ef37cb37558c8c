import { Effect, Layer } from "effect"
import { operatorRecords } from "../../../changes/memory/access-records.ts"
import { findRecord, listRecords, MemoryDatabase, toRecordPage } from "../../../changes/memory/MemoryDatabase.ts"
import { createdOrDeletedRecord, recordMemoryChange } from "../../../changes/memory/memory-change.ts"
import { type Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import { RowId } from "../../column-schemas.ts"
import type { Property } from "./contract.ts"
import { groupRecords, type PropertyRecord, propertyRecords, tagRecords } from "./memory-records.ts"
import { PropertyStore } from "./store.ts"

type Database = MemoryDatabase["Service"]

export const layerMemory: Layer.Layer<PropertyStore, never, MemoryDatabase> = Layer.effect(
  PropertyStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = propertyRecords(database)
    const findByTitle = (operatorId: number, title: string) =>
      listRecords(records, operatorId).find((property) => property.title === title)
    return {
      search: (operatorId, { id, group_id, tag_id }, page) =>
        Effect.sync(() => {
          const properties = listRecords(records, operatorId).filter(
            (property) =>
              (id === undefined || property.id === id) &&
              (group_id === undefined || groupsOf(database, property).some((group) => group.id === group_id)) &&
              (tag_id === undefined || tagsOf(database, property).some((tag) => tag.id === tag_id))
          )
          return toRecordPage(properties.map(makeToProperty(database)), page)
        }),

      checkFilters: (operatorId, { group_id, tag_id }) =>
        Effect.sync(() => ({
          group_known: group_id === undefined || findRecord(groupRecords(database), operatorId, group_id) !== undefined,
          tag_known: tag_id === undefined || isUsable(findRecord(tagRecords(database), operatorId, tag_id))
        })),

      create: (operatorId, title) =>
        recordMemoryChange<typeof RowId.Type, never, Conflict | ValidationFailed>(database, operatorId, RowId, () => {
          if (findByTitle(operatorId, title) !== undefined) return { error: titleConflictError }
          const roomLimit = operatorRecords(database).get(operatorId)?.room_limit ?? 0
          if (listRecords(records, operatorId).length >= roomLimit) return { error: makeRoomLimitError(roomLimit) }
          const id = database.takeId()
          return {
            outcome: { id },
            changedRecords: createdOrDeletedRecord("property", id),
            write: () => records.set(id, { operator_id: operatorId, id, title })
          }
        }),

      findIdByName: (operatorId, title) => Effect.sync(() => findByTitle(operatorId, title)?.id)
    }
  })
)

const isUsable = (tag: { readonly deleted_at: Date | undefined } | undefined): boolean =>
  tag !== undefined && tag.deleted_at === undefined

const groupsOf = (database: Database, { operator_id, id }: PropertyRecord) =>
  listRecords(groupRecords(database), operator_id).filter(({ property_ids }) => property_ids.includes(id))

const tagsOf = (database: Database, { operator_id, id }: PropertyRecord) =>
  listRecords(tagRecords(database), operator_id).filter(({ property_ids }) => property_ids.includes(id))

const makeToProperty =
  (database: Database) =>
  (property: PropertyRecord): Property => ({
    id: property.id,
    title: property.title,
    channels: [],
    groups: groupsOf(database, property).map(({ id, name }) => ({ id, name })),
    tags: tagsOf(database, property).map(({ id, name, color }) => ({ id, name, color })),
    address: null,
    longitude: null,
    latitude: null,
    default_checkin_time: DEFAULT_CHECK_IN_TIME,
    default_checkout_time: DEFAULT_CHECK_OUT_TIME,
    timezone: operatorRecords(database).get(property.operator_id)?.time_zone ?? "UTC",
    cover: null,
    currency: operatorRecords(database).get(property.operator_id)?.currency ?? "EUR",
    capacity: null,
    fees: [],
    taxes: [],
    is_active: true
  })

/** Defaults of a new operator, as in migration 0003. */
const DEFAULT_CHECK_IN_TIME = "15:00"
const DEFAULT_CHECK_OUT_TIME = "11:00"

const titleConflictError = nameConflict("title", "property")

const makeRoomLimitError = (limit: number) =>
  new ValidationFailed({ message: `room_limit: all ${limit} properties of the subscription are in use.` })
