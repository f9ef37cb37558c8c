import { Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { pageOf } from "../../contract/page.ts"
import { noSuchAccount } from "../channels/channel-accounts/known-account.ts"
import { handled, layerHandled } from "../handled.ts"
import { noSuchProperty, noSuchRoomType } from "../properties/properties/belonging.ts"
import { type get_pricing_ratios, ListingOperations, type search_listings } from "./contract.ts"
import { linkOf, shownRatio } from "./rules.ts"
import { ListingStore } from "./store.ts"

const searchListings = (store: ListingStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_listings.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    if (found.total === 0 && payload.channel_account_id !== undefined) {
      if (!(yield* store.known(operatorId, payload.channel_account_id))) return yield* noSuchAccount
    }
    return { listings: found.rows, total: found.total }
  })

const getPricingRatios = (store: ListingStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof get_pricing_ratios.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const link = yield* Effect.fromResult(linkOf(payload))
    const listings = yield* store.ratios(operatorId, link)
    if (listings === undefined) return yield* link.type === "property" ? noSuchProperty : noSuchRoomType
    return {
      link_type: link.type,
      link_id: link.id,
      channels: listings.map((listing) => ({ ...listing, ...shownRatio(listing.ratio, listing.readonly) }))
    }
  })

export const layerListings = layerHandled(
  Effect.map(ListingStore, (store) =>
    handled(ListingOperations, {
      search_listings: searchListings(store),
      get_pricing_ratios: getPricingRatios(store)
    })
  )
).pipe(Layer.provide(ListingStore.layer))
