import type { SandboxChannel } from "../../connectors/sandbox/channel-profiles.ts"
import type { DemoOrder } from "./orders.ts"
import { DEMO_PROPERTIES } from "./properties.ts"

export interface DemoListing {
  readonly channelType: SandboxChannel
  readonly listingId: string
  readonly title: string
  readonly currency: "EUR" | "GBP"
  readonly price: number
  /** Index in DEMO_PROPERTIES. Undefined for the listing of the room type. */
  readonly propertyIndex: number | undefined
  readonly rooms: number
  /** Undefined if prices are not pushed. */
  readonly ratio: number | undefined
}

const CHANNEL_RATIOS: Readonly<
  Record<string, { readonly channelType: SandboxChannel; readonly ratio: number | undefined }>
> = {
  airbnb: { channelType: "airbnb", ratio: 110 },
  "booking.com": { channelType: "booking.com", ratio: 115 },
  vrbo: { channelType: "vrbo", ratio: undefined },
  expedia: { channelType: "expedia", ratio: 118 },
  agoda: { channelType: "agoda", ratio: 118 },
  booking_site: { channelType: "booking_site", ratio: 100 }
}

export const listingIdOf = (channelType: string, property: number): string => {
  const number = String(31_400 + property * 137)
  return channelType === "booking_site" ? `${number}-1` : `${number}${channelType.length}`
}

const toListings = (channelType: string, propertyIndex: number): ReadonlyArray<DemoListing> => {
  const flat = DEMO_PROPERTIES[propertyIndex]
  const channel = CHANNEL_RATIOS[channelType]
  if (flat === undefined || channel === undefined) return []
  const listingId = listingIdOf(channelType, propertyIndex)
  const percent = channel.ratio ?? 100
  const price = Math.round((flat.nightlyPrice * percent) / 100)
  return [{ ...channel, listingId, title: flat.title, currency: flat.currency, price, propertyIndex, rooms: 1 }]
}

const ROOM_TYPE_LISTING: DemoListing = {
  channelType: "trip.com",
  listingId: "889140",
  title: "Leith Harbour apartment",
  currency: "GBP",
  price: 128,
  propertyIndex: undefined,
  rooms: 2,
  ratio: 112
}

/** Returns an Airbnb listing of each flat, one for each flat and channel with an order, and one of the room type. */
export const makeDemoListings = (orders: ReadonlyArray<DemoOrder>): ReadonlyArray<DemoListing> => {
  const soldFlats = orders
    .filter(({ channelType }) => channelType !== "direct")
    .flatMap(({ channelType, stays }) => stays.map(({ propertyIndex }) => ({ channelType, property: propertyIndex })))
  const flats = [...DEMO_PROPERTIES.map((_, property) => ({ channelType: "airbnb", property })), ...soldFlats]
  const listings = new Map(
    flats.flatMap(({ channelType, property }) =>
      toListings(channelType, property).map((listing) => [`${channelType} ${listing.listingId}`, listing] as const)
    )
  )
  return [...listings.values(), ROOM_TYPE_LISTING]
}
