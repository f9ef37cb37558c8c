import { DAY_MS } from "../../../contract/time.ts"
import { PLANNED_DAYS, PLANS_KEPT_MS } from "../../../platform/limits.ts"
import type { StayTerms } from "../rules/rule.ts"
import { concerns, type StayScope, type StayTimes, scheduledAt, timelinessOf } from "../rules/scheduling.ts"

// What rules are going to do of a stay, as it is now.

/** What of a stay, and of its order, decides. */
export interface PlannedStay extends StayScope, StayTimes {
  /** Whether no other stay of its order ends after it: an order has one review, after its last stay. */
  readonly is_last: boolean
}

export interface Plan {
  readonly rule_id: number
  readonly kind: "send_message" | "review"
  readonly scheduled_at: Date
}

export interface StayPlans {
  /** What is to be done within the time that is planned. */
  readonly plans: ReadonlyArray<Plan>
  /** When the first of what comes after that is within it; undefined: nothing comes. */
  readonly lookAgain: Date | undefined
  /** The latest time of all of it; undefined: nothing is to be done. */
  readonly last: Date | undefined
}

/** So far ahead plans are made: a day more than is shown, so that none appears late in the list. */
export const PLANNED_MS = (PLANNED_DAYS + 1) * DAY_MS

/** A rule that is active and does something of stays, as far as it decides what is planned. */
export interface ActiveRule {
  readonly id: number
  readonly definition: StayTerms
  readonly since: Date
}

/**
 * What is too late by its own time already is nobody's plan: it was due before the rule was there. What has become late since is
 * one: whoever runs it says that it was skipped. What a settled plan may be forgotten of is not planned anew.
 */
const planOf = ({ id, definition, since }: ActiveRule, stay: PlannedStay, now: Date): Plan | undefined => {
  const { action: kind, trigger } = definition
  if (!concerns(definition, stay) || (kind === "review" && !stay.is_last)) return
  const at = scheduledAt(trigger, stay)
  const isForgotten = at.getTime() <= now.getTime() - PLANS_KEPT_MS
  const isNever = timelinessOf({ trigger, stay, since, now: at }) === "late"
  return isForgotten || isNever ? undefined : { rule_id: id, kind, scheduled_at: at }
}

/** What the rules do of the stay; those that are not active are not among them. */
export const plansOf = (rules: ReadonlyArray<ActiveRule>, stay: PlannedStay, now: Date): StayPlans => {
  const horizon = now.getTime() + PLANNED_MS
  const all = rules.flatMap((rule) => planOf(rule, stay, now) ?? [])
  const times = all.map(({ scheduled_at }) => scheduled_at.getTime())
  const later = times.filter((at) => at > horizon)
  return {
    plans: all.filter(({ scheduled_at }) => scheduled_at.getTime() <= horizon),
    lookAgain: later.length === 0 ? undefined : new Date(Math.min(...later) - PLANNED_MS),
    last: times.length === 0 ? undefined : new Date(Math.max(...times))
  }
}
