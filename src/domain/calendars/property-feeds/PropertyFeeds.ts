import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { isFeedToken } from "./feed-url.ts"
import type { HouseCalendar } from "./house-calendar/house-calendar.ts"
import { type HouseEvent, toHouseEvent } from "./house-calendar/house-events.ts"
import { type FeedBusyPeriod, feedDateRange, toBusyDateMultirange, toBusyPeriods } from "./rules.ts"
import { PropertyFeedStore } from "./store.ts"

export interface PropertyFeed {
  readonly operator_id: number
  readonly id: number
  readonly property_id: number
  /** The imported calendar whose marketplace reads the feed. Null for the property's own feed. */
  readonly calendar_id: number | null
  /** Null if the feed has only busy days. */
  readonly houseCalendar: HouseCalendar | null
  readonly time_zone: string
  /** In the operator's time zone. */
  readonly today: string
}

interface FeedContent {
  readonly busyPeriods: ReadonlyArray<FeedBusyPeriod>
  /** As a `datemultirange`. None if these days are recorded already. */
  readonly unrecordedBusyDays: Option.Option<string>
}

/**
 * A property has one feed of its own, and one for the marketplace of each imported calendar. The latter leaves out the
 * days that this calendar blocks. House calendars have stays with guest data instead of busy days.
 */
export class PropertyFeeds extends Context.Service<
  PropertyFeeds,
  {
    /** Returns none for an unknown token or a suspended operator. */
    readonly open: (token: string) => Effect.Effect<Option.Option<PropertyFeed>>
    /** Returns the busy days, or none if the feed was deleted. */
    readonly read: (feed: PropertyFeed) => Effect.Effect<Option.Option<FeedContent>>
    /** Returns the events by check-in, at most HOUSE_FEED_STAYS_MAX. */
    readonly readHouseEvents: (feed: PropertyFeed, calendar: HouseCalendar) => Effect.Effect<ReadonlyArray<HouseEvent>>
    /**
     * Must be called before the response is sent, because the marketplace may repeat the days at once. Only recorded
     * days are recognised as a feedback loop.
     */
    readonly recordRead: (feed: PropertyFeed, content: FeedContent) => Effect.Effect<void>
  }
>()("latchkey/domain/calendars/property-feeds/PropertyFeeds") {
  static readonly layer = Layer.effect(
    PropertyFeeds,
    Effect.map(PropertyFeedStore, (store) =>
      PropertyFeeds.of({
        open: openFeed(store),
        read: readFeed(store),
        readHouseEvents: readHouseEvents(store),
        recordRead: recordRead(store)
      })
    )
  ).pipe(Layer.provide(PropertyFeedStore.layer))
}

type Store = PropertyFeedStore["Service"]

const openFeed = (store: Store) =>
  Effect.fnUntraced(function* (token: string) {
    const row = isFeedToken(token) ? yield* store.findByToken(token) : undefined
    if (row === undefined) return Option.none()
    const { house_fields: fields, door_code_source: doorCodeSource, ...feed } = row
    const houseCalendar = fields === null || doorCodeSource === null ? null : { fields, doorCodeSource }
    return Option.some({ ...feed, houseCalendar, today: dateInZone(yield* Clock.currentTimeMillis, feed.time_zone) })
  }, withChildSpan("PropertyFeeds.open"))

const NO_BUSY_DAYS = toBusyDateMultirange([], "")

const readFeed = (store: Store) =>
  Effect.fnUntraced(function* (feed: PropertyFeed) {
    const range = feedDateRange(feed.today)
    const days = yield* store.findBusyDays(feed, feed.today, range, yield* DateTime.nowAsDate)
    if (days === undefined) return Option.none()
    const busyPeriods = toBusyPeriods(days, range)
    const busyDays = toBusyDateMultirange(busyPeriods, feed.today)
    const isRecorded = busyDays === days.reported_days && (days.is_report_recent || busyDays === NO_BUSY_DAYS)
    return Option.some({ busyPeriods, unrecordedBusyDays: isRecorded ? Option.none() : Option.some(busyDays) })
  }, withChildSpan("PropertyFeeds.read"))

const readHouseEvents = (store: Store) =>
  Effect.fnUntraced(function* (feed: PropertyFeed, calendar: HouseCalendar) {
    const { operator_id: operatorId, property_id: propertyId, today } = feed
    const stays = yield* store.findHouseStays({ operatorId, propertyId, ...feedDateRange(today) })
    const now = yield* DateTime.nowAsDate
    return stays.map((stay) => toHouseEvent(stay, calendar, now))
  }, withChildSpan("PropertyFeeds.readHouseEvents"))

const recordRead = (store: Store) =>
  Effect.fnUntraced(function* ({ operator_id: operatorId, id }: PropertyFeed, { unrecordedBusyDays }: FeedContent) {
    if (Option.isNone(unrecordedBusyDays)) return
    yield* store.recordRead({ operatorId, id, busyDays: unrecordedBusyDays.value, now: yield* DateTime.nowAsDate })
  }, withChildSpan("PropertyFeeds.tell"))
