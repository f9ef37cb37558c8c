import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { dateInZone } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { CurrentSealer, openOrWarn } from "../../../platform/sealing/CurrentSealer.ts"
import { feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { getOrCreateFeed } from "./feed-creation.ts"
import type { FeedRow } from "./feed-rows.ts"
import { isFeedToken, newFeedToken, toFeedUrl } from "./feed-url.ts"
import { type FeedBusyPeriod, feedDateRange, toBusyDateMultirange, toBusyPeriods } from "./rules.ts"
import { PropertyFeedStore } from "./store.ts"

/** An address at which a property's days are read. Whoever knows it can read them. */
export interface FeedAddress {
  readonly feed_id: number
  /** Of one whose token does not open, words that say so; `renew` gives it another. */
  readonly url: string
}

/** That for the source of a calendar. */
export interface CalendarFeed {
  readonly calendar_id: number
  /** Where the calendar is read; null: it is imported no more. */
  readonly host: string | null
  readonly url: string
}

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
export interface FeedContent {
  /** By their beginnings. */
  readonly busyPeriods: ReadonlyArray<FeedBusyPeriod>
  /** What its reader must be known to know before it is answered; none when that was written down before. */
  readonly unrecordedBusyDays: Option.Option<string>
}

type ResolveFeedAddress = (
  operatorId: number,
  propertyId: number,
  calendarId: number | undefined
) => Effect.Effect<FeedAddress, NotFound | ValidationFailed, CurrentActor>

/**
 * The addresses at which marketplaces read what is busy, and what they read there. A property has one feed of its own, and
 * one for the source of each calendar that it imports, which is told all but what it said itself. Addresses are the host's here;
 * an application has feeds of its own (handlers.ts).
 */
export class PropertyFeeds extends Context.Service<
  PropertyFeeds,
  {
    /** The address of a property's own feed, or of that for the source of a calendar; made when it is first asked for. */
    readonly getOrCreateAddress: ResolveFeedAddress
    /** The same with a new address: the one there was opens nothing any more. */
    readonly renewAddress: ResolveFeedAddress
    /** The addresses for sources of calendars of a property, those that are imported no more too, by their calendar_id. */
    readonly listCalendarFeeds: (
      operatorId: number,
      propertyId: number
    ) => Effect.Effect<ReadonlyArray<CalendarFeed>, NotFound | ValidationFailed, CurrentActor>
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
    Effect.gen(function* () {
      const store = yield* PropertyFeedStore
      const publicUrl = yield* PublicUrl
      const addressFor = getOrCreateAddress(store, publicUrl)
      return PropertyFeeds.of({
        getOrCreateAddress: addressFor,
        renewAddress: renewAddress(store, addressFor, publicUrl),
        listCalendarFeeds: listCalendarFeeds(store, addressFor),
        open: openFeed(store),
        read: readFeed(store),
        recordRead: recordRead(store)
      })
    })
  ).pipe(Layer.provide(PropertyFeedStore.layer))
}

type Store = PropertyFeedStore["Service"]

const toFeedAddress = Effect.fnUntraced(function* (publicUrl: string, operatorId: number, { id, token }: FeedRow) {
  const plainToken = yield* openOrWarn(yield* CurrentSealer, feedTokenBinding(operatorId, id), token)
  return { feed_id: id, url: toFeedUrl(publicUrl, plainToken) }
})

const getOrCreateAddress = (store: Store, publicUrl: string): ResolveFeedAddress =>
  Effect.fnUntraced(function* (operatorId, propertyId, calendarId) {
    const recipient = { operatorId, propertyId, calendarId, grantId: undefined }
    // The host's own hand has no grant that could have ended.
    const feed = yield* Effect.catchTag(getOrCreateFeed(store, recipient), "Unauthenticated", Effect.die)
    return yield* toFeedAddress(publicUrl, operatorId, feed)
  })

const renewAddress = (store: Store, addressFor: ResolveFeedAddress, publicUrl: string): ResolveFeedAddress =>
  Effect.fnUntraced(function* (operatorId, propertyId, calendarId) {
    const feed = yield* store.find({ operatorId, propertyId, calendarId, grantId: undefined })
    const renewed =
      feed === undefined
        ? undefined
        : yield* store.renew({ operatorId, id: feed.id, grantId: undefined }, newFeedToken())
    return renewed === undefined
      ? yield* addressFor(operatorId, propertyId, calendarId)
      : yield* toFeedAddress(publicUrl, operatorId, renewed)
  })

const listCalendarFeeds = (
  store: Store,
  addressFor: ResolveFeedAddress
): PropertyFeeds["Service"]["listCalendarFeeds"] =>
  Effect.fnUntraced(function* (operatorId, propertyId) {
    const calendars = yield* store.listCalendars(operatorId, propertyId)
    return yield* Effect.forEach(calendars, ({ calendar_id, host }) =>
      Effect.map(addressFor(operatorId, propertyId, calendar_id), ({ url }) => ({ calendar_id, host, url }))
    )
  })

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
