import { Schema } from "effect"
import { Conflict, NotFound } from "../../../contract/errors.ts"
import {
  CalendarDate,
  Currency,
  Id,
  Integer,
  LastChange,
  MAJOR_UNITS_DESCRIPTION,
  RecordCode,
  TimeOfDay,
  textUpTo
} from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { AMOUNT_MAX, TASK_NOTE_LENGTH } from "../../../platform/limits.ts"

// What there is to do in the properties (specification, "Tasks and staff" and "Task status"; contract facts 9).

export const TaskType = Schema.Literals(["cleaning", "maintenance", "reception", "room_service", "other"])
export const TaskStatus = Schema.Literals(["pending", "in_progress", "completed", "cancelled"])
export const TaskLevel = Schema.Literals(["standard", "simple", "advanced"])

const Note = textUpTo(TASK_NOTE_LENGTH)
const Fee = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `an amount from 0 to ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })
/** A link that 0 or null takes away. */
const LinkOrNone = Schema.NullOr(Integer.check(Schema.isGreaterThanOrEqualTo(0, { expected: "an id, or 0 to unlink" })))

export const Task = Schema.Struct({
  task_id: Id,
  id: Id.annotateKey({ description: "Always equal to task_id." }),
  type: TaskType,
  status: TaskStatus,
  level: Schema.NullOr(TaskLevel).annotateKey({
    description: "How thorough a cleaning is to be; null for tasks of other types."
  }),
  property_id: Schema.NullOr(Id),
  property_title: Schema.NullOr(Schema.String),
  stay_code: Schema.NullOr(Schema.String),
  staff_id: Schema.NullOr(Id),
  staff_name: Schema.NullOr(Schema.String),
  expected_date: Schema.NullOr(Schema.String),
  expected_time: Schema.NullOr(Schema.String).annotateKey({ description: "`HH:mm:ss` on the merchant's clock." }),
  expected: Schema.NullOr(Schema.String).annotateKey({
    description:
      "Date and time together, `YYYY-MM-DD HH:mm:ss`; midnight when no time was given, null when no date was."
  }),
  currency: Schema.String.annotateKey({ description: "Currency of `fee`." }),
  fee: Schema.Finite.annotateKey({ description: "What the task costs, major units." }),
  note: Schema.String,
  create_time: Schema.String.annotateKey({ description: "`YYYY-MM-DD HH:mm:ss` on the merchant's clock." }),
  update_time: Schema.String
})
export type Task = typeof Task.Type

const operation = defineFamily({ category: "task", since: "3.4.0", openWorld: false })

export const search_tasks = operation("search_tasks", {
  route: "GET /tasks",
  summary: "List tasks",
  payload: {
    id: Schema.optionalKey(Id),
    start_date: Schema.optionalKey(CalendarDate),
    end_date: Schema.optionalKey(CalendarDate),
    staff_id: Schema.optionalKey(Id),
    property_id: Schema.optionalKey(Id),
    type: Schema.optionalKey(TaskType),
    status: Schema.optionalKey(TaskStatus),
    ...pageFields
  },
  success: Schema.Struct({ tasks: Schema.Array(Task), total: Schema.Int }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Lists tasks, latest expected date first, those without a date before all others. start_date and end_date go together, are inclusive, and mean expected_date. Find staff_id with query_staffs and property_id with search_properties.",
    ["What has to be cleaned tomorrow?", "Which repairs are still open?", "What is on Marta's list this week?"],
    false
  )
})

export const create_task = operation("create_task", {
  route: "POST /tasks",
  summary: "Create a task",
  payload: {
    type: TaskType,
    property_id: Schema.optionalKey(Id),
    staff_id: Schema.optionalKey(Id),
    stay_code: Schema.optionalKey(RecordCode),
    expected_date: Schema.optionalKey(CalendarDate),
    expected_time: Schema.optionalKey(TimeOfDay),
    level: Schema.optionalKey(TaskLevel),
    currency: Schema.optionalKey(Currency),
    fee: Schema.optionalKey(Fee),
    note: Schema.optionalKey(Note)
  },
  success: Schema.Struct({ task_id: Id }),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Creates a pending task. With stay_code (from search_reservations) and no property_id the task is for the property of that stay; with both they must be the same property. staff_id comes from query_staffs. level is for cleanings only. fee is in currency, by default the host's own. The guest is not told.",
    ["Have Harbour 1 cleaned on Friday at 11", "The tap in the garden flat drips: note a repair for Li"],
    true
  )
})

export const update_task = operation("update_task", {
  route: "PATCH /tasks/{id}",
  summary: "Change a task",
  payload: editPayloadFields(Task, {
    id: Id,
    type: Schema.optionalKey(TaskType),
    status: Schema.optionalKey(TaskStatus),
    property_id: Schema.optionalKey(LinkOrNone),
    staff_id: Schema.optionalKey(LinkOrNone),
    expected_date: Schema.optionalKey(Schema.NullOr(CalendarDate)),
    expected_time: Schema.optionalKey(Schema.NullOr(TimeOfDay)),
    level: Schema.optionalKey(Schema.NullOr(TaskLevel)),
    currency: Schema.optionalKey(Currency),
    fee: Schema.optionalKey(Fee),
    note: Schema.optionalKey(Note),
    update_time: LastChange
  }),
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Changes a task; find its id with search_tasks. What you do not send stays. property_id 0 or staff_id 0 takes the link away. The stay of a task cannot change: delete the task and create a new one.",
    ["The cleaning of Harbour 1 is done", "Give tomorrow's cleaning to Li", "Move the repair to Monday"],
    true
  )
})

export const delete_task = operation("delete_task", {
  route: "DELETE /tasks/{id}",
  summary: "Delete a task",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a task for good; find its id with search_tasks. To keep a record of it, set its status to cancelled with update_task instead.",
    ["Delete the cleaning I entered twice"],
    true
  )
})

export const TaskOperations = { search_tasks, create_task, update_task, delete_task }
