import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { isFeedToken } from "./feed-url.ts"
import { type FeedBusyPeriod, feedDateRange, toBusyDateMultirange, toBusyPeriods } from "./rules.ts"
import { PropertyFeedStore } from "./store.ts"

/** A feed that somebody reads. */
export interface PropertyFeed {
  readonly operator_id: number
  readonly id: number
  readonly property_id: number
  /** Of the imported calendar whose source reads it; null: it is the property's own. */
  readonly calendar_id: number | null
  readonly time_zone: string
  /** Today where the merchant is. */
  readonly today: string
}

/** What a feed says. */
interface FeedContent {
  /** By their beginnings. */
  readonly busyPeriods: ReadonlyArray<FeedBusyPeriod>
  /** What its reader must be known to know before it is answered; none when that was written down before. */
  readonly unrecordedBusyDays: Option.Option<string>
}

/**
 * Reads the feeds from which marketplaces learn what is busy. A property has one feed of its own, and one for the source of each
 * calendar that it imports, which leaves out what that calendar says itself.
 */
export class PropertyFeeds extends Context.Service<
  PropertyFeeds,
  {
    /** The feed a token opens; none when it is unknown or replaced, or the account behind it is banned or closed. */
    readonly open: (token: string) => Effect.Effect<Option.Option<PropertyFeed>>
    /** What a feed says now; none when it is gone meanwhile. */
    readonly read: (feed: PropertyFeed) => Effect.Effect<Option.Option<FeedContent>>
    /** Writes down the news of what a feed says, before its reader is answered. */
    readonly recordRead: (feed: PropertyFeed, content: FeedContent) => Effect.Effect<void>
  }
>()("latchkey/domain/calendars/property-feeds/PropertyFeeds") {
  static readonly layer = Layer.effect(
    PropertyFeeds,
    Effect.map(PropertyFeedStore, (store) =>
      PropertyFeeds.of({ open: openFeed(store), read: readFeed(store), recordRead: recordRead(store) })
    )
  ).pipe(Layer.provide(PropertyFeedStore.layer))
}

type Store = PropertyFeedStore["Service"]

const openFeed = (store: Store) =>
  Effect.fnUntraced(function* (token: string) {
    const feed = isFeedToken(token) ? yield* store.findByToken(token) : undefined
    if (feed === undefined) return Option.none()
    return Option.some({ ...feed, today: dateInZone(yield* Clock.currentTimeMillis, feed.time_zone) })
  }, withChildSpan("PropertyFeeds.open"))

const NO_BUSY_DAYS = toBusyDateMultirange([], "")

const readFeed = (store: Store) =>
  Effect.fnUntraced(function* (feed: PropertyFeed) {
    const range = feedDateRange(feed.today)
    const days = yield* store.findBusyDays(feed, feed.today, range, yield* DateTime.nowAsDate)
    if (days === undefined) return Option.none()
    const busyPeriods = toBusyPeriods(days, range)
    const busyDays = toBusyDateMultirange(busyPeriods, feed.today)
    const isRecorded = busyDays === days.told && (days.told_lately || busyDays === NO_BUSY_DAYS)
    return Option.some({ busyPeriods, unrecordedBusyDays: isRecorded ? Option.none() : Option.some(busyDays) })
  }, withChildSpan("PropertyFeeds.read"))

const recordRead = (store: Store) =>
  Effect.fnUntraced(function* ({ operator_id: operatorId, id }: PropertyFeed, { unrecordedBusyDays }: FeedContent) {
    if (Option.isNone(unrecordedBusyDays)) return
    yield* store.recordRead({ operatorId, id, busyDays: unrecordedBusyDays.value, now: yield* DateTime.nowAsDate })
  }, withChildSpan("PropertyFeeds.tell"))
