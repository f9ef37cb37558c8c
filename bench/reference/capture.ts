import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { shortenFraction } from "../../src/contract/time.ts"
import { callWith, withStatements } from "../in-process.ts"
import { type Booking, GIVEN, type NewEntry } from "./calls.ts"
import type { CapturedCalls, CapturedStatement, Given, Made, Template } from "./captured.ts"

// Two calls of a kind, with nothing alike that callers choose, tell what its statements are made of: what is the same in
// both is the same in all, and what differs is what the call brought. Anything else stops the bench.

interface Seen {
  readonly value: unknown
  readonly given: Given
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

const isJson = (value: unknown): value is string => typeof value === "string" && /^(?:\[\{|\{")/.test(value)

/** Whether a value sent equals the one the call brought. In JSON a time is text, with or without its zero fraction. */
const isSame = (given: unknown, value: unknown): boolean =>
  isDeepStrictEqual(given, value) ||
  (given instanceof Date &&
    typeof value === "string" &&
    shortenFraction(given.toISOString()) === shortenFraction(value))

const JUST_MS = 10_000

/** What a server makes for each call, by the names under which the references make it: who called and when, for the trail, and in which trace. */
const MADE: Readonly<Record<keyof Made, (value: unknown) => boolean>> = {
  moment: (value) => value instanceof Date && Math.abs(Date.now() - value.getTime()) < JUST_MS,
  requestId: (value) => typeof value === "string" && /^RT\d{14,}\w+$/.test(value),
  traceparent: (value) => typeof value === "string" && /^00-[\da-f]{32}-[\da-f]{16}-0[01]$/.test(value)
}

/** How a value came about that two calls sent in the same place. */
const templateOf = (one: Seen, other: Seen): Template => {
  const [value, its] = [one.value, other.value]
  const name = Object.keys(one.given).find((each) => isSame(one.given[each], value) && isSame(other.given[each], its))
  if (name !== undefined) return { given: name }
  const made = Object.entries(MADE).find(([, fits]) => fits(value) && fits(its))
  if (made !== undefined) return { given: made[0] }
  if (isDeepStrictEqual(value, its)) return value instanceof Date ? { date: value.toISOString() } : { same: value }
  const inside = (part: unknown, itsPart: unknown) =>
    templateOf({ value: part, given: one.given }, { value: itsPart, given: other.given })
  if (isJson(value) && isJson(its)) return { json: inside(JSON.parse(value), JSON.parse(its)) }
  if (Array.isArray(value) && Array.isArray(its) && value.length === its.length) {
    return { list: value.map((part, index) => inside(part, its[index])) }
  }
  if (isRecord(value) && isRecord(its)) {
    const fields = Object.entries(value).map(([field, part]) => [field, inside(part, its[field])] as const)
    return { fields: Object.fromEntries(fields) }
  }
  throw new Error(`a statement was sent ${JSON.stringify(value)}, which is nothing the call brought`)
}

/** A call, and what it brought into its statements, as far as only its answer tells. */
interface Captured<E, R> {
  readonly call: Effect.Effect<unknown, E, R>
  readonly given: (answer: unknown) => Given
}

/** Made by a call every few seconds: no part of what its kind is made of. */
const TOKEN_LOOK_UP = /FROM access_tokens/

/** A timer may be that early, by the clock that calls read. */
const EARLY_MS = 20

/** Each call has a second of its own: so its moment is told from that of any other. */
const atOnce = Effect.fnUntraced(function* <E, R>({ call, given }: Captured<E, R>) {
  yield* Effect.sleep(1_000 - (Date.now() % 1_000) + EARLY_MS)
  const now = new Date(Math.floor(Date.now() / 1_000) * 1_000)
  const { answer, statements } = yield* withStatements(call)
  return { statements: statements.filter(([text]) => !TOKEN_LOOK_UP.test(text)), given: { now, ...given(answer) } }
})

const captured = Effect.fnUntraced(function* <E, R>(...[one, other]: readonly [Captured<E, R>, Captured<E, R>]) {
  const first = yield* atOnce(one)
  const second = yield* atOnce(other)
  const texts = first.statements.map(([text]) => text)
  const itsTexts = second.statements.map(([text]) => text)
  if (texts.length === 0 || !isDeepStrictEqual(texts, itsTexts)) {
    throw new Error(`two calls of a kind do not send the same: ${[...texts, "and", ...itsTexts].join("\n")}`)
  }
  return first.statements.map(([text, values], index): CapturedStatement => {
    const [, itsValues = []] = second.statements[index] ?? []
    const seen = (value: unknown, place: number) =>
      templateOf({ value, given: first.given }, { value: itsValues[place], given: second.given })
    return { text, values: values.map(seen) }
  })
})

/** The statements of a look-up of an entry, of a month's first page, and of a new entry. */
export const captureEntries = Effect.fnUntraced(function* (
  token: string,
  known: { readonly entryIds: readonly [number, number]; readonly entry: NewEntry }
) {
  const search = (fields: object, given: Given) => ({
    call: callWith(token, "search_transactions", fields),
    given: () => given
  })
  const create = (entry: NewEntry) => ({
    call: callWith(token, "create_transaction", entry),
    given: () => GIVEN.newEntry(entry)
  })
  const second = yield* callWith(token, "create_property", { title: "Harbour 2" })
  const [id, otherId] = known.entryIds
  const calls: CapturedCalls = {
    entry: yield* captured(search({ id }, GIVEN.entry(id)), search({ id: otherId }, GIVEN.entry(otherId))),
    month: yield* captured(
      search({ start_date: "2025-06-01", end_date: "2025-06-30" }, GIVEN.month("2025-06-01", "2025-06-30")),
      search({ start_date: "2025-07-01", end_date: "2025-07-31" }, GIVEN.month("2025-07-01", "2025-07-31"))
    ),
    newEntry: yield* captured(
      create(known.entry),
      create({ ...known.entry, property_id: numberIn(second, "property_id"), amount: 21.25, note: "soap" })
    )
  }
  return calls
})

/** A page of arrivals: first day, last day, rows. */
type Arrivals = readonly [start: string, end: string, limit: number]

/** The statements of a page of arrivals, of a look-up by a channel's own id, and of a booking by hand. */
export const captureReservations = Effect.fnUntraced(function* (
  token: string,
  known: {
    readonly arrivals: readonly [Arrivals, Arrivals]
    readonly channelIds: readonly [string, string]
    readonly bookings: readonly [Booking, Booking]
  }
) {
  const search = (fields: object, given: Given) => ({
    call: callWith(token, "search_reservations", fields),
    given: () => given
  })
  const arrivals = ([start, end, limit]: Arrivals) =>
    search(
      { start_check_in_date: start, end_check_in_date: end, order_by: "check_in_date", limit },
      GIVEN.arrivals(start, end, limit)
    )
  const ofChannel = (channelId: string) => search({ channel_id: channelId }, GIVEN.channelId(channelId))
  const create = (booking: Booking) => ({
    call: callWith(token, "create_reservation", booking),
    given: (answer: unknown) => GIVEN.booking(booking, textIn(answer, "reservation_code").replace(/^5-/, ""))
  })
  const [page, otherPage] = known.arrivals
  const [channelId, otherChannelId] = known.channelIds
  const [one, other] = known.bookings
  const calls: CapturedCalls = {
    arrivals: yield* captured(arrivals(page), arrivals(otherPage)),
    channelId: yield* captured(ofChannel(channelId), ofChannel(otherChannelId)),
    booking: yield* captured(create(one), create(other))
  }
  return calls
})

const fieldOf = (answer: unknown, field: string): unknown => (isRecord(answer) ? answer[field] : undefined)

const numberIn = (answer: unknown, field: string): number => Number(fieldOf(answer, field))
const textIn = (answer: unknown, field: string): string => String(fieldOf(answer, field))
