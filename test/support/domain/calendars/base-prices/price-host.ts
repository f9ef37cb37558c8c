import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, insertProperty } from "../../../harness.ts"
import { insertChannelAccount, insertListing } from "../../../listings.ts"
import { createHostClient } from "../../host-client.ts"
import { loadListingUpdates, makePushWorker, NOW, pushAllDue } from "../listing-calendars/push-service.ts"

export const MAY = { start_date: "2027-05-01", end_date: "2027-05-04" }

/** A host with a property and two listings of it, on a day in April. */
export const prepareHost = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const host = yield* createHostClient({ currency: "EUR" })
  const { operatorId, token } = host
  const propertyId = yield* insertProperty(operatorId, "Harbour 1")
  const account = yield* insertChannelAccount(operatorId)
  const plain = yield* insertListing(operatorId, account, { propertyId })
  const listingWithRatio = yield* insertListing(operatorId, account, { propertyId, ratio: 110 })
  const setBasePrices = (...ranges: ReadonlyArray<object>) =>
    call(token, "set_base_prices", { property_id: propertyId, ranges })
  const setMapping = (listing_id: string, change: object) =>
    call(token, "set_listing_mapping", { channel_type: "airbnb", listing_id, ...change })
  return { ...host, propertyId, account, plain, listingWithRatio, setBasePrices, setMapping }
})

export const listing = (listing_id: string, channel_type = "airbnb") => ({ channel_type, listing_id })

/** The prices that a listing got, each push one line: `2027-05-01..2027-05-03 100, …`. */
export const loadPrices = (listingId: string) =>
  Effect.map(loadListingUpdates(listingId), (all) =>
    all.flatMap(({ prices }) =>
      prices === undefined
        ? []
        : [prices.map(({ start_date, end_date, price }) => `${start_date}..${end_date} ${price}`).join(", ")]
    )
  )

export const loadRestrictions = (listingId: string) =>
  Effect.map(loadListingUpdates(listingId), (all) => all.flatMap(({ restrictions }) => restrictions ?? []))

export const pushAll = Effect.flatMap(makePushWorker, pushAllDue)
