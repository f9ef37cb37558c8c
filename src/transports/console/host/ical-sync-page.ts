import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { search_calendar_share_links } from "../../../domain/calendars/calendar-share-links/contract.ts"
import { SHARE_LINKS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { CalendarsElsewhere } from "../queries/CalendarsElsewhere.ts"
import { makeSudo } from "../sudo.ts"
import { makeQuery } from "./api-operations.ts"
import { exportForm, makeExportActions } from "./calendars/exported-calendars.ts"
import { houseCalendarsSection, makeHouseCalendarActions } from "./calendars/house-calendars.ts"
import { importedCalendarsSection, importForm, makeImportActions } from "./calendars/imported-calendars.ts"
import { makeShareLinkActions, shareLinksSection } from "./calendars/share-links.ts"
import { makeHostPage } from "./host-page.ts"
import { buttonLink, readOffsetParam, timeZoneNote } from "./page-parts.ts"
import { ICAL_SYNC_PATH } from "./urls.ts"

export const makeIcalSyncPage = Effect.gen(function* () {
  const [importedCalendars, service, sudo] = [yield* CalendarsElsewhere, yield* Service, yield* makeSudo]
  const queryLinks = makeQuery(service, search_calendar_share_links)
  return makeHostPage({
    path: ICAL_SYNC_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const today = dateInZone(yield* DateTime.nowAsDate, visit.session.person.caller.timeZone)
        const [offset, linksOffset] = [readOffsetParam(visit), readOffsetParam(visit, "links")]
        const syncView = yield* importedCalendars.of(today, offset)
        const links = yield* queryLinks(visit, { limit: SHARE_LINKS_SHOWN, offset: linksOffset })
        const passwordField = yield* sudo.renderPasswordField(visit)
        return {
          title: "iCal sync",
          ...(syncView.properties.length === 0 ? {} : { primaryAction: buttonLink("#import", "Import iCal") }),
          body: html`${importedCalendarsSection(visit, syncView, offset)}
${importForm(visit, syncView.properties, passwordField, failedSubmission)}
${exportForm(visit, syncView.properties, passwordField, failedSubmission)}
${houseCalendarsSection(visit, syncView, passwordField, failedSubmission)}
${shareLinksSection(visit, { ...links, offset: linksOffset }, syncView.properties, passwordField, failedSubmission)}
${timeZoneNote(visit)}`
        }
      }),
    actions: {
      ...makeImportActions(service, sudo),
      ...makeExportActions(service, sudo),
      ...makeHouseCalendarActions(service, sudo),
      ...makeShareLinkActions(service, sudo)
    }
  })
})
