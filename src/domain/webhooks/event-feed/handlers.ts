import { Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { eventIdOf, idOfEvent, messageOf, queuedText } from "../../../jobs/events/message.ts"
import { NewEvents } from "../../../jobs/events/NewEvents.ts"
import { Stopping } from "../../../jobs/Stopping.ts"
import { FEED_DEFAULT } from "../../../platform/limits.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { noSuchProperty } from "../../properties/properties/belonging.ts"
import {
  type delete_event_consumer,
  type EventConsumer,
  Events,
  type list_events,
  type put_event_consumer
} from "./contract.ts"
import { cursorOf } from "./cursor.ts"
import { eventsNamed, noSuchEvent, pageOf, positionOf, type Shown, tooOld } from "./rules.ts"
import { Acknowledged, type ConsumerRow, type EventRow, FeedStore, type Wanted } from "./store.ts"
import { Seats, type Waiting, waitFor } from "./waiting.ts"

type Store = FeedStore["Service"]
type Asked = typeof list_events.payloadSchema.Type

/** The position that a field's cursor stands for. */
const placed = Effect.fnUntraced(function* (field: string, cursor: string, operatorId: number) {
  const position = positionOf(field, cursor, operatorId)
  return typeof position === "object" ? yield* position : position
})

/** Where a reading begins: behind a cursor, or behind the event of an event_id. */
const begun = Effect.fnUntraced(function* (store: Store, after: string, operatorId: number) {
  const id = idOfEvent(after)
  if (id === undefined) return yield* placed("after", after, operatorId)
  const { position, forgotten } = yield* store.placeOfEvent(operatorId, id)
  return position === null || position < forgotten ? yield* noSuchEvent(operatorId, forgotten) : position
})

/** A page of the feed; with whoever names a property it has not, told so when nothing was found. */
const readPage = (store: Store, operatorId: number, wanted: Wanted) =>
  Effect.gen(function* () {
    const read = yield* store.read(operatorId, wanted)
    if (wanted.after !== undefined && wanted.after < read.forgotten) {
      return yield* tooOld("after", operatorId, read.forgotten)
    }
    return pageOf(read, wanted.limit)
  })

const checkProperty = Effect.fnUntraced(function* (store: Store, operatorId: number, { property_id }: Asked) {
  if (property_id === undefined || property_id === 0) return
  if (!(yield* store.knowsProperty(operatorId, property_id))) return yield* noSuchProperty
})

const listEvents = (store: Store, waiting: Waiting) =>
  Effect.fnUntraced(function* (payload: Asked) {
    const { operatorId } = yield* CurrentOperator
    const { limit = FEED_DEFAULT, property_id, wait = 0 } = payload
    const types = payload.types === undefined ? undefined : eventsNamed(payload.types)
    const after = yield* begun(store, payload.after ?? "", operatorId)
    const look = (before: Shown<EventRow> | undefined) =>
      Effect.gen(function* () {
        const found = yield* readPage(store, operatorId, { after: before?.next ?? after, limit, types, property_id })
        const answers = found.events.length > 0 || found.more
        if (!answers && before === undefined) yield* checkProperty(store, operatorId, payload)
        return { found, answers }
      })
    const { found } = wait === 0 ? yield* look(undefined) : { found: yield* waitFor(waiting, operatorId, wait, look) }
    return {
      events: found.events.map((row) => toEvent(operatorId, row)),
      next_cursor: cursorOf({ operatorId, position: found.next }),
      has_more: found.more
    }
  })

const toEvent = (operatorId: number, row: EventRow) => ({
  event_id: eventIdOf(row.id),
  cursor: cursorOf({ operatorId, position: row.position }),
  payload: messageOf(row)
})

const listEventConsumers = (store: Store) =>
  Effect.fnUntraced(function* () {
    const { operatorId } = yield* CurrentOperator
    const rows = yield* store.consumers(operatorId)
    return { event_consumers: rows.map((row) => toConsumer(operatorId, row)) }
  })

const putEventConsumer = (store: Store) =>
  Effect.fnUntraced(function* ({ name, cursor }: typeof put_event_consumer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const position = (yield* placed("cursor", cursor, operatorId)) ?? 0
    const { forgotten, consumer } = yield* store.put(operatorId, { name, position }, yield* currentSecond)
    if (consumer !== null) return { consumer }
    return yield* forgotten > position ? tooOld("cursor", operatorId, forgotten) : backwards
  })

const deleteEventConsumer = (store: Store) =>
  Effect.fnUntraced(function* ({ name }: typeof delete_event_consumer.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const removed = yield* store.remove(operatorId, name)
    return removed ?? (yield* noSuchConsumer)
  })

const toConsumer = (operatorId: number, { name, position, lag, oldest_queued_at }: ConsumerRow): EventConsumer => ({
  name,
  cursor: cursorOf({ operatorId, position }),
  lag,
  oldest_unacknowledged_at: oldest_queued_at === null ? null : queuedText(oldest_queued_at)
})

const noSuchConsumer = new NotFound({ message: "name: no such consumer." })
const backwards = new ValidationFailed({
  message: "cursor: this consumer has acknowledged further already. To read events again, pass `after`."
})

export const layerEvents = layerHandled(
  Effect.gen(function* () {
    const store = yield* FeedStore
    const waiting = { news: yield* NewEvents, stopping: yield* Stopping, seats: new Seats() }
    return handled(Events, {
      list_events: listEvents(store, waiting),
      list_event_consumers: listEventConsumers(store),
      put_event_consumer: change(putEventConsumer(store), Acknowledged, ({ consumer }, _, { operatorId }) => ({
        event_consumer: toConsumer(operatorId, consumer)
      })),
      delete_event_consumer: done(deleteEventConsumer(store))
    })
  })
).pipe(Layer.provide(FeedStore.layer))
