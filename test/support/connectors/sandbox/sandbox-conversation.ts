import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../../src/connectors/sandbox/SandboxConnector.ts"
import { SandboxOutbox } from "../../../../src/connectors/sandbox/SandboxOutbox.ts"
import type { OutboundMessage, OutboundOffer, OutboundReview } from "../../../../src/domain/channels/port/connector.ts"
import { createSandboxAccount, createSandboxListing, isEventOfType, NOW, ReceivedEvents } from "./sandbox-accounts.ts"

// A guest and a host of the marketplace who talk.

export const STAY = { check_in_date: "2027-06-07", check_out_date: "2027-06-09" }
const ANA = { guest_name: "Ana Reis", guest_email: "ana@example.com" }

/** An account with a listing of 100 a night, whose guest asks and writes, and whose host answers. */
export const startConversation = Effect.fn("talkAt")(function* (
  channel: Parameters<typeof createSandboxAccount>[0] = "airbnb",
  options: Parameters<typeof createSandboxListing>[1] = {}
) {
  yield* TestClock.setTime(NOW)
  const at = yield* createSandboxAccount(channel)
  const listing = yield* createSandboxListing(at.account, { title: "Loft", tax: 0, rooms: 2, ...options })
  const market = yield* Marketplace
  const sandbox = yield* SandboxConnector
  const sql = yield* SqlClient.SqlClient
  const { heardOf } = yield* ReceivedEvents
  const told = <Type extends Parameters<typeof isEventOfType>[0]>(type: Type) =>
    Effect.map(heardOf(at.accountId), (all) => all.filter(isEventOfType(type)))
  return {
    ...at,
    listing,
    market,
    sandbox,
    sql,
    /** What was told of that kind, once all was told that there is to tell by now. */
    told: <Type extends Parameters<typeof isEventOfType>[0]>(type: Type) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("10 seconds")
        const { flush } = yield* SandboxOutbox
        while (yield* flush(at.account)) yield* Effect.void
        return yield* told(type)
      }),
    kinds: Effect.map(heardOf(at.accountId), (all) =>
      all.map((said) => (typeof said === "object" && said !== null && "type" in said ? said.type : "?"))
    ),
    book: (asked: Partial<Parameters<typeof market.book>[0]> = {}) =>
      market.book({ listing_id: listing, ...ANA, ...STAY, ...asked }),
    inquire: (asked: Partial<Parameters<typeof market.inquire>[0]> = {}) =>
      market.inquire({ listing_id: listing, ...ANA, ...STAY, text: "Is there a lift?", ...asked }),
    send: (threadId: string, message: Partial<OutboundMessage> = {}) =>
      sandbox.sendMessage(at.there, {
        threadId,
        messageId: "M-1",
        text: "There is.",
        imageUrl: null,
        again: false,
        ...message
      }),
    offer: (threadId: string, offer: Partial<OutboundOffer> = {}) =>
      sandbox.sendOffer(at.there, {
        threadId,
        reference: "O-1",
        offerType: "special_offer",
        listingId: listing,
        ratePlanId: null,
        checkInDate: STAY.check_in_date,
        checkOutDate: STAY.check_out_date,
        numberOfAdults: 2,
        numberOfChildren: 1,
        numberOfInfants: 0,
        numberOfPets: 1,
        price: 150.5,
        currency: null,
        ...offer
      }),
    withdraw: (threadId: string, offerId: string) => sandbox.withdrawOffer(at.there, { threadId, offerId }),
    review: (channelId: string, review: Partial<Pick<OutboundReview, "review" | "reply">>) =>
      sandbox.writeReview(at.there, { channelId, reservationCode: "0-1-AAAA", review: null, reply: null, ...review })
  }
})

export const errorMessageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

/** Why the channel said no; another failure is told by its name. */
export const errorReasonOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? String(error.reason) : error._tag))
