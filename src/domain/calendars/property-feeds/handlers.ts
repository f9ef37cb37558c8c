import { Effect, Result } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import { formatUtcInstant } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { CurrentSealer, openOrWarn, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { openStoredText } from "../../../platform/sealing/sealed-text.ts"
import { toGrantKey } from "../../connection-grants.ts"
import { changeHandler, handleOperations, layerOperations } from "../../operation-handlers.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import {
  type create_property_feed,
  type list_property_feeds,
  type PropertyFeed,
  PropertyFeedOperations,
  type renew_property_feed
} from "./contract.ts"
import { getOrCreateFeed } from "./feed-creation.ts"
import { FeedRow } from "./feed-rows.ts"
import { newFeedToken, toFeedUrl } from "./feed-url.ts"
import { PropertyFeedStore } from "./store.ts"

export const layerPropertyFeeds = layerOperations(
  Effect.gen(function* () {
    const store = yield* PropertyFeedStore
    const [publicUrl, seals] = [yield* PublicUrl, yield* CurrentSealer]
    // `feed` may come from the stored result of an idempotency key, which has the sealed token, too.
    const toResult = (feed: FeedRow, operatorId: number): PropertyFeed =>
      toPropertyFeed(
        publicUrl,
        feed,
        Result.getOrUndefined(openStoredText(seals.keys, feedTokenBinding(operatorId, feed.id), feed.token))
      )
    return handleOperations(PropertyFeedOperations, {
      list_property_feeds: listFeeds(store, publicUrl, seals),
      create_property_feed: changeHandler(createFeed(store), FeedRow, (feed, _payload, { operatorId }) =>
        toResult(feed, operatorId)
      ),
      renew_property_feed: changeHandler(renewFeed(store), FeedRow, (feed, _payload, { operatorId }) =>
        toResult(feed, operatorId)
      )
    })
  })
)

type Store = PropertyFeedStore["Service"]

const toPropertyFeed = (
  publicUrl: string,
  { id, property_id, calendar_id, created_at }: FeedRow,
  token: string | undefined
): PropertyFeed => ({
  id,
  property_id,
  calendar_id,
  url: toFeedUrl(publicUrl, token),
  created_at: formatUtcInstant(created_at)
})

const listFeeds = (store: Store, publicUrl: string, seals: SecretSealer) =>
  Effect.fnUntraced(function* ({ property_id }: typeof list_property_feeds.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const { operatorId } = caller
    const feeds = yield* store.list({ ...toGrantKey(caller), propertyId: property_id })
    if (feeds.length === 0 && !(yield* store.hasProperty(operatorId, property_id))) return yield* unknownPropertyIdError
    const property_feeds = yield* Effect.forEach(feeds, (feed) =>
      Effect.map(openOrWarn(seals, feedTokenBinding(operatorId, feed.id), feed.token), (token) =>
        toPropertyFeed(publicUrl, feed, token)
      )
    )
    return { property_feeds }
  })

const createFeed = (store: Store) =>
  Effect.fnUntraced(function* ({ property_id, calendar_id }: typeof create_property_feed.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    if (caller.grantId !== null && calendar_id !== undefined) return yield* calendarFeedForbiddenError
    return yield* getOrCreateFeed(store, {
      ...toGrantKey(caller),
      propertyId: property_id,
      calendarId: calendar_id
    })
  })

const renewFeed = (store: Store) =>
  Effect.fnUntraced(function* ({ id }: typeof renew_property_feed.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const renewed = yield* store.renew({ ...toGrantKey(caller), id }, newFeedToken())
    if (renewed !== undefined) return renewed
    return yield* (yield* store.exists(caller.operatorId, id)) ? otherOwnersFeedError : feedNotFoundError
  })

/**
 * An application must not create this feed, because the marketplace needs it even after the OAuth connection has ended.
 */
const calendarFeedForbiddenError = new Forbidden({
  message: "calendar_id: only the host may create the feed for the marketplace of a calendar."
})

const feedNotFoundError = new NotFound({ message: "id: no such feed." })

const otherOwnersFeedError = new Forbidden({
  message: "id: only the application that created this feed, or the host if it did, may do this."
})
