import { Clock, Effect, Result } from "effect"
import { awayFromPlace } from "../../../contract/away-from-place.ts"
import { CurrentOperator } from "../../../contract/caller.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import { NotFound, Upstream } from "../../../contract/errors.ts"
import { dateInZone } from "../../../contract/time.ts"
import { CALENDAR_READ_MS } from "../../../platform/limits.ts"
import { type RefusedByChannel, toApiError } from "../../channels/port/api-errors.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import type { ListingDay } from "../../channels/port/days.ts"
import type { ChannelError } from "../../channels/port/errors.ts"
import { readableRange } from "../availability/rules.ts"
import type { search_listing_calendars } from "./contract.ts"
import type { ReadPermits } from "./read-permits.ts"
import { fitsAnAnswer } from "./rules.ts"
import type { ListingCalendarStore } from "./store.ts"

/** Listings of one call that channels are asked for at once. */
export const ASKED_AT_ONCE = 4

/** A listing that is read, and where it stands in the call. */
interface Asked {
  readonly at: number
  readonly accountId: number
  readonly channel_type: string
  readonly listing_id: string
}

/** Reads the present calendars from the channels, in the order of the request. Holds no concurrency permit while it waits. */
export const readCalendars = (
  store: ListingCalendarStore["Service"],
  gateway: ChannelGateway["Service"],
  permits: ReadPermits
) => {
  const read = (operatorId: number, { start, end }: DateRange) =>
    Effect.fnUntraced(function* ({ at, accountId, channel_type, listing_id }: Asked) {
      const account = { operatorId, accountId, channelType: channel_type }
      const calendar: ReadonlyArray<ListingDay> = yield* gateway
        .readCalendar(account, { listingId: listing_id, start, end })
        .pipe(Effect.mapError((error) => unread(error, `listings[${at}].listing_id`)))
      return { channel_type, listing_id, calendar }
    })

  return Effect.fnUntraced(function* ({
    start_date,
    end_date,
    listings
  }: typeof search_listing_calendars.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentOperator
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const range = yield* Effect.fromResult(readableRange({ start: start_date, end: end_date }, today))
    yield* Effect.fromResult(fitsAnAnswer(listings.length, range))
    const found = new Map((yield* store.places(operatorId, listings)).map((each) => [each.at - 1, each.account_id]))
    const asked = yield* Effect.fromResult(
      Result.all(
        listings.map((each, at): Result.Result<Asked, NotFound> => {
          const accountId = found.get(at)
          return accountId === undefined ? noSuchListing(at) : Result.succeed({ ...each, at, accountId })
        })
      )
    )
    const reading = Effect.forEach(asked, read(operatorId, range), { concurrency: ASKED_AT_ONCE }).pipe(
      Effect.timeoutOrElse({ duration: CALENDAR_READ_MS, orElse: () => Effect.fail(tooSlow) })
    )
    return { listings: yield* awayFromPlace(permits.within(operatorId, reading)) }
  })
}

const noSuchListing = (at: number) =>
  Result.fail(new NotFound({ message: `listings[${at}].listing_id: no such listing.` }))

const tooSlow = new Upstream({
  code: 504,
  message: `listings: the channels did not answer within ${CALENDAR_READ_MS / 1000} seconds; ask for fewer listings.`
})

/** Of several listings one must be named that its channel did not answer for. */
const unread = (error: ChannelError, field: string): RefusedByChannel => {
  const told = toApiError(error, field)
  return told._tag === "Upstream"
    ? new Upstream({ code: told.code, message: `${field}: the channel failed or did not answer in time.` })
    : told
}
