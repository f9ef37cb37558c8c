import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { parseDateRange } from "../../../contract/date-range.ts"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { makeChangeDetector, makeImmutableFieldCheck } from "../../../contract/immutable-fields.ts"
import { toDecimalText } from "../../../contract/money.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond, formatWallClock } from "../../../contract/time.ts"
import { retryOptimistically } from "../../../platform/database/optimistic-retry.ts"
import { TASK_CHANGE_ATTEMPTS } from "../../../platform/limits.ts"
import { stayNotFoundError } from "../../bookings/stays/rules.ts"
import { RowId } from "../../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import {
  type create_task,
  type delete_task,
  type search_tasks,
  type Task,
  TaskOperations,
  update_task
} from "./contract.ts"
import { checkAssignable, resolveTaskProperty, unknownStaffIdError } from "./rules.ts"
import { TaskStore } from "./store.ts"
import type { TaskRow } from "./task-search.ts"

type Store = TaskStore["Service"]

const searchTasks = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof search_tasks.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const filters = { ...payload, expectedDates: yield* Effect.fromResult(parseDateRange(payload)) }
    const page = yield* store.search(caller.operatorId, filters, toPage(payload))
    if (page.total === 0 && (filters.property_id ?? filters.staff_id) !== undefined) {
      const existing = yield* store.checkFilters(caller.operatorId, filters)
      if (!existing.property) return yield* unknownPropertyIdError
      if (!existing.staff) return yield* unknownStaffIdError
    }
    return { tasks: page.rows.map((row) => toTask(row, caller.timeZone)), total: page.total }
  })

const createTask = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof create_task.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const currency = payload.currency ?? caller.currency
    const fee = yield* Effect.fromResult(toDecimalText("fee", payload.fee ?? 0, currency))
    const preconditions = yield* store.findPreconditions(caller.operatorId, payload)
    if (!preconditions.property_known) return yield* unknownPropertyIdError
    if (payload.staff_id !== undefined && preconditions.assignee === null) return yield* unknownStaffIdError
    if (payload.stay_code !== undefined && preconditions.stay_id === null) return yield* stayNotFoundError
    const stay = preconditions.stay_id === null ? null : { property_id: preconditions.stay_property_id }
    const property_id = yield* Effect.fromResult(resolveTaskProperty(payload.property_id ?? null, stay))
    if (payload.staff_id !== undefined) yield* Effect.fromResult(checkAssignable(preconditions.assignee, property_id))
    const { type, level = "standard", staff_id = null, expected_date = null, expected_time = null, note = "" } = payload
    const links = { property_id, staff_id, stay_id: preconditions.stay_id }
    const created = yield* store.create(
      caller.operatorId,
      { type, status: "pending", level, ...links, expected_date, expected_time, currency, fee, note },
      preconditions.assignee,
      yield* currentSecond
    )
    return created
  }, retryWhileTaskChanges)

const updateTask = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_task.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const links = { property_id: toLink(payload.property_id), staff_id: toLink(payload.staff_id) }
    const task = yield* store.findTask(caller.operatorId, payload.id, {
      property_id: links.property_id ?? undefined,
      staff_id: links.staff_id ?? undefined,
      assigns: links.property_id !== undefined || links.staff_id !== undefined
    })
    if (task === undefined) return yield* taskNotFoundError
    yield* Effect.fromResult(checkFixedFields(toTask(task, caller.timeZone), payload))
    if (!hasChanges(payload)) return task
    if (!task.property_known) return yield* unknownPropertyIdError
    if (typeof links.staff_id === "number" && task.assignee === null) return yield* unknownStaffIdError

    const property_id = links.property_id === undefined ? task.property_id : links.property_id
    const staff_id = links.staff_id === undefined ? task.staff_id : links.staff_id
    const changesProperty = property_id !== task.property_id
    const changesStaff = staff_id !== null && (changesProperty || staff_id !== task.staff_id)
    // Unchanged links are not checked again, because the stay may be in another property by now, or the staff member
    // inactive.
    if (changesProperty)
      yield* Effect.fromResult(resolveTaskProperty(property_id, { property_id: task.stay_property_id }))
    const assignee = changesStaff ? yield* Effect.fromResult(checkAssignable(task.assignee, property_id)) : null

    const changesFee = payload.fee !== undefined || payload.currency !== undefined
    const currency = payload.currency ?? task.currency
    const fee = changesFee
      ? yield* Effect.fromResult(toDecimalText("fee", payload.fee ?? task.fee, currency))
      : undefined
    const { type, status, expected_date, expected_time, note } = payload
    const level = payload.level === null ? "standard" : payload.level
    const updated = yield* store.update(
      caller.operatorId,
      payload.id,
      { type, status, level, ...links, expected_date, expected_time, currency: payload.currency, fee, note },
      {
        ...(changesFee ? { currency: task.currency, fee: String(task.fee) } : {}),
        ...(changesStaff || changesProperty ? { property_id: task.property_id, staff_id: task.staff_id } : {})
      },
      assignee,
      yield* currentSecond
    )
    return updated
  }, retryWhileTaskChanges)

const deleteTask = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_task.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const deletedTask = yield* store.remove(caller.operatorId, payload.id)
    return deletedTask ?? (yield* taskNotFoundError)
  })

const taskNotFoundError = new NotFound({ message: "id: no such task." })
const taskBusyError = new Conflict({
  message: "Other requests are changing the task or its staff member at the same time; try again."
})

const retryWhileTaskChanges = retryOptimistically(TASK_CHANGE_ATTEMPTS, taskBusyError)

const hasChanges = makeChangeDetector(update_task.payloadSchema, "id")
const checkFixedFields = makeImmutableFieldCheck(update_task.payloadSchema, {
  changedBy: { property_title: "property_id", staff_name: "staff_id", expected: "expected_date or expected_time" }
})

/** 0 and null both remove a link (specification, PATCH /tasks/{id}). */
const toLink = (id: number | null | undefined): number | null | undefined => (id === 0 ? null : id)

const toTask = (row: TaskRow, timeZone: string): Task => ({
  ...row,
  create_time: formatWallClock(row.create_time, timeZone),
  update_time: formatWallClock(row.update_time, timeZone)
})

export const layerTasks = layerOperations(
  Effect.map(TaskStore, (store) =>
    handleOperations(TaskOperations, {
      search_tasks: searchTasks(store),
      create_task: changeHandler(createTask(store), RowId, ({ id }) => ({ task_id: id })),
      update_task: voidChangeHandler(updateTask(store)),
      delete_task: voidChangeHandler(deleteTask(store))
    })
  )
)
