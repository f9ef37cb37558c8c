import { Effect } from "effect"
import { HostLetting } from "../../../domain/calendars/availability/HostLetting.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { Portfolio } from "../queries/Portfolio.ts"
import { Sorting } from "../queries/Sorting.ts"
import type { SignedInVisit } from "../visit.ts"
import { PROPERTIES_PATH } from "./addresses.ts"
import { doing } from "./asking.ts"
import { type Change, changeIn, lookedForIn } from "./choosing.ts"
import { type HostView, hostPage, type NotTaken, notThere } from "./page.ts"
import { link, offsetIn } from "./parts.ts"
import { groupActs, propertyActs, roomTypeActs, tagActs } from "./properties/acts.ts"
import { groupFormOf, roomTypeFormOf, tagFormOf } from "./properties/forms.ts"
import { groupsPart, propertiesPart, roomTypesPart, tagsPart } from "./properties/lists.ts"

/**
 * What a host lets, and how it is sorted: properties, groups, tags and room types. A form with the list of all properties is shown by
 * itself, where the address asks for it.
 */
export const makePropertiesPage = Effect.gen(function* () {
  const [portfolio, sorting, letting] = [yield* Portfolio, yield* Sorting, yield* HostLetting]
  const service = yield* Service
  const act = doing(service)
  const lists = listing(portfolio)
  const form = forming(sorting)
  return hostPage({
    path: PROPERTIES_PATH,
    show: (visit, notTaken) => {
      const change = changeIn(visit)
      return change === undefined ? lists(visit, notTaken) : form(change, visit, notTaken)
    },
    acts: { ...propertyActs(act, letting), ...groupActs(service), ...tagActs(service), ...roomTypeActs(act) }
  })
})

const listing =
  (portfolio: Portfolio["Service"]) =>
  (visit: SignedInVisit, notTaken?: NotTaken): Effect.Effect<HostView> =>
    Effect.map(
      portfolio.of({
        operatorId: visit.session.person.caller.operatorId,
        q: lookedForIn(visit),
        properties: offsetIn(visit),
        groups: offsetIn(visit, "groups"),
        tags: offsetIn(visit, "tags"),
        room_types: offsetIn(visit, "room_types")
      }),
      (shown) => ({
        title: "Properties",
        body: html`${propertiesPart(visit, shown, notTaken)}${groupsPart(visit, shown)}${tagsPart(visit, shown)}${roomTypesPart(visit, shown)}`
      })
    )

const forming =
  (sorting: Sorting["Service"]) =>
  ({ kind, id }: Change, visit: SignedInVisit, notTaken?: NotTaken): Effect.Effect<HostView> => {
    const asked = { operatorId: visit.session.person.caller.operatorId, id, q: lookedForIn(visit) }
    const isThere = ({ it }: { readonly it: object | null }): boolean => id === undefined || it !== null
    switch (kind) {
      case "group":
        return Effect.map(sorting.group(asked), (has) =>
          isThere(has) ? groupFormOf(visit, has, notTaken) : noneSuch("There is no such group.")
        )
      case "tag":
        return Effect.map(sorting.tag(asked), (has) =>
          isThere(has) ? tagFormOf(visit, has, notTaken) : noneSuch("There is no such tag.")
        )
      case "room_type":
        return id === undefined
          ? Effect.map(sorting.roomType(asked), (has) => roomTypeFormOf(visit, has, notTaken))
          : Effect.succeed(noneSuch("A room type is not changed once it is made."))
      default:
        return Effect.succeed(noneSuch("There is nothing of that kind to change."))
    }
  }

const noneSuch = (words: string): HostView =>
  notThere("Properties", words, html`<p>${link(PROPERTIES_PATH, "All properties")}</p>`)
