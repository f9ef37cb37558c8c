import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound, ValidationFailed } from "../../contract/errors.ts"
import { pageOf } from "../../contract/page.ts"
import { wallClockText, wholeSecond } from "../../contract/time.ts"
import { handled, layerHandled } from "../handled.ts"
import { type Task, Tasks, type update_task } from "./contract.ts"
import { feeText, propertyOf, rangeOf } from "./rules.ts"
import { type TaskRow, TaskStore } from "./store.ts"

export const layerTasks = layerHandled(
  Effect.gen(function* () {
    const store = yield* TaskStore

    /** What the rules make of an edit, or undefined when the task's price changed while they looked at it. */
    const edited = Effect.fnUntraced(function* (payload: typeof update_task.payloadSchema.Type) {
      const caller = yield* CurrentOperator
      const propertyId = linkOf(payload.property_id)
      const staffId = linkOf(payload.staff_id)
      const task = yield* store.existing(caller.operatorId, payload.id, {
        propertyId: propertyId ?? undefined,
        staffId: staffId ?? undefined
      })
      if (task === undefined) return yield* noSuchTask
      if (payload.stay_code !== undefined && payload.stay_code !== task.stayCode) return yield* fixedStay
      if (!task.propertyKnown) return yield* noSuchProperty
      if (!task.staffKnown) return yield* noSuchStaff
      // A property the task has already is no contradiction to a stay that was moved since.
      if (propertyId !== undefined && propertyId !== null && propertyId !== task.propertyId) {
        yield* Effect.fromResult(propertyOf(propertyId, { propertyId: task.stayPropertyId }))
      }
      const currency = payload.currency ?? task.currency
      const priced = payload.fee !== undefined || payload.currency !== undefined
      const fee = priced ? yield* Effect.fromResult(feeText(payload.fee ?? Number(task.fee), currency)) : undefined
      const now = wholeSecond(yield* Clock.currentTimeMillis)
      return yield* store.update(
        caller.operatorId,
        payload.id,
        {
          type: payload.type,
          status: payload.status,
          level: payload.level === null ? "standard" : payload.level,
          propertyId,
          staffId,
          expectedDate: payload.expected_date,
          expectedTime: payload.expected_time,
          note: payload.note,
          price: fee === undefined ? undefined : { currency, fee, seen: { currency: task.currency, fee: task.fee } }
        },
        now
      )
    })

    return handled(Tasks, {
      search_tasks: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const wanted = {
          id: payload.id,
          expected: yield* Effect.fromResult(rangeOf(payload)),
          staffId: payload.staff_id,
          propertyId: payload.property_id,
          type: payload.type,
          status: payload.status
        }
        const found = yield* store.search(caller.operatorId, wanted, pageOf(payload))
        if (found.total === 0 && (wanted.propertyId ?? wanted.staffId) !== undefined) {
          const known = yield* store.known(caller.operatorId, wanted)
          if (!known.property) return yield* noSuchProperty
          if (!known.staff) return yield* noSuchStaff
        }
        return { tasks: found.rows.map((row) => toTask(row, caller.timeZone)), total: found.total }
      }),

      create_task: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const currency = payload.currency ?? caller.currency
        const fee = yield* Effect.fromResult(feeText(payload.fee ?? 0, currency))
        const ground = yield* store.ground(caller.operatorId, {
          propertyId: payload.property_id,
          staffId: payload.staff_id,
          stayCode: payload.stay_code
        })
        if (!ground.propertyKnown) return yield* noSuchProperty
        if (!ground.staffKnown) return yield* noSuchStaff
        if (payload.stay_code !== undefined && ground.stayId === null) return yield* noSuchStay
        const stay = ground.stayId === null ? null : { propertyId: ground.stayPropertyId }
        const propertyId = yield* Effect.fromResult(propertyOf(payload.property_id ?? null, stay))
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const { id } = yield* store.create(
          caller.operatorId,
          {
            type: payload.type,
            status: "pending",
            level: payload.level ?? "standard",
            propertyId,
            staffId: payload.staff_id ?? null,
            stayId: ground.stayId,
            expectedDate: payload.expected_date ?? null,
            expectedTime: payload.expected_time ?? null,
            currency,
            fee,
            note: payload.note ?? ""
          },
          now
        )
        return { task_id: id }
      }),

      update_task: (payload) =>
        edited(payload).pipe(Effect.repeat({ while: (updated) => updated === undefined }), Effect.as({})),

      delete_task: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const removed = yield* store.remove(caller.operatorId, payload.id)
        return removed === undefined ? yield* noSuchTask : {}
      })
    })
  })
).pipe(Layer.provide(TaskStore.layer))

const noSuchTask = new NotFound({ message: "id: no such task." })
const noSuchProperty = new NotFound({ message: "property_id: no such property." })
const noSuchStaff = new NotFound({ message: "staff_id: no such staff member." })
const noSuchStay = new NotFound({ message: "stay_code: no such stay." })
const fixedStay = new ValidationFailed({
  message: "stay_code: cannot be changed; delete the task and create a new one."
})

/** 0 and null both take a link away (specification, PATCH /tasks/{id}: 0). */
const linkOf = (id: number | null | undefined): number | null | undefined => (id === 0 ? null : id)

const toTask = (row: TaskRow, timeZone: string): Task => ({
  task_id: row.id,
  id: row.id,
  type: row.type,
  status: row.status,
  level: row.type === "cleaning" ? row.level : null,
  property_id: row.propertyId,
  property_title: row.propertyTitle,
  stay_code: row.stayCode,
  staff_id: row.staffId,
  staff_name: row.staffName,
  expected_date: row.expectedDate,
  expected_time: row.expectedTime,
  expected: row.expectedDate === null ? null : `${row.expectedDate} ${row.expectedTime ?? "00:00:00"}`,
  currency: row.currency,
  fee: row.fee,
  note: row.note,
  create_time: wallClockText(row.createdAt, timeZone),
  update_time: wallClockText(row.updatedAt, timeZone)
})
