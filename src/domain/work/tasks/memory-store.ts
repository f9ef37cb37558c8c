import { Effect, Layer } from "effect"
import {
  findRecord,
  listRecords,
  MemoryDatabase,
  type MemoryRecord,
  makeMemoryTable,
  toRecordPage
} from "../../../changes/memory/MemoryDatabase.ts"
import {
  applyEdit,
  createdOrDeletedRecord,
  deleteMemoryRecord,
  editedRecord,
  recordMemoryChange
} from "../../../changes/memory/memory-change.ts"
import { RowId } from "../../column-schemas.ts"
import { propertyRecords } from "../../properties/properties/memory-records.ts"
import type { Assignee } from "../staffs/assignment.ts"
import { staffRecords } from "../staffs/memory-records.ts"
import { type ExpectedTaskColumns, type NewTask, TaskStore } from "./store.ts"
import type { TaskFilters, TaskRow } from "./task-search.ts"

interface TaskRecord extends MemoryRecord, Omit<NewTask, "fee" | "stay_id"> {
  readonly fee: number
  readonly created_at: Date
  readonly updated_at: Date
}

const taskRecords = makeMemoryTable<TaskRecord>()

/** Stays have no memory layer, so every `stay_code` is unknown. */
export const layerMemory: Layer.Layer<TaskStore, never, MemoryDatabase> = Layer.effect(
  TaskStore,
  Effect.map(MemoryDatabase, (database) => {
    const { records, staff, isKnownProperty, findAssignee, toTaskRow } = makeLookups(database)
    return {
      search: (operatorId, filters, page) =>
        Effect.sync(() => {
          const rows = listRecords(records, operatorId).map(toTaskRow)
          return toRecordPage(rows.filter((row) => matchesFilters(row, filters)).toSorted(compareTasks), page)
        }),

      checkFilters: (operatorId, { property_id, staff_id }) =>
        Effect.sync(() => ({
          property: isKnownProperty(operatorId, property_id),
          staff: staff_id === undefined || findRecord(staff, operatorId, staff_id) !== undefined
        })),

      findPreconditions: (operatorId, { property_id, staff_id }) =>
        Effect.sync(() => ({
          property_known: isKnownProperty(operatorId, property_id),
          stay_id: null,
          stay_property_id: null,
          assignee: findAssignee(operatorId, staff_id)
        })),

      create: makeCreate(database),

      findTask: (operatorId, id, { property_id, staff_id, assigns }) =>
        Effect.sync(() => {
          const task = findRecord(records, operatorId, id)
          if (task === undefined) return undefined
          return {
            ...toTaskRow(task),
            property_known: isKnownProperty(operatorId, property_id),
            stay_property_id: null,
            assignee: assigns ? findAssignee(operatorId, staff_id ?? task.staff_id) : null
          }
        }),

      update: makeUpdate(database),

      remove: (operatorId, id) => deleteMemoryRecord(database, records, "task", { operatorId, id })
    }
  })
)

const makeLookups = (database: MemoryDatabase["Service"]) => {
  const records = taskRecords(database)
  const staff = staffRecords(database)
  const findProperty = (operatorId: number, id: number | null | undefined) =>
    findRecord(propertyRecords(database), operatorId, id)
  const isKnownProperty = (operatorId: number, id: number | undefined) =>
    id === undefined || findProperty(operatorId, id) !== undefined
  const findAssignee = (operatorId: number, id: number | null | undefined): Assignee | null => {
    const person = findRecord(staff, operatorId, id)
    if (person === undefined) return null
    return { id: person.id, is_active: person.is_active, property_ids: person.property_ids, properties_version: 0 }
  }
  const isUnchangedAssignee = (operatorId: number, assignee: Assignee | null) =>
    assignee === null || JSON.stringify(findAssignee(operatorId, assignee.id)) === JSON.stringify(assignee)
  const toTaskRow = (task: TaskRecord): TaskRow => {
    const { operator_id, id, level, created_at, updated_at, ...fields } = task
    const property = findProperty(operator_id, task.property_id)
    const person = findRecord(staff, operator_id, task.staff_id)
    return {
      ...fields,
      id,
      task_id: id,
      level: task.type === "cleaning" ? level : null,
      property_title: property?.title ?? null,
      stay_code: null,
      staff_id: person?.id ?? null,
      staff_name: person?.name ?? null,
      expected: task.expected_date === null ? null : `${task.expected_date} ${task.expected_time ?? "00:00:00"}`,
      arrival_same_day: false,
      create_time: created_at,
      update_time: updated_at
    }
  }
  return { records, staff, isKnownProperty, findAssignee, isUnchangedAssignee, toTaskRow }
}

const makeCreate = (database: MemoryDatabase["Service"]): TaskStore["Service"]["create"] => {
  const { records, isUnchangedAssignee } = makeLookups(database)
  return (operatorId, { stay_id: _stay, ...task }, assignee, now) =>
    recordMemoryChange(database, operatorId, RowId, () => {
      if (!isUnchangedAssignee(operatorId, assignee)) return { unchanged: undefined }
      const id = database.takeId()
      const record: TaskRecord = {
        ...task,
        operator_id: operatorId,
        id,
        fee: Number(task.fee),
        created_at: now,
        updated_at: now
      }
      return {
        outcome: { id },
        changedRecords: createdOrDeletedRecord("task", id),
        write: () => records.set(id, record)
      }
    })
}

const makeUpdate = (database: MemoryDatabase["Service"]): TaskStore["Service"]["update"] => {
  const { records, isUnchangedAssignee } = makeLookups(database)
  return (operatorId, id, { fee, ...edit }, expected, assignee, now) =>
    recordMemoryChange(database, operatorId, RowId, () => {
      const before = findRecord(records, operatorId, id)
      if (before === undefined || !isAsExpected(before, expected) || !isUnchangedAssignee(operatorId, assignee)) {
        return { unchanged: undefined }
      }
      const after = {
        ...applyEdit(before, {
          ...edit,
          fee: fee === undefined ? undefined : Number(fee)
        }),
        updated_at: now
      }
      return {
        outcome: { id },
        changedRecords: editedRecord("task", before, after),
        write: () => records.set(id, after)
      }
    })
}

const matchesFilters = (task: TaskRow, filters: TaskFilters): boolean => {
  const { id, expectedDates, staff_id, property_id, type, status } = filters
  if (expectedDates !== undefined) {
    const date = task.expected_date
    if (date === null || date < expectedDates.start || date > expectedDates.end) return false
  }
  return (
    (id === undefined || task.id === id) &&
    (staff_id === undefined || task.staff_id === staff_id) &&
    (property_id === undefined || task.property_id === property_id) &&
    (type === undefined || task.type === type) &&
    (status === undefined || task.status === status)
  )
}

/** Same order as `searchTasks`. */
const compareTasks = (one: TaskRow, other: TaskRow): number => {
  if (one.expected_date !== other.expected_date) {
    if (one.expected_date === null) return -1
    if (other.expected_date === null) return 1
    return one.expected_date < other.expected_date ? 1 : -1
  }
  if (one.expected_time === other.expected_time) return other.id - one.id
  return (one.expected_time ?? "") < (other.expected_time ?? "") ? 1 : -1
}

const isAsExpected = (task: TaskRecord, expected: ExpectedTaskColumns): boolean =>
  (expected.currency === undefined || expected.currency === task.currency) &&
  (expected.fee === undefined || Number(expected.fee) === task.fee) &&
  (expected.property_id === undefined || expected.property_id === task.property_id) &&
  (expected.staff_id === undefined || expected.staff_id === task.staff_id)
