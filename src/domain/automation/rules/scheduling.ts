import { dateInZone, firstInstantAt, fromDayNumber, toDayNumber } from "../../../contract/time.ts"
import { PLAN_MAX_DELAY_MS, PLAN_RETENTION_MS } from "../../../platform/limits.ts"
import type { OrderStatus } from "../../bookings/orders/order.ts"
import type { RuleConditions, StayTrigger } from "./rule.ts"

export interface StayTimes {
  readonly booked_at: Date
  readonly check_in_date: string
  readonly check_out_date: string
  /** The host's default if the property has none. */
  readonly check_in_time: string
  readonly check_out_time: string
  readonly time_zone: string
}

export interface StayScope {
  readonly status: OrderStatus
  /** Null for an unassigned stay. */
  readonly property_id: number | null
  readonly channel_type: string
  readonly check_in_date: string
  readonly check_out_date: string
}

const HOUR_MS = 60 * 60 * 1000

// A trigger may reach beyond the dates that PostgreSQL can store, so scheduled times are clamped.
const FIRST_DAY = toDayNumber("0001-01-03")
const LAST_DAY = toDayNumber("9999-12-29")
const FIRST_INSTANT = FIRST_DAY * 24 * HOUR_MS
const LAST_INSTANT = LAST_DAY * 24 * HOUR_MS

const clamp = (least: number, value: number, most: number): number => Math.min(Math.max(value, least), most)

export const toStorableDate = (ms: number): Date => new Date(clamp(FIRST_INSTANT, ms, LAST_INSTANT))

const addDaysClamped = (date: string, days: number): string =>
  fromDayNumber(clamp(FIRST_DAY, toDayNumber(date) + days, LAST_DAY))

const computeTriggerEventTime = ({ event }: StayTrigger, stay: StayTimes): Date => {
  switch (event) {
    case "check_in":
      return firstInstantAt(addDaysClamped(stay.check_in_date, 0), stay.check_in_time, stay.time_zone)
    case "check_out":
      return firstInstantAt(addDaysClamped(stay.check_out_date, 0), stay.check_out_time, stay.time_zone)
    default:
      return stay.booked_at
  }
}

const computeTriggerEventDay = ({ event }: StayTrigger, stay: StayTimes): string => {
  switch (event) {
    case "check_in":
      return stay.check_in_date
    case "check_out":
      return stay.check_out_date
    default:
      return dateInZone(stay.booked_at, stay.time_zone)
  }
}

const applyTriggerOffset = (event: Date, trigger: StayTrigger, stay: StayTimes): Date => {
  const sign = trigger.when === "before" ? -1 : 1
  return "hours" in trigger
    ? toStorableDate(event.getTime() + sign * trigger.hours * HOUR_MS)
    : firstInstantAt(
        addDaysClamped(computeTriggerEventDay(trigger, stay), sign * trigger.days),
        trigger.at,
        stay.time_zone
      )
}

/** An action that would be due before the booking is due at the booking, unless the event was already over. */
export const computeScheduledAt = (trigger: StayTrigger, stay: StayTimes): Date => {
  const event = computeTriggerEventTime(trigger, stay)
  const at = applyTriggerOffset(event, trigger, stay)
  return at < stay.booked_at && stay.booked_at <= event ? stay.booked_at : at
}

export const nightsOf = (stay: Pick<StayScope, "check_in_date" | "check_out_date">): number =>
  toDayNumber(stay.check_out_date) - toDayNumber(stay.check_in_date)

interface ScopeSubject {
  readonly property_id: number | null
  readonly channel_type: string
  readonly nights: number | undefined
}

/** A rule about properties or nights does not apply if these are unknown. */
export const isInScope = (rule: RuleConditions, { property_id, channel_type, nights }: ScopeSubject): boolean =>
  (rule.property_ids === undefined || (property_id !== null && rule.property_ids.includes(property_id))) &&
  (rule.channel_types === undefined || rule.channel_types.some((each) => each === channel_type)) &&
  (rule.nights === undefined || (nights !== undefined && isWithinRange(rule.nights, nights)))

const isWithinRange = ({ min, max }: NonNullable<RuleConditions["nights"]>, nights: number): boolean =>
  (min === undefined || nights >= min) && (max === undefined || nights <= max)

/** Answer rules apply at any order status. Inquiry rules apply to no stay. */
export const appliesToStay = (rule: RuleConditions, stay: StayScope): boolean =>
  (rule.action === "answer" || stay.status === requiredStatus(rule)) &&
  isInScope(rule, { ...stay, nights: nightsOf(stay) })

export const requiredStatus = ({ trigger }: RuleConditions): OrderStatus | undefined => {
  if (trigger?.event === "inquiry") return undefined
  return trigger?.event === "request" ? "wait_accept" : "accepted"
}

type Timeliness = "early" | "due" | "late"

interface TimelinessInput {
  readonly trigger: StayTrigger
  readonly stay: StayTimes
  readonly since: Date
  readonly now: Date
}

export const classifyTimeliness = ({ trigger, stay, since, now }: TimelinessInput): Timeliness => {
  const at = computeScheduledAt(trigger, stay)
  if (at < since || (isBookingTrigger(trigger) && stay.booked_at < since)) return "late"
  if (now < at) return "early"
  return isMissed(trigger, stay, at, now) ? "late" : "due"
}

/**
 * Whether the action was due before its rule was created or resumed, or so long ago that its completed plan may already
 * be deleted.
 */
export const isTooOldToPlan = ({ trigger, stay, since, now }: TimelinessInput): boolean => {
  const at = computeScheduledAt(trigger, stay)
  return (
    at.getTime() <= now.getTime() - PLAN_RETENTION_MS ||
    classifyTimeliness({ trigger, stay, since, now: at }) === "late"
  )
}

const isBookingTrigger = ({ event }: StayTrigger): boolean => event === "booking" || event === "request"

/** An action before an event is also missed once the event has come. */
const isMissed = (trigger: StayTrigger, stay: StayTimes, at: Date, now: Date): boolean =>
  now.getTime() > at.getTime() + PLAN_MAX_DELAY_MS ||
  (isBeforeEvent(trigger) && now >= computeTriggerEventTime(trigger, stay))

/** With an offset of 0, `before` means the same as `after`. */
const isBeforeEvent = (trigger: StayTrigger): boolean =>
  trigger.when === "before" && ("hours" in trigger ? trigger.hours : trigger.days) > 0
