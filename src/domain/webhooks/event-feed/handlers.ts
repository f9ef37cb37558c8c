import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { formatQueuedAt, parseEventId, toEventId, toEventMessage } from "../../../jobs/events/event-message.ts"
import { NewEventNotifier } from "../../../jobs/events/NewEventNotifier.ts"
import { Shutdown } from "../../../jobs/Shutdown.ts"
import { FEED_PAGE_DEFAULT } from "../../../platform/limits.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import {
  type delete_event_consumer,
  type EventConsumer,
  EventOperations,
  type list_events,
  type put_event_consumer
} from "./contract.ts"
import { formatFeedCursor } from "./cursor.ts"
import { type LongPollContext, LongPollPermits, longPoll } from "./long-poll.ts"
import {
  cursorExpiredError,
  type FeedPage,
  parseCursorPosition,
  parseEventNames,
  toFeedPage,
  toUnknownEventError
} from "./rules.ts"
import { ConsumerAcknowledgement, type ConsumerRow, EventFeedStore, type EventRow, type FeedQuery } from "./store.ts"

type Store = EventFeedStore["Service"]
type ListEventsPayload = typeof list_events.payloadSchema.Type

const parsePosition = Effect.fnUntraced(function* (field: string, cursor: string, operatorId: number) {
  const position = parseCursorPosition(field, cursor, operatorId)
  return typeof position === "object" ? yield* position : position
})

const resolveStartPosition = Effect.fnUntraced(function* (store: Store, after: string, operatorId: number) {
  const id = parseEventId(after)
  if (id === undefined) return yield* parsePosition("after", after, operatorId)
  const { position, forgotten: oldestPosition } = yield* store.findEventPosition(operatorId, id)
  return position === null || position < oldestPosition
    ? yield* toUnknownEventError(operatorId, oldestPosition)
    : position
})

const readFeedPage = (store: Store, operatorId: number, query: FeedQuery) =>
  Effect.gen(function* () {
    const scan = yield* store.scanFeed(operatorId, query)
    if (query.after !== undefined && query.after < scan.deletedUpTo) {
      return yield* cursorExpiredError("after", operatorId, scan.deletedUpTo)
    }
    return toFeedPage(scan, query.limit)
  })

const checkProperty = Effect.fnUntraced(function* (
  store: Store,
  operatorId: number,
  { property_id }: ListEventsPayload
) {
  if (property_id === undefined || property_id === 0) return
  if (!(yield* store.checkPropertyExists(operatorId, property_id))) return yield* unknownPropertyIdError
})

const listEvents = (store: Store, context: LongPollContext) =>
  Effect.fnUntraced(function* (payload: ListEventsPayload) {
    const { operatorId } = yield* CurrentCaller
    const { limit = FEED_PAGE_DEFAULT, property_id, wait = 0 } = payload
    const types = payload.types === undefined ? undefined : parseEventNames(payload.types)
    const after = yield* resolveStartPosition(store, payload.after ?? "", operatorId)
    const poll = (before: FeedPage<EventRow> | undefined) =>
      Effect.gen(function* () {
        const page = yield* readFeedPage(store, operatorId, {
          after: before?.nextPosition ?? after,
          limit,
          types,
          property_id
        })
        const isReady = page.events.length > 0 || page.hasMore
        if (!isReady && before === undefined) yield* checkProperty(store, operatorId, payload)
        return { page, isReady }
      })
    const { page } = wait === 0 ? yield* poll(undefined) : { page: yield* longPoll(context, operatorId, wait, poll) }
    return {
      events: page.events.map((row) => toEvent(operatorId, row)),
      next_cursor: formatFeedCursor({ operatorId, position: page.nextPosition }),
      has_more: page.hasMore
    }
  })

const toEvent = (operatorId: number, row: EventRow) => ({
  event_id: toEventId(row.id),
  cursor: formatFeedCursor({ operatorId, position: row.position }),
  payload: toEventMessage(row)
})

const listEventConsumers = (store: Store) =>
  Effect.fnUntraced(function* () {
    const { operatorId } = yield* CurrentCaller
    const rows = yield* store.listConsumers(operatorId)
    return { event_consumers: rows.map((row) => toConsumer(operatorId, row)) }
  })

const putEventConsumer = (store: Store) =>
  Effect.fnUntraced(function* ({ name, cursor }: typeof put_event_consumer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const position = (yield* parsePosition("cursor", cursor, operatorId)) ?? 0
    const { forgotten, consumer } = yield* store.putConsumer(operatorId, { name, position }, yield* currentSecond)
    if (consumer !== null) return { consumer }
    return yield* forgotten > position ? cursorExpiredError("cursor", operatorId, forgotten) : cursorMovesBackError
  })

const deleteEventConsumer = (store: Store) =>
  Effect.fnUntraced(function* ({ name }: typeof delete_event_consumer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const deletedConsumer = yield* store.removeConsumer(operatorId, name)
    return deletedConsumer ?? (yield* consumerNotFoundError)
  })

const toConsumer = (operatorId: number, { name, position, lag, oldest_queued_at }: ConsumerRow): EventConsumer => ({
  name,
  cursor: formatFeedCursor({ operatorId, position }),
  lag,
  oldest_unacknowledged_at: oldest_queued_at === null ? null : formatQueuedAt(oldest_queued_at)
})

const consumerNotFoundError = new NotFound({ message: "name: no such consumer." })
const cursorMovesBackError = new ValidationFailed({
  message: "cursor: this consumer has acknowledged further already. To read events again, pass `after`."
})

export const layerEvents = layerOperations(
  Effect.gen(function* () {
    const store = yield* EventFeedStore
    const longPollContext = {
      newEvents: yield* NewEventNotifier,
      shutdown: yield* Shutdown,
      permits: new LongPollPermits()
    }
    return handleOperations(EventOperations, {
      list_events: listEvents(store, longPollContext),
      list_event_consumers: listEventConsumers(store),
      put_event_consumer: changeHandler(
        putEventConsumer(store),
        ConsumerAcknowledgement,
        ({ consumer }, _, { operatorId }) => ({
          event_consumer: toConsumer(operatorId, consumer)
        })
      ),
      delete_event_consumer: voidChangeHandler(deleteEventConsumer(store))
    })
  })
)
