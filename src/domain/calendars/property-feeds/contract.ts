import { Schema } from "effect"
import { Forbidden, NotFound, Unauthenticated } from "../../../contract/errors.ts"
import { Id } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { CALENDAR_FEEDS_MAX, HOUSE_FEED_STAYS_MAX, HOUSE_FEEDS_MAX } from "../../../platform/limits.ts"
import { DoorCodeSource, FeedKind, HouseField } from "./house-calendar/house-calendar.ts"

const HouseFields = Schema.Array(HouseField).check(
  Schema.isMaxLength(HouseField.literals.length, { expected: `at most ${HouseField.literals.length} fields` }),
  Schema.isUnique({ expected: "a list without duplicates" })
)

export const PropertyFeed = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the feed." }),
  property_id: Id.annotateKey({ documentation: "Property of the feed." }),
  calendar_id: Schema.NullOr(Id).annotateKey({
    documentation:
      "Imported calendar whose marketplace reads the feed. Null for the property's own feed, which is for any other reader, and for a house calendar."
  }),
  kind: FeedKind.annotateKey({
    documentation:
      "`availability`: unavailable days, without guest data. `house`: a house calendar, which has the stays for locks and home automation."
  }),
  fields: Schema.NullOr(Schema.Array(HouseField)).annotateKey({
    documentation: "Guest data that the events of a house calendar show. Null for another kind of feed."
  }),
  door_code_source: Schema.NullOr(DoorCodeSource).annotateKey({
    documentation: "Where a house calendar takes door codes from. Null for another kind of feed."
  }),
  url: Schema.String.annotateKey({
    documentation:
      "Secret address of the iCalendar feed. Anyone who knows it can read the feed. The text `(cannot be decrypted: replace it)` means that the service lost the address: renew the feed. For a house calendar, only the responses of create_property_feed and renew_property_feed have the address. Other responses have the text `(shown only once: renew the feed)`."
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
    "An access token of the operator sees the host's feeds and house calendars. A connected application sees the feeds of its own connection. An unknown property returns 404.",
  payload: { property_id: PropertyId },
  success: Schema.Struct({
    property_feeds: Schema.Array(PropertyFeed).annotateKey({
      documentation: "All feeds of the property: its own feed, those for calendars, and house calendars."
    })
  }),
  errors: [NotFound],
  exposure
})

export const create_property_feed = operation("create_property_feed", {
  route: "POST /property_feeds",
  summary: "Create an iCalendar feed of a property, or return the existing one; or create a house calendar",
  details: `A feed of kind \`availability\` has the unavailable days from the first of the previous month to the last day that can be sold. It names no guests, codes or titles.

- The property's own feed has stays and blocked days. The feed for a calendar also has the days of other imported calendars. It leaves out the days that its own calendar reports.
- A feed is served 30 times a minute, then with HTTP 429 and \`Retry-After\`. It supports \`ETag\`.
- An unknown address, and a suspended operator, return HTTP 404. Feeds of a lapsed subscription are served.
- The feed of a connected application ends with its connection.
- A property has at most ${CALENDAR_FEEDS_MAX} feeds for calendars. One more replaces the oldest feed of a calendar that is no longer imported, or returns 422.

A feed of kind \`house\` is for locks and home automation. It has the accepted stays of the same days, at most ${HOUSE_FEED_STAYS_MAX}, as all-day events.

- Every call creates a new house calendar. A property has at most ${HOUSE_FEEDS_MAX}; one more returns 422.
- Only an access token of the main account may create, renew or delete one. Other callers get 403.
- The summary of an event is the guest's name, or \`Reserved\`. The description begins with the times \`Check-in:\` and \`Check-out:\`. Then it has a line for each other chosen field: \`Booking ID:\`, \`Guests:\`, \`Phone:\` and \`Door code:\`.
- The line \`Door code:\` is present while the guest portal would show the code: from \`lock_code_visible_after\` of the check-in day to the end of the check-out day. A line \`Last 4 Digits:\` repeats a code of four digits for Rental Control.
- The event of an erased guest shows only the dates and times.`,
  payload: {
    property_id: PropertyId,
    calendar_id: Schema.optionalKey(Id).annotateKey({
      documentation:
        "Imported calendar of the property whose marketplace will read the feed, from list_imported_calendars. Omitted or null: the property's own feed. A connected application that sends an id gets 403."
    }),
    kind: Schema.optionalKey(FeedKind).annotateKey({
      documentation:
        "Default: `availability`. `house` creates a house calendar; `calendar_id` must then be omitted (422)."
    }),
    fields: Schema.optionalKey(HouseFields).annotateKey({
      documentation:
        "Guest data that the events of a house calendar show: `guest_name`, `phone`, `guests` (the number of guests), `code` (the reservation code, or the confirmation code of a booking from an imported calendar) and `door_code`. Default: none, so only dates and times. Must be omitted for another kind of feed (422)."
    }),
    door_code_source: Schema.optionalKey(DoorCodeSource).annotateKey({
      documentation:
        "Only with `door_code` in `fields` (422). `reservation`, the default: the door code of the stay. `phone_last_four`: the last four digits of the guest's phone number, unless the stay has a door code. Without a phone number, the four digits that an imported calendar names. A number with fewer than four digits gives no code."
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
    "The former address returns HTTP 404 at once. The feed of another application returns 403, and so does the host's feed for an application. Only the main account may renew a house calendar (403).",
  payload: { id: Id.annotateKey({ documentation: "Id of the feed, from list_property_feeds." }) },
  success: PropertyFeed,
  errors: [NotFound, Forbidden],
  exposure
})

export const delete_property_feed = operation("delete_property_feed", {
  route: "DELETE /property_feeds/{id}",
  summary: "Delete a house calendar",
  details:
    "Its address returns HTTP 404 at once. Only the main account may delete it (403). Another kind of feed returns 422, because its record of reported days prevents feedback loops.",
  payload: { id: Id.annotateKey({ documentation: "Id of the feed, from list_property_feeds." }) },
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden],
  exposure
})

export const PropertyFeedOperations = {
  list_property_feeds,
  create_property_feed,
  renew_property_feed,
  delete_property_feed
}
