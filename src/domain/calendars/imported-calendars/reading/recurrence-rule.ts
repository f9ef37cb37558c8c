import { parseTime, type WrittenTime } from "./date-time-values.ts"
import type { Frequency, Recurrence, RuleWeekday } from "./recurrence-expansion.ts"

export interface RecurrenceRule extends Recurrence {
  /** Without COUNT and UNTIL, for the library `ical.js`. */
  readonly text: string
  readonly until: WrittenTime | undefined
}

const numberListPattern = (pattern: string): RegExp => new RegExp(`^(?:${pattern})(?:,(?:${pattern}))*$`)
const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
const WEEKDAY_PATTERN = `(?:${WEEKDAYS.join("|")})`

const RULE_PART_PATTERNS: Readonly<Record<string, RegExp>> = {
  FREQ: /^[A-Z]+$/,
  INTERVAL: /^0*[1-9]\d{0,5}$/,
  COUNT: /^0*[1-9]\d{0,8}$/,
  BYSECOND: numberListPattern("[0-5]?\\d|60"),
  BYMINUTE: numberListPattern("[0-5]?\\d"),
  BYHOUR: numberListPattern("[01]?\\d|2[0-3]"),
  BYDAY: numberListPattern(`(?:[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3]))?${WEEKDAY_PATTERN}`),
  BYMONTHDAY: numberListPattern("[+-]?(?:0?[1-9]|[12]\\d|3[01])"),
  BYYEARDAY: numberListPattern("[+-]?0*(?:[1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])"),
  BYWEEKNO: numberListPattern("[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3])"),
  BYMONTH: numberListPattern("0?[1-9]|1[0-2]"),
  BYSETPOS: numberListPattern("[+-]?0*(?:[1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])"),
  WKST: new RegExp(`^${WEEKDAY_PATTERN}$`)
}

const FREQUENCIES: ReadonlyArray<Frequency> = ["SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]

const parseRuleParts = (value: string): ReadonlyMap<string, string> | undefined => {
  const parts = new Map<string, string>()
  for (const part of value.trim().split(";")) {
    if (part.trim() === "") continue
    const [, nameText = "", text = ""] = /^[ \t]*([A-Za-z]+)[ \t]*=([^=]*)$/.exec(part) ?? []
    const name = nameText.toUpperCase()
    if (parts.has(name) || (name !== "UNTIL" && RULE_PART_PATTERNS[name]?.test(text.toUpperCase()) !== true))
      return undefined
    parts.set(name, name === "UNTIL" ? text : text.toUpperCase())
  }
  return parts
}

const parseWeekday = (text: string): RuleWeekday => ({
  weekday: WEEKDAYS.indexOf(text.slice(-2)),
  ordinal: Number(text.slice(0, -2))
})

const parseNumberList = (text: string | undefined): ReadonlyArray<number> | undefined => text?.split(",").map(Number)

const isAllowedRule = (rule: Recurrence): boolean => {
  const { frequency, weekNumbers, yearDays, monthDays, weekdays, positions } = rule
  const hasOrdinal = weekdays?.some(({ ordinal }) => ordinal !== 0) === true
  if (weekNumbers !== undefined && (frequency !== "YEARLY" || hasOrdinal)) return false
  if (yearDays !== undefined && ["DAILY", "WEEKLY", "MONTHLY"].includes(frequency)) return false
  if (monthDays !== undefined && frequency === "WEEKLY") return false
  if (hasOrdinal && frequency !== "MONTHLY" && frequency !== "YEARLY") return false
  const others = [rule.months, weekNumbers, yearDays, monthDays, weekdays, rule.hours, rule.minutes, rule.seconds]
  return positions === undefined || others.some((part) => part !== undefined)
}

/** Follows RFC 5545, 3.3.10. */
export const parseRecurrenceRule = (value: string): RecurrenceRule | undefined => {
  const parts = parseRuleParts(value)
  const frequency = FREQUENCIES.find((each) => each === parts?.get("FREQ"))
  if (parts === undefined || frequency === undefined) return undefined
  const [count, untilText] = [parts.get("COUNT"), parts.get("UNTIL")]
  const until = untilText === undefined ? undefined : parseTime(untilText)
  if (untilText !== undefined && until === undefined) return undefined
  const rule: Recurrence = {
    frequency,
    interval: Number(parts.get("INTERVAL") ?? 1),
    count: count === undefined ? undefined : Number(count),
    weekStart: WEEKDAYS.indexOf(parts.get("WKST") ?? "MO"),
    months: parseNumberList(parts.get("BYMONTH")),
    weekNumbers: parseNumberList(parts.get("BYWEEKNO")),
    yearDays: parseNumberList(parts.get("BYYEARDAY")),
    monthDays: parseNumberList(parts.get("BYMONTHDAY")),
    weekdays: parts.get("BYDAY")?.split(",").map(parseWeekday),
    hours: parseNumberList(parts.get("BYHOUR")),
    minutes: parseNumberList(parts.get("BYMINUTE")),
    seconds: parseNumberList(parts.get("BYSECOND")),
    positions: parseNumberList(parts.get("BYSETPOS"))
  }
  if (!isAllowedRule(rule)) return undefined
  const text = Array.from(parts)
    .filter(([name]) => name !== "COUNT" && name !== "UNTIL")
    .map((part) => part.join("="))
    .join(";")
  return { ...rule, text, until }
}
