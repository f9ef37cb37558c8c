import { addDays, daysInRange } from "../../contract/time.ts"
import { type Days, datesBetween, dayOf, leftOf } from "./calendar.ts"
import type { Day, Listing } from "./rows.ts"
import { settingOf } from "./settings.ts"

// Whether a guest can book some nights of a listing, and the reason why not.

/** Nights of one room: of `checkIn` until the morning of `checkOut`. */
export interface Nights {
  readonly checkIn: string
  readonly checkOut: string
}

export const nightsOf = ({ checkIn, checkOut }: Nights): ReadonlyArray<string> =>
  datesBetween(checkIn, addDays(checkOut, -1))

/** How many have each night. */
export const takenIn = (stays: ReadonlyArray<Nights>): ReadonlyMap<string, number> => {
  const taken = new Map<string, number>()
  for (const night of stays.flatMap(nightsOf)) taken.set(night, (taken.get(night) ?? 0) + 1)
  return taken
}

const HOURS_A_DAY = 24
const MS_AN_HOUR = 3_600_000

/** `4D4H` in milliseconds. */
const advanceMs = (text: string): number => {
  const [, days = "0", hours = "0"] = /^(\d{1,4})D(?:(\d{1,2})H)?$/.exec(text) ?? []
  return (Number(days) * HOURS_A_DAY + Number(hours)) * MS_AN_HOUR
}

/** Why one of the nights is not to be had, whatever the host's rules, to follow the name of the listing. */
export const whyGone = (listing: Listing, days: Days, nights: ReadonlyArray<string>): string | undefined => {
  const gone = nights.map((night) => dayOf(listing, days, night)).find((day) => leftOf(listing, day) < 1)
  return gone && `is ${gone.sold > 0 ? "sold" : "closed"} on ${gone.day}`
}

interface Asked extends Nights {
  /** Milliseconds from now until the day of arrival begins. */
  readonly untilArrivalMs: number
  /** Those of the nights that must still be to be had. */
  readonly nights: ReadonlyArray<string>
  readonly guests: number
}

type Rule = (about: {
  readonly stay: number
  readonly arrival: Day["restrictions"]
  readonly departure: Day["restrictions"]
  readonly through: ReadonlyArray<Day["restrictions"]>
  readonly asked: Asked
}) => string | false | undefined

const least = (nights: number) => `requires at least ${nights} night${nights === 1 ? "" : "s"}`
const most = (nights: number) => `allows at most ${nights} night${nights === 1 ? "" : "s"}`

const RULES: ReadonlyArray<Rule> = [
  ({ arrival, asked }) => arrival.closed_on_arrival === true && `does not allow check-in on ${asked.checkIn}`,
  ({ departure, asked }) => departure.closed_on_departure === true && `does not allow check-out on ${asked.checkOut}`,
  ({ arrival: { min_stay_on_arrival: min }, stay, asked }) =>
    min !== undefined && stay < min && `${least(min)} from ${asked.checkIn}`,
  ({ arrival: { max_stay_on_arrival: max }, stay, asked }) =>
    max !== undefined && stay > max && `${most(max)} from ${asked.checkIn}`,
  ({ arrival: { exact_stay_on_arrival: exact }, stay, asked }) =>
    exact !== undefined && stay !== exact && `requires exactly ${exact} nights from ${asked.checkIn}`,
  ({ through, stay }) =>
    through
      .map(({ min_stay_through: min }) => min !== undefined && stay < min && least(min))
      .find((reason) => reason !== false),
  ({ through, stay }) =>
    through
      .map(({ max_stay_through: max }) => max !== undefined && stay > max && most(max))
      .find((reason) => reason !== false),
  ({ arrival: { min_advance_reservation: min }, asked }) =>
    min !== undefined && asked.untilArrivalMs < advanceMs(min) && `must be booked ${min} ahead`,
  ({ arrival: { max_advance_reservation: max }, asked }) =>
    max !== undefined && asked.untilArrivalMs > advanceMs(max) && `cannot be booked more than ${max} ahead`
]

/** What the settings of the listing say against it. */
const againstSettings = (listing: Listing, stay: number, guests: number): string | undefined => {
  const [min, max, room] = ["minimum_stay", "maximum_stay", "max_guests"].map((name) => settingOf(listing, name))
  if (min !== undefined && stay < min) return least(min)
  if (max !== undefined && stay > max) return most(max)
  return room !== undefined && guests > room ? `has room for ${room} guests` : undefined
}

/** Why the nights cannot be booked, to follow the name of the listing; undefined: they can. */
export const whyNot = (listing: Listing, days: Days, asked: Asked): string | undefined => {
  const { checkIn, checkOut } = asked
  const stay = daysInRange(checkIn, checkOut) - 1
  const gone = whyGone(listing, days, asked.nights)
  if (gone !== undefined) return gone
  const rules = (date: string) => dayOf(listing, days, date).restrictions
  const through = nightsOf(asked).map(rules)
  const about = { stay, arrival: rules(checkIn), departure: rules(checkOut), through, asked }
  const broken = RULES.map((rule) => rule(about)).find((reason) => typeof reason === "string")
  return againstSettings(listing, stay, asked.guests) ?? (typeof broken === "string" ? broken : undefined)
}
