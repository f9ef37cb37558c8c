import { Schema } from "effect"
import { Conflict, NotFound, RateLimited, ServerError } from "../../../contract/errors.ts"
import { Integer, PropertyOrUnassigned, textUpTo } from "../../../contract/fields.ts"
import { defineFamily } from "../../../contract/operation.ts"
import { toPrintableName } from "../../../contract/printable-name.ts"
import { parseEventId } from "../../../jobs/events/event-message.ts"
import {
  EVENT_CONSUMER_NAME_LENGTH,
  FEED_EVENTS_SCANNED,
  FEED_LAG_COUNTED,
  FEED_PAGE_DEFAULT,
  FEED_PAGE_MAX,
  FEED_TYPES_LENGTH,
  FEED_WAIT_SECONDS,
  FEED_WAITING_READS_MAX
} from "../../../platform/limits.ts"
import { CURSOR_PATTERN, parseFeedCursor } from "./cursor.ts"
import { findUnknownEventName } from "./rules.ts"

// The event feed is an extension of the specification.

const makeCursorSchema = (isAccepted: (text: string) => boolean) =>
  Schema.String.check(
    Schema.makeFilter(isAccepted, {
      unreadable: true,
      expected: "a cursor, as the feed gives them",
      toJsonSchema: () => ({ pattern: CURSOR_PATTERN })
    })
  )

const Cursor = makeCursorSchema((text) => parseFeedCursor(text) !== undefined)

/** Empty text means no cursor. Receivers of webhooks know only the `event_id`. */
const CursorOrEventId = makeCursorSchema(
  (text) => text === "" || parseFeedCursor(text) !== undefined || parseEventId(text) !== undefined
)

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

/** The first character is a letter or digit, because clients resolve `.` and `..` in a path. */
const ConsumerName = Schema.String.check(
  Schema.makeFilter((text) => CONSUMER_NAME_PATTERN.test(text), {
    expected: `1 to ${EVENT_CONSUMER_NAME_LENGTH} letters, digits, ".", "_" or "-", the first a letter or digit`,
    toJsonSchema: () => ({ pattern: CONSUMER_NAME_PATTERN.source })
  })
)

const integerBetween = (minimum: number, maximum: number, expected: string) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `${expected} from ${minimum} to ${maximum}` }))

export const FeedEvent = Schema.Struct({
  event_id: Schema.String.annotateKey({
    documentation: "Id of the event, such as `evt_277`. The `webhook-id` of its deliveries begins with it."
  }),
  cursor: Schema.String.annotateKey({ documentation: "Position right after this event, an opaque text." }),
  payload: Schema.Record(Schema.String, Schema.Json).annotateKey({
    documentation: "The event as webhooks get it: `event`, its own fields and `timestamp`."
  })
})

export const EventConsumer = Schema.Struct({
  name: Schema.String.annotateKey({ documentation: "Name of the consumer." }),
  cursor: Schema.String.annotateKey({ documentation: "Position up to which events are acknowledged." }),
  lag: Schema.Int.annotateKey({
    documentation: `Number of kept events of all types after the cursor, counted up to ${FEED_LAG_COUNTED}.`
  }),
  oldest_unacknowledged_at: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Time at which the first event after the cursor was queued, ISO 8601 in UTC. Null if there is none."
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
  summary: "Read events, oldest first, from a cursor on",
  details: `The feed has all events that webhooks send, with or without a webhook. Events stay in it for 30 days. Events of one record come in the order in which they happened. Reading changes nothing; put_event_consumer stores how far a consumer has read.

- A cursor stays valid until events after it are deleted. Then the call returns 409, and the message names the oldest usable cursor.
- A cursor of another operator returns 400.
- A call with \`types\` or \`property_id\` scans at most ${FEED_EVENTS_SCANNED} events. It may return no events with \`has_more: true\`.
- An unknown property returns 404 if there is nothing to return, without waiting.
- At most ${FEED_WAITING_READS_MAX} calls of an operator wait in a process. One more returns 429 with \`Retry-After: 1\`.
- A process that stops ends its waiting calls with an empty page.`,
  payload: {
    after: Schema.optionalKey(CursorOrEventId).annotateKey({
      description:
        "Reads the events after this `cursor` or `event_id`. Without it the page begins with the oldest kept event."
    }),
    limit: Schema.optionalKey(
      integerBetween(1, FEED_PAGE_MAX, "a limit").annotate({ default: FEED_PAGE_DEFAULT })
    ).annotateKey({ description: "Most events to return." }),
    types: Schema.optionalKey(EventNameList).annotateKey({
      description: "Names of events, separated by commas. Default: all. An unknown name returns 422."
    }),
    property_id: Schema.optionalKey(PropertyOrUnassigned).annotateKey({
      description:
        "Finds events that name this property; 0 finds those of unassigned stays. Events of messages, transactions and listings are left out."
    }),
    wait: Schema.optionalKey(integerBetween(0, FEED_WAIT_SECONDS, "seconds").annotate({ default: 0 })).annotateKey({
      description: "Seconds to wait for an event if there is none yet."
    })
  },
  success: Schema.Struct({
    events: Schema.Array(FeedEvent).annotateKey({ documentation: "Events of the page, oldest first." }),
    next_cursor: Schema.String.annotateKey({
      documentation: "Cursor to pass as `after` of the next call. Present also without events."
    }),
    has_more: Schema.Boolean.annotateKey({
      documentation:
        "Whether the feed has further events now. Then call again with `next_cursor`, also if this page is empty."
    })
  }),
  errors: [NotFound, Conflict, RateLimited, ServerError],
  exposure
})

export const list_event_consumers = operation("list_event_consumers", {
  route: "GET /event_consumers",
  summary: "List the consumers of the event feed",
  details:
    "Every account and application of the operator sees all consumers. A consumer whose cursor is older than the kept events is listed like others; its next read returns 409.",
  payload: {},
  success: Schema.Struct({
    event_consumers: Schema.Array(EventConsumer).annotateKey({
      documentation: "All consumers of the operator, sorted by name."
    })
  }),
  exposure
})

export const put_event_consumer = operation("put_event_consumer", {
  route: "PUT /event_consumers/{name}",
  summary: "Acknowledge events up to a cursor",
  details: `The call creates the consumer if it is new, and moves its cursor forward. Only this call moves a cursor. A consumer keeps no events: they are deleted after 30 days, read or not.

- A cursor before the acknowledged one returns 422.
- A cursor with deleted events after it returns 409.
- An operator has at most 20 consumers. One more returns 422 and names \`event_consumer_limit\`.`,
  payload: {
    name: ConsumerName.annotateKey({
      description: `Name of the consumer: 1 to ${EVENT_CONSUMER_NAME_LENGTH} letters, digits, \`.\`, \`_\` or \`-\`. The first is a letter or digit.`
    }),
    cursor: Cursor.annotateKey({ description: "A `cursor` or `next_cursor` of list_events." })
  },
  success: Schema.Struct({ event_consumer: EventConsumer.annotateKey({ documentation: "The consumer." }) }),
  errors: [Conflict],
  exposure
})

export const delete_event_consumer = operation("delete_event_consumer", {
  route: "DELETE /event_consumers/{name}",
  summary: "Delete a consumer of the event feed",
  details: "Every account and application of the operator may delete every consumer. No event is deleted.",
  payload: { name: ConsumerName.annotateKey({ description: "Name of the consumer, from list_event_consumers." }) },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure
})

export const EventOperations = { list_events, list_event_consumers, put_event_consumer, delete_event_consumer }
