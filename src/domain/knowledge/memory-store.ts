import { Effect, Layer } from "effect"
import {
  findRecord,
  listRecords,
  MemoryDatabase,
  type MemoryRecord,
  makeMemoryTable,
  toRecordPage
} from "../../changes/memory/MemoryDatabase.ts"
import {
  applyEdit,
  createdOrDeletedRecord,
  deleteMemoryRecord,
  editedRecord,
  recordMemoryChange
} from "../../changes/memory/memory-change.ts"
import { KNOWLEDGE_BASES_MAX } from "../../platform/limits.ts"
import {
  findUnknownIds,
  groupRecords,
  propertyRecords,
  roomTypeRecords
} from "../properties/properties/memory-records.ts"
import type { PropertyScopeType } from "./contract.ts"
import {
  type KnowledgeBaseFilter,
  type KnowledgeBaseInput,
  KnowledgeBaseStore,
  toKnowledgeEntryLimitError,
  WrittenKnowledgeBase
} from "./store.ts"

interface KnowledgeBaseRecord extends MemoryRecord, KnowledgeBaseInput {}

const knowledgeBaseRecords = makeMemoryTable<KnowledgeBaseRecord>()

/** No worker prepares entries, so they stay `waiting`. */
export const layerMemory: Layer.Layer<KnowledgeBaseStore, never, MemoryDatabase> = Layer.effect(
  KnowledgeBaseStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = knowledgeBaseRecords(database)
    const findUnknownScopeIds = makeFindUnknownScopeIds(database)
    const appliesTo = makeAppliesTo(database)
    return {
      search: (operatorId, filter, page) =>
        Effect.sync(() => {
          const entries = listRecords(records, operatorId).filter((entry) => appliesTo(entry, filter))
          return toRecordPage(entries.toReversed().map(toListedEntry), page)
        }),
      findUnknownProperties: (operatorId, ids) =>
        Effect.sync(() => findUnknownIds(propertyRecords(database), operatorId, ids)),
      get: (operatorId, id) =>
        Effect.sync(() => {
          const entry = findRecord(records, operatorId, id)
          return entry === undefined ? undefined : { ...toListedEntry(entry), contents: entry.contents }
        }),
      create: (operatorId, input) =>
        recordMemoryChange(database, operatorId, WrittenKnowledgeBase, () => {
          const unknown = findUnknownScopeIds(operatorId, input)
          if (unknown.length > 0) return { unchanged: { id: null, unknown } }
          if (listRecords(records, operatorId).length >= KNOWLEDGE_BASES_MAX)
            return { error: toKnowledgeEntryLimitError(KNOWLEDGE_BASES_MAX) }
          const id = database.takeId()
          return {
            outcome: { id, unknown },
            changedRecords: createdOrDeletedRecord("knowledge_base", id),
            write: () => records.set(id, { operator_id: operatorId, id, ...input })
          }
        }),
      update: (operatorId, id, input) =>
        recordMemoryChange(database, operatorId, WrittenKnowledgeBase, () => {
          const before = findRecord(records, operatorId, id)
          if (before === undefined) return { unchanged: undefined }
          // An entry may keep ids of deleted records.
          const { type, ids: formerIds } = before.scope_property
          const unknown = findUnknownScopeIds(operatorId, input).filter(
            (unknownId) => type !== input.scope_property.type || !formerIds.includes(unknownId)
          )
          if (unknown.length > 0) return { unchanged: { id: null, unknown } }
          const after = applyEdit(before, input)
          return {
            outcome: { id, unknown },
            changedRecords: editedRecord("knowledge_base", before, after),
            write: () => records.set(id, after)
          }
        }),
      remove: (operatorId, id) => deleteMemoryRecord(database, records, "knowledge_base", { operatorId, id })
    }
  })
)

const toListedEntry = ({ operator_id: _operator, contents: _contents, ...entry }: KnowledgeBaseRecord) => ({
  ...entry,
  process_status: "waiting" as const
})

const makeFindUnknownScopeIds =
  (database: MemoryDatabase["Service"]) =>
  (operatorId: number, { scope_property: { type, ids } }: KnowledgeBaseInput): ReadonlyArray<number> => {
    switch (type) {
      case "all":
        return []
      case "by_property":
        return findUnknownIds(propertyRecords(database), operatorId, ids)
      case "by_group":
        return findUnknownIds(groupRecords(database), operatorId, ids)
      case "by_room_type":
        return findUnknownIds(roomTypeRecords(database), operatorId, ids)
    }
  }

const makeAppliesTo = (database: MemoryDatabase["Service"]) => {
  const holdsProperty = (type: PropertyScopeType, id: number, propertyIds: ReadonlyArray<number>): boolean => {
    if (type === "by_property") return propertyIds.includes(id)
    const holder = type === "by_group" ? groupRecords(database).get(id) : roomTypeRecords(database).get(id)
    return holder?.property_ids.some((propertyId) => propertyIds.includes(propertyId)) ?? false
  }
  return (entry: KnowledgeBaseRecord, { property_ids, channel_types }: KnowledgeBaseFilter): boolean => {
    const { scope_property: place, scope_channel: channel } = entry
    const isForChannel =
      channel_types === undefined ||
      channel.type === "all" ||
      channel_types.some((each) => channel.channels.includes(each))
    if (!isForChannel || property_ids === undefined) return isForChannel
    if (findUnknownIds(propertyRecords(database), entry.operator_id, property_ids).length > 0) return false
    return place.type === "all" || place.ids.some((id) => holdsProperty(place.type, id, property_ids))
  }
}
