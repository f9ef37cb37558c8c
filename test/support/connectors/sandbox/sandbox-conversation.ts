import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../../src/connectors/sandbox/SandboxConnector.ts"
import { SandboxOutbox } from "../../../../src/connectors/sandbox/SandboxOutbox.ts"
import type { OutboundMessage, OutboundOffer, OutboundReview } from "../../../../src/domain/channels/port/connector.ts"
import { createSandboxAccount, createSandboxListing, isEventOfType, NOW, ReceivedEvents } from "./sandbox-accounts.ts"

// A guest and a host of the marketplace who talk.

export const STAY_DATES = { check_in_date: "2027-06-07", check_out_date: "2027-06-09" }
const GUEST = { guest_name: "Ana Reis", guest_email: "ana@example.com" }

/** An account with a listing of 100 a night, whose guest asks and writes, and whose host answers. */
export const startSandboxConversation = Effect.fn("talkAt")(function* (
  channel: Parameters<typeof createSandboxAccount>[0] = "airbnb",
  options: Parameters<typeof createSandboxListing>[1] = {}
) {
  yield* TestClock.setTime(NOW)
  const sandboxAccount = yield* createSandboxAccount(channel)
  const listingId = yield* createSandboxListing(sandboxAccount.account, { title: "Loft", tax: 0, rooms: 2, ...options })
  const market = yield* Marketplace
  const connector = yield* SandboxConnector
  const sql = yield* SqlClient.SqlClient
  const { listEvents: heardOf } = yield* ReceivedEvents
  const listEventsOfType = <Type extends Parameters<typeof isEventOfType>[0]>(type: Type) =>
    Effect.map(heardOf(sandboxAccount.accountId), (all) => all.filter(isEventOfType(type)))
  return {
    ...sandboxAccount,
    listingId,
    market,
    connector,
    sql,
    /** What was told of that kind, once all was told that there is to tell by now. */
    flushAndListEvents: <Type extends Parameters<typeof isEventOfType>[0]>(type: Type) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("10 seconds")
        const { flush } = yield* SandboxOutbox
        while (yield* flush(sandboxAccount.account)) yield* Effect.void
        return yield* listEventsOfType(type)
      }),
    eventTypes: Effect.map(heardOf(sandboxAccount.accountId), (all) =>
      all.map((event) => (typeof event === "object" && event !== null && "type" in event ? event.type : "?"))
    ),
    book: (overrides: Partial<Parameters<typeof market.bookOrder>[0]> = {}) =>
      market.bookOrder({ listing_id: listingId, ...GUEST, ...STAY_DATES, ...overrides }),
    inquire: (overrides: Partial<Parameters<typeof market.sendInquiry>[0]> = {}) =>
      market.sendInquiry({ listing_id: listingId, ...GUEST, ...STAY_DATES, text: "Is there a lift?", ...overrides }),
    sendMessage: (threadId: string, message: Partial<OutboundMessage> = {}) =>
      connector.sendMessage(sandboxAccount.remoteAccount, {
        threadId,
        messageId: "M-1",
        text: "There is.",
        imageUrl: null,
        again: false,
        ...message
      }),
    sendOffer: (threadId: string, offer: Partial<OutboundOffer> = {}) =>
      connector.sendOffer(sandboxAccount.remoteAccount, {
        threadId,
        reference: "O-1",
        offerType: "special_offer",
        listingId,
        ratePlanId: null,
        checkInDate: STAY_DATES.check_in_date,
        checkOutDate: STAY_DATES.check_out_date,
        numberOfAdults: 2,
        numberOfChildren: 1,
        numberOfInfants: 0,
        numberOfPets: 1,
        price: 150.5,
        currency: null,
        ...offer
      }),
    withdrawOffer: (threadId: string, offerId: string) =>
      connector.withdrawOffer(sandboxAccount.remoteAccount, { threadId, offerId }),
    writeReview: (channelId: string, review: Partial<Pick<OutboundReview, "review" | "reply">>) =>
      connector.writeReview(sandboxAccount.remoteAccount, {
        channelId,
        reservationCode: "0-1-AAAA",
        review: null,
        reply: null,
        ...review
      })
  }
})

export const errorMessageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

/** Why the channel said no; another failure is told by its name. */
export const errorReasonOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? String(error.reason) : error._tag))
