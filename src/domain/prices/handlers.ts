import { Effect, Layer, Schema } from "effect"
import { Keys } from "../../changes/Keys.ts"
import { atMostOnce } from "../../changes/outward.ts"
import { awayFromPlace } from "../../contract/away-from-place.ts"
import { CurrentOperator } from "../../contract/caller.ts"
import { Upstream } from "../../contract/errors.ts"
import { currentSecond } from "../../contract/time.ts"
import { inTime, OUTWARD_ACT_MS, type RefusedByChannel } from "../channels/port/api-errors.ts"
import { type AccountMeant, ChannelGateway } from "../channels/port/ChannelGateway.ts"
import type { ChannelError } from "../channels/port/errors.ts"
import { done, handled, layerHandled } from "../handled.ts"
import { type ListingPlace, noSuchListing } from "../listings/own-listing.ts"
import {
  AirbnbListing,
  type get_airbnb_price_and_rules,
  type get_vrbo_price_and_rules,
  PriceAndRules,
  type update_airbnb_price_and_rules,
  type update_vrbo_price_and_rules
} from "./contract.ts"
import { recordedVrbo, shownAirbnb, shownVrbo, toldAirbnb, toldVrbo } from "./rules.ts"
import { PriceAndRulesStore } from "./store.ts"

export const layerPriceAndRules = layerHandled(
  Effect.gen(function* () {
    const [store, gateway] = [yield* PriceAndRulesStore, yield* ChannelGateway]
    const outward = atMostOnce(yield* Keys)
    return handled(PriceAndRules, {
      get_airbnb_price_and_rules: getAirbnb(store, gateway),
      update_airbnb_price_and_rules: done(updateAirbnb(store, gateway, outward)),
      get_vrbo_price_and_rules: getVrbo(store),
      update_vrbo_price_and_rules: done(updateVrbo(store, gateway, outward))
    })
  })
).pipe(Layer.provide(PriceAndRulesStore.layer))

type Store = PriceAndRulesStore["Service"]
type Gateway = ChannelGateway["Service"]
type Outward = ReturnType<typeof atMostOnce>

/** The field of a call that names what its channel is asked or told of. */
const LISTING = "listing_id"

const placeOf = Effect.fnUntraced(function* (store: Store, channel_type: string, listing_id: string) {
  const { operatorId } = yield* CurrentOperator
  const place = yield* store.placeOf(operatorId, { channel_type, listing_id })
  return place === undefined ? yield* noSuchListing : { ...place, operatorId }
})

const accountOf = ({
  operatorId,
  account_id,
  channel_type
}: ListingPlace & { readonly operatorId: number }): AccountMeant => ({
  operatorId,
  accountId: account_id,
  channelType: channel_type
})

const isShowable = Schema.is(AirbnbListing)

const getAirbnb = (store: Store, gateway: Gateway) =>
  Effect.fnUntraced(function* ({ listing_id }: typeof get_airbnb_price_and_rules.payloadSchema.Type) {
    const place = yield* placeOf(store, "airbnb", listing_id)
    const read = inTime(gateway.readAirbnbPriceAndRules(accountOf(place), { listingId: listing_id }), LISTING)
    const { settings, eligible_cancellation_policies } = yield* awayFromPlace(read)
    const shown = { ...shownAirbnb(settings), eligible_cancellation_policies }
    return isShowable(shown) ? shown : yield* unreadable
  })

/**
 * Tells a channel settings, once under the call's key: a repeat must not undo what others have set since. Where the first
 * call was cut off or failed, the repeat tells them again, which leaves what they are: nobody has to ask what became of it.
 */
const telling = (outward: Outward, write: Effect.Effect<void, ChannelError>) =>
  outward<RefusedByChannel, never>({
    check: Effect.void,
    act: inTime(write, LISTING),
    happened: Effect.succeed(false),
    lastsMs: OUTWARD_ACT_MS,
    leaves: () => "nothing"
  })

const updateAirbnb = (store: Store, gateway: Gateway, outward: Outward) =>
  Effect.fnUntraced(function* ({ listing_id, settings }: typeof update_airbnb_price_and_rules.payloadSchema.Type) {
    const told = yield* Effect.fromResult(toldAirbnb(settings))
    const place = yield* placeOf(store, "airbnb", listing_id)
    const names = Object.keys(told)
    if (names.length === 0) return
    const write = gateway.writeAirbnbPriceAndRules(accountOf(place), { listingId: listing_id, settings: told })
    yield* telling(outward, write)
    yield* store.told(place.operatorId, place.id, names)
  })

const getVrbo = (store: Store) =>
  Effect.fnUntraced(function* ({ listing_id }: typeof get_vrbo_price_and_rules.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const known = yield* store.snapshot(operatorId, { channel_type: "vrbo", listing_id })
    return known === undefined ? yield* noSuchListing : shownVrbo(known.price_and_rules)
  })

/** Who is cut off between channel and snapshot leaves that older: the next write, or the channel's next word, mends it. */
const updateVrbo = (store: Store, gateway: Gateway, outward: Outward) =>
  Effect.fnUntraced(function* ({ listing_id, settings }: typeof update_vrbo_price_and_rules.payloadSchema.Type) {
    const told = toldVrbo(settings)
    const place = yield* placeOf(store, "vrbo", listing_id)
    const names = Object.keys(told)
    if (names.length === 0) return
    const write = gateway.writeVrboPriceAndRules(accountOf(place), { listingId: listing_id, settings: told })
    yield* telling(outward, write)
    const { operatorId, id } = place
    yield* store.recorded({ operatorId, id, names, settings: recordedVrbo(told), now: yield* currentSecond })
  })

const unreadable = new Upstream({ code: 502, message: "The channel's answer cannot be read." })
