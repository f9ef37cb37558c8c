import { Effect, type Result } from "effect"
import { Conflict } from "../contract/errors.ts"
import { currentSecond } from "../contract/time.ts"
import { asRead } from "../database/optimistic.ts"
import { Books, type Word, type Writing } from "./Books.ts"
import { daysOf } from "./calendar.ts"
import type { Listing, Order, Payment, SandboxAccount } from "./rows.ts"
import type { Scene } from "./scene.ts"
import type { Nights } from "./selling.ts"

// The one way in which the marketplace changes: what an act is about is read, a pure rule says what becomes of it, and that is
// written if everything is still as it was read; else again from the start.

/** How often without queueing with others that meet such trouble, and then. */
const FREE_ATTEMPTS = 3
const QUEUED_ATTEMPTS = 30

const busy = new Conflict({ message: "The listing changes too fast at the moment: try again." })

/** What an act is about, beside what its order names. */
export interface About {
  readonly orderId?: string
  readonly listings?: ReadonlyArray<string>
  /** The first and the last day it looks at. */
  readonly days?: { readonly start: string; readonly end: string }
  /** The listing whose nights it is about that the host's calendar cannot know to be taken. */
  readonly unheardOf?: string
}

export interface Found {
  readonly scene: Scene
  /** Undefined where none was named, or there is no such. */
  readonly order: Order | undefined
  readonly payments: ReadonlyArray<Payment>
  readonly unheard: ReadonlyArray<Nights>
}

/** What becomes of it, and what is answered. Without `writing` nothing is changed. */
export interface Becomes<A> {
  readonly writing?: Omit<Writing, "listings">
  readonly answer: A
}

export type Rule<A, E> = (found: Found) => Result.Result<Becomes<A>, E>

/** The day before the first and after the last are looked at too: restrictions of a departure are on its own day. */
const spanOf = (
  about: About,
  order: Order | undefined
): { readonly start: string; readonly end: string } | undefined => {
  const rooms = order?.said.rooms ?? []
  const starts = [...rooms.map((room) => room.check_in_date), ...(about.days === undefined ? [] : [about.days.start])]
  const ends = [...rooms.map((room) => room.check_out_date), ...(about.days === undefined ? [] : [about.days.end])]
  const [start] = starts.toSorted()
  const end = ends.toSorted().at(-1)
  return start === undefined || end === undefined ? undefined : { start, end }
}

const seen = Effect.fnUntraced(function* (books: Books["Service"], account: SandboxAccount, about: About) {
  const { orderId } = about
  const order = orderId === undefined ? undefined : yield* books.order(account, orderId)
  const names = new Set([...(about.listings ?? []), ...(order?.said.rooms ?? []).map((room) => room.listing_id)])
  // The revisions before the days and the payments: of what changed in between the revision is another one.
  const listings = yield* books.listings(account, Array.from(names))
  const payments = order === undefined ? [] : yield* books.payments(account, order.order_id)
  const span = spanOf(about, order)
  const days = span === undefined ? [] : yield* books.days(account, Array.from(names), span.start, span.end)
  const unheard = about.unheardOf === undefined ? [] : yield* books.unheard(account, about.unheardOf)
  const scene: Scene = {
    account,
    listings: new Map(listings.map((listing) => [listing.listing_id, listing])),
    days: new Map(listings.map((listing) => [listing.listing_id, daysOf(listing, days)])),
    changed: new Map(),
    now: yield* currentSecond
  }
  return { scene, order, payments, unheard }
})

export const makeChanging = Effect.gen(function* () {
  const books = yield* Books
  return <A, E>(account: SandboxAccount, about: About, rule: Rule<A, E>): Effect.Effect<A, E | Conflict> => {
    const attempt = Effect.gen(function* () {
      const found = yield* seen(books, account, about)
      const { writing, answer } = yield* Effect.fromResult(rule(found))
      if (writing === undefined) return { answer }
      const listings = Array.from(found.scene.listings.values())
      return (yield* books.write(account, { ...writing, listings })) ? { answer } : undefined
    })
    const free = asRead(FREE_ATTEMPTS, stale)(attempt)
    const queued = books.inTurn(asRead(QUEUED_ATTEMPTS, busy)(attempt))
    return Effect.map(
      Effect.catchIf(
        free,
        (error): error is typeof stale => error === stale,
        () => queued
      ),
      ({ answer }) => answer
    )
  }
})
export type Changing = Effect.Success<typeof makeChanging>

/** It was read anew too often. */
const stale = { _tag: "Stale" } as const

/** What is told of an order, from `due` on. */
export const orderWord = (order: Order, due: Date): Word => ({
  kind: "order",
  subject: order.order_id,
  version: order.version,
  said: order.said,
  due_at: due
})

/** What is told of a listing. The settings of a channel that cannot be asked for them come with it. */
export const listingWord = (listing: Listing, withSettings: boolean, due: Date): Word => ({
  kind: "listing",
  subject: listing.listing_id,
  version: listing.version,
  said: {
    type: "listing",
    version: listing.version,
    listing_id: listing.listing_id,
    title: listing.title,
    currency: listing.currency,
    inventory: listing.rooms,
    shelf_status: "on",
    metadata: { instant_booking: listing.instant, sandbox: true },
    ...(withSettings ? { price_and_rules: listing.settings } : {})
  },
  due_at: due
})
