import { Schema } from "effect"
import { Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { CALENDAR_FEEDS_MAX } from "../../../platform/limits.ts"

export const PropertyFeed = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the feed." }),
  property_id: Id.annotateKey({ documentation: "Property whose unavailable days the feed has." }),
  calendar_id: Schema.NullOr(Id).annotateKey({
    documentation:
      "Imported calendar whose marketplace reads the feed. Null for the property's own feed, which is for any other reader."
  }),
  url: Schema.String.annotateKey({
    documentation:
      "Secret address of the iCalendar feed. Anyone who knows it can read the feed. The text `(cannot be decrypted: replace it)` means that the service lost the address: renew the feed."
  }),
  created_at: Schema.String.annotateKey({ documentation: "Time of creation, ISO 8601 in UTC." })
})
export type PropertyFeed = typeof PropertyFeed.Type

const PropertyId = Id.annotateKey({ documentation: "Id of the property, from search_properties." })

const operation = defineFamily({ category: "calendar", since: "3.13.0", openWorld: true })

const exposure = {
  notATool: "the address of a feed is a secret that the host gives to one marketplace",
  extension: true
} as const

export const list_property_feeds = operation("list_property_feeds", {
  route: "GET /property_feeds",
  summary: "List the iCalendar feeds of a property",
  details:
    "An access token of the operator sees the host's feeds. A connected application sees the feeds of its own connection. An unknown property returns 404.",
  payload: { property_id: PropertyId },
  success: Schema.Struct({
    property_feeds: Schema.Array(PropertyFeed).annotateKey({
      documentation: "All feeds of the property, its own feed first."
    })
  }),
  errors: [NotFound],
  exposure
})

export const create_property_feed = operation("create_property_feed", {
  route: "POST /property_feeds",
  summary: "Create an iCalendar feed of a property, or return the existing one",
  details: `The feed has the unavailable days from the first of the previous month to the last day that can be sold. It names no guests, codes or titles.

- The property's own feed has stays and blocked days. The feed for a calendar also has the days of other imported calendars. It leaves out the days that its own calendar reports.
- A feed is served 30 times a minute, then with HTTP 429 and \`Retry-After\`. It supports \`ETag\`.
- An unknown address, and a suspended operator, return HTTP 404. Feeds of a lapsed subscription are served.
- The feed of a connected application ends with its connection.
- A property has at most ${CALENDAR_FEEDS_MAX} feeds for calendars. One more replaces the oldest feed of a calendar that is no longer imported, or returns 422.`,
  payload: {
    property_id: PropertyId,
    calendar_id: Schema.optionalKey(Id).annotateKey({
      documentation:
        "Imported calendar of the property whose marketplace will read the feed, from list_imported_calendars. Omitted or null: the property's own feed. A connected application that sends an id gets 403."
    })
  },
  success: PropertyFeed,
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
})

export const renew_property_feed = operation("renew_property_feed", {
  route: "POST /property_feeds/{id}/renew",
  summary: "Replace the address of an iCalendar feed",
  details:
    "The former address returns HTTP 404 at once. The feed of another application returns 403, and so does the host's feed for an application.",
  payload: { id: Id.annotateKey({ documentation: "Id of the feed, from list_property_feeds." }) },
  success: PropertyFeed,
  errors: [NotFound, Forbidden],
  exposure
})

export const PropertyFeedOperations = { list_property_feeds, create_property_feed, renew_property_feed }
