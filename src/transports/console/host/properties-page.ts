import { Effect } from "effect"
import type { CurrentCaller } from "../../../contract/caller.ts"
import { search_properties } from "../../../domain/properties/properties/contract.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { Portfolio } from "../queries/Portfolio.ts"
import { Sorting } from "../queries/Sorting.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { type FailedSubmission, type HostView, makeHostPage, notFoundView } from "./host-page.ts"
import { link, readOffsetParam } from "./page-parts.ts"
import { groupView, roomTypeView, tagView } from "./properties/grouping-forms.ts"
import {
  makeGroupActions,
  makePropertyActions,
  makeRoomTypeActions,
  makeTagActions
} from "./properties/property-actions.ts"
import { propertyView } from "./properties/property-form.ts"
import { groupsSection, propertiesSection, propertyTagsSection, roomTypesSection } from "./properties/property-lists.ts"
import { type EditTarget, readEditTarget, readTitleQuery } from "./property-selection.ts"
import { PROPERTIES_PATH } from "./urls.ts"

export const makePropertiesPage = Effect.gen(function* () {
  const [portfolio, groupings] = [yield* Portfolio, yield* Sorting]
  const service = yield* Service
  const mutate = makeVoidMutation(service)
  const renderLists = makeListsRenderer(portfolio)
  const renderForm = makeFormRenderer(groupings, makeQuery(service, search_properties))
  return makeHostPage({
    path: PROPERTIES_PATH,
    show: (visit, failedSubmission) => {
      const editTarget = readEditTarget(visit)
      return editTarget === undefined
        ? renderLists(visit, failedSubmission)
        : renderForm(editTarget, visit, failedSubmission)
    },
    actions: {
      ...makePropertyActions(mutate),
      ...makeGroupActions(service),
      ...makeTagActions(service),
      ...makeRoomTypeActions(mutate)
    }
  })
})

const makeListsRenderer =
  (portfolio: Portfolio["Service"]) =>
  (visit: SignedInVisit, failedSubmission?: FailedSubmission): Effect.Effect<HostView, never, CurrentCaller> =>
    Effect.map(
      portfolio.of({
        q: readTitleQuery(visit),
        propertiesOffset: readOffsetParam(visit),
        groupsOffset: readOffsetParam(visit, "groups"),
        tagsOffset: readOffsetParam(visit, "tags"),
        roomTypesOffset: readOffsetParam(visit, "room_types")
      }),
      (portfolioView) => ({
        title: "Properties",
        body: html`${propertiesSection(visit, portfolioView, failedSubmission)}${groupsSection(visit, portfolioView)}${propertyTagsSection(visit, portfolioView)}${roomTypesSection(visit, portfolioView)}`
      })
    )

type QueryProperties = ReturnType<typeof makeQuery<typeof search_properties.successSchema.Type>>

const NO_PROPERTIES = Effect.succeed({ properties: [], total: 0 })

const makeFormRenderer =
  (groupings: Sorting["Service"], queryProperties: QueryProperties) =>
  (
    { kind, id }: EditTarget,
    visit: SignedInVisit,
    failedSubmission?: FailedSubmission
  ): Effect.Effect<HostView, ActionError, CurrentCaller> => {
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
        return Effect.map(
          id === undefined ? NO_PROPERTIES : queryProperties(visit, { id }),
          ({ properties: [property] }) =>
            property === undefined
              ? recordNotFoundView("There is no such property.")
              : propertyView(visit, property, failedSubmission)
        )
      case "room_type":
        return id === undefined
          ? Effect.map(groupings.roomType(formQuery), (formData) => roomTypeView(visit, formData, failedSubmission))
          : Effect.succeed(
              recordNotFoundView(
                "This page has no form for a room type. Its title can be changed over the API: PATCH /room_types/{id}."
              )
            )
      default:
        return Effect.succeed(recordNotFoundView("There is nothing of that kind to change."))
    }
  }

const recordNotFoundView = (message: string): HostView =>
  notFoundView("Properties", message, html`<p>${link(PROPERTIES_PATH, "All properties")}</p>`)
