import { Effect, Struct } from "effect"
import fc from "fast-check"
import { addDays } from "../../src/contract/time.ts"
import type { Tally } from "./figures.ts"

// A month of two hosts' lives, as one sequence of moments: guests book, move and leave, hosts close and open days, and one or
// the other cannot be reached for a while. What each side may know of the other it has from its calendar alone.

export type SideName = "A" | "B"

/** Nights from the first to the morning of leaving. */
export interface Nights {
  readonly check_in_date: string
  readonly check_out_date: string
}

/** One of the two services, as guests, hosts and time see it. Every act answers whether it was taken. */
export interface Side {
  readonly name: SideName
  /** The days of a range that can be sold, as its own calendar says. */
  readonly free: (first: string, last: string) => Effect.Effect<ReadonlySet<string>>
  /** A guest books; answers the code, undefined when refused. */
  readonly book: (nights: Nights) => Effect.Effect<string | undefined>
  readonly move: (code: string, nights: Nights) => Effect.Effect<boolean>
  readonly cancel: (code: string) => Effect.Effect<void>
  readonly setOpen: (day: string, open: boolean) => Effect.Effect<void>
  /** When it looks at the other's calendar next, in milliseconds since 1970. */
  readonly nextLook: Effect.Effect<number>
  /** Looks, if it is time; answers whether the other could be read. */
  readonly look: Effect.Effect<boolean | undefined>
}

export interface MonthBudget {
  readonly days: number
  readonly seed: number
  /** Moments a day at which something happens. */
  readonly actsADay: number
}

/** Days ahead for which guests book. */
const AHEAD = 45
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const nightsOf = ({ check_in_date, check_out_date }: Nights): ReadonlyArray<string> => {
  const nights: Array<string> = []
  for (let night = check_in_date; night < check_out_date; night = addDays(night, 1)) nights.push(night)
  return nights
}

interface Stay extends Nights {
  readonly code: string
  /** Each of its nights, and the moment since which it has it: a count, so that two are never the same. */
  readonly since: ReadonlyMap<string, number>
}

/** What one side has sold and closed, and when it last read the other. */
interface Book {
  readonly stays: Map<string, Stay>
  readonly closed: Set<string>
  readAt: number
  reachable: number
}

const other = (name: SideName): SideName => (name === "A" ? "B" : "A")

const holderOf = (book: Book, night: string): Stay | undefined =>
  Array.from(book.stays.values()).find((stay) => night >= stay.check_in_date && night < stay.check_out_date)

/** What happens, and how often. */
const WEIGHTS = { book: 14, move: 4, cancel: 10, close: 2, open: 4, outage: 1 } as const
type Act = keyof typeof WEIGHTS

const drawn = fc.record({
  act: fc.oneof(...Struct.keys(WEIGHTS).map((act) => ({ weight: WEIGHTS[act], arbitrary: fc.constant<Act>(act) }))),
  side: fc.constantFrom<SideName>("A", "B"),
  after: fc.integer({ min: 1, max: 120 }),
  day: fc.integer({ min: 0, max: AHEAD }),
  nights: fc.integer({ min: 1, max: 4 }),
  which: fc.nat(1_000),
  minutes: fc.integer({ min: 5, max: 180 })
})
type Drawn = typeof drawn extends fc.Arbitrary<infer A> ? A : never

/** So much of the month's clock as the sides see. */
export interface MonthClock {
  readonly now: () => number
  readonly set: (now: number) => void
  /** The day it is, where the sides are. */
  readonly today: () => string
}

/** Lives through the month; tells how often a night was sold twice, and whether that could have been known. */
export const month = Effect.fnUntraced(function* (
  sides: Readonly<Record<SideName, Side>>,
  clock: MonthClock,
  reach: (side: SideName, reachable: boolean) => Effect.Effect<void>,
  count: Tally,
  { days, seed, actsADay }: MonthBudget
) {
  let moment = 0
  const begun = clock.now()
  const bookOf = (): Book => ({ stays: new Map(), closed: new Set(), readAt: 0, reachable: 0 })
  const books: Readonly<Record<SideName, Book>> = { A: bookOf(), B: bookOf() }
  const acts = fc.sample(drawn, { numRuns: days * actsADay, seed })

  /** Notes nights that both sides have sold since `stay` took them; those it had before it moved were noted then. */
  const noteSold = (name: SideName, stay: Stay, before: ReadonlyArray<string> = []) => {
    count.tried("stays sold or moved")
    for (const night of nightsOf(stay)) {
      if (before.includes(night)) continue
      const there = holderOf(books[other(name)], night)
      if (there === undefined) continue
      if ((there.since.get(night) ?? 0) < books[name].readAt)
        count.fell("a night was sold twice though it could be known", `${name} ${stay.code} ${night}, ${there.code}`)
      else count.tried("nights sold twice before the other's calendar was read again")
    }
  }

  const pick = (name: SideName, which: number): Stay | undefined => {
    const coming = Array.from(books[name].stays.values()).filter((stay) => stay.check_in_date > clock.today())
    return coming[which % Math.max(1, coming.length)]
  }

  const nightsAt = (day: number, nights: number): Nights => {
    const check_in_date = addDays(clock.today(), day)
    return { check_in_date, check_out_date: addDays(check_in_date, nights) }
  }

  const act = Effect.fnUntraced(function* ({ act: what, side: name, day, nights: length, which, minutes }: Drawn) {
    const [side, book] = [sides[name], books[name]]
    const asked = nightsAt(day, length)
    const isFree = (besides: ReadonlyArray<string>) =>
      Effect.map(side.free(asked.check_in_date, addDays(asked.check_out_date, -1)), (free) =>
        nightsOf(asked).every((night) => free.has(night) || besides.includes(night))
      )
    switch (what) {
      case "book": {
        if (!(yield* isFree([]))) return count.tried("guests who found no room")
        const code = yield* side.book(asked)
        if (code === undefined) return count.fell("a free night could not be booked", `${name} ${asked.check_in_date}`)
        const stay = { ...asked, code, since: new Map(nightsOf(asked).map((night) => [night, moment])) }
        book.stays.set(code, stay)
        return noteSold(name, stay)
      }
      case "move": {
        const stay = pick(name, which)
        if (stay === undefined || !(yield* isFree(nightsOf(stay)))) return
        if (!(yield* side.move(stay.code, asked)))
          return count.fell("a stay could not be moved to free nights", `${name} ${stay.code}`)
        const since = new Map(nightsOf(asked).map((night) => [night, stay.since.get(night) ?? moment]))
        const moved = { ...stay, ...asked, since }
        book.stays.set(stay.code, moved)
        return noteSold(name, moved, nightsOf(stay))
      }
      case "cancel": {
        const stay = pick(name, which)
        if (stay === undefined) return
        yield* side.cancel(stay.code)
        book.stays.delete(stay.code)
        return count.tried("stays cancelled")
      }
      case "close":
      case "open": {
        const closed = Array.from(book.closed)
        const named = what === "close" ? asked.check_in_date : (closed[which % Math.max(1, closed.length)] ?? "")
        if (named < clock.today()) return void book.closed.delete(named)
        yield* side.setOpen(named, what === "open")
        if (what === "open") book.closed.delete(named)
        else book.closed.add(named)
        return count.tried("days closed or opened by hand")
      }
      case "outage": {
        book.reachable = Math.max(book.reachable, clock.now() + minutes * MINUTE)
        yield* reach(name, false)
        return count.tried("outages")
      }
    }
  })

  /** Both look at each other when it is time, up to a moment. */
  const lookUntil = Effect.fnUntraced(function* (until: number) {
    while (true) {
      const due = yield* Effect.all({ A: sides.A.nextLook, B: sides.B.nextLook })
      const name: SideName = due.A <= due.B ? "A" : "B"
      const back = (["A", "B"] as const).filter((each) => books[each].reachable > clock.now())
      const next = Math.min(due[name], ...back.map((each) => books[each].reachable))
      if (next > until) return clock.set(until)
      clock.set(Math.max(next, clock.now()))
      for (const each of back) if (books[each].reachable <= clock.now()) yield* reach(each, true)
      if (due[name] > clock.now()) continue
      moment += 1
      const read = yield* sides[name].look
      if (read === undefined) count.fell("a look was due and was not made", name)
      count.tried(read === true ? "looks" : "looks at a side that was away")
      if (read === true) books[name].readAt = moment
    }
  })

  /** Days that a side says are taken though nobody has them. */
  const noteShut = Effect.fnUntraced(function* (name: SideName, kind: string) {
    const first = clock.today()
    const last = addDays(first, AHEAD + 5)
    const free = yield* sides[name].free(first, last)
    for (let day = first; day <= last; day = addDays(day, 1)) {
      const held = (["A", "B"] as const).some(
        (each) => books[each].closed.has(day) || holderOf(books[each], day) !== undefined
      )
      if (held === free.has(day))
        count.fell(
          held ? `a day is open that somebody holds, ${kind}` : `a day is closed that nobody holds, ${kind}`,
          `${name} ${day}`
        )
    }
  })

  for (const each of acts) {
    yield* lookUntil(clock.now() + (each.after / 120) * 2 * (DAY / actsADay))
    moment += 1
    yield* act(each)
  }
  count.tried("days", Math.round((clock.now() - begun) / DAY))
  // All is told that there is to tell: both can be reached, and have looked twice.
  for (const name of ["A", "B"] as const) books[name].reachable = clock.now()
  for (const name of ["A", "B"] as const) yield* reach(name, true)
  yield* lookUntil(clock.now() + 5 * 60 * MINUTE)
  for (const name of ["A", "B"] as const) yield* noteShut(name, "at the end")
})
