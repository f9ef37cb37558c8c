import { Result } from "effect"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { dateInZone, daysInRange, startOfDay } from "../../contract/time.ts"
import type { ChannelRoom } from "../../domain/channels/port/channel-events.ts"
import { findUnavailableReason, findUnbookableReason, listNights } from "./bookability.ts"
import { type DaysByDate, findDay, releaseNight, takeNight } from "./listing-calendar.ts"
import type { RoomRequest } from "./order-transitions.ts"
import type { SandboxAccount, SandboxDay, SandboxListing } from "./rows.ts"

/** `now` has whole seconds, like the time of the service, so that no event is in the service's future. */
export interface MarketplaceSnapshot {
  readonly account: SandboxAccount
  readonly listings: ReadonlyMap<string, SandboxListing>
  readonly days: ReadonlyMap<string, DaysByDate>
  readonly changedDays: ReadonlyMap<string, SandboxDay>
  readonly now: Date
}

const SANDBOX_MAX_NIGHTS = 365
const MAX_ADVANCE_DAYS = 1_096

export type RuleError = Conflict | NotFound | ValidationFailed

const findListingDays = (snapshot: MarketplaceSnapshot, listingId: string): DaysByDate =>
  snapshot.days.get(listingId) ?? new Map()

export const withListingDays = (
  snapshot: MarketplaceSnapshot,
  listingId: string,
  days: ReadonlyArray<SandboxDay>
): MarketplaceSnapshot => ({
  ...snapshot,
  days: new Map([
    ...snapshot.days,
    [listingId, new Map([...findListingDays(snapshot, listingId), ...days.map((day) => [day.day, day] as const)])]
  ]),
  changedDays: new Map([...snapshot.changedDays, ...days.map((day) => [`${listingId} ${day.day}`, day] as const)])
})

export const requireListing = (
  snapshot: MarketplaceSnapshot,
  listingId: string
): Result.Result<{ readonly listing: SandboxListing; readonly days: DaysByDate }, NotFound> => {
  const listing = snapshot.listings.get(listingId)
  return listing === undefined
    ? Result.fail(new NotFound({ message: `listing_id: no such listing: ${listingId}.` }))
    : Result.succeed({ listing, days: findListingDays(snapshot, listingId) })
}

const toStayDates = ({ check_in_date, check_out_date }: Pick<RoomRequest, "check_in_date" | "check_out_date">) => ({
  checkIn: check_in_date,
  checkOut: check_out_date
})

/** The check-in date may be in the past only if it equals `currentCheckIn`. */
export const checkDates = (
  { account, now }: MarketplaceSnapshot,
  request: Pick<RoomRequest, "check_in_date" | "check_out_date">,
  currentCheckIn?: string
): Result.Result<void, ValidationFailed> => {
  const today = dateInZone(now, account.time_zone)
  const nightCount = daysInRange(request.check_in_date, request.check_out_date) - 1
  const failInvalid = (message: string) => Result.fail(new ValidationFailed({ message }))
  if (request.check_in_date < today && request.check_in_date !== currentCheckIn)
    return failInvalid("check_in_date: must not be in the past.")
  if (nightCount < 1) return failInvalid("check_out_date: must be after check_in_date.")
  if (nightCount > SANDBOX_MAX_NIGHTS)
    return failInvalid(`check_out_date: a stay has at most ${SANDBOX_MAX_NIGHTS} nights.`)
  if (daysInRange(today, request.check_out_date) > MAX_ADVANCE_DAYS)
    return failInvalid("check_out_date: is too far ahead.")
  return Result.void
}

/** Nights that the room already held (`before`) need not be available. */
export const takeRoom = (
  snapshot: MarketplaceSnapshot,
  request: RoomRequest,
  before?: ChannelRoom
): Result.Result<MarketplaceSnapshot, RuleError> =>
  Result.gen(function* () {
    const { listing, days } = yield* requireListing(snapshot, request.listing_id)
    yield* checkDates(snapshot, request, before?.check_in_date)
    const { account, now } = snapshot
    const ownNights = new Set(before === undefined ? [] : listNights(toStayDates(before)))
    const nights = listNights(toStayDates(request)).filter((night) => !ownNights.has(night))
    const untilArrivalMs = startOfDay(request.check_in_date, account.time_zone).getTime() - now.getTime()
    const stay = { ...toStayDates(request), untilArrivalMs, nights, guests: request.adults + request.children }
    const reason = findUnbookableReason(listing, days, stay)
    if (reason !== undefined) {
      return yield* Result.fail(new Conflict({ message: `listing_id: ${listing.title} ${reason}.` }))
    }
    const takenDays = nights.map((night) => takeNight(findDay(listing, days, night)))
    return withListingDays(snapshot, request.listing_id, takenDays)
  })

/** Ignores booking rules, because the host made the offer. */
export const takeOfferedRoom = (
  snapshot: MarketplaceSnapshot,
  request: RoomRequest
): Result.Result<MarketplaceSnapshot, RuleError> =>
  Result.gen(function* () {
    const { listing, days } = yield* requireListing(snapshot, request.listing_id)
    yield* checkDates(snapshot, request)
    const nights = listNights(toStayDates(request))
    const reason = findUnavailableReason(listing, days, nights)
    if (reason !== undefined) {
      return yield* Result.fail(new Conflict({ message: `listing_id: ${listing.title} ${reason}.` }))
    }
    return withListingDays(
      snapshot,
      request.listing_id,
      nights.map((night) => takeNight(findDay(listing, days, night)))
    )
  })

export const releaseRoom = (
  snapshot: MarketplaceSnapshot,
  room: ChannelRoom,
  after?: RoomRequest
): MarketplaceSnapshot => {
  const listing = snapshot.listings.get(room.listing_id)
  if (listing === undefined) return snapshot
  const days = findListingDays(snapshot, room.listing_id)
  const keptNights = new Set(after === undefined ? [] : listNights(toStayDates(after)))
  const nights = listNights(toStayDates(room)).filter((night) => !keptNights.has(night))
  return withListingDays(
    snapshot,
    room.listing_id,
    nights.map((night) => releaseNight(findDay(listing, days, night)))
  )
}
