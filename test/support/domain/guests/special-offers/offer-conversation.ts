import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { ChannelOfferEvent } from "../../../../../src/domain/channels/port/channel-events.ts"
import type { OperationName } from "../../../../../src/service/Api.ts"
import { type ConversationOptions, insertConversation } from "../../../conversations.ts"
import { call, createOperator, insertProperty, type OperatorOptions, typedClient, withToken } from "../../../harness.ts"
import { insertChannelAccount, insertListing, type ListingOptions } from "../../../listings.ts"
import { ScriptedChannel } from "../../../scripted-channel.ts"
import { NOW_ISO } from "../../bookings/reservations/reservation-operator.ts"

// What the tests of offers begin with.

export const DAY_MS = 24 * 60 * 60 * 1000
export const OFFER_DATES = { check_in_date: "2027-05-04", check_out_date: "2027-05-07" }

interface OfferConversationOptions {
  readonly channelType?: string
  readonly operator?: OperatorOptions
  readonly listing?: ListingOptions
  /** What the guest asks about of the listing. */
  readonly inquiry?: Omit<NonNullable<ConversationOptions["inquiry"]>, "listingId">
}

/** A host with a property, on a day in April, and a guest who talks to him at the channel that sells it. */
export const prepareOfferConversation = Effect.fnUntraced(function* (options: OfferConversationOptions = {}) {
  yield* TestClock.setTime(Date.parse(NOW_ISO))
  const { channelType = "airbnb", inquiry } = options
  const operator = yield* createOperator(options.operator)
  const { operatorId, token } = operator
  const propertyId = yield* insertProperty(operatorId, "Harbour 1")
  const accountId = yield* insertChannelAccount(operatorId, { channelType })
  const listing_id = yield* insertListing(operatorId, accountId, {
    channelType,
    propertyId,
    ...options.listing
  })
  const { code: conversation_id, thread_id } = yield* insertConversation({
    operatorId,
    accountId,
    channelType,
    ...(inquiry === undefined ? {} : { inquiry: { listingId: listing_id, ...inquiry } })
  })
  const api = yield* typedClient
  const as = withToken(token)
  const channel = yield* ScriptedChannel
  const offerFields = { conversation_id, listing_id, ...OFFER_DATES, price: 380, number_of_adults: 2 }
  const callInConversation = (operation: OperationName, fields: object = {}) =>
    call(token, operation, { conversation_id, ...fields })
  return {
    ...operator,
    propertyId,
    accountId,
    channelType,
    listing_id,
    conversation_id,
    thread_id,
    api,
    as,
    channel,
    offerFields,
    callInConversation,
    /** Sends an offer of three nights for two, but for what is said. */
    sendOffer: (fields: object = {}) => callInConversation("send_special_offer", { ...offerFields, ...fields }),
    offers: Effect.map(api.search_special_offers({ conversation_id }).pipe(as), (response) => response.special_offers),
    /** What it was told to offer in this thread. */
    sentOffers: Effect.map(channel.guests.offers, (all) => all.filter(({ threadId }) => threadId === thread_id))
  }
})
export type OfferConversation = Effect.Success<ReturnType<typeof prepareOfferConversation>>

/** What the channel says of an offer in the thread. */
export const makeOfferEvent = (
  { thread_id, listing_id }: Pick<OfferConversation, "thread_id" | "listing_id">,
  version: number,
  overrides: Partial<ChannelOfferEvent> = {}
): ChannelOfferEvent => ({
  type: "offer",
  version,
  offer_id: "O-1",
  thread_id,
  offer_type: "special_offer",
  status: "active",
  listing_id,
  ...OFFER_DATES,
  number_of_adults: 2,
  price: 380,
  currency: "EUR",
  created_at: NOW_ISO,
  expires_at: "2027-04-21T10:00:00Z",
  ...overrides
})

/** Every offer of an operator, as rows: to see that nothing changed. */
export const loadOfferRows = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ row: string }>`
    SELECT special_offers::text AS row FROM special_offers WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ row }) => row)
})
