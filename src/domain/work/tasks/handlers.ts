import { Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { rangeOf } from "../../../contract/date-range.ts"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import { changesSomethingOf, fixedFieldsOf } from "../../../contract/fixed-fields.ts"
import { decimalOf } from "../../../contract/money.ts"
import { pageOf } from "../../../contract/page.ts"
import { currentSecond, wallClockText } from "../../../contract/time.ts"
import { asRead } from "../../../platform/database/optimistic.ts"
import { TASK_CHANGE_ATTEMPTS } from "../../../platform/limits.ts"
import { noSuchStay } from "../../bookings/stays/rules.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { noSuchProperty } from "../../properties/properties/belonging.ts"
import { Identity } from "../../row-fields.ts"
import { type create_task, type delete_task, type search_tasks, type Task, Tasks, update_task } from "./contract.ts"
import { assignableTo, noSuchStaff, propertyOf } from "./rules.ts"
import type { TaskRow } from "./search.ts"
import { TaskStore } from "./store.ts"

type Store = TaskStore["Service"]

const searchTasks = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof search_tasks.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const wanted = { ...payload, expected: yield* Effect.fromResult(rangeOf(payload)) }
    const found = yield* store.search(caller.operatorId, wanted, pageOf(payload))
    if (found.total === 0 && (wanted.property_id ?? wanted.staff_id) !== undefined) {
      const known = yield* store.known(caller.operatorId, wanted)
      if (!known.property) return yield* noSuchProperty
      if (!known.staff) return yield* noSuchStaff
    }
    return { tasks: found.rows.map((row) => toTask(row, caller.timeZone)), total: found.total }
  })

const createTask = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof create_task.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const currency = payload.currency ?? caller.currency
    const fee = yield* Effect.fromResult(decimalOf("fee", payload.fee ?? 0, currency))
    const before = yield* store.preconditions(caller.operatorId, payload)
    if (!before.property_known) return yield* noSuchProperty
    if (payload.staff_id !== undefined && before.assignee === null) return yield* noSuchStaff
    if (payload.stay_code !== undefined && before.stay_id === null) return yield* noSuchStay
    const stay = before.stay_id === null ? null : { property_id: before.stay_property_id }
    const property_id = yield* Effect.fromResult(propertyOf(payload.property_id ?? null, stay))
    if (payload.staff_id !== undefined) yield* Effect.fromResult(assignableTo(before.assignee, property_id))
    const { type, level = "standard", staff_id = null, expected_date = null, expected_time = null, note = "" } = payload
    const link = { property_id, staff_id, stay_id: before.stay_id }
    const created = yield* store.create(
      caller.operatorId,
      { type, status: "pending", level, ...link, expected_date, expected_time, currency, fee, note },
      before.assignee,
      yield* currentSecond
    )
    return created
  }, unlessItChanges)

const updateTask = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof update_task.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const sent = { property_id: linkOf(payload.property_id), staff_id: linkOf(payload.staff_id) }
    const task = yield* store.existing(caller.operatorId, payload.id, {
      property_id: sent.property_id ?? undefined,
      staff_id: sent.staff_id ?? undefined,
      assigns: sent.property_id !== undefined || sent.staff_id !== undefined
    })
    if (task === undefined) return yield* noSuchTask
    yield* Effect.fromResult(fixedFields(toTask(task, caller.timeZone), payload))
    if (!changesSomething(payload)) return task
    if (!task.property_known) return yield* noSuchProperty
    if (typeof sent.staff_id === "number" && task.assignee === null) return yield* noSuchStaff

    const property_id = sent.property_id === undefined ? task.property_id : sent.property_id
    const staff_id = sent.staff_id === undefined ? task.staff_id : sent.staff_id
    const moves = property_id !== task.property_id
    const assigns = staff_id !== null && (moves || staff_id !== task.staff_id)
    // What the task has already is not judged again: its stay may have moved since, its person been switched off.
    if (moves) yield* Effect.fromResult(propertyOf(property_id, { property_id: task.stay_property_id }))
    const assignee = assigns ? yield* Effect.fromResult(assignableTo(task.assignee, property_id)) : null

    const prices = payload.fee !== undefined || payload.currency !== undefined
    const currency = payload.currency ?? task.currency
    const fee = prices ? yield* Effect.fromResult(decimalOf("fee", payload.fee ?? task.fee, currency)) : undefined
    const { type, status, expected_date, expected_time, note } = payload
    const level = payload.level === null ? "standard" : payload.level
    const updated = yield* store.update(
      caller.operatorId,
      payload.id,
      { type, status, level, ...sent, expected_date, expected_time, currency: payload.currency, fee, note },
      {
        ...(prices ? { currency: task.currency, fee: String(task.fee) } : {}),
        ...(assigns || moves ? { property_id: task.property_id, staff_id: task.staff_id } : {})
      },
      assignee,
      yield* currentSecond
    )
    return updated
  }, unlessItChanges)

const deleteTask = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_task.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const removed = yield* store.remove(caller.operatorId, payload.id)
    return removed ?? (yield* noSuchTask)
  })

const noSuchTask = new NotFound({ message: "id: no such task." })
const busy = new Conflict({
  message: "Other requests are changing the task or its staff member at the same time; try again."
})

/** Judges a task again for as long as what it is judged by changes between reading and writing. */
const unlessItChanges = asRead(TASK_CHANGE_ATTEMPTS, busy)

const changesSomething = changesSomethingOf(update_task.payloadSchema, "id")
const fixedFields = fixedFieldsOf(update_task.payloadSchema, {
  changedBy: { property_title: "property_id", staff_name: "staff_id", expected: "expected_date or expected_time" }
})

/** 0 and null both take a link away (specification, PATCH /tasks/{id}: 0). */
const linkOf = (id: number | null | undefined): number | null | undefined => (id === 0 ? null : id)

const toTask = (row: TaskRow, timeZone: string): Task => ({
  ...row,
  create_time: wallClockText(row.create_time, timeZone),
  update_time: wallClockText(row.update_time, timeZone)
})

export const layerTasks = layerHandled(
  Effect.map(TaskStore, (store) =>
    handled(Tasks, {
      search_tasks: searchTasks(store),
      create_task: change(createTask(store), Identity, ({ id }) => ({ task_id: id })),
      update_task: done(updateTask(store)),
      delete_task: done(deleteTask(store))
    })
  )
).pipe(Layer.provide(TaskStore.layer))
