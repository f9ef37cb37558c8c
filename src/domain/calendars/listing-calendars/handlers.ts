import { Clock, Effect, Layer, Result, Schema } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { BadRequest, Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { dateInZone } from "../../../contract/time.ts"
import { LISTING_PUSHES_WAITING } from "../../../platform/limits.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { noSuchListing } from "../../listings/own-listing.ts"
import {
  ListingCalendars,
  type update_listing_inventories,
  type update_listing_prices,
  type update_listing_restrictions
} from "./contract.ts"
import { ReadPermits } from "./read-permits.ts"
import { readCalendars } from "./reading.ts"
import { type Days, inReach, restrictsSoundly, unhonouredIn } from "./rules.ts"
import { ListingCalendarStore, type Telling } from "./store.ts"

/** Queues what the channel is to be told, once all of it is sound. */
const telling = Effect.fnUntraced(function* (
  store: ListingCalendarStore["Service"],
  told: Telling,
  sound: (today: string) => Result.Result<ReadonlyArray<Days>, ValidationFailed>
) {
  const { operatorId, timeZone } = yield* CurrentOperator
  const now = yield* Clock.currentTimeMillis
  yield* Effect.fromResult(sound(dateInZone(now, timeZone)))
  const found = yield* store.queue(operatorId, told, new Date(now))
  if (found === undefined) return yield* noSuchListing
  if (found.queued) return {}
  if (found.is_readonly) return yield* pricesAreReadonly(told)
  return yield* found.auth_status === "disconnected" ? disconnected(told.channel_type) : tooManyWait
})

const pricesAreReadonly = ({ channel_type, listing_id }: Telling) =>
  new ValidationFailed({
    message: `listing_id: the prices of ${listing_id} can only be changed on ${channel_type}.`
  })

const disconnected = (channelType: string) =>
  new BadRequest({ message: `listing_id: the account on ${channelType} is disconnected.` })

/** Seconds after which some of what waits may have been told. */
const RETRY_SECONDS = 60

const tooManyWait = new Conflict({
  message: `listing_id: ${LISTING_PUSHES_WAITING} changes of this listing are already queued for its channel; try again later.`,
  retryAfter: RETRY_SECONDS
})

const updatePrices =
  (store: ListingCalendarStore["Service"]) =>
  ({ channel_type, listing_id, prices }: typeof update_listing_prices.payloadSchema.Type) =>
    telling(store, { channel_type, listing_id, kind: "prices", ranges: prices }, (today) =>
      inReach("prices", prices, today)
    )

const updateInventories =
  (store: ListingCalendarStore["Service"]) =>
  ({ channel_type, listing_id, inventories }: typeof update_listing_inventories.payloadSchema.Type) =>
    telling(store, { channel_type, listing_id, kind: "inventories", ranges: inventories }, (today) =>
      inReach("inventories", inventories, today)
    )

const updateRestrictions =
  (store: ListingCalendarStore["Service"]) =>
  ({ channel_type, listing_id, restrictions }: typeof update_listing_restrictions.payloadSchema.Type) =>
    telling(store, { channel_type, listing_id, kind: "restrictions", ranges: restrictions }, (today) =>
      Result.flatMap(inReach("restrictions", restrictions, today), restrictsSoundly)
    )

/** Returns the warnings of the response about restrictions that the channel does not support, if there are any. */
const warningsFor = ({ channel_type, restrictions }: typeof update_listing_restrictions.payloadSchema.Type) => {
  const names = unhonouredIn(channel_type, restrictions)
  if (names.length === 0) return {}
  return { warnings: names.map((name) => `${name}: ${channel_type} does not support it, so it was not sent.`) }
}

export const layerListingCalendars = layerHandled(
  Effect.gen(function* () {
    const store = yield* ListingCalendarStore
    const gateway = yield* ChannelGateway
    return handled(ListingCalendars, {
      search_listing_calendars: readCalendars(store, gateway, new ReadPermits()),
      update_listing_prices: done(updatePrices(store)),
      update_listing_inventories: done(updateInventories(store)),
      update_listing_restrictions: change(updateRestrictions(store), Schema.Struct({}), (_made, payload) =>
        warningsFor(payload)
      )
    })
  })
).pipe(Layer.provide(ListingCalendarStore.layer))
