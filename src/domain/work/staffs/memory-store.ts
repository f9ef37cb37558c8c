import { Effect, Layer } from "effect"
import { findRecord, listRecords, MemoryDatabase, toRecordPage } from "../../../changes/memory/MemoryDatabase.ts"
import {
  applyEdit,
  createdOrDeletedRecord,
  deleteMemoryRecord,
  editedRecord,
  recordMemoryChange
} from "../../../changes/memory/memory-change.ts"
import { findUnknownReferences, hasUnknownReferences } from "../../properties/properties/memory-records.ts"
import { CheckedChangeRow } from "../../properties/properties/ownership.ts"
import type { Staff } from "./contract.ts"
import { type StaffRecord, staffRecords } from "./memory-records.ts"
import { StaffStore } from "./store.ts"

export const layerMemory: Layer.Layer<StaffStore, never, MemoryDatabase> = Layer.effect(
  StaffStore,
  Effect.map(MemoryDatabase, (database) => {
    const records = staffRecords(database)
    return {
      search: (operatorId, { id, is_active }, page) =>
        Effect.sync(() => {
          const people = listRecords(records, operatorId).filter(
            (person) =>
              (id === undefined || person.id === id) && (is_active === undefined || person.is_active === is_active)
          )
          return toRecordPage(people.map(toStaff), page)
        }),

      create: (operatorId, staff) =>
        recordMemoryChange(database, operatorId, CheckedChangeRow, () => {
          const unknown = findUnknownReferences(database, operatorId, { property_ids: staff.property_ids })
          if (hasUnknownReferences(unknown)) return { unchanged: { id: null, ...unknown } }
          const id = database.takeId()
          return {
            outcome: { id, ...unknown },
            changedRecords: createdOrDeletedRecord("staff", id),
            write: () => records.set(id, { operator_id: operatorId, id, ...staff, is_active: true })
          }
        }),

      update: (operatorId, id, edit) =>
        recordMemoryChange(database, operatorId, CheckedChangeRow, () => {
          const unknown = findUnknownReferences(database, operatorId, { property_ids: edit.property_ids })
          const before = findRecord(records, operatorId, id)
          if (before === undefined || hasUnknownReferences(unknown)) return { unchanged: { id: null, ...unknown } }
          const after = applyEdit(before, edit)
          return {
            outcome: { id, ...unknown },
            changedRecords: editedRecord("staff", before, after),
            write: () => records.set(id, after)
          }
        }),

      remove: (operatorId, id) => deleteMemoryRecord(database, records, "staff", { operatorId, id })
    }
  })
)

const toStaff = ({ operator_id: _operator, ...staff }: StaffRecord): Staff => staff
