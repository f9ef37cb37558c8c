import { Effect } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { BadRequest } from "../../contract/errors.ts"
import { toPage } from "../../contract/page.ts"
import { channelAccountNotFoundError } from "../channels/channel-accounts/account-conditions.ts"
import { changeHandler, handleOperations, layerOperations } from "../operation-handlers.ts"
import { unknownPropertyIdError, unknownRoomTypeIdError } from "../properties/properties/ownership.ts"
import {
  type get_pricing_ratios,
  type ListingMappingRecord,
  ListingOperations,
  type search_listings,
  type set_listing_mapping
} from "./contract.ts"
import { Listings } from "./Listings.ts"
import { ListingWithMapping } from "./mapping-and-ratio.ts"
import { parseListingMapping, parseMappingChange, toPricingRatio } from "./rules.ts"
import { ListingStore } from "./store.ts"

const searchListings = (store: ListingStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_listings.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const page = yield* store.search(operatorId, payload, toPage(payload))
    if (page.total === 0 && payload.channel_account_id !== undefined) {
      if (!(yield* store.accountExists(operatorId, payload.channel_account_id)))
        return yield* channelAccountNotFoundError
    }
    return { listings: page.rows, total: page.total }
  })

const getPricingRatios = (store: ListingStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof get_pricing_ratios.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const mapping = yield* Effect.fromResult(parseListingMapping(payload))
    const listings = yield* store.listRatios(operatorId, mapping)
    if (listings === undefined)
      return yield* mapping.type === "property" ? unknownPropertyIdError : unknownRoomTypeIdError
    return {
      link_type: mapping.type,
      link_id: mapping.id,
      channels: listings.map((listing) => ({ ...listing, ...toPricingRatio(listing.ratio, listing.readonly) }))
    }
  })

const setListingMapping = (listings: Listings["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof set_listing_mapping.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { channel_type, listing_id, ratio, readonly } = payload
    const mapping = yield* Effect.fromResult(parseMappingChange(payload))
    if (mapping === undefined && ratio === undefined && readonly === undefined) return yield* nothingToChangeError
    return yield* listings.setMapping(operatorId, { channel_type, listing_id }, { mapping, ratio, readonly })
  })

const nothingToChangeError = new BadRequest({
  message: "property_id, room_type_id, ratio, readonly: give at least one of them."
})

const toMappingRecord = (listing: ListingWithMapping): ListingMappingRecord => {
  const { channel_type, listing_id, property_id, room_type_id, ratio, readonly } = listing
  return { channel_type, listing_id, property_id, room_type_id, ...toPricingRatio(ratio, readonly) }
}

export const layerListings = layerOperations(
  Effect.gen(function* () {
    const [store, listings] = [yield* ListingStore, yield* Listings]
    return handleOperations(ListingOperations, {
      search_listings: searchListings(store),
      get_pricing_ratios: getPricingRatios(store),
      set_listing_mapping: changeHandler(setListingMapping(listings), ListingWithMapping, (listing) => ({
        mapping: toMappingRecord(listing)
      }))
    })
  })
)
