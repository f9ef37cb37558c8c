import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { idsUpTo } from "../../../contract/id-list.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { pageFields } from "../../../contract/page.ts"
import { NAMED_PROPERTIES_MAX } from "../../../platform/limits.ts"

// Specification, "Calendar share links"; contract facts 8.

const ShareLinkScope = Schema.Literals(["entire", "partial"])

export const CalendarShareLink = Schema.Struct({
  id: Id,
  scope: ShareLinkScope,
  url: Schema.String.annotateKey({
    description: "Opens the calendar; with `.ics` after it, its feed. Whoever knows it can look."
  }),
  property_ids: Schema.Array(Id).annotateKey({
    description: "Ascending; empty for `entire`, which covers every property, later ones too."
  }),
  created_at: Schema.String.annotateKey({ description: "ISO 8601 UTC, `…Z`." })
})
export type CalendarShareLink = typeof CalendarShareLink.Type

const operation = defineFamily({ category: "calendar", since: "3.5.0", openWorld: true })

export const search_calendar_share_links = operation("search_calendar_share_links", {
  route: "GET /calendar_share_links",
  summary: "List calendar share links",
  payload: { id: Schema.optionalKey(Id), ...pageFields },
  success: Schema.Struct({ calendar_share_links: Schema.Array(CalendarShareLink), total: Schema.Int }),
  exposure: toolMetadata(
    "Lists the links under which free and taken days can be seen without an account. Each url opens a page; with .ics after it, a feed for Google, Apple or Outlook calendars.",
    ["Which calendar links have I given out?", "Give me the link to my calendar"],
    false
  )
})

export const create_calendar_share_link = operation("create_calendar_share_link", {
  route: "POST /calendar_share_links",
  summary: "Create a calendar share link",
  payload: { scope: ShareLinkScope, property_ids: Schema.optionalKey(idsUpTo(NAMED_PROPERTIES_MAX)) },
  success: Schema.Struct({ calendar_share_link: CalendarShareLink }),
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
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    "Deletes a link for good; find its id with search_calendar_share_links. Whoever opens it is told that it is invalid, and calendars that subscribe to its feed get no more.",
    ["Stop sharing my calendar", "Take the link back that I gave to the agency"],
    false
  )
})

export const CalendarShareLinkOperations = {
  search_calendar_share_links,
  create_calendar_share_link,
  delete_calendar_share_link
}
