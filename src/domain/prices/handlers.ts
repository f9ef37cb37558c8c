import { Effect, Schema } from "effect"
import { runAtMostOnce } from "../../changes/external-action.ts"
import { IdempotencyKeys } from "../../changes/IdempotencyKeys.ts"
import { CurrentCaller } from "../../contract/caller.ts"
import { Upstream } from "../../contract/errors.ts"
import { releasePermitWhile } from "../../contract/permit-release.ts"
import { currentSecond } from "../../contract/time.ts"
import { type ChannelAccountTarget, ChannelGateway } from "../channels/port/ChannelGateway.ts"
import {
  CHANNEL_ACTION_TIMEOUT_MS,
  type ChannelApiError,
  withChannelTimeout
} from "../channels/port/channel-api-errors.ts"
import type { ChannelError } from "../channels/port/errors.ts"
import { type ListingReference, listingNotFoundError } from "../listings/listing-lookup.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../operation-handlers.ts"
import {
  AirbnbPriceAndRulesResult,
  type get_airbnb_price_and_rules,
  type get_vrbo_price_and_rules,
  PriceAndRulesOperations,
  type update_airbnb_price_and_rules,
  type update_vrbo_price_and_rules
} from "./contract.ts"
import { toAirbnbPriceAndRules, toAirbnbUpdate, toVrboPriceAndRules, toVrboSnapshot, toVrboUpdate } from "./rules.ts"
import { PriceAndRulesStore } from "./store.ts"

export const layerPriceAndRules = layerOperations(
  Effect.gen(function* () {
    const [store, gateway] = [yield* PriceAndRulesStore, yield* ChannelGateway]
    const runExternalAction = runAtMostOnce(yield* IdempotencyKeys)
    return handleOperations(PriceAndRulesOperations, {
      get_airbnb_price_and_rules: getAirbnbPriceAndRules(store, gateway),
      update_airbnb_price_and_rules: voidChangeHandler(updateAirbnbPriceAndRules(store, gateway, runExternalAction)),
      get_vrbo_price_and_rules: getVrboPriceAndRules(store),
      update_vrbo_price_and_rules: voidChangeHandler(updateVrboPriceAndRules(store, gateway, runExternalAction))
    })
  })
)

type Store = PriceAndRulesStore["Service"]
type Gateway = ChannelGateway["Service"]
type RunExternalAction = ReturnType<typeof runAtMostOnce>

const LISTING_FIELD = "listing_id"

const findListing = Effect.fnUntraced(function* (store: Store, channel_type: string, listing_id: string) {
  const { operatorId } = yield* CurrentCaller
  const listing = yield* store.findListing(operatorId, { channel_type, listing_id })
  return listing === undefined ? yield* listingNotFoundError : { ...listing, operatorId }
})

const toChannelAccountTarget = ({
  operatorId,
  account_id,
  channel_type
}: ListingReference & { readonly operatorId: number }): ChannelAccountTarget => ({
  operatorId,
  accountId: account_id,
  channelType: channel_type
})

const isAirbnbPriceAndRulesResult = Schema.is(AirbnbPriceAndRulesResult)

const getAirbnbPriceAndRules = (store: Store, gateway: Gateway) =>
  Effect.fnUntraced(function* ({ listing_id }: typeof get_airbnb_price_and_rules.payloadSchema.Type) {
    const listing = yield* findListing(store, "airbnb", listing_id)
    const readSettings = withChannelTimeout(
      gateway.readAirbnbPriceAndRules(toChannelAccountTarget(listing), { listingId: listing_id }),
      LISTING_FIELD
    )
    const { settings, eligible_cancellation_policies } = yield* releasePermitWhile(readSettings)
    const result = { ...toAirbnbPriceAndRules(settings), eligible_cancellation_policies }
    return isAirbnbPriceAndRulesResult(result) ? result : yield* unreadableResponseError
  })

/**
 * After a success, a repeat with the same idempotency key sends nothing, so it cannot undo later changes. After a
 * failure, it sends the settings again, which is harmless.
 */
const sendSettings = (runExternalAction: RunExternalAction, writeSettings: Effect.Effect<void, ChannelError>) =>
  runExternalAction<ChannelApiError, never>({
    check: Effect.void,
    run: withChannelTimeout(writeSettings, LISTING_FIELD),
    hasHappened: Effect.succeed(false),
    maxDurationMs: CHANNEL_ACTION_TIMEOUT_MS,
    stateAfterError: () => "nothing"
  })

const updateAirbnbPriceAndRules = (store: Store, gateway: Gateway, runExternalAction: RunExternalAction) =>
  Effect.fnUntraced(function* ({ listing_id, settings }: typeof update_airbnb_price_and_rules.payloadSchema.Type) {
    const update = yield* Effect.fromResult(toAirbnbUpdate(settings))
    const listing = yield* findListing(store, "airbnb", listing_id)
    const names = Object.keys(update)
    if (names.length === 0) return
    const write = gateway.writeAirbnbPriceAndRules(toChannelAccountTarget(listing), {
      listingId: listing_id,
      settings: update
    })
    yield* sendSettings(runExternalAction, write)
    yield* store.recordSentSettings(listing.operatorId, listing.id, names)
  })

const getVrboPriceAndRules = (store: Store) =>
  Effect.fnUntraced(function* ({ listing_id }: typeof get_vrbo_price_and_rules.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const snapshot = yield* store.findSnapshot(operatorId, { channel_type: "vrbo", listing_id })
    return snapshot === undefined ? yield* listingNotFoundError : toVrboPriceAndRules(snapshot.price_and_rules)
  })

/** If the call is interrupted before the sent settings are recorded, the channel's next listing event corrects them. */
const updateVrboPriceAndRules = (store: Store, gateway: Gateway, runExternalAction: RunExternalAction) =>
  Effect.fnUntraced(function* ({ listing_id, settings }: typeof update_vrbo_price_and_rules.payloadSchema.Type) {
    const update = toVrboUpdate(settings)
    const listing = yield* findListing(store, "vrbo", listing_id)
    const names = Object.keys(update)
    if (names.length === 0) return
    const write = gateway.writeVrboPriceAndRules(toChannelAccountTarget(listing), {
      listingId: listing_id,
      settings: update
    })
    yield* sendSettings(runExternalAction, write)
    const { operatorId, id } = listing
    yield* store.recordSnapshot({ operatorId, id, names, settings: toVrboSnapshot(update), now: yield* currentSecond })
  })

const unreadableResponseError = new Upstream({ code: 502, message: "The channel's answer cannot be read." })
