import { dateInZone, firstInstantAt, fromDayNumber, toDayNumber } from "../../../contract/time.ts"
import { PLAN_MAX_DELAY_MS } from "../../../platform/limits.ts"
import type { OrderStatus } from "../../bookings/orders/order.ts"
import type { RuleConditions, StayTrigger } from "./rule.ts"

// When a rule does what it does, and for which stays (docs/automation.md, "Rules" and "When something is late").

/** What of a stay decides when. */
export interface StayTimes {
  readonly booked_at: Date
  readonly check_in_date: string
  readonly check_out_date: string
  /** `HH:mm`, the property's or else the host's. */
  readonly check_in_time: string
  readonly check_out_time: string
  /** IANA name. */
  readonly time_zone: string
}

/** What of a stay decides whether a rule is for it. */
export interface StayScope {
  readonly status: OrderStatus
  /** Null in the reservation box. */
  readonly property_id: number | null
  readonly channel_type: string
  readonly check_in_date: string
  readonly check_out_date: string
}

const HOUR_MS = 60 * 60 * 1000

// A rule may reach a year beyond the days that can be written down; its time stays among them, for the database's sake.
const FIRST_DAY = toDayNumber("0001-01-03")
const LAST_DAY = toDayNumber("9999-12-29")
const FIRST_INSTANT = FIRST_DAY * 24 * HOUR_MS
const LAST_INSTANT = LAST_DAY * 24 * HOUR_MS

const clamp = (least: number, value: number, most: number): number => Math.min(Math.max(value, least), most)

/** The instant, or the nearest that can be written down. */
export const toStorableDate = (ms: number): Date => new Date(clamp(FIRST_INSTANT, ms, LAST_INSTANT))

const addDaysClamped = (date: string, days: number): string =>
  fromDayNumber(clamp(FIRST_DAY, toDayNumber(date) + days, LAST_DAY))

/** What the trigger counts from: the booking, or the usual time of that day on the clock of the property. */
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

/** The day of that on the clock of the property. */
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

/** So far from the event as the trigger says; hours are real ones, a day is one of the calendar. */
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

/**
 * When the trigger is, of that stay. What was to be done before the stay was booked is to be done at its booking, unless what it
 * counts from was over by then.
 */
export const computeScheduledAt = (trigger: StayTrigger, stay: StayTimes): Date => {
  const event = computeTriggerEventTime(trigger, stay)
  const at = applyTriggerOffset(event, trigger, stay)
  return at < stay.booked_at && stay.booked_at <= event ? stay.booked_at : at
}

/** Nights from arriving to leaving. */
export const nightsOf = (stay: Pick<StayScope, "check_in_date" | "check_out_date">): number =>
  toDayNumber(stay.check_out_date) - toDayNumber(stay.check_in_date)

/** What of anything decides whether it is within the scope of a rule; nights are undefined where nobody has said any. */
interface ScopeSubject {
  readonly property_id: number | null
  readonly channel_type: string
  readonly nights: number | undefined
}

/**
 * Whether something is among the properties, channels and lengths of stay that the rule is for. What has no property, or no
 * nights, is for no rule that asks for some.
 */
export const isInScope = (rule: RuleConditions, { property_id, channel_type, nights }: ScopeSubject): boolean =>
  (rule.property_ids === undefined || (property_id !== null && rule.property_ids.includes(property_id))) &&
  (rule.channel_types === undefined || rule.channel_types.some((each) => each === channel_type)) &&
  (rule.nights === undefined || (nights !== undefined && isWithinRange(rule.nights, nights)))

const isWithinRange = ({ min, max }: NonNullable<RuleConditions["nights"]>, nights: number): boolean =>
  (min === undefined || nights >= min) && (max === undefined || nights <= max)

/** Whether the rule is for that stay, as it is now; a rule for inquiries is for none. Guests are answered whatever the status. */
export const appliesToStay = (rule: RuleConditions, stay: StayScope): boolean =>
  (rule.action === "answer" || stay.status === requiredStatus(rule)) &&
  isInScope(rule, { ...stay, nights: nightsOf(stay) })

const requiredStatus = ({ trigger }: RuleConditions): OrderStatus | undefined => {
  if (trigger?.event === "inquiry") return undefined
  return trigger?.event === "request" ? "wait_accept" : "accepted"
}

/** What is to become of a plan by the clock: it waits for its time, is to be run, or has missed it. */
type Timeliness = "early" | "due" | "late"

/** What timeliness goes by. */
interface TimelinessInput {
  readonly trigger: StayTrigger
  readonly stay: StayTimes
  /** When its rule was made or resumed. */
  readonly since: Date
  readonly now: Date
}

export const classifyTimeliness = ({ trigger, stay, since, now }: TimelinessInput): Timeliness => {
  const at = computeScheduledAt(trigger, stay)
  if (at < since || (isBookingTrigger(trigger) && stay.booked_at < since)) return "late"
  if (now < at) return "early"
  return isMissed(trigger, stay, at, now) ? "late" : "due"
}

const isBookingTrigger = ({ event }: StayTrigger): boolean => event === "booking" || event === "request"

/** What is said ahead of something is not said once that has come: not "see you tomorrow" to who is there. */
const isMissed = (trigger: StayTrigger, stay: StayTimes, at: Date, now: Date): boolean =>
  now.getTime() > at.getTime() + PLAN_MAX_DELAY_MS ||
  (isBeforeEvent(trigger) && now >= computeTriggerEventTime(trigger, stay))

/** Of a distance of nothing `before` and `after` are the same: then, or on that day. */
const isBeforeEvent = (trigger: StayTrigger): boolean =>
  trigger.when === "before" && ("hours" in trigger ? trigger.hours : trigger.days) > 0
