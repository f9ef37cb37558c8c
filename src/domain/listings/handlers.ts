import { Effect, Layer } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { toPage } from "../../contract/page.ts"
import { noSuchChannelAccount } from "../channels/channel-accounts/account-conditions.ts"
import { handleOperations, layerOperations } from "../operation-handlers.ts"
import { noSuchProperty, noSuchRoomType } from "../properties/properties/ownership.ts"
import { type get_pricing_ratios, ListingOperations, type search_listings } from "./contract.ts"
import { parseListingMapping, toPricingRatio } from "./rules.ts"
import { ListingStore } from "./store.ts"

const searchListings = (store: ListingStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_listings.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    if (page.total === 0 && payload.channel_account_id !== undefined) {
      if (!(yield* store.accountExists(operatorId, payload.channel_account_id))) return yield* noSuchChannelAccount
    }
    return { listings: page.rows, total: page.total }
  })

const getPricingRatios = (store: ListingStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof get_pricing_ratios.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const mapping = yield* Effect.fromResult(parseListingMapping(payload))
    const listings = yield* store.listRatios(operatorId, mapping)
    if (listings === undefined) return yield* mapping.type === "property" ? noSuchProperty : noSuchRoomType
    return {
      link_type: mapping.type,
      link_id: mapping.id,
      channels: listings.map((listing) => ({ ...listing, ...toPricingRatio(listing.ratio, listing.readonly) }))
    }
  })

/** Open to its stores. */
export const layerListingsNoDeps = layerOperations(
  Effect.map(ListingStore, (store) =>
    handleOperations(ListingOperations, {
      search_listings: searchListings(store),
      get_pricing_ratios: getPricingRatios(store)
    })
  )
)

export const layerListings = Layer.provide(layerListingsNoDeps, ListingStore.layer)
