import { Schema } from "effect"
import { Conflict, NotFound, RateLimited, ServerError } from "../../../contract/errors.ts"
import { Integer, PropertyOrUnassigned, textUpTo } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { toPrintableName } from "../../../contract/printable-name.ts"
import { parseEventId } from "../../../jobs/events/event-message.ts"
import {
  EVENT_CONSUMER_NAME_LENGTH,
  FEED_PAGE_DEFAULT,
  FEED_PAGE_MAX,
  FEED_TYPES_LENGTH,
  FEED_WAIT_SECONDS
} from "../../../platform/limits.ts"
import { CURSOR_PATTERN, parseFeedCursor } from "./cursor.ts"
import { findUnknownEventName } from "./rules.ts"

// The feed of events and who reads it (docs/feed.md): what webhooks tell, to be read as often as one likes.

const makeCursorSchema = (isAccepted: (text: string) => boolean) =>
  Schema.String.check(
    Schema.makeFilter(isAccepted, {
      unreadable: true,
      expected: "a cursor, as the feed gives them",
      toJsonSchema: () => ({ pattern: CURSOR_PATTERN })
    })
  )

const Cursor = makeCursorSchema((text) => parseFeedCursor(text) !== undefined)

/** Empty: none. An event_id stands for the cursor of that event: all that a receiver of webhooks has of it. */
const CursorOrEventId = makeCursorSchema(
  (text) => text === "" || parseFeedCursor(text) !== undefined || parseEventId(text) !== undefined
)

/** Names of events, separated by commas: `parseEventNames` reads them. */
const EventNameList = textUpTo(FEED_TYPES_LENGTH).check(
  Schema.makeFilter(
    (text) => {
      const unknown = findUnknownEventName(text)
      return unknown === undefined || `must be names of events; there is no "${toPrintableName(unknown)}"`
    },
    { toJsonSchema: () => [{}, true] }
  )
)

const CONSUMER_NAME_PATTERN = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${EVENT_CONSUMER_NAME_LENGTH - 1}}$`)

/** What an operator calls a consumer, as it stands in a path: clients that follow the URL standard resolve `.` and `..` there. */
const ConsumerName = Schema.String.check(
  Schema.makeFilter((text) => CONSUMER_NAME_PATTERN.test(text), {
    expected: `1 to ${EVENT_CONSUMER_NAME_LENGTH} letters, digits, ".", "_" or "-", the first a letter or digit`,
    toJsonSchema: () => ({ pattern: CONSUMER_NAME_PATTERN.source })
  })
)

const integerBetween = (minimum: number, maximum: number, expected: string) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `${expected} from ${minimum} to ${maximum}` }))

export const FeedEvent = Schema.Struct({
  event_id: Schema.String.annotateKey({ description: "What the `webhook-id` of its deliveries begins with." }),
  cursor: Schema.String.annotateKey({ description: "Right behind this event." }),
  payload: Schema.Record(Schema.String, Schema.Json).annotateKey({ description: "What a webhook posts." })
})

export const EventConsumer = Schema.Struct({
  name: Schema.String,
  cursor: Schema.String.annotateKey({ description: "Acknowledged up to there." }),
  lag: Schema.Int.annotateKey({ description: "Events behind it, counted up to 10,000." }),
  oldest_unacknowledged_at: Schema.NullOr(Schema.String).annotateKey({
    description: "When the first of them was queued, ISO 8601; null: there is none."
  })
})
export type EventConsumer = typeof EventConsumer.Type

const operation = defineFamily({ category: "automation", since: "3.13.0", openWorld: false })

const exposure = {
  notATool: "the feed is for programs that keep a cursor; agents read the records themselves",
  extension: true
} as const

export const list_events = operation("list_events", {
  route: "GET /events",
  summary: "Read what happened, oldest first, from a cursor on; `wait` holds the answer until there is something",
  payload: {
    after: Schema.optionalKey(CursorOrEventId).annotateKey({
      description: "Behind this cursor; without one from the oldest event that is kept."
    }),
    limit: Schema.optionalKey(integerBetween(1, FEED_PAGE_MAX, "a limit").annotate({ default: FEED_PAGE_DEFAULT })),
    types: Schema.optionalKey(EventNameList),
    property_id: Schema.optionalKey(PropertyOrUnassigned).annotateKey({
      description: "Events of this property alone; 0 is the reservation box."
    }),
    wait: Schema.optionalKey(integerBetween(0, FEED_WAIT_SECONDS, "seconds").annotate({ default: 0 })).annotateKey({
      description: "Seconds."
    })
  },
  success: Schema.Struct({
    events: Schema.Array(FeedEvent),
    next_cursor: Schema.String.annotateKey({ description: "Where to go on, also when there was nothing." }),
    has_more: Schema.Boolean
  }),
  errors: [NotFound, Conflict, RateLimited, ServerError],
  exposure
})

export const list_event_consumers = operation("list_event_consumers", {
  route: "GET /event_consumers",
  summary: "List the consumers of the feed, with how far each is behind",
  payload: {},
  success: Schema.Struct({ event_consumers: Schema.Array(EventConsumer) }),
  exposure
})

export const put_event_consumer = operation("put_event_consumer", {
  route: "PUT /event_consumers/{name}",
  summary: "Acknowledge events up to a cursor, as a consumer that is made if it is new",
  payload: { name: ConsumerName, cursor: Cursor },
  success: Schema.Struct({ event_consumer: EventConsumer }),
  errors: [Conflict],
  exposure
})

export const delete_event_consumer = operation("delete_event_consumer", {
  route: "DELETE /event_consumers/{name}",
  summary: "Forget a consumer of the feed",
  payload: { name: ConsumerName },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const EventOperations = { list_events, list_event_consumers, put_event_consumer, delete_event_consumer }
