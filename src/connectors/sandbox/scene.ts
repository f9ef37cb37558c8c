import { Result } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { dateInZone, daysInRange, startOfDay } from "../../contract/time.ts"
import type { RoomSaid } from "../../domain/channels/port/said.ts"
import { type Days, dayOf, givenBack, sold } from "./calendar.ts"
import type { RoomAsked } from "./order.ts"
import type { Day, Listing, SandboxAccount } from "./rows.ts"
import { nightsOf, whyGone, whyNot } from "./selling.ts"

// The listings an act is about, with their days: rooms are taken out of it and given back, one after the other.

/** What an act sees, as it was read at `now`, a whole second: nothing that is said to have been is ahead of who hears it. */
export interface Scene {
  readonly account: SandboxAccount
  readonly listings: ReadonlyMap<string, Listing>
  readonly days: ReadonlyMap<string, Days>
  /** The days that are another than they were read. */
  readonly changed: ReadonlyMap<string, Day>
  readonly now: Date
}

/** Nights of one room, and how far ahead a room may be booked. */
export const SANDBOX_NIGHTS = 365
const AHEAD_DAYS = 1_096

export type Refusal = Conflict | NotFound | ValidationFailed

const listingDays = (scene: Scene, listingId: string): Days => scene.days.get(listingId) ?? new Map()

/** With these days of a listing in the place of those that were. */
export const withDays = (scene: Scene, listingId: string, days: ReadonlyArray<Day>): Scene => ({
  ...scene,
  days: new Map([
    ...scene.days,
    [listingId, new Map([...listingDays(scene, listingId), ...days.map((day) => [day.day, day] as const)])]
  ]),
  changed: new Map([...scene.changed, ...days.map((day) => [`${listingId} ${day.day}`, day] as const)])
})

/** The listing and its days. */
export const listingIn = (
  scene: Scene,
  listingId: string
): Result.Result<{ readonly listing: Listing; readonly days: Days }, NotFound> => {
  const listing = scene.listings.get(listingId)
  return listing === undefined
    ? Result.fail(new NotFound({ message: `listing_id: no such listing: ${listingId}.` }))
    : Result.succeed({ listing, days: listingDays(scene, listingId) })
}

const dates = ({ check_in_date, check_out_date }: Pick<RoomAsked, "check_in_date" | "check_out_date">) => ({
  checkIn: check_in_date,
  checkOut: check_out_date
})

/** 422 for nights that nobody can book anywhere. `kept` is the day of arrival that the room has already. */
export const possible = (
  { account, now }: Scene,
  asked: Pick<RoomAsked, "check_in_date" | "check_out_date">,
  kept?: string
): Result.Result<void, ValidationFailed> => {
  const today = dateInZone(now, account.time_zone)
  const stay = daysInRange(asked.check_in_date, asked.check_out_date) - 1
  const no = (message: string) => Result.fail(new ValidationFailed({ message }))
  if (asked.check_in_date < today && asked.check_in_date !== kept) return no("check_in_date: must not be in the past.")
  if (stay < 1) return no("check_out_date: must be after check_in_date.")
  if (stay > SANDBOX_NIGHTS) return no(`check_out_date: a stay has at most ${SANDBOX_NIGHTS} nights.`)
  if (daysInRange(today, asked.check_out_date) > AHEAD_DAYS) return no("check_out_date: is too far ahead.")
  return Result.void
}

/**
 * One room is taken: refused where the calendar does not sell it. Of the room as it was `before` the nights are its own, be
 * they closed by now.
 */
export const takeRoom = (scene: Scene, asked: RoomAsked, before?: RoomSaid): Result.Result<Scene, Refusal> =>
  Result.gen(function* () {
    const { listing, days } = yield* listingIn(scene, asked.listing_id)
    yield* possible(scene, asked, before?.check_in_date)
    const { account, now } = scene
    const own = new Set(before === undefined ? [] : nightsOf(dates(before)))
    const nights = nightsOf(dates(asked)).filter((night) => !own.has(night))
    const untilArrivalMs = startOfDay(asked.check_in_date, account.time_zone).getTime() - now.getTime()
    const stay = { ...dates(asked), untilArrivalMs, nights, guests: asked.adults + asked.children }
    const reason = whyNot(listing, days, stay)
    if (reason !== undefined) {
      return yield* Result.fail(new Conflict({ message: `listing_id: ${listing.title} ${reason}.` }))
    }
    const taken = nights.map((night) => sold(dayOf(listing, days, night)))
    return withDays(scene, asked.listing_id, taken)
  })

/** The room of an offer is taken: whatever the rules of its listing, the host has agreed; but its nights must be left. */
export const takeOffered = (scene: Scene, asked: RoomAsked): Result.Result<Scene, Refusal> =>
  Result.gen(function* () {
    const { listing, days } = yield* listingIn(scene, asked.listing_id)
    yield* possible(scene, asked)
    const nights = nightsOf(dates(asked))
    const reason = whyGone(listing, days, nights)
    if (reason !== undefined) {
      return yield* Result.fail(new Conflict({ message: `listing_id: ${listing.title} ${reason}.` }))
    }
    return withDays(
      scene,
      asked.listing_id,
      nights.map((night) => sold(dayOf(listing, days, night)))
    )
  })

/** The nights of a room are free again, but those that it keeps as what it becomes. */
export const giveBack = (scene: Scene, room: RoomSaid, after?: RoomAsked): Scene => {
  const listing = scene.listings.get(room.listing_id)
  if (listing === undefined) return scene
  const days = listingDays(scene, room.listing_id)
  const kept = new Set(after === undefined ? [] : nightsOf(dates(after)))
  const nights = nightsOf(dates(room)).filter((night) => !kept.has(night))
  return withDays(
    scene,
    room.listing_id,
    nights.map((night) => givenBack(dayOf(listing, days, night)))
  )
}
