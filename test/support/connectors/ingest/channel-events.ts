import { Effect } from "effect"
import { Ingest, type SourceAccount } from "../../../../src/connectors/ingest/Ingest.ts"
import type { ChannelOrderEvent, ChannelRoom } from "../../../../src/domain/channels/port/channel-events.ts"
import { prepareOperator } from "../../domain/bookings/reservations/reservation-operator.ts"
import { insertChannelAccount, insertListing } from "../../listings.ts"

// What the tests of what channels say begin with.

/** An operator with two properties, each sold by a listing of its account at airbnb, on a day in April. */
export const createOperatorWithListings = Effect.gen(function* () {
  const operator = yield* prepareOperator
  const accountId = yield* insertChannelAccount(operator.operatorId)
  const listingId = yield* insertListing(operator.operatorId, accountId, { propertyId: operator.propertyId })
  const otherListingId = yield* insertListing(operator.operatorId, accountId, { propertyId: operator.secondPropertyId })
  const { ingest } = yield* Ingest
  const sourceAccount: SourceAccount = { operatorId: operator.operatorId, accountId, channelType: "airbnb" }
  const ingestEvent = (event: unknown) => ingest(sourceAccount, event)
  const reservations = operator.api.search_reservations({ channel_id: "HM1" }).pipe(
    operator.as,
    Effect.map(({ reservations }) => reservations.toSorted((one, other) => one.id - other.id))
  )
  return { ...operator, accountId, listingId, otherListingId, sourceAccount, ingest, ingestEvent, reservations }
})

/** A room of two adults and a child for three nights; what is said of it goes before. */
export const makeChannelRoom = (listing_id: string, overrides: Partial<ChannelRoom> = {}): ChannelRoom => ({
  room_id: "R1",
  listing_id,
  check_in_date: "2027-05-04",
  check_out_date: "2027-05-07",
  number_of_adults: 2,
  number_of_children: 1,
  rate: 420,
  commission: 63,
  accommodation: 380,
  ...overrides
})

export const makeOrderEvent = (
  rooms: ChannelOrderEvent["rooms"],
  overrides: Partial<ChannelOrderEvent> = {}
): ChannelOrderEvent => ({
  type: "order",
  version: 1,
  channel_id: "HM1",
  status: "accepted",
  booked_at: "2027-04-19T08:00:00Z",
  currency: "EUR",
  booker: { name: "Grace Hopper", phone: "+1 555", email: "grace@example.test" },
  rooms,
  ...overrides
})
