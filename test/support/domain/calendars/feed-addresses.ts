import { Effect } from "effect"
import { getOrCreateFeed } from "../../../../src/domain/calendars/property-feeds/feed-creation.ts"
import type { FeedRow } from "../../../../src/domain/calendars/property-feeds/feed-rows.ts"
import { newFeedToken, toFeedUrl } from "../../../../src/domain/calendars/property-feeds/feed-url.ts"
import { PropertyFeedStore } from "../../../../src/domain/calendars/property-feeds/store.ts"
import { PublicUrl } from "../../../../src/platform/installation.ts"
import { CurrentSealer, openOrWarn } from "../../../../src/platform/sealing/CurrentSealer.ts"
import { feedTokenBinding } from "../../../../src/platform/sealing/sealed-columns.ts"
import { asSystemActor } from "../../harness.ts"

// The addresses of a host's feeds, for tests without the service.

const toAddress = Effect.fnUntraced(function* (operatorId: number, { id, token }: FeedRow) {
  const plainToken = yield* openOrWarn(yield* CurrentSealer, feedTokenBinding(operatorId, id), token)
  return { feed_id: id, url: toFeedUrl(yield* PublicUrl, plainToken) }
})

/** Returns the feed of a property, or its feed for a calendar. Creates it if there is none. */
export const getOrCreateFeedAddress = (operatorId: number, propertyId: number, calendarId?: number) =>
  Effect.gen(function* () {
    const key = { operatorId, propertyId, calendarId, grantId: undefined }
    return yield* toAddress(operatorId, yield* getOrCreateFeed(yield* PropertyFeedStore, key))
  }).pipe(asSystemActor, Effect.provide(PropertyFeedStore.layer))

/** Returns the feeds of a property for calendars. */
export const listCalendarFeeds = (operatorId: number, propertyId: number) =>
  Effect.gen(function* () {
    const feeds = yield* (yield* PropertyFeedStore).list({ operatorId, propertyId, grantId: undefined })
    return yield* Effect.forEach(
      feeds.filter(({ calendar_id }) => calendar_id !== null),
      (feed) => toAddress(operatorId, feed)
    )
  }).pipe(Effect.provide(PropertyFeedStore.layer))

/** Gives a feed another address. */
export const renewFeedAddress = (operatorId: number, propertyId: number, calendarId?: number) =>
  Effect.gen(function* () {
    const { feed_id: id } = yield* getOrCreateFeedAddress(operatorId, propertyId, calendarId)
    const store = yield* PropertyFeedStore
    const renewed = yield* store.renew({ operatorId, id, grantId: undefined, isMainAccount: true }, newFeedToken())
    return renewed === undefined ? yield* Effect.die("the feed is gone") : yield* toAddress(operatorId, renewed)
  }).pipe(asSystemActor, Effect.provide(PropertyFeedStore.layer))
