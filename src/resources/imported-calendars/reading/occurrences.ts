import * as Result from "effect/Result"
import ICAL from "ical.js"
import { CALENDAR_FEED_OCCURRENCES } from "../../../limits.ts"
import { DAY_SECONDS, nightsBetween, type Span } from "./nights.ts"
import { type Ahead, ZoneByName, zoneNamed } from "./zones.ts"

// When the events of a calendar take place, as far as it concerns the days in reach. The library tells the grammar, the rules
// of repetition and the zones that a calendar describes; what is left out and what is moved is looked up here, since its own
// way of doing so passes over every other of several dates that are left out.

/** What an event is read for. */
export interface Reach {
  /** The clock on the wall where the property is. */
  readonly ahead: Ahead
  /** First and last day that matter, as days since 1970. */
  readonly first: number
  readonly last: number
  /** How many more occurrences may be looked at. */
  readonly left: { occurrences: number }
}

export const REPEATS_TOO_OFTEN = `it repeats too often: more than ${CALENDAR_FEED_OCCURRENCES} occurrences would have to be looked at`

/** No zone is further from another than two days' clocks are. */
const APART = 2 * DAY_SECONDS
/** The longest a DURATION is worth reading: the library counts its days one by one. */
const LONGEST_SECONDS = 100_000 * DAY_SECONDS

/** A moment: on the wall wherever that is (a day, or a time without a zone), or an instant. */
interface Moment {
  readonly isWall: boolean
  readonly at: number
}

/** What one VEVENT says. */
export interface Told {
  readonly uid: string | undefined
  readonly component: ICAL.Component
  readonly start: ICAL.Time
  readonly seconds: number
  readonly isBusy: boolean
  /** The occurrence of another event that this one stands for, and whether for all later ones too. */
  readonly insteadOf: { readonly time: ICAL.Time; readonly andLater: boolean } | undefined
}

/** Seconds since 1970 as the clock of the time's own zone shows it. */
const wallOf = (time: ICAL.Time): number =>
  time.isDate
    ? Date.UTC(time.year, time.month - 1, time.day) / 1000
    : Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second) / 1000

const isFloating = (time: ICAL.Time): boolean => time.isDate || time.zone === ICAL.Timezone.localTimezone

const momentOf = (time: ICAL.Time): Moment =>
  isFloating(time) ? { isWall: true, at: wallOf(time) } : { isWall: false, at: time.toUnixTime() }

const onWall = ({ isWall, at }: Moment, ahead: Ahead): number => (isWall ? at : at + ahead(at))

/** A time with its zone, also where the calendar names one that it does not describe. */
const zoned = (property: ICAL.Property, time: ICAL.Time): ICAL.Time => {
  const name = property.getParameter("tzid")
  if (time.isDate || typeof name !== "string" || time.zone !== ICAL.Timezone.localTimezone) return time
  const ahead = zoneNamed(name)
  if (ahead !== undefined) time.zone = new ZoneByName(name, ahead)
  return time
}

const timesOf = (component: ICAL.Component, name: string): ReadonlyArray<ICAL.Time> =>
  component
    .getAllProperties(name)
    .flatMap((property) =>
      property.getValues().flatMap((value) => (value instanceof ICAL.Time ? [zoned(property, value)] : []))
    )

const firstTimeOf = (component: ICAL.Component, name: string): ICAL.Time | undefined => timesOf(component, name)[0]

const wordOf = (component: ICAL.Component, name: string): string =>
  String(component.getFirstPropertyValue(name) ?? "").toUpperCase()

const secondsOf = (component: ICAL.Component, start: ICAL.Time, ahead: Ahead): number => {
  const end = firstTimeOf(component, "dtend")
  if (end !== undefined) {
    const [begins, ends] = [momentOf(start), momentOf(end)]
    return begins.isWall === ends.isWall ? ends.at - begins.at : onWall(ends, ahead) - onWall(begins, ahead)
  }
  const duration = component.getFirstPropertyValue("duration")
  return duration instanceof ICAL.Duration ? Math.min(duration.toSeconds(), LONGEST_SECONDS) : 0
}

/** Reads a VEVENT; fails where it has no beginning, or something of it cannot be read. */
export const told = (component: ICAL.Component, ahead: Ahead): Result.Result<Told, unknown> =>
  Result.flatMap(
    Result.try(() => firstTimeOf(component, "dtstart")),
    (start) =>
      start === undefined
        ? Result.fail("it has no DTSTART")
        : Result.try(() => {
            const uid = component.getFirstPropertyValue("uid")
            const time = firstTimeOf(component, "recurrence-id")
            const range = component.getFirstProperty("recurrence-id")?.getParameter("range")
            return {
              uid: typeof uid === "string" && uid !== "" ? uid : undefined,
              component,
              start,
              seconds: Math.max(0, secondsOf(component, start, ahead)),
              isBusy: wordOf(component, "status") !== "CANCELLED" && wordOf(component, "transp") !== "TRANSPARENT",
              insteadOf: time === undefined ? undefined : { time, andLater: range === "THISANDFUTURE" }
            }
          })
  )

/** By what an occurrence is found that a calendar names: its day, its instant, or its time on the wall. */
const nameOf = (time: ICAL.Time): string => {
  const { isWall, at } = momentOf(time)
  if (time.isDate) return `day ${at / DAY_SECONDS}`
  return `${isWall ? "wall" : "instant"} ${at}`
}

const isNamed = (names: ReadonlySet<string>, time: ICAL.Time): boolean => {
  if (names.size === 0) return false
  const wall = wallOf(time)
  return names.has(nameOf(time)) || names.has(`day ${Math.floor(wall / DAY_SECONDS)}`) || names.has(`wall ${wall}`)
}

/** From an occurrence on, others take place this much later and for so long. */
interface Shift {
  readonly from: number
  readonly by: number
  readonly seconds: number
  readonly isBusy: boolean
}

const shiftsOf = (instead: ReadonlyArray<Told>): ReadonlyArray<Shift> =>
  instead
    .flatMap(({ insteadOf, start, seconds, isBusy }) => {
      if (insteadOf === undefined || !insteadOf.andLater) return []
      const from = momentOf(insteadOf.time).at
      return [{ from, by: momentOf(start).at - from, seconds, isBusy }]
    })
    .toSorted((one, other) => one.from - other.from)

/** The nights of what begins then, if they can be in reach. */
const spanOf = (start: Moment, seconds: number, { ahead, first, last }: Reach): ReadonlyArray<Span> => {
  const isNear = start.at + seconds >= first * DAY_SECONDS - APART && start.at <= (last + 1) * DAY_SECONDS + APART
  if (!isNear) return []
  return [nightsBetween(onWall(start, ahead), onWall({ ...start, at: start.at + seconds }, ahead))]
}

interface Occurrence {
  readonly time: ICAL.Time
  readonly seconds: number
}

const isDayOfMonth = (given: number, { year, month, day }: ICAL.Time): boolean =>
  day === (given > 0 ? given : ICAL.Time.daysInMonth(month, year) + 1 + given)

const NAMING_DAYS = ["BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"]

/**
 * Whether a rule can mean the day of a time. A day that a month has not is to be ignored (RFC 5545, 3.3.10): the library takes
 * one of the next month instead.
 */
const canMean = ({ freq, parts }: ICAL.Recur, start: ICAL.Time, time: ICAL.Time): boolean => {
  const isOwnDay = (freq === "YEARLY" || freq === "MONTHLY") && !NAMING_DAYS.some((part) => part in parts)
  const months = parts.BYMONTH ?? (freq === "YEARLY" && isOwnDay ? [start.month] : undefined)
  const days = parts.BYMONTHDAY ?? (isOwnDay ? [start.day] : undefined)
  if (months !== undefined && !months.some((month) => Number(month) === time.month)) return false
  return days === undefined || days.some((day) => isDayOfMonth(Number(day), time))
}

/** What, beside its days of the month, a rule of years may pick days by. */
const PICKING = ["BYDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"]

/**
 * Days of the month in each year are those in each month of it, or in the months that are named. Asked by years the library
 * looks at the first month alone where none is named, and loses some that are counted from the end.
 */
const byMonth = (rule: ICAL.Recur): boolean =>
  rule.freq === "YEARLY" &&
  rule.interval === 1 &&
  (rule.parts.BYMONTHDAY ?? []).some((day) => Number(day) < 0 || !("BYMONTH" in rule.parts)) &&
  !PICKING.some((part) => part in rule.parts)

/**
 * The occurrences of a rule that may be in reach; undefined where there are too many to look at. They are counted here, where
 * the rule counts them: the library counts also those that are left out.
 */
const ofRule = (given: ICAL.Recur, { start, seconds }: Told, furthest: number, reach: Reach) => {
  const occurrences: Array<Occurrence> = []
  const rule = given.clone()
  rule.count = null
  if (byMonth(rule)) rule.freq = "MONTHLY"
  let counted = 0
  const soonest = reach.first * DAY_SECONDS - APART - furthest - seconds
  const latest = (reach.last + 1) * DAY_SECONDS + APART + furthest
  const begins = wallOf(start)
  const iterator = rule.iterator(start)
  for (let next = iterator.next(); next; next = iterator.next()) {
    reach.left.occurrences -= 1
    if (reach.left.occurrences < 0) return undefined
    const wall = wallOf(next)
    if (wall > latest) break
    if (wall !== begins && !canMean(rule, start, next)) continue
    if (wall >= soonest) occurrences.push({ time: next.clone(), seconds })
    counted += 1
    if (counted === given.count) break
  }
  return occurrences
}

const ofDates = (event: Told): ReadonlyArray<Occurrence> =>
  event.component.getAllProperties("rdate").flatMap((property) =>
    property.getValues().flatMap((value) => {
      if (value instanceof ICAL.Time) return [{ time: zoned(property, value), seconds: event.seconds }]
      if (!(value instanceof ICAL.Period)) return []
      return [{ time: zoned(property, value.start), seconds: Math.max(0, value.getDuration().toSeconds()) }]
    })
  )

/**
 * The nights of an event with all its repetitions, without those that others stand for. Failing with
 * {@link REPEATS_TOO_OFTEN}, or with whatever the library says of it.
 */
export const spansOf = (
  event: Told,
  instead: ReadonlyArray<Told>,
  reach: Reach
): Result.Result<ReadonlyArray<Span>, unknown> =>
  Result.flatMap(
    Result.try(() => repeated(event, instead, reach)),
    (spans) => (spans === undefined ? Result.fail(REPEATS_TOO_OFTEN) : Result.succeed(spans))
  )

const repeated = (event: Told, instead: ReadonlyArray<Told>, reach: Reach): ReadonlyArray<Span> | undefined => {
  const { component, start, seconds, insteadOf } = event
  if (insteadOf !== undefined) return event.isBusy ? spanOf(momentOf(start), seconds, reach) : []
  const shifts = shiftsOf(instead)
  const furthest = Math.max(0, ...shifts.map(({ by, seconds }) => Math.abs(by) + seconds))
  const left = new Set([
    ...timesOf(component, "exdate").map(nameOf),
    ...instead.flatMap(({ insteadOf }) => (insteadOf === undefined ? [] : [nameOf(insteadOf.time)]))
  ])
  const occurrences: Array<Occurrence> = [{ time: start, seconds }]
  for (const rule of component.getAllProperties("rrule").flatMap((property) => property.getValues())) {
    if (!(rule instanceof ICAL.Recur)) continue
    const found = ofRule(rule, event, furthest, reach)
    if (found === undefined) return undefined
    for (const occurrence of found) occurrences.push(occurrence)
  }
  for (const occurrence of ofDates(event)) occurrences.push(occurrence)
  return occurrences.flatMap(({ time, seconds }) => {
    if (isNamed(left, time)) return []
    const moment = momentOf(time)
    const shift = shifts.findLast(({ from }) => from <= moment.at)
    if (shift === undefined) return event.isBusy ? spanOf(moment, seconds, reach) : []
    return shift.isBusy ? spanOf({ ...moment, at: moment.at + shift.by }, shift.seconds, reach) : []
  })
}
