import { DAY_MS } from "../../../contract/time.ts"
import { PLAN_RETENTION_MS, PLANNED_DAYS } from "../../../platform/limits.ts"
import type { StayRuleTerms } from "../rules/rule.ts"
import {
  appliesToStay,
  classifyTimeliness,
  computeScheduledAt,
  type StayScope,
  type StayTimes
} from "../rules/scheduling.ts"

// What rules are going to do of a stay, as it is now.

/** What of a stay, and of its order, decides. */
interface StayToPlan extends StayScope, StayTimes {
  /** Whether no other stay of its order ends after it: an order has one review, after its last stay. */
  readonly is_last: boolean
}

interface PlannedAction {
  readonly rule_id: number
  readonly kind: "send_message" | "review"
  readonly scheduled_at: Date
}

interface StayPlans {
  /** What is to be done within the time that is planned. */
  readonly plans: ReadonlyArray<PlannedAction>
  /** When the first of what comes after that is within it; undefined: nothing comes. */
  readonly replanAt: Date | undefined
  /** The latest time of all of it; undefined: nothing is to be done. */
  readonly latestAt: Date | undefined
}

/** So far ahead plans are made: a day more than is shown, so that none appears late in the list. */
const PLANNING_HORIZON_MS = (PLANNED_DAYS + 1) * DAY_MS

/** A rule that is active and does something of stays, as far as it decides what is planned. */
export interface ActiveRule {
  readonly id: number
  readonly definition: StayRuleTerms
  readonly since: Date
}

/**
 * What is too late by its own time already is nobody's plan: it was due before the rule was there. What has become late since is
 * one: whoever runs it says that it was skipped. What a settled plan may be forgotten of is not planned anew.
 */
const planRule = ({ id, definition, since }: ActiveRule, stay: StayToPlan, now: Date): PlannedAction | undefined => {
  const { action: kind, trigger } = definition
  if (!appliesToStay(definition, stay) || (kind === "review" && !stay.is_last)) return
  const at = computeScheduledAt(trigger, stay)
  const isForgotten = at.getTime() <= now.getTime() - PLAN_RETENTION_MS
  const isLateFromStart = classifyTimeliness({ trigger, stay, since, now: at }) === "late"
  return isForgotten || isLateFromStart ? undefined : { rule_id: id, kind, scheduled_at: at }
}

/** What the rules do of the stay; those that are not active are not among them. */
export const planStay = (rules: ReadonlyArray<ActiveRule>, stay: StayToPlan, now: Date): StayPlans => {
  const horizon = now.getTime() + PLANNING_HORIZON_MS
  const actions = rules.flatMap((rule) => planRule(rule, stay, now) ?? [])
  const times = actions.map(({ scheduled_at }) => scheduled_at.getTime())
  const timesAfterHorizon = times.filter((at) => at > horizon)
  return {
    plans: actions.filter(({ scheduled_at }) => scheduled_at.getTime() <= horizon),
    replanAt:
      timesAfterHorizon.length === 0 ? undefined : new Date(Math.min(...timesAfterHorizon) - PLANNING_HORIZON_MS),
    latestAt: times.length === 0 ? undefined : new Date(Math.max(...times))
  }
}
