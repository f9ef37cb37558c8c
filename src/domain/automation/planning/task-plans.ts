import type { Assignee } from "../../work/staffs/assignment.ts"
import type { LinkedRuleTask } from "../../work/tasks/rule-task-statements.ts"
import { type RuleTaskStep, reconcileRuleTask } from "../../work/tasks/rule-tasks.ts"
import type { StayRuleTerms } from "../rules/rule.ts"
import { appliesToStay, computeScheduledAt, isTooOldToPlan, type StayScope } from "../rules/scheduling.ts"
import { type TaskStay, toTaskContent } from "../task-content.ts"

export interface StayWithTasks extends StayScope, TaskStay {
  readonly stay_code: string
  readonly property_title: string | null
  /** At most one per rule. */
  readonly rule_tasks: ReadonlyArray<LinkedRuleTask>
}

export interface TaskPlanningRule {
  readonly id: number
  readonly definition: StayRuleTerms
  readonly since: Date
  /** The staff member that the rule names. Null if it names none, or if the staff member was deleted. */
  readonly assignee: Assignee | null
}

export interface PlannedTask {
  readonly rule_id: number
  readonly scheduled_at: Date
  readonly existing: LinkedRuleTask | undefined
  readonly step: RuleTaskStep
}

/**
 * A stay gets no new task for a time before its rule was created or resumed. An existing task follows its stay even to
 * such a time.
 */
const needsTask = (
  { definition, since }: TaskPlanningRule,
  stay: StayWithTasks,
  existing: LinkedRuleTask | undefined,
  now: Date
): boolean => {
  if (!appliesToStay(definition, stay)) return false
  if (existing?.target.status === "pending") return true
  return !isTooOldToPlan({ trigger: definition.trigger, stay, since, now })
}

const toWantedContent = ({ definition, assignee }: TaskPlanningRule, stay: StayWithTasks) =>
  definition.task === undefined
    ? undefined
    : toTaskContent({ trigger: definition.trigger, task: definition.task }, assignee, stay)

const planTask = (rule: TaskPlanningRule, stay: StayWithTasks, now: Date): PlannedTask | undefined => {
  const existing = stay.rule_tasks.find(({ rule_id }) => rule_id === rule.id)
  const wanted = needsTask(rule, stay, existing, now) ? toWantedContent(rule, stay) : undefined
  const step = reconcileRuleTask(existing, wanted, stay)
  if (step === undefined) return undefined
  return { rule_id: rule.id, scheduled_at: computeScheduledAt(rule.definition.trigger, stay), existing, step }
}

/**
 * Cancels the untouched task of a rule that was paused or deleted. Past tasks, and tasks that a person has changed, keep
 * their values.
 */
const cancelTaskOfEndedRule = (existing: LinkedRuleTask, stay: StayWithTasks, now: Date): PlannedTask | undefined => {
  if (existing.scheduled_at <= now) return undefined
  const step = reconcileRuleTask(existing, undefined, stay)
  if (step?.kind !== "change" || step.task.status !== "cancelled" || step.task.note !== "") return undefined
  return { rule_id: existing.rule_id, scheduled_at: existing.scheduled_at, existing, step }
}

/** Returns the tasks of a stay to create and to change. `rules` are the active rules of its operator. */
export const planTasks = (
  rules: ReadonlyArray<TaskPlanningRule>,
  stay: StayWithTasks,
  now: Date
): ReadonlyArray<PlannedTask> => {
  const taskRules = rules.filter(({ definition }) => definition.action === "task")
  const tasksOfEndedRules = stay.rule_tasks.filter(({ rule_id }) => !taskRules.some(({ id }) => id === rule_id))
  return [
    ...taskRules.flatMap((rule) => planTask(rule, stay, now) ?? []),
    ...tasksOfEndedRules.flatMap((task) => cancelTaskOfEndedRule(task, stay, now) ?? [])
  ]
}
