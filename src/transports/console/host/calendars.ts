import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { search_calendar_share_links } from "../../../domain/calendars/calendar-share-links/contract.ts"
import { SHARE_LINKS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { CalendarsElsewhere } from "../queries/CalendarsElsewhere.ts"
import { makeSudo } from "../sudo.ts"
import { CALENDARS_PATH } from "./addresses.ts"
import { reading } from "./asking.ts"
import { feedForm, makeFeedActs } from "./calendars/feeds.ts"
import { followedOf, followForm, makeFollowedActs } from "./calendars/followed.ts"
import { makeSharedActs, sharedOf } from "./calendars/shared.ts"
import { hostPage } from "./page.ts"
import { offsetIn, zoneOf } from "./parts.ts"

/** Calendars of elsewhere that close days here, and the addresses at which others read what is taken here. */
export const makeCalendarsPage = Effect.gen(function* () {
  const [elsewhere, service, sudo] = [yield* CalendarsElsewhere, yield* Service, yield* makeSudo]
  const readLinks = reading(service, search_calendar_share_links)
  return hostPage({
    path: CALENDARS_PATH,
    show: (visit, notTaken) =>
      Effect.gen(function* () {
        const { operatorId, timeZone } = visit.session.person.caller
        const today = dateInZone(yield* DateTime.nowAsDate, timeZone)
        const [offset, linksFrom] = [offsetIn(visit), offsetIn(visit, "links")]
        const shown = yield* elsewhere.of(operatorId, today, offset)
        const links = yield* readLinks(visit, { limit: SHARE_LINKS_SHOWN, offset: linksFrom })
        const password = yield* sudo.field(visit)
        return {
          title: "Calendars elsewhere",
          body: html`${followedOf(visit, shown, offset)}
${followForm(visit, shown.properties, password, notTaken)}
${feedForm(visit, shown.properties, password, notTaken)}
${sharedOf(visit, { ...links, offset: linksFrom }, shown.properties, password, notTaken)}
${zoneOf(visit)}`
        }
      }),
    acts: { ...(yield* makeFollowedActs(sudo)), ...(yield* makeFeedActs(sudo)), ...makeSharedActs(service, sudo) }
  })
})
