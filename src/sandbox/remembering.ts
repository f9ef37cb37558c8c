import { Effect, Result } from "effect"
import type { OrderSaid } from "../channels/said.ts"
import { NotFound } from "../contract/errors.ts"
import { instantOf } from "../contract/time.ts"
import { dayOf, sold } from "./calendar.ts"
import { type Becomes, type Found, makeChanging, orderWord } from "./changing.ts"
import { saidWithAct } from "./due.ts"
import { makeFinding } from "./finding.ts"
import { holds } from "./order.ts"
import type { Order } from "./rows.ts"
import { type Scene, withDays } from "./scene.ts"
import { nightsOf } from "./selling.ts"
import { Telling } from "./Telling.ts"

// Orders the marketplace has had all along: they are in its books as they stand, whatever its calendar sells today.

/** The nights of the order's rooms are sold. */
const soldIn = (scene: Scene, { rooms }: OrderSaid): Scene =>
  rooms.reduce((before, { listing_id, check_in_date, check_out_date }) => {
    const listing = before.listings.get(listing_id)
    if (listing === undefined) return before
    const days = before.days.get(listing_id) ?? new Map()
    const nights = nightsOf({ checkIn: check_in_date, checkOut: check_out_date })
    return withDays(
      before,
      listing_id,
      nights.map((night) => sold(dayOf(listing, days, night)))
    )
  }, scene)

/** The order as it stands; one that is in the books stays as it is. */
export const remembering =
  (said: OrderSaid) =>
  ({ scene, order }: Found): Result.Result<Becomes<void>> => {
    if (order !== undefined) return Result.succeed({ answer: undefined })
    const after: Order = {
      order_id: said.channel_id,
      version: said.version,
      status: said.status,
      answer: null,
      expires_at: typeof said.expires_at === "string" ? instantOf(said.expires_at, "UTC") : null,
      said,
      booked_at: instantOf(said.booked_at, "UTC")
    }
    const days = holds(said.status) ? Array.from(soldIn(scene, said).changed.values()) : []
    const words = [orderWord(after, saidWithAct(scene.now))]
    return Result.succeed({ writing: { order: { before: undefined, after }, days, words }, answer: undefined })
  }

/** Orders between two tellings: what one telling can tell of an account. */
const TOLD_TOGETHER = 100

/** Puts orders of an account into the books and tells the service of them. */
export const makeRemember = Effect.gen(function* () {
  const finding = yield* makeFinding
  const apply = yield* makeChanging
  const telling = yield* Telling
  return Effect.fnUntraced(function* (accountId: number, orders: ReadonlyArray<OrderSaid>) {
    const account = yield* finding.accountOf(accountId)
    if (account === undefined) {
      return yield* new NotFound({ message: "channel_account_id: the sandbox has no such account." })
    }
    for (const [at, said] of orders.entries()) {
      const listings = said.rooms.map(({ listing_id }) => listing_id)
      const dates = said.rooms
        .flatMap(({ check_in_date, check_out_date }) => [check_in_date, check_out_date])
        .toSorted()
      const days = { start: dates[0] ?? "", end: dates.at(-1) ?? "" }
      yield* apply(account, { orderId: said.channel_id, listings, days }, remembering(said))
      if (at % TOLD_TOGETHER === TOLD_TOGETHER - 1) yield* telling.tell(account)
    }
    yield* telling.tell(account)
  })
})
