import { Effect, Layer } from "effect"
import { operatorRecords } from "../../../changes/memory/access-records.ts"
import { findRecord, listRecords, MemoryDatabase, toRecordPage } from "../../../changes/memory/MemoryDatabase.ts"
import {
  applyEdit,
  createdOrDeletedRecord,
  editedRecord,
  recordMemoryChange
} from "../../../changes/memory/memory-change.ts"
import { type Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { nameConflict } from "../../../contract/names.ts"
import { RowId } from "../../column-schemas.ts"
import type { RoomType } from "./contract.ts"
import {
  findUnknownReferences,
  hasUnknownReferences,
  propertyRecords,
  type RoomTypeRecord,
  roomTypeRecords,
  tagRecords
} from "./memory-records.ts"
import { type CreatedRoomType, CreatedRoomTypeRow, RoomTypeStore } from "./room-type-store.ts"

type Database = MemoryDatabase["Service"]

export const layerMemory: Layer.Layer<RoomTypeStore, never, MemoryDatabase> = Layer.effect(
  RoomTypeStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = roomTypeRecords(database)
    const findByTitle = (operatorId: number, title: string) =>
      listRecords(records, operatorId).find((roomType) => roomType.title === title)
    return {
      search: (operatorId, { id, tag_id }, page) =>
        Effect.sync(() => {
          const roomTypes = listRecords(records, operatorId).filter(
            (roomType) =>
              (id === undefined || roomType.id === id) &&
              (tag_id === undefined || tagsOf(database, roomType).some((tag) => tag.id === tag_id))
          )
          return toRecordPage(roomTypes.map(makeToRoomType(database)), page)
        }),

      checkFilters: (operatorId, { tag_id }) =>
        Effect.sync(() => {
          if (tag_id === undefined) return { tag_known: true }
          const tag = findRecord(tagRecords(database), operatorId, tag_id)
          return { tag_known: tag !== undefined && tag.deleted_at === undefined }
        }),

      create: (operatorId, { title, property_ids }) =>
        recordMemoryChange<CreatedRoomType, CreatedRoomType, Conflict | ValidationFailed>(
          database,
          operatorId,
          CreatedRoomTypeRow,
          () => {
            const unknown = findUnknownReferences(database, operatorId, { property_ids })
            const others = listRecords(records, operatorId)
            const taken_properties = property_ids.filter((id) => others.some((each) => each.property_ids.includes(id)))
            if (hasUnknownReferences(unknown) || taken_properties.length > 0) {
              return { unchanged: { id: null, ...unknown, taken_properties } }
            }
            if (findByTitle(operatorId, title) !== undefined) return { error: titleConflictError }
            const limit = operatorRecords(database).get(operatorId)?.room_type_limit ?? 0
            if (others.length >= limit) return { error: makeRoomTypeLimitError(limit) }
            const id = database.takeId()
            return {
              outcome: { id, ...unknown, taken_properties },
              changedRecords: createdOrDeletedRecord("room_type", id),
              write: () => records.set(id, { operator_id: operatorId, id, title, property_ids })
            }
          }
        ),

      rename: (operatorId, id, title) =>
        recordMemoryChange(database, operatorId, RowId, () => {
          const before = findRecord(records, operatorId, id)
          if (before === undefined) return { unchanged: undefined }
          const holder = title === undefined ? undefined : findByTitle(operatorId, title)
          if (holder !== undefined && holder.id !== id) return { error: titleConflictError }
          const after = applyEdit(before, { title })
          return {
            outcome: { id },
            changedRecords: editedRecord("room_type", before, after),
            write: () => records.set(id, after)
          }
        }),

      findIdByName: (operatorId, title) => Effect.sync(() => findByTitle(operatorId, title)?.id)
    }
  })
)

const tagsOf = (database: Database, { operator_id, id }: RoomTypeRecord) =>
  listRecords(tagRecords(database), operator_id).filter(({ room_type_ids }) => room_type_ids.includes(id))

const makeToRoomType =
  (database: Database) =>
  (roomType: RoomTypeRecord): RoomType => ({
    id: roomType.id,
    title: roomType.title,
    properties: listRecords(propertyRecords(database), roomType.operator_id)
      .filter(({ id }) => roomType.property_ids.includes(id))
      .map(({ id, title }) => ({ id, title })),
    channels: [],
    tags: tagsOf(database, roomType).map(({ id, name, color }) => ({ id, name, color }))
  })

const titleConflictError = nameConflict("title", "room type")

const makeRoomTypeLimitError = (limit: number) =>
  new ValidationFailed({ message: `room_type_limit: all ${limit} room types of the subscription are in use.` })
