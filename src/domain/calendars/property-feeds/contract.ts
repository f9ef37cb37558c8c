import { Schema } from "effect"
import { Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"

// An extension of the contract.

export const PropertyFeed = Schema.Struct({
  id: Id,
  property_id: Id,
  calendar_id: Schema.NullOr(Id).annotateKey({
    description:
      "The imported calendar whose marketplace reads it. null: the property's own feed, for any other reader."
  }),
  url: Schema.String.annotateKey({ description: "An iCalendar feed. A secret: whoever knows it can read it." }),
  created_at: Schema.String.annotateKey({ description: "ISO 8601 UTC, `…Z`." })
})
export type PropertyFeed = typeof PropertyFeed.Type

const operation = defineFamily({ category: "calendar", since: "3.13.0", openWorld: true })

const exposure = {
  notATool: "the address of a feed is a secret that the host gives to one marketplace",
  extension: true
} as const

export const list_property_feeds = operation("list_property_feeds", {
  route: "GET /property_feeds",
  summary: "List the calendar feeds of a property with their addresses: the host's, or those that the application made",
  payload: { property_id: Id },
  success: Schema.Struct({ property_feeds: Schema.Array(PropertyFeed) }),
  errors: [NotFound],
  exposure
})

export const create_property_feed = operation("create_property_feed", {
  route: "POST /property_feeds",
  summary:
    "Create a calendar feed of a property, or return the one there is; the feed of an application ends with its OAuth connection",
  payload: {
    property_id: Id,
    calendar_id: Schema.optionalKey(Id).annotateKey({
      description:
        "The feed for the marketplace of this imported calendar, which leaves out what that calendar says itself. Only for the host. Omitted: the property's own feed."
    })
  },
  success: PropertyFeed,
  errors: [NotFound, Forbidden, Unauthenticated],
  exposure
})

export const renew_property_feed = operation("renew_property_feed", {
  route: "POST /property_feeds/{id}/renew",
  summary: "Give a calendar feed another address; the former one opens nothing any more",
  payload: { id: Id },
  success: PropertyFeed,
  errors: [NotFound, Forbidden],
  exposure
})

export const PropertyFeedOperations = { list_property_feeds, create_property_feed, renew_property_feed }
