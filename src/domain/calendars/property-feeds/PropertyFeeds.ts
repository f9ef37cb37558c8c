import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import type { Acting } from "../../../contract/acting.ts"
import { NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { dateInZone, wholeSecond } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { CALENDAR_FEEDS } from "../../../platform/limits.ts"
import { inSpan } from "../../../platform/telemetry/spans.ts"
import { noSuchProperty } from "../../properties/properties/belonging.ts"
import { addressOf, isToken, newToken } from "./address.ts"
import { type Busy, busyOf, feedSpan, toldOf } from "./rules.ts"
import { FeedStore, type Reader } from "./store.ts"

/** An address at which a property's days are read. Whoever knows it can read them. */
export interface FeedAddress {
  readonly feed_id: number
  /** Of one whose token does not open, words that say so; `renew` gives it another. */
  readonly url: string
}

/** That for the source of a calendar. */
export interface FeedOfCalendar {
  readonly calendar_id: number
  /** Where the calendar is read; null: it is imported no more. */
  readonly host: string | null
  readonly url: string
}

/** A feed that somebody reads. */
export interface OpenedFeed {
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
  readonly busy: ReadonlyArray<Busy>
  /** What its reader must be known to know before it is answered; none when that was written down before. */
  readonly news: Option.Option<string>
}

type AddressOf = (
  operatorId: number,
  propertyId: number,
  calendarId: number | undefined
) => Effect.Effect<FeedAddress, NotFound | ValidationFailed, Acting>

/**
 * The addresses at which marketplaces read what is busy, and what they read there. A property has one feed of its own, and
 * one for the source of each calendar that it imports, which is told all but what it said itself.
 */
export class PropertyFeeds extends Context.Service<
  PropertyFeeds,
  {
    /** The address of a property's own feed, or of that for the source of a calendar; made when it is first asked for. */
    readonly addressFor: AddressOf
    /** The same with a new address: the one there was opens nothing any more. */
    readonly renew: AddressOf
    /** The addresses for sources of calendars of a property, those that are imported no more too, by their calendar_id. */
    readonly ofCalendars: (
      operatorId: number,
      propertyId: number
    ) => Effect.Effect<ReadonlyArray<FeedOfCalendar>, NotFound | ValidationFailed, Acting>
    /** The feed a token opens; none when it is unknown or replaced, or the account behind it is banned or closed. */
    readonly open: (token: string) => Effect.Effect<Option.Option<OpenedFeed>>
    /** What a feed says now; none when it is gone meanwhile. */
    readonly read: (feed: OpenedFeed) => Effect.Effect<Option.Option<FeedContent>>
    /** Writes down the news of what a feed says, before its reader is answered. */
    readonly tell: (feed: OpenedFeed, content: FeedContent) => Effect.Effect<void>
  }
>()("latchkey/resources/PropertyFeeds") {
  static readonly layer = Layer.effect(
    PropertyFeeds,
    Effect.gen(function* () {
      const store = yield* FeedStore
      const publicUrl = yield* PublicUrl
      const addressFor = found(store, publicUrl)
      return PropertyFeeds.of({
        addressFor,
        renew: renewed(store, addressFor, publicUrl),
        ofCalendars: ofCalendars(store, addressFor),
        open: open(store),
        read: read(store),
        tell: tell(store)
      })
    })
  ).pipe(Layer.provide(Layer.effect(FeedStore, FeedStore.make)))
}

type Store = FeedStore["Service"]

const found = (store: Store, publicUrl: string): AddressOf =>
  Effect.fnUntraced(function* (operatorId, propertyId, calendarId) {
    const reader: Reader = { operatorId, propertyId, calendarId }
    const known = yield* store.find(reader)
    const { feed_id, token } = known ?? (yield* made(store, reader))
    return { feed_id, url: addressOf(publicUrl, token) }
  })

const made = Effect.fnUntraced(function* (store: Store, reader: Reader) {
  const now = wholeSecond(yield* Clock.currentTimeMillis)
  const { known, calendar_known, feed_id, token } = yield* store.create(reader, newToken(), now)
  if (!known) return yield* noSuchProperty
  if (!calendar_known) return yield* noSuchCalendar
  return feed_id === null || token === null ? yield* noMoreFeeds : { feed_id, token }
})

const noSuchCalendar = new NotFound({ message: "calendar_id: no such calendar of the property." })

const noMoreFeeds = new ValidationFailed({
  message: `calendar_id: the property already has ${CALENDAR_FEEDS} feeds for calendars, the maximum.`
})

const renewed = (store: Store, addressFor: AddressOf, publicUrl: string): AddressOf =>
  Effect.fnUntraced(function* (operatorId, propertyId, calendarId) {
    const renewed = yield* store.renew({ operatorId, propertyId, calendarId }, newToken())
    return renewed === undefined
      ? yield* addressFor(operatorId, propertyId, calendarId)
      : { feed_id: renewed.feed_id, url: addressOf(publicUrl, renewed.token) }
  })

const ofCalendars = (store: Store, addressFor: AddressOf): PropertyFeeds["Service"]["ofCalendars"] =>
  Effect.fnUntraced(function* (operatorId, propertyId) {
    const calendars = yield* store.calendars(operatorId, propertyId)
    return yield* Effect.forEach(calendars, ({ calendar_id, host }) =>
      Effect.map(addressFor(operatorId, propertyId, calendar_id), ({ url }) => ({ calendar_id, host, url }))
    )
  })

const open = (store: Store) =>
  Effect.fnUntraced(function* (token: string) {
    const feed = isToken(token) ? yield* store.open(token) : undefined
    if (feed === undefined) return Option.none()
    return Option.some({ ...feed, today: dateInZone(yield* Clock.currentTimeMillis, feed.time_zone) })
  }, inSpan("PropertyFeeds.open"))

const NOTHING_TOLD = toldOf([], "")

const read = (store: Store) =>
  Effect.fnUntraced(function* (feed: OpenedFeed) {
    const span = feedSpan(feed.today)
    const known = yield* store.busy(feed, feed.today, span, yield* DateTime.nowAsDate)
    if (known === undefined) return Option.none()
    const busy = busyOf(known, span)
    const told = toldOf(busy, feed.today)
    const isKnown = told === known.told && (known.told_lately || told === NOTHING_TOLD)
    return Option.some({ busy, news: isKnown ? Option.none() : Option.some(told) })
  }, inSpan("PropertyFeeds.read"))

const tell = (store: Store) =>
  Effect.fnUntraced(function* ({ operator_id: operatorId, id }: OpenedFeed, { news }: FeedContent) {
    if (Option.isNone(news)) return
    yield* store.tell({ operatorId, id, told: news.value, now: yield* DateTime.nowAsDate })
  }, inSpan("PropertyFeeds.tell"))
