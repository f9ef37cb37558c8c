import { Clock, Effect, Result, Schema } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { BadRequest, ValidationFailed } from "../../../contract/errors.ts"
import { dateInZone } from "../../../contract/time.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { listingNotFoundError } from "../../listings/listing-lookup.ts"
import { listingQueueFullError } from "../../listings/MappingPricePushes.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { CalendarReadPermits } from "./calendar-read-permits.ts"
import { makeReadCalendars } from "./calendar-reads.ts"
import {
  ListingCalendarOperations,
  type update_listing_inventories,
  type update_listing_prices,
  type update_listing_restrictions
} from "./contract.ts"
import { type DayRange, findUnsupportedRestrictions, validatePushDates, validateRestrictions } from "./rules.ts"
import { ListingCalendarStore, type PushRequest } from "./store.ts"

const queuePush = Effect.fnUntraced(function* (
  store: ListingCalendarStore["Service"],
  push: PushRequest,
  validate: (today: string) => Result.Result<ReadonlyArray<DayRange>, ValidationFailed>
) {
  const { operatorId, timeZone } = yield* CurrentCaller
  const now = yield* Clock.currentTimeMillis
  yield* Effect.fromResult(validate(dateInZone(now, timeZone)))
  const outcome = yield* store.queuePush(operatorId, push, new Date(now))
  if (outcome === undefined) return yield* listingNotFoundError
  if (outcome.queued) return {}
  if (outcome.is_readonly) return yield* toReadonlyPricesError(push)
  return yield* outcome.auth_status === "disconnected" ? disconnectedError(push.channel_type) : listingQueueFullError
})

const toReadonlyPricesError = ({ channel_type, listing_id }: PushRequest) =>
  new ValidationFailed({
    message: `listing_id: the prices of ${listing_id} can only be changed on ${channel_type}.`
  })

const disconnectedError = (channelType: string) =>
  new BadRequest({ message: `listing_id: the account on ${channelType} is disconnected.` })

const updatePrices =
  (store: ListingCalendarStore["Service"]) =>
  ({ channel_type, listing_id, prices }: typeof update_listing_prices.payloadSchema.Type) =>
    queuePush(store, { channel_type, listing_id, kind: "prices", ranges: prices }, (today) =>
      validatePushDates("prices", prices, today)
    )

const updateInventories =
  (store: ListingCalendarStore["Service"]) =>
  ({ channel_type, listing_id, inventories }: typeof update_listing_inventories.payloadSchema.Type) =>
    queuePush(store, { channel_type, listing_id, kind: "inventories", ranges: inventories }, (today) =>
      validatePushDates("inventories", inventories, today)
    )

const updateRestrictions =
  (store: ListingCalendarStore["Service"]) =>
  ({ channel_type, listing_id, restrictions }: typeof update_listing_restrictions.payloadSchema.Type) =>
    queuePush(store, { channel_type, listing_id, kind: "restrictions", ranges: restrictions }, (today) =>
      Result.flatMap(validatePushDates("restrictions", restrictions, today), validateRestrictions)
    )

const toWarnings = ({ channel_type, restrictions }: typeof update_listing_restrictions.payloadSchema.Type) => {
  const names = findUnsupportedRestrictions(channel_type, restrictions)
  if (names.length === 0) return {}
  return { warnings: names.map((name) => `${name}: ${channel_type} does not support it, so it was not sent.`) }
}

export const layerListingCalendars = layerOperations(
  Effect.gen(function* () {
    const store = yield* ListingCalendarStore
    const gateway = yield* ChannelGateway
    return handleOperations(ListingCalendarOperations, {
      search_listing_calendars: makeReadCalendars(store, gateway, new CalendarReadPermits()),
      update_listing_prices: voidChangeHandler(updatePrices(store)),
      update_listing_inventories: voidChangeHandler(updateInventories(store)),
      update_listing_restrictions: changeHandler(updateRestrictions(store), Schema.Struct({}), (_result, payload) =>
        toWarnings(payload)
      )
    })
  })
)
