import { Schema } from "effect"
import { Task, TaskLevel, TaskStatus, TaskType } from "./contract.ts"
import { AUTOMATIC_LINE_PREFIX, addAutomaticLine } from "./note.ts"

// Tasks that automation rules create for stays. A rule changes a task only until a person changes it.

/** Values that a rule gives a task, apart from the status. */
export const RuleTaskContent = Schema.Struct({
  type: TaskType.annotateKey({ documentation: "Kind of work." }),
  level: TaskLevel.annotateKey({ documentation: "How thorough a cleaning must be." }),
  property_id: Task.fields.property_id,
  staff_id: Task.fields.staff_id,
  expected_date: Schema.String.annotateKey({
    documentation: "Day on which the task is due, YYYY-MM-DD in the host's time zone."
  }),
  expected_time: Schema.String.annotateKey({
    documentation: "Time at which the task is due, `HH:mm:ss` in the host's time zone."
  })
})
export type RuleTaskContent = typeof RuleTaskContent.Type

/** Values that a task should have. `status` is `cancelled` while the stay needs no task. */
export const RuleTaskTarget = Schema.Struct({
  ...RuleTaskContent.fields,
  status: Schema.Literals(["pending", "cancelled"])
})
export type RuleTaskTarget = typeof RuleTaskTarget.Type

/** A task as it is in the database. */
export const CurrentRuleTask = Schema.Struct({
  ...RuleTaskContent.fields,
  expected_date: Schema.NullOr(Schema.String),
  expected_time: Schema.NullOr(Schema.String),
  status: TaskStatus,
  fee: Schema.Finite,
  note: Schema.String
})
export type CurrentRuleTask = typeof CurrentRuleTask.Type

export interface ExistingRuleTask {
  /** The values that the rule last gave the task, or would have given it if no person had changed it. */
  readonly target: RuleTaskTarget
  /** Null if a person deleted the task. */
  readonly task: CurrentRuleTask | null
  /** False if the staff member of `target` was deleted, which also removes the staff member from the task. */
  readonly staff_exists: boolean
}

export type RuleTaskStep =
  | { readonly kind: "create"; readonly target: RuleTaskTarget }
  /** `task` has the new values of all columns. */
  | { readonly kind: "change"; readonly target: RuleTaskTarget; readonly task: Omit<CurrentRuleTask, "fee"> }

interface StayOfTask {
  readonly stay_code: string
  readonly property_title: string | null
}

const COMPARED_FIELDS = ["type", "level", "property_id", "expected_date", "expected_time", "status"] as const
const PLACEMENT_FIELDS = ["property_id", "expected_date", "expected_time", "status"] as const

/** Whether the task has the values that the rule gave it. A change that a person has undone does not count. */
export const isUntouched = ({ target, task, staff_exists }: ExistingRuleTask): boolean =>
  task !== null &&
  COMPARED_FIELDS.every((name) => task[name] === target[name]) &&
  (task.staff_id === target.staff_id || (task.staff_id === null && !staff_exists)) &&
  task.note === "" &&
  task.fee === 0

/**
 * Returns the step that brings the task of a stay to `wanted`, or undefined if there is nothing to do. `wanted` is
 * undefined if the stay needs no task.
 *
 * A task that a person has changed keeps its values: a moved or cancelled stay only adds a line to its note. A task that
 * a person deleted is not created again.
 */
export const reconcileRuleTask = (
  existing: ExistingRuleTask | undefined,
  wanted: RuleTaskContent | undefined,
  stay: StayOfTask
): RuleTaskStep | undefined => {
  if (existing === undefined) {
    return wanted === undefined ? undefined : { kind: "create", target: { ...wanted, status: "pending" } }
  }
  const { task, target, staff_exists } = existing
  if (task === null) return undefined
  const newTarget: RuleTaskTarget =
    wanted === undefined
      ? { ...target, staff_id: staff_exists ? target.staff_id : null, status: "cancelled" }
      : { ...wanted, status: "pending" }
  if (isUntouched(existing)) {
    const isUnchanged = [...COMPARED_FIELDS, "staff_id" as const].every((name) => task[name] === newTarget[name])
    return isUnchanged ? undefined : { kind: "change", target: newTarget, task: { ...newTarget, note: "" } }
  }
  if (PLACEMENT_FIELDS.every((name) => newTarget[name] === target[name])) return undefined
  const { fee: _, ...values } = task
  return {
    kind: "change",
    target: newTarget,
    task: { ...values, note: addAutomaticLine(task.note, describeStayChange(newTarget, task.status, stay)) }
  }
}

const REASONS: Readonly<Record<CurrentRuleTask["status"], string>> = {
  pending: "a person had edited it",
  in_progress: "it had been started",
  completed: "it had been completed",
  cancelled: "a person had cancelled it"
}

const TITLE_LENGTH_SHOWN = 60

const shortenTitle = (title: string): string => {
  const characters = Array.from(title.replaceAll(/\s+/g, " "))
  return characters.length <= TITLE_LENGTH_SHOWN
    ? characters.join("")
    : `${characters.slice(0, TITLE_LENGTH_SHOWN - 1).join("")}…`
}

const describeStayChange = (
  target: RuleTaskTarget,
  status: CurrentRuleTask["status"],
  { stay_code, property_title }: StayOfTask
): string => {
  const reason = REASONS[status]
  if (target.status === "cancelled") {
    const line = `${AUTOMATIC_LINE_PREFIX}stay ${stay_code} no longer needs this task.`
    return status === "cancelled" ? line : `${line} It was not cancelled, because ${reason}.`
  }
  const place = property_title === null ? "without a property" : `in ${shortenTitle(property_title)}`
  const time = `${target.expected_date} ${target.expected_time.slice(0, 5)}`
  return `${AUTOMATIC_LINE_PREFIX}stay ${stay_code} now needs this task on ${time} ${place}. It was not moved, because ${reason}.`
}
