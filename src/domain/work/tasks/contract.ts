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
  TimeOfDay
} from "../../../contract/fields.ts"
import { editPayloadFields } from "../../../contract/immutable-fields.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { AMOUNT_MAX } from "../../../platform/limits.ts"
import { TaskNote } from "./note.ts"

// Specification, "Tasks and staff" and "Task status"; contract facts 9.

export const TaskType = Schema.Literals(["cleaning", "maintenance", "reception", "room_service", "other"])
export const TaskStatus = Schema.Literals(["pending", "in_progress", "completed", "cancelled"])
export const TaskLevel = Schema.Literals(["standard", "simple", "advanced"])

const Fee = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `an amount from 0 to ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })
const LinkOrNone = Schema.NullOr(Integer.check(Schema.isGreaterThanOrEqualTo(0, { expected: "an id, or 0 to unlink" })))

export const Task = Schema.Struct({
  task_id: Id.annotateKey({ documentation: "Id of the task." }),
  id: Id.annotateKey({ documentation: "Id of the task, always equal to `task_id`." }),
  type: TaskType.annotateKey({ documentation: "Kind of work." }),
  status: TaskStatus.annotateKey({ documentation: "Status that the host gave the task. A new task is `pending`." }),
  level: Schema.NullOr(TaskLevel).annotateKey({
    documentation: "How thorough a cleaning must be. Null for tasks of other types."
  }),
  property_id: Schema.NullOr(Id).annotateKey({ documentation: "Property of the task, or null." }),
  property_title: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Present title of the property. Null without a property."
  }),
  stay_code: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Stay for which the task was created, or null."
  }),
  staff_id: Schema.NullOr(Id).annotateKey({
    documentation: "Staff member to whom the task is assigned. Null if nobody is."
  }),
  staff_name: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Present name of the staff member. Null if the task is unassigned."
  }),
  expected_date: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Day on which the task is due, YYYY-MM-DD in the host's time zone, or null."
  }),
  expected_time: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Time at which the task is due, `HH:mm:ss` in the host's time zone, or null."
  }),
  expected: Schema.NullOr(Schema.String).annotateKey({
    documentation:
      "Date and time together, `YYYY-MM-DD HH:mm:ss` in the host's time zone. Midnight if there is no time, and null if there is no date."
  }),
  arrival_same_day: Schema.Boolean.annotateKey({
    documentation:
      "Whether another accepted stay has its check-in in the property of the task on `expected_date`. False if the task has no property or no date."
  }),
  currency: Schema.String.annotateKey({ documentation: "Currency of `fee`, an ISO 4217 code." }),
  fee: Schema.Finite.annotateKey({ documentation: "Cost of the task in major units of `currency`." }),
  note: Schema.String.annotateKey({
    documentation:
      "The host's note on the task, or an empty text. Lines that begin with `Automation: ` come from automation rules."
  }),
  create_time: Schema.String.annotateKey({
    documentation: "Time of creation, `YYYY-MM-DD HH:mm:ss` in the host's time zone."
  }),
  update_time: Schema.String.annotateKey({
    documentation: "Time of the last change, `YYYY-MM-DD HH:mm:ss` in the host's time zone."
  })
})
export type Task = typeof Task.Type

const TASK_ID_MEANING = "Id of the task, from search_tasks."
const LEVEL_MEANING = "How thorough a cleaning must be. Accepted for every type, but shown for `cleaning` only."
const ASSIGNABLE_MEANING =
  "The staff member must be active and work in the property of the task, otherwise the call returns 422. A task without a property only needs an active staff member."
const CONFLICT_MEANING =
  "If other calls change the task or its staff member at the same time, the call may return 409: repeat it."

const operation = defineFamily({ category: "task", since: "3.4.0", openWorld: false })

export const search_tasks = operation("search_tasks", {
  route: "GET /tasks",
  summary: "List tasks",
  details:
    "Tasks without `expected_date` are not in any range of dates. An unknown property or staff member returns 404.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({ documentation: "Only the task with this id." }),
    start_date: Schema.optionalKey(CalendarDate).annotateKey({
      description: "First `expected_date`. Needs `end_date`. The range has no maximum length."
    }),
    end_date: Schema.optionalKey(CalendarDate).annotateKey({
      description: "Last `expected_date`, included. Needs `start_date`."
    }),
    staff_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only tasks of this staff member, from query_staffs."
    }),
    property_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only tasks of this property, from search_properties."
    }),
    type: Schema.optionalKey(TaskType).annotateKey({ documentation: "Only tasks of this type." }),
    status: Schema.optionalKey(TaskStatus).annotateKey({ documentation: "Only tasks with this status." }),
    ...pageFields
  },
  success: Schema.Struct({
    tasks: Schema.Array(Task).annotateKey({ documentation: "The tasks of this page." }),
    total: PageTotal
  }),
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
  details: `An unknown property, staff member or stay returns 404. ${CONFLICT_MEANING}`,
  payload: {
    type: TaskType.annotateKey({ description: "Kind of work." }),
    property_id: Schema.optionalKey(Id).annotateKey({
      documentation:
        "Property of the task, from search_properties. With a stay it must be the property of the stay (422). Default: the present property of the stay. The task keeps it if the stay moves. Only tasks of automation rules move with their stay."
    }),
    staff_id: Schema.optionalKey(Id).annotateKey({
      documentation: `Staff member who gets the task, from query_staffs. Default: nobody. ${ASSIGNABLE_MEANING}`
    }),
    stay_code: Schema.optionalKey(RecordCode).annotateKey({
      documentation: "Stay for which the task is, from search_reservations. It cannot change later."
    }),
    expected_date: Schema.optionalKey(CalendarDate).annotateKey({
      description: "Day on which the task is due, in the host's time zone. Default: null."
    }),
    expected_time: Schema.optionalKey(TimeOfDay).annotateKey({
      documentation: "Time at which the task is due, `HH:mm:ss` in the host's time zone. Default: null."
    }),
    level: Schema.optionalKey(TaskLevel).annotateKey({
      documentation: `${LEVEL_MEANING} Default: \`standard\`.`
    }),
    currency: Schema.optionalKey(Currency).annotateKey({
      description: "Currency of `fee`, an ISO 4217 code. Default: the host's currency."
    }),
    fee: Schema.optionalKey(Fee).annotateKey({
      description: "Cost of the task in major units of `currency`. Default: 0."
    }),
    note: Schema.optionalKey(TaskNote).annotateKey({ documentation: "The host's note on the task." })
  },
  success: Schema.Struct({ task_id: Id.annotateKey({ documentation: "Id of the new task." }) }),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Creates a pending task. With stay_code (from search_reservations) and no property_id the task is for the property of that stay; with both they must be the same property. staff_id comes from query_staffs. level is for cleanings only. fee is in currency, by default the host's own. The guest is not notified.",
    ["Have Harbour 1 cleaned on Friday at 11", "The tap in the garden flat drips: note a repair for Li"],
    true
  )
})

export const update_task = operation("update_task", {
  route: "PATCH /tasks/{id}",
  summary: "Change a task",
  details: `A record of search_tasks can be sent back whole. Fields that cannot change accept only their present values, and other values return 422. A sent \`update_time\` is ignored.

An unknown property or staff member returns 404. ${CONFLICT_MEANING}`,
  payload: editPayloadFields(Task, {
    id: Id.annotateKey({ documentation: TASK_ID_MEANING }),
    type: Schema.optionalKey(TaskType).annotateKey({ description: "New kind of work." }),
    status: Schema.optionalKey(TaskStatus).annotateKey({
      description: "New status. Every change of the status is allowed."
    }),
    property_id: Schema.optionalKey(LinkOrNone).annotateKey({
      documentation:
        "New property, from search_properties. 0 or null removes it. The property of a task with a stay must be the property of the stay (422), and the staff member must work in it (422)."
    }),
    staff_id: Schema.optionalKey(LinkOrNone).annotateKey({
      documentation: `New staff member, from query_staffs. 0 or null leaves the task unassigned. ${ASSIGNABLE_MEANING} Unless the property changes, the present staff member is always accepted.`
    }),
    expected_date: Schema.optionalKey(Schema.NullOr(CalendarDate)).annotateKey({
      description: "New day on which the task is due, in the host's time zone. null removes it."
    }),
    expected_time: Schema.optionalKey(Schema.NullOr(TimeOfDay)).annotateKey({
      documentation: "New time at which the task is due, `HH:mm:ss` in the host's time zone. null removes it."
    }),
    level: Schema.optionalKey(Schema.NullOr(TaskLevel)).annotateKey({
      documentation: `${LEVEL_MEANING} null sets \`standard\`.`
    }),
    currency: Schema.optionalKey(Currency).annotateKey({
      description: "New currency of `fee`, an ISO 4217 code. The amount is not converted."
    }),
    fee: Schema.optionalKey(Fee).annotateKey({ description: "New cost of the task in major units of `currency`." }),
    note: Schema.optionalKey(TaskNote).annotateKey({
      documentation:
        "New note of the host. An empty text removes it. Lines that begin with `Automation: ` do not count toward its length, so that a note can be sent back whole."
    }),
    update_time: LastChange
  }),
  success: Schema.Struct({}),
  errors: [NotFound, Conflict],
  exposure: toolMetadata(
    "Changes a task; find its id with search_tasks. Omitted fields stay. property_id 0 or staff_id 0 takes the link away. The stay of a task cannot change: delete the task and create a new one.",
    ["The cleaning of Harbour 1 is done", "Give tomorrow's cleaning to Li", "Move the repair to Monday"],
    true
  )
})

export const delete_task = operation("delete_task", {
  route: "DELETE /tasks/{id}",
  summary: "Delete a task",
  payload: { id: Id.annotateKey({ documentation: TASK_ID_MEANING }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a task for good; find its id with search_tasks. To keep a record of it, set its status to cancelled with update_task instead.",
    ["Delete the cleaning I entered twice"],
    true
  )
})

export const TaskOperations = { search_tasks, create_task, update_task, delete_task }
