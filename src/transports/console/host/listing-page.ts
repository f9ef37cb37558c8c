import { DateTime, Effect } from "effect"
import type { CurrentCaller } from "../../../contract/caller.ts"
import { dateInZone } from "../../../contract/time.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { type ListingDetail, OneListing } from "../queries/OneListing.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeActionError, makeHostPage, notFoundView } from "./host-page.ts"
import { makeListingCalendarSection } from "./listing/listing-calendar.ts"
import { listingFactsSection, pushesSection, syncStatusSection } from "./listing/listing-facts.ts"
import { makeListingSettingsSection } from "./listing/listing-settings.ts"
import { activityLogLink, link, readIdParam, timeZoneNote } from "./page-parts.ts"
import { CHANNELS_PATH, LISTING_PATH } from "./urls.ts"

const NO_LISTING_MESSAGE = "You have no such listing."

export const makeListingPage = Effect.gen(function* () {
  const [oneListing, service] = [yield* OneListing, yield* Service]

  const findListing = (visit: SignedInVisit): Effect.Effect<ListingDetail | undefined, never, CurrentCaller> => {
    const id = readIdParam(visit, "id")
    return id === undefined ? Effect.undefined : oneListing.of(id)
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
        const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
        return {
          title: listing.title === "" ? listing.listing_id : listing.title,
          body: html`<p>${link(CHANNELS_PATH, "All channels")}</p>
${listingFactsSection(listing)}
${settingsSection.show(visit, listing, failedSubmission)}
${yield* calendarSection.show(visit, listing, today, failedSubmission)}
${syncStatusSection(visit, listing)}
${pushesSection(visit, listing.pushes)}
${activityLogLink(`listing:${listing.id}`)}${timeZoneNote(visit)}`
        }
      }),
    actions: { ...settingsSection.actions, ...calendarSection.actions }
  })
})
