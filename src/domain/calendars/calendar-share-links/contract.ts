import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { PageTotal, pageFields } from "../../../contract/page.ts"
import { NAMED_PROPERTIES_MAX } from "../../../platform/limits.ts"

// Specification, "Calendar share links"; contract facts 8.

const ShareLinkScope = Schema.Literals(["entire", "partial"])
const SCOPE_MEANING =
  "`entire`: all properties, including those added later. `partial`: the properties in `property_ids`."
const LINK_ID_MEANING = "Id of the link, from search_calendar_share_links."

export const CalendarShareLink = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the link." }),
  scope: ShareLinkScope.annotateKey({ documentation: SCOPE_MEANING }),
  url: Schema.String.annotateKey({
    documentation:
      "Secret address of the page. With `.ics` appended it is the address of a feed. The text `(cannot be decrypted: replace it)` means that the service lost the address: delete the link and create another."
  }),
  property_ids: Schema.Array(Id).annotateKey({
    documentation: "Ids of the shared properties, ascending. Empty for the scope `entire`."
  }),
  created_at: Schema.String.annotateKey({ documentation: "Time of creation, ISO 8601 in UTC." })
})
export type CalendarShareLink = typeof CalendarShareLink.Type

const operation = defineFamily({ category: "calendar", since: "3.5.0", openWorld: true })

export const search_calendar_share_links = operation("search_calendar_share_links", {
  route: "GET /calendar_share_links",
  summary: "List calendar share links",
  details:
    "Links are sorted by id. Anyone who has a link can open it without an account, and sees only the titles and the unavailable days of its properties. Reservations and blocked days look alike.\n\n- The page shows this month and the next five. It has 50 properties, and `?page=2` shows the next ones.\n- The feed covers 13 months, the first of them past. It has 1,000 properties, and `.ics?part=2` has the next ones.\n- A link can be opened 60 times and its feed fetched 10 times a minute. Then the response is HTTP 429 with `Retry-After`. HTTP 503 with `Retry-After` means that the service is busy.\n- An unknown or deleted link returns HTTP 404 with a page and without an envelope. So do the links of a suspended operator. The links of a lapsed subscription still open.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({ documentation: "Only the link with this id." }),
    ...pageFields
  },
  success: Schema.Struct({
    calendar_share_links: Schema.Array(CalendarShareLink).annotateKey({ documentation: "The links of this page." }),
    total: PageTotal
  }),
  exposure: toolMetadata(
    "Lists the links that show free and taken days without an account. Each url opens a page; with .ics after it, a feed for Google, Apple or Outlook calendars.",
    ["Which calendar links have I given out?", "Give me the link to my calendar"],
    false
  )
})

export const create_calendar_share_link = operation("create_calendar_share_link", {
  route: "POST /calendar_share_links",
  summary: "Create a calendar share link",
  details: "search_calendar_share_links describes what a link shows. An unknown property returns 404.",
  payload: {
    scope: ShareLinkScope.annotateKey({ documentation: SCOPE_MEANING }),
    property_ids: Schema.optionalKey(idsUpTo(NAMED_PROPERTIES_MAX)).annotateKey({
      documentation: `Properties of a \`partial\` link, from search_properties: 1 to ${NAMED_PROPERTIES_MAX} ids. With \`partial\`, a missing list returns 400 and an empty one 422. With \`entire\`, ids return 400.`
    })
  },
  success: Schema.Struct({
    calendar_share_link: CalendarShareLink.annotateKey({
      documentation: "The new link, or the existing `entire` link."
    })
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    "Creates a link that shows anybody free and taken days of the coming months and property titles, no guests, no prices. scope entire covers all properties, later ones too, without property_ids; asking again returns the same link. scope partial needs property_ids (from search_properties) and makes a new link each time.",
    ["Share my calendar with the cleaning company", "Make a link that shows only Harbour 1 and Harbour 2"],
    false
  )
})

export const delete_calendar_share_link = operation("delete_calendar_share_link", {
  route: "DELETE /calendar_share_links/{id}",
  summary: "Delete a calendar share link",
  payload: { id: Id.annotateKey({ documentation: LINK_ID_MEANING }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a link for good; find its id with search_calendar_share_links. Its page then says that the link is invalid, and calendars that subscribe to its feed get no more.",
    ["Stop sharing my calendar", "Take the link back that I gave to the agency"],
    false
  )
})

export const CalendarShareLinkOperations = {
  search_calendar_share_links,
  create_calendar_share_link,
  delete_calendar_share_link
}
