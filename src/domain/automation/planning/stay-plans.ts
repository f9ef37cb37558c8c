import { DAY_MS } from "../../../contract/time.ts"
import { PLANNED_DAYS } from "../../../platform/limits.ts"
import type { StayRuleTerms } from "../rules/rule.ts"
import {
  appliesToStay,
  computeScheduledAt,
  isTooOldToPlan,
  type StayScope,
  type StayTimes
} from "../rules/scheduling.ts"
import { type PlannedTask, planTasks, type StayWithTasks, type TaskPlanningRule } from "./task-plans.ts"

interface StayToPlan extends StayScope, StayTimes, StayWithTasks {
  /** An order gets one review, after its last stay. */
  readonly is_last: boolean
}

interface PlannedAction {
  readonly rule_id: number
  readonly kind: "send_message" | "review"
  readonly scheduled_at: Date
}

interface StayPlans {
  readonly plans: ReadonlyArray<PlannedAction>
  /** Tasks to create or change. They are not limited to the planning horizon. */
  readonly tasks: ReadonlyArray<PlannedTask>
  /** When the first action beyond the planning horizon can be planned. Undefined if there is none. */
  readonly replanAt: Date | undefined
  /** Includes actions beyond the planning horizon. */
  readonly latestAt: Date | undefined
}

/** One day longer than the list of upcoming actions, so that the list misses none. */
const PLANNING_HORIZON_MS = (PLANNED_DAYS + 1) * DAY_MS

export interface ActiveRule extends TaskPlanningRule {
  readonly definition: StayRuleTerms
}

const planRule = ({ id, definition, since }: ActiveRule, stay: StayToPlan, now: Date): PlannedAction | undefined => {
  const { action: kind, trigger } = definition
  if (kind === "task" || !appliesToStay(definition, stay) || (kind === "review" && !stay.is_last)) return
  if (isTooOldToPlan({ trigger, stay, since, now })) return
  return { rule_id: id, kind, scheduled_at: computeScheduledAt(trigger, stay) }
}

export const planStay = (rules: ReadonlyArray<ActiveRule>, stay: StayToPlan, now: Date): StayPlans => {
  const horizon = now.getTime() + PLANNING_HORIZON_MS
  const actions = rules.flatMap((rule) => planRule(rule, stay, now) ?? [])
  const times = actions.map(({ scheduled_at }) => scheduled_at.getTime())
  const timesAfterHorizon = times.filter((at) => at > horizon)
  return {
    tasks: planTasks(rules, stay, now),
    plans: actions.filter(({ scheduled_at }) => scheduled_at.getTime() <= horizon),
    replanAt:
      timesAfterHorizon.length === 0 ? undefined : new Date(Math.min(...timesAfterHorizon) - PLANNING_HORIZON_MS),
    latestAt: times.length === 0 ? undefined : new Date(Math.max(...times))
  }
}
