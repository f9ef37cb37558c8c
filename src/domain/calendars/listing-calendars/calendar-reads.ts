import { Clock, Effect, Result } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import type { DateRange } from "../../../contract/date-range.ts"
import { NotFound, Upstream } from "../../../contract/errors.ts"
import { releasePermitWhile } from "../../../contract/permit-release.ts"
import { dateInZone } from "../../../contract/time.ts"
import { CALENDAR_READ_MS } from "../../../platform/limits.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { type ChannelApiError, toApiError } from "../../channels/port/channel-api-errors.ts"
import type { ChannelError } from "../../channels/port/errors.ts"
import type { ListingDay } from "../../channels/port/listing-days.ts"
import { checkReadableRange } from "../availability/rules.ts"
import type { CalendarReadPermits } from "./calendar-read-permits.ts"
import type { search_listing_calendars } from "./contract.ts"
import { validateResponseSize } from "./rules.ts"
import type { ListingCalendarStore } from "./store.ts"

/** Limit within one call. */
export const CONCURRENT_CHANNEL_READS = 4

interface ListingToRead {
  readonly index: number
  readonly accountId: number
  readonly channel_type: string
  readonly listing_id: string
}

/** Returns calendars in the order of the request. */
export const makeReadCalendars = (
  store: ListingCalendarStore["Service"],
  gateway: ChannelGateway["Service"],
  permits: CalendarReadPermits
) => {
  const readListing = (operatorId: number, { start, end }: DateRange) =>
    Effect.fnUntraced(function* ({ index, accountId, channel_type, listing_id }: ListingToRead) {
      const account = { operatorId, accountId, channelType: channel_type }
      const calendar: ReadonlyArray<ListingDay> = yield* gateway
        .readCalendar(account, { listingId: listing_id, start, end })
        .pipe(Effect.mapError((error) => toReadError(error, `listings[${index}].listing_id`)))
      return { channel_type, listing_id, calendar }
    })

  return Effect.fnUntraced(function* ({
    start_date,
    end_date,
    listings
  }: typeof search_listing_calendars.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const range = yield* Effect.fromResult(checkReadableRange({ start: start_date, end: end_date }, today))
    yield* Effect.fromResult(validateResponseSize(listings.length, range))
    const accountIds = new Map(
      (yield* store.findAccounts(operatorId, listings)).map((each) => [each.at - 1, each.account_id])
    )
    const listingsToRead = yield* Effect.fromResult(
      Result.all(
        listings.map((each, index): Result.Result<ListingToRead, NotFound> => {
          const accountId = accountIds.get(index)
          return accountId === undefined ? failUnknownListing(index) : Result.succeed({ ...each, index, accountId })
        })
      )
    )
    const reads = Effect.forEach(listingsToRead, readListing(operatorId, range), {
      concurrency: CONCURRENT_CHANNEL_READS
    }).pipe(Effect.timeoutOrElse({ duration: CALENDAR_READ_MS, orElse: () => Effect.fail(channelsTooSlowError) }))
    return { listings: yield* releasePermitWhile(permits.within(operatorId, reads)) }
  })
}

const failUnknownListing = (index: number) =>
  Result.fail(new NotFound({ message: `listings[${index}].listing_id: no such listing.` }))

const channelsTooSlowError = new Upstream({
  code: 504,
  message: `listings: the channels did not answer within ${CALENDAR_READ_MS / 1000} seconds; ask for fewer listings.`
})

const toReadError = (error: ChannelError, field: string): ChannelApiError => {
  const apiError = toApiError(error, field)
  return apiError._tag === "Upstream"
    ? new Upstream({ code: apiError.code, message: `${field}: the channel failed or did not answer in time.` })
    : apiError
}
