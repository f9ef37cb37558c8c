import { Effect, Result } from "effect"
import { type Caller, CurrentCaller } from "../../../contract/caller.ts"
import { Forbidden } from "../../../contract/errors.ts"
import { formatUtcInstant } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { CurrentSealer, openOrWarn, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { openStoredText } from "../../../platform/sealing/sealed-text.ts"
import { toGrantKey } from "../../connection-grants.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import {
  type create_property_feed,
  type list_property_feeds,
  type PropertyFeed,
  PropertyFeedOperations,
  type renew_property_feed
} from "./contract.ts"
import { getOrCreateFeed } from "./feed-creation.ts"
import { StoredFeedRow } from "./feed-rows.ts"
import { newFeedToken, toFeedUrl } from "./feed-url.ts"
import { findContradiction, toHouseCalendar } from "./house-calendar/house-calendar.ts"
import {
  createHouseFeed,
  deleteHouseFeed,
  feedNotFoundError,
  isMainAccount,
  mainAccountOnlyError
} from "./house-calendar/house-feed-handlers.ts"
import { PropertyFeedStore } from "./store.ts"

export const layerPropertyFeeds = layerOperations(
  Effect.gen(function* () {
    const store = yield* PropertyFeedStore
    const [publicUrl, seals] = [yield* PublicUrl, yield* CurrentSealer]
    // `feed` may come from the stored result of an idempotency key, which has the sealed token, too. A sub-account may
    // repeat a key of the main account.
    const toResult = (feed: StoredFeedRow, _payload: unknown, caller: Caller): PropertyFeed => {
      const binding = feedTokenBinding(caller.operatorId, feed.id)
      const token = Result.getOrUndefined(openStoredText(seals.keys, binding, feed.token))
      const isHidden = isHouseFeed(feed) && !isMainAccount(caller)
      return toPropertyFeed(feed, isHidden ? HIDDEN_URL : toFeedUrl(publicUrl, token))
    }
    return handleOperations(PropertyFeedOperations, {
      list_property_feeds: listFeeds(store, publicUrl, seals),
      create_property_feed: changeHandler(createFeed(store), StoredFeedRow, toResult),
      renew_property_feed: changeHandler(renewFeed(store), StoredFeedRow, toResult),
      delete_property_feed: voidChangeHandler(deleteHouseFeed(store))
    })
  })
)

type Store = PropertyFeedStore["Service"]

/** Shown for a house calendar instead of its URL. It is deliberately no URL. */
const HIDDEN_URL = "(shown only once: renew the feed)"

const isHouseFeed = ({ house_fields }: StoredFeedRow): boolean => (house_fields ?? null) !== null

const toPropertyFeed = (feed: StoredFeedRow, url: string): PropertyFeed => ({
  id: feed.id,
  property_id: feed.property_id,
  calendar_id: feed.calendar_id,
  kind: isHouseFeed(feed) ? "house" : "availability",
  fields: feed.house_fields ?? null,
  door_code_source: feed.door_code_source ?? null,
  url,
  created_at: formatUtcInstant(feed.created_at)
})

const listFeeds = (store: Store, publicUrl: string, seals: SecretSealer) =>
  Effect.fnUntraced(function* ({ property_id }: typeof list_property_feeds.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const { operatorId } = caller
    const feeds = yield* store.list({ ...toGrantKey(caller), propertyId: property_id })
    if (feeds.length === 0 && !(yield* store.hasProperty(operatorId, property_id))) return yield* unknownPropertyIdError
    const property_feeds = yield* Effect.forEach(feeds, (feed) =>
      isHouseFeed(feed)
        ? Effect.succeed(toPropertyFeed(feed, HIDDEN_URL))
        : Effect.map(openOrWarn(seals, feedTokenBinding(operatorId, feed.id), feed.token), (token) =>
            toPropertyFeed(feed, toFeedUrl(publicUrl, token))
          )
    )
    return { property_feeds }
  })

const createFeed = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof create_property_feed.payloadSchema.Type) {
    const { property_id, calendar_id, kind } = payload
    const caller = yield* CurrentCaller
    if (kind === "house" && !isMainAccount(caller)) return yield* mainAccountOnlyError("create")
    const contradiction = findContradiction(payload)
    if (contradiction !== undefined) return yield* contradiction
    const houseCalendar = toHouseCalendar(payload)
    if (houseCalendar !== undefined) return yield* createHouseFeed(store, property_id, houseCalendar)
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
    const key = { ...toGrantKey(caller), id, isMainAccount: isMainAccount(caller) }
    const renewed = yield* store.renew(key, newFeedToken())
    if (renewed !== undefined) return renewed
    const kind = yield* store.findKind(caller.operatorId, id)
    if (kind === undefined) return yield* feedNotFoundError
    return yield* kind === "house" ? mainAccountOnlyError("renew") : otherOwnersFeedError
  })

/**
 * An application must not create this feed, because the marketplace needs it even after the OAuth connection has ended.
 */
const calendarFeedForbiddenError = new Forbidden({
  message: "calendar_id: only the host may create the feed for the marketplace of a calendar."
})

const otherOwnersFeedError = new Forbidden({
  message: "id: only the application that created this feed, or the host if it did, may do this."
})
