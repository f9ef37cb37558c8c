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
  deleteMemoryRecord,
  editedRecord,
  recordMemoryChange
} from "../../../changes/memory/memory-change.ts"
import { nameConflict } from "../../../contract/names.ts"
import {
  findUnknownReferences,
  type GroupRecord,
  groupRecords,
  hasUnknownReferences
} from "../properties/memory-records.ts"
import { CheckedChangeRow } from "../properties/ownership.ts"
import { GroupStore } from "./store.ts"

export const layerMemory: Layer.Layer<GroupStore, never, MemoryDatabase> = Layer.effect(
  GroupStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = groupRecords(database)
    return {
      search: (operatorId, { id }, page) =>
        Effect.sync(() => {
          const groups = listRecords(records, operatorId).filter((group) => id === undefined || group.id === id)
          return toRecordPage(groups.map(toGroup), page)
        }),

      create: (operatorId, { name, property_ids }) =>
        recordMemoryChange(database, operatorId, CheckedChangeRow, () => {
          const unknown = findUnknownReferences(database, operatorId, { property_ids })
          if (hasUnknownReferences(unknown)) return { unchanged: { id: null, ...unknown } }
          if (findNamed(listRecords(records, operatorId), nameOf, name) !== undefined)
            return { error: nameConflictError }
          const id = database.takeId()
          return {
            outcome: { id, ...unknown },
            changedRecords: createdOrDeletedRecord("group", id),
            write: () => records.set(id, { operator_id: operatorId, id, name, property_ids })
          }
        }),

      update: (operatorId, id, edit) =>
        recordMemoryChange(database, operatorId, CheckedChangeRow, () => {
          const unknown = findUnknownReferences(database, operatorId, edit)
          const before = findRecord(records, operatorId, id)
          if (before === undefined || hasUnknownReferences(unknown)) return { unchanged: { id: null, ...unknown } }
          const others = listRecords(records, operatorId).filter((group) => group.id !== id)
          const isTaken = edit.name !== undefined && findNamed(others, nameOf, edit.name) !== undefined
          if (isTaken) return { error: nameConflictError }
          const after = applyEdit(before, edit)
          return {
            outcome: { id, ...unknown },
            changedRecords: editedRecord("group", before, after),
            write: () => records.set(id, after)
          }
        }),

      remove: (operatorId, id) => deleteMemoryRecord(database, records, "group", { operatorId, id }),

      findIdByName: (operatorId, name) =>
        Effect.sync(() => findNamed(listRecords(records, operatorId), nameOf, name)?.id)
    }
  })
)

const nameOf = ({ name }: GroupRecord): string => name

const toGroup = ({ operator_id: _operator, ...group }: GroupRecord) => group

const nameConflictError = nameConflict("name", "group")
