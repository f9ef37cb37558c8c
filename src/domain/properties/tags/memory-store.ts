import { Effect, Layer } from "effect"
import {
  findNamed,
  findRecord,
  listRecords,
  MemoryDatabase,
  toRecordPage
} from "../../../changes/memory/MemoryDatabase.ts"
import {
  applyEdit,
  createdOrDeletedRecord,
  editedRecord,
  recordMemoryChange
} from "../../../changes/memory/memory-change.ts"
import { PROPERTY_TAG_LIMIT } from "../../../platform/limits.ts"
import { RowId } from "../../column-schemas.ts"
import {
  findUnknownReferences,
  hasUnknownReferences,
  type TagRecord,
  tagRecords
} from "../properties/memory-records.ts"
import { ChangedTagRow, TagStore, tagNameConflictError, toPropertyTagLimitError } from "./store.ts"

export const layerMemory: Layer.Layer<TagStore, never, MemoryDatabase> = Layer.effect(
  TagStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = tagRecords(database)
    const listTags = makeListTags(database)
    const findTag = (operatorId: number, id: number) => {
      const tag = findRecord(records, operatorId, id)
      return tag?.deleted_at === undefined ? tag : undefined
    }
    return {
      search: (operatorId, { id }, page) =>
        Effect.sync(() => {
          const tags = listTags(operatorId).filter((tag) => id === undefined || tag.id === id)
          return toRecordPage(tags.map(toTag), page)
        }),

      create: makeCreate(database),

      update: (operatorId, id, edit) =>
        recordMemoryChange(database, operatorId, ChangedTagRow, () => {
          const unknown = findUnknownReferences(database, operatorId, edit)
          const before = findTag(operatorId, id)
          if (before === undefined || hasUnknownReferences(unknown)) {
            return { unchanged: { id: null, color: null, ...unknown } }
          }
          const others = listRecords(records, operatorId).filter((tag) => tag.id !== id)
          const holder = edit.name === undefined ? undefined : findNamed(others, nameOf, edit.name)
          if (holder !== undefined && holder.deleted_at === undefined) return { error: tagNameConflictError }
          const after = applyEdit(before, edit)
          return {
            outcome: { id, color: after.color, ...unknown },
            changedRecords: editedRecord("tag", before, after),
            write: () => {
              // The renamed tag takes the name of a deleted tag, which can then no longer be restored.
              if (holder !== undefined) records.delete(holder.id)
              records.set(id, after)
            }
          }
        }),

      remove: (operatorId, id, now) =>
        recordMemoryChange(database, operatorId, RowId, () => {
          const tag = findTag(operatorId, id)
          if (tag === undefined) return { unchanged: undefined }
          return {
            outcome: { id },
            changedRecords: createdOrDeletedRecord("tag", id),
            write: () => records.set(id, { ...tag, property_ids: [], room_type_ids: [], deleted_at: now })
          }
        }),

      findIdByName: (operatorId, name) => Effect.sync(() => findNamed(listTags(operatorId), nameOf, name)?.id)
    }
  })
)

type Database = MemoryDatabase["Service"]

const makeListTags = (database: Database) => (operatorId: number) =>
  listRecords(tagRecords(database), operatorId).filter(({ deleted_at }) => deleted_at === undefined)

const makeCreate = (database: Database): TagStore["Service"]["create"] => {
  const records = tagRecords(database)
  const listTags = makeListTags(database)
  return (operatorId, { name, color, defaultColor, property_ids, room_type_ids }) =>
    recordMemoryChange(database, operatorId, ChangedTagRow, () => {
      const unknown = findUnknownReferences(database, operatorId, { property_ids, room_type_ids })
      const existing = findNamed(listRecords(records, operatorId), nameOf, name)
      if (hasUnknownReferences(unknown) || (existing !== undefined && existing.deleted_at === undefined)) {
        return { unchanged: { id: null, color: null, ...unknown } }
      }
      if (listTags(operatorId).length >= PROPERTY_TAG_LIMIT)
        return { error: toPropertyTagLimitError(PROPERTY_TAG_LIMIT) }
      const id = existing?.id ?? database.takeId()
      const tag: TagRecord = {
        operator_id: operatorId,
        id,
        name,
        color: color ?? existing?.color ?? defaultColor,
        property_ids,
        room_type_ids,
        deleted_at: undefined
      }
      return {
        outcome: { id, color: tag.color, ...unknown },
        changedRecords: createdOrDeletedRecord("tag", id),
        write: () => records.set(id, tag)
      }
    })
}

const nameOf = ({ name }: TagRecord): string => name

const toTag = ({ operator_id: _operator, deleted_at: _deleted, ...tag }: TagRecord) => tag
