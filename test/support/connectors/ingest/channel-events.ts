import { Effect } from "effect"
import { Ingest, type SourceAccount } from "../../../../src/connectors/ingest/Ingest.ts"
import type { ChannelOrderEvent, ChannelRoom } from "../../../../src/domain/channels/port/channel-events.ts"
import { prepareOperator } from "../../domain/bookings/reservations/reservation-operator.ts"
import { insertChannelAccount, insertListing } from "../../listings.ts"

// What the tests of what channels say begin with.

/** An operator with two properties, each sold by a listing of its account at airbnb, on a day in April. */
export const createSellingOperator = Effect.gen(function* () {
  const ground = yield* prepareOperator
  const accountId = yield* insertChannelAccount(ground.operatorId)
  const listing = yield* insertListing(ground.operatorId, accountId, { propertyId: ground.property })
  const other = yield* insertListing(ground.operatorId, accountId, { propertyId: ground.second })
  const { ingest } = yield* Ingest
  const speaker: SourceAccount = { operatorId: ground.operatorId, accountId, channelType: "airbnb" }
  const hear = (said: unknown) => ingest(speaker, said)
  const rows = ground.api.search_reservations({ channel_id: "HM1" }).pipe(
    ground.as,
    Effect.map(({ reservations }) => reservations.toSorted((one, two) => one.id - two.id))
  )
  return { ...ground, accountId, listing, other, speaker, ingest, hear, rows }
})

/** A room of two adults and a child for three nights; what is said of it goes before. */
export const channelRoom = (listing_id: string, said: Partial<ChannelRoom> = {}): ChannelRoom => ({
  room_id: "R1",
  listing_id,
  check_in_date: "2027-05-04",
  check_out_date: "2027-05-07",
  number_of_adults: 2,
  number_of_children: 1,
  rate: 420,
  commission: 63,
  accommodation: 380,
  ...said
})

export const orderEvent = (
  rooms: ChannelOrderEvent["rooms"],
  said: Partial<ChannelOrderEvent> = {}
): ChannelOrderEvent => ({
  type: "order",
  version: 1,
  channel_id: "HM1",
  status: "accepted",
  booked_at: "2027-04-19T08:00:00Z",
  currency: "EUR",
  booker: { name: "Grace Hopper", phone: "+1 555", email: "grace@example.test" },
  rooms,
  ...said
})
