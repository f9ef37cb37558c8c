import { Clock, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { PropertyPage } from "../queries/PropertyPage.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeVoidMutation } from "./api-operations.ts"
import { type FailedSubmission, makeHostPage, notFoundView } from "./host-page.ts"
import { link, readIdParam } from "./page-parts.ts"
import { makePropertyEdits } from "./properties/property-edits.ts"
import {
  calendarsSection,
  listingsSection,
  newReservationLink,
  overviewSection,
  staffSection
} from "./properties/property-facts.ts"
import { propertyForm } from "./properties/property-form.ts"
import { PROPERTIES_PATH, PROPERTY_PATH } from "./urls.ts"

export const makePropertyPage = Effect.gen(function* () {
  const [properties, service] = [yield* PropertyPage, yield* Service]
  return makeHostPage({
    path: PROPERTY_PATH,
    show: makePropertyRenderer(properties),
    actions: makePropertyEdits(makeVoidMutation(service))
  })
})

const allPropertiesLink = html`<p>${link(PROPERTIES_PATH, "All properties")}</p>
`

const unknownPropertyView = notFoundView("Property", "There is no such property.", allPropertiesLink)

const makePropertyRenderer = (properties: PropertyPage["Service"]) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const id = readIdParam(visit, "id")
    if (id === undefined) return unknownPropertyView
    const today = dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone)
    const property = yield* properties.of(id, today)
    return property === undefined
      ? unknownPropertyView
      : {
          title: property.title,
          primaryAction: newReservationLink(property),
          body: html`${allPropertiesLink}<div class="property"><div class="overview">${overviewSection(visit, property)}</div>
<div class="details">${propertyForm(visit, property, failedSubmission)}</div>
<div>${listingsSection(property)}${calendarsSection(property)}${staffSection(property)}</div></div>`
        }
  })
