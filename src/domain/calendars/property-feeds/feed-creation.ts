import { Effect } from "effect"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { CALENDAR_FEEDS_MAX } from "../../../platform/limits.ts"
import { grantEndedError } from "../../connection-grants.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import type { FeedRecipient, FeedRow } from "./feed-rows.ts"
import { newFeedToken } from "./feed-url.ts"
import type { PropertyFeedStore } from "./store.ts"

export const getOrCreateFeed = Effect.fnUntraced(function* (
  store: PropertyFeedStore["Service"],
  recipient: FeedRecipient
) {
  const found = yield* store.findOrReserveId(recipient)
  return "new_id" in found ? yield* createFeed(store, recipient, found.new_id) : found
})

const createFeed = Effect.fnUntraced(function* (
  store: PropertyFeedStore["Service"],
  recipient: FeedRecipient,
  newId: number
) {
  const created = yield* store.create(recipient, newId, newFeedToken(), yield* currentSecond)
  const { has_property, has_calendar, is_granted, id, token, created_at } = created
  if (!is_granted) return yield* grantEndedError
  if (!has_property) return yield* unknownPropertyIdError
  if (!has_calendar) return yield* feedCalendarNotFoundError
  if (id === null || token === null || created_at === null) return yield* feedLimitError
  const feed: FeedRow = {
    id,
    property_id: recipient.propertyId,
    calendar_id: recipient.calendarId ?? null,
    token,
    created_at,
    house_fields: null,
    door_code_source: null
  }
  return feed
})

const feedCalendarNotFoundError = new NotFound({ message: "calendar_id: no such calendar of the property." })

const feedLimitError = new ValidationFailed({
  message: `calendar_id: the property already has ${CALENDAR_FEEDS_MAX} feeds for calendars, the maximum.`
})
