import { DateTime, Effect } from "effect"
import type { CurrentCaller } from "../../../contract/caller.ts"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { type ListingDetail, OneListing } from "../queries/OneListing.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeActionError, makeHostPage, notFoundView } from "./host-page.ts"
import { makeListingCalendarSection } from "./listing/listing-calendar.ts"
import { listingFactsSection, pushesSection, technicalDetails } from "./listing/listing-facts.ts"
import { makeListingSettingsSection } from "./listing/listing-settings.ts"
import { addMonths, link, readIdParam, readMonthParam, timeZoneNote } from "./page-parts.ts"
import { CHANNELS_PATH, LISTING_PATH } from "./urls.ts"

const NO_LISTING_MESSAGE = "You have no such listing."

const readShownMonth = (visit: SignedInVisit, now: Date): string =>
  readMonthParam(visit) ?? dateInZone(now, visit.session.person.caller.timeZone).slice(0, 7)

const toMonthSpan = (month: string) => ({ first: `${month}-01`, last: addDays(`${addMonths(month, 1)}-01`, -1) })

export const makeListingPage = Effect.gen(function* () {
  const [oneListing, service] = [yield* OneListing, yield* Service]

  const findListing = (visit: SignedInVisit): Effect.Effect<ListingDetail | undefined, never, CurrentCaller> => {
    const id = readIdParam(visit, "id")
    if (id === undefined) return Effect.undefined
    return Effect.flatMap(DateTime.nowAsDate, (now) => oneListing.of(id, toMonthSpan(readShownMonth(visit, now))))
  }

  const requireListing = (visit: SignedInVisit): Effect.Effect<ListingDetail, ActionError, CurrentCaller> =>
    Effect.flatMap(findListing(visit), (listing) =>
      listing === undefined ? Effect.fail(makeActionError(404, NO_LISTING_MESSAGE)) : Effect.succeed(listing)
    )

  const calendarSection = makeListingCalendarSection(service, requireListing)
  const settingsSection = makeListingSettingsSection(service, requireListing)

  return makeHostPage({
    path: LISTING_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const listing = yield* findListing(visit)
        if (listing === undefined) return notFoundView("No such listing", NO_LISTING_MESSAGE)
        const now = yield* DateTime.nowAsDate
        const today = dateInZone(now, visit.session.person.caller.timeZone)
        const month = readShownMonth(visit, now)
        return {
          title: listing.title === "" ? listing.listing_id : listing.title,
          body: html`<p>${link(CHANNELS_PATH, "‹ Channels & listings")}</p>
${listingFactsSection(visit, listing)}
${settingsSection.show(visit, listing, failedSubmission)}
${yield* calendarSection.show(visit, listing, { today, month, failedSubmission })}
${pushesSection(visit, listing.pushes)}
${technicalDetails(listing)}${timeZoneNote(visit)}`
        }
      }),
    actions: { ...settingsSection.actions, ...calendarSection.actions }
  })
})
