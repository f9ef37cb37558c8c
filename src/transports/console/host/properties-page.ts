import { Clock, Effect } from "effect"
import type { CurrentCaller } from "../../../contract/caller.ts"
import { dateInZone } from "../../../contract/time.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { Portfolio } from "../queries/Portfolio.ts"
import { Sorting } from "../queries/Sorting.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeVoidMutation } from "./api-operations.ts"
import { type FailedSubmission, type HostView, makeHostPage, notFoundView } from "./host-page.ts"
import { buttonLink, link, readOffsetParam } from "./page-parts.ts"
import { groupView, roomTypeView, tagView } from "./properties/grouping-forms.ts"
import {
  makeGroupActions,
  makePropertyActions,
  makeRoomTypeActions,
  makeTagActions
} from "./properties/property-actions.ts"
import { newPropertyView } from "./properties/property-form.ts"
import {
  groupsSection,
  NEW_PROPERTY_URL,
  propertiesSection,
  propertyTagsSection,
  roomTypesSection
} from "./properties/property-lists.ts"
import { type EditTarget, readEditTarget, readTitleQuery } from "./property-selection.ts"
import { PROPERTIES_PATH } from "./urls.ts"

export const makePropertiesPage = Effect.gen(function* () {
  const [portfolio, groupings] = [yield* Portfolio, yield* Sorting]
  const service = yield* Service
  const renderLists = makeListsRenderer(portfolio)
  const renderForm = makeFormRenderer(groupings)
  return makeHostPage({
    path: PROPERTIES_PATH,
    show: (visit, failedSubmission) => {
      const editTarget = readEditTarget(visit)
      return editTarget === undefined ? renderLists(visit) : renderForm(editTarget, visit, failedSubmission)
    },
    actions: {
      ...makePropertyActions(service),
      ...makeGroupActions(service),
      ...makeTagActions(service),
      ...makeRoomTypeActions(makeVoidMutation(service))
    }
  })
})

const makeListsRenderer = (portfolio: Portfolio["Service"]) =>
  Effect.fnUntraced(function* (visit: SignedInVisit) {
    const portfolioView = yield* portfolio.of({
      q: readTitleQuery(visit),
      today: dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone),
      propertiesOffset: readOffsetParam(visit),
      groupsOffset: readOffsetParam(visit, "groups"),
      tagsOffset: readOffsetParam(visit, "tags"),
      roomTypesOffset: readOffsetParam(visit, "room_types")
    })
    const view: HostView = {
      title: "Properties",
      primaryAction: buttonLink(NEW_PROPERTY_URL, "New property"),
      body: html`${propertiesSection(visit, portfolioView)}${groupsSection(visit, portfolioView)}${propertyTagsSection(visit, portfolioView)}${roomTypesSection(visit, portfolioView)}`
    }
    return view
  })

const makeFormRenderer =
  (groupings: Sorting["Service"]) =>
  (
    { kind, id }: EditTarget,
    visit: SignedInVisit,
    failedSubmission?: FailedSubmission
  ): Effect.Effect<HostView, never, CurrentCaller> => {
    const formQuery = { id, q: readTitleQuery(visit) }
    const isFound = ({ it: record }: { readonly it: object | null }): boolean => id === undefined || record !== null
    switch (kind) {
      case "group":
        return Effect.map(groupings.group(formQuery), (formData) =>
          isFound(formData)
            ? groupView(visit, formData, failedSubmission)
            : recordNotFoundView("There is no such group.")
        )
      case "tag":
        return Effect.map(groupings.tag(formQuery), (formData) =>
          isFound(formData) ? tagView(visit, formData, failedSubmission) : recordNotFoundView("There is no such tag.")
        )
      case "property":
        return Effect.succeed(
          id === undefined ? newPropertyView(visit, failedSubmission) : recordNotFoundView("There is no such property.")
        )
      case "room_type":
        return id === undefined
          ? Effect.map(groupings.roomType(formQuery), (formData) => roomTypeView(visit, formData, failedSubmission))
          : Effect.succeed(recordNotFoundView("Room types are renamed over the API: PATCH /room_types/{id}."))
      default:
        return Effect.succeed(recordNotFoundView("There is no such page."))
    }
  }

const recordNotFoundView = (message: string): HostView =>
  notFoundView("Properties", message, html`<p>${link(PROPERTIES_PATH, "All properties")}</p>`)
