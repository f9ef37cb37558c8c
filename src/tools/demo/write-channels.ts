import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../connectors/ingest/Ingest.ts"
import { layerSandbox } from "../../connectors/sandbox/layer.ts"
import { Marketplace } from "../../connectors/sandbox/Marketplace.ts"
import { SandboxAccess } from "../../connectors/sandbox/SandboxAccess.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { countNights } from "../../domain/bookings/reservations/rules/nights.ts"
import { layerListingsWithPrices } from "../../domain/calendars/base-prices/mapping-price-pushes.ts"
import type { ChannelOrderEvent, ChannelRoom } from "../../domain/channels/port/channel-events.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { HOST_RESPONSE_DEADLINE_MS } from "../../platform/limits.ts"
import { type DemoThreads, makeDemoThreads } from "./conversations.ts"
import type { DemoOperator } from "./demo-operator.ts"
import { bookerOf } from "./guests.ts"
import { type DemoListing, listingIdOf, makeDemoListings } from "./listings.ts"
import type { DemoOrder } from "./orders.ts"
import { makeDemoReviews } from "./reviews.ts"
import { commissionOf } from "./transactions.ts"

const USERNAME = "two-harbours"

const openListing = Effect.fnUntraced(function* ({ operatorId, propertyIds }: DemoOperator, listing: DemoListing) {
  const marketplace = yield* Marketplace
  const listings = yield* Listings
  const sql = yield* SqlClient.SqlClient
  const { channel_account_id } = yield* marketplace.openListing({
    operator_id: operatorId,
    channel_type: listing.channelType,
    username: USERNAME,
    listing_id: listing.listingId,
    title: listing.title,
    currency: listing.currency,
    base_price: listing.price,
    rooms: listing.rooms
  })
  const listingKey = { operator_id: operatorId, channel_type: listing.channelType, listing_id: listing.listingId }
  const [createdListing] = yield* listings.list(listingKey, 1)
  const [roomType] = yield* sql<{ id: number }>`SELECT id FROM room_types WHERE operator_id = ${operatorId} LIMIT 1`
  const flat = listing.propertyIndex === undefined ? undefined : propertyIds[listing.propertyIndex]
  const mapping =
    flat === undefined
      ? roomType && { type: "room_type" as const, id: roomType.id }
      : { type: "property" as const, id: flat }
  if (createdListing === undefined || mapping === undefined)
    return yield* Effect.die(new Error("the demo's listing was not heard"))
  const ratio = listing.ratio === undefined ? { readonly: true } : { ratio: listing.ratio, readonly: false }
  yield* listings.setMapping(operatorId, createdListing, { mapping, ...ratio })
  return channel_account_id
})

const toChannelRoom = (order: DemoOrder, stay: DemoOrder["stays"][number], index: number): ChannelRoom => {
  const dates = { check_in_date: stay.checkIn, check_out_date: stay.checkOut }
  return {
    room_id: `R${index + 1}`,
    listing_id: listingIdOf(order.channelType, stay.propertyIndex),
    ...dates,
    number_of_adults: 1 + (countNights(dates) % 3),
    rate: stay.revenue,
    commission: commissionOf(order.channelType, stay.revenue),
    accommodation: stay.revenue
  }
}

const POLICIES = ["flexible", "moderate", "firm"] as const

const toOrderEvent = (order: DemoOrder, index: number, threads: DemoThreads, now: Date): ChannelOrderEvent => {
  const { name, phone, email } = bookerOf(order)
  const [first, ...others] = order.stays
  const threadId = threads.threadIdOf(order)
  return {
    type: "order",
    version: 1,
    channel_id: order.channelId,
    status: order.status,
    booked_at: formatUtcInstant(order.bookedAt),
    currency: order.currency,
    booker: { name, phone, email },
    ...(order.status === "wait_accept"
      ? { expires_at: formatUtcInstant(new Date(now.getTime() + HOST_RESPONSE_DEADLINE_MS)) }
      : {}),
    ...(order.channelType === "airbnb"
      ? { cancellation_policy_category: POLICIES[index % POLICIES.length] ?? null }
      : {}),
    ...(threadId === undefined ? {} : { thread_id: threadId }),
    rooms: [toChannelRoom(order, first, 0), ...others.map((stay, at) => toChannelRoom(order, stay, at + 1))]
  }
}

export const writeChannels = Effect.fn("demo.writeChannels")(
  function* (operator: DemoOperator) {
    const accounts = new Map<string, number>()
    for (const listing of makeDemoListings(operator.orders)) {
      accounts.set(listing.channelType, yield* openListing(operator, listing))
    }
    const marketplace = yield* Marketplace
    const threads = makeDemoThreads(operator.orders, operator.now, operator.timeZone)
    for (const [channelType, accountId] of accounts) {
      const channelOrders = operator.orders.filter((order) => order.channelType === channelType)
      yield* marketplace.importHistory(accountId, {
        threads: threads.forChannel(channelType),
        orders: channelOrders.map((order, index) => toOrderEvent(order, index, threads, operator.now)),
        reviews: makeDemoReviews(channelOrders, channelType, operator.today, operator.timeZone)
      })
    }
  },
  // No workers run yet, so a wake-up in this process is enough.
  Effect.provide(
    Layer.mergeAll(layerListingsWithPrices, layerSandbox).pipe(
      Layer.provide(Ingest.layer),
      Layer.provide([WakeUp.layerProcess, SandboxAccess.layerAlways])
    )
  )
)
