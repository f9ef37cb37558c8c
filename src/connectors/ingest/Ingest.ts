import { Context, Effect, Layer, Predicate, Schema } from "effect"
import { Acting, byItself } from "../../contract/acting.ts"
import { decoderOf } from "../../contract/decode.ts"
import { currentSecond } from "../../contract/time.ts"
import { toldName } from "../../contract/told-name.ts"
import { Orders } from "../../domain/bookings/reservations/Orders.ts"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import { type HeardVersion, SaidRefused } from "../../domain/channels/port/heard.ts"
import {
  AccountSaid,
  ListingSaid,
  MessageSaid,
  OfferSaid,
  OrderSaid,
  PaymentSaid,
  RefundSaid,
  ReviewSaid,
  type Said,
  ThreadSaid
} from "../../domain/channels/port/said.ts"
import { Conversations } from "../../domain/guests/conversations/Conversations.ts"
import { Reviews } from "../../domain/guests/reviews/Reviews.ts"
import { SpecialOffers } from "../../domain/guests/special-offers/SpecialOffers.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import { ChannelMoneyStore } from "../../domain/money/channel-money.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { inSpan } from "../../platform/telemetry/spans.ts"
import type { Heard, Hears, Speaker } from "./heard.ts"
import { acceptPaidBefore, hearsMoney, type MoneyServices, settleWaiting } from "./money.ts"
import { hearsOrder } from "./orders.ts"
import { tooMuch } from "./too-much.ts"

export type { Heard, Speaker } from "./heard.ts"

/**
 * The one inward door: whatever a channel says by itself comes into the service here. Idempotent by the channel's own id and
 * version, so whoever got no answer says it again. It never fails: what cannot be so is refused and logged once.
 */
export class Ingest extends Context.Service<
  Ingest,
  {
    /** `said`: a `Said` (domain/channels/port/said.ts) as JSON has it, of whom nothing is believed. */
    readonly ingest: (speaker: Speaker, said: unknown) => Effect.Effect<Heard>
  }
>()("latchkey/ingest/Ingest") {
  /** Over the database; what it changes wakes the workers. */
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function* () {
      const { wake } = yield* WakeUp
      const [accounts, listings, conversations] = [yield* ChannelAccounts, yield* Listings, yield* Conversations]
      const offers = yield* SpecialOffers
      const services = { money: yield* ChannelMoneyStore, orders: yield* Orders }
      const heard = hearing({
        account: heardAs(AccountSaid, ofVersion(accounts.said)),
        listing: heardAs(ListingSaid, ofVersion(listings.said)),
        order: heardAs(OrderSaid, withItsMoney(yield* hearsOrder, services)),
        payment: heardAs(PaymentSaid, hearsMoney(services)),
        refund: heardAs(RefundSaid, hearsMoney(services)),
        thread: heardAs(ThreadSaid, ofVersion(conversations.threadSaid)),
        message: heardAs(MessageSaid, ofVersion(conversations.messageSaid)),
        offer: heardAs(OfferSaid, ofVersion(offers.said)),
        review: heardAs(ReviewSaid, ofVersion((yield* Reviews).said))
      })
      return Ingest.of({
        ingest: Effect.fnUntraced(function* (speaker, said) {
          const become = yield* heard(speaker, said)
          if (become.outcome !== "refused") yield* wake
          return become
        }, inSpan("Ingest.ingest"))
      })
    })
  ).pipe(
    Layer.provide([
      Orders.layer,
      ChannelMoneyStore.layer,
      ChannelAccounts.layer,
      Listings.layer,
      Conversations.layer,
      SpecialOffers.layer,
      Reviews.layer
    ])
  )
}

type HearsUnread = Hears<unknown>

/** Reads what was said and takes it. */
const heardAs = <A>(kind: Schema.ConstraintCodec<A, unknown>, hears: Hears<A>): HearsUnread => {
  const decode = decoderOf(Schema.toCodecJson(kind))
  return (speaker, said) =>
    decode(said).pipe(
      Effect.mapError(({ message }) => new SaidRefused({ reason: message })),
      Effect.flatMap((read) => hears(speaker, read))
    )
}

/** Something that is heard in versions and has nothing to wait for. */
const ofVersion =
  <A>(take: (speaker: Speaker, said: A, at: Date) => Effect.Effect<HeardVersion, SaidRefused, Acting>): Hears<A> =>
  (speaker, said) =>
    Effect.flatMap(currentSecond, (at) => Effect.map(take(speaker, said, at), (outcome) => ({ outcome })))

/** An order, and then what was told of its money before it. Who was cut off in between says the order again. */
const withItsMoney =
  (hears: Hears<OrderSaid>, services: MoneyServices): Hears<OrderSaid> =>
  (speaker, said) =>
    Effect.tap(hears(speaker, said), () =>
      Effect.gen(function* () {
        yield* settleWaiting(services)(speaker, said.channel_id)
        if (said.status === "wait_pay") yield* acceptPaidBefore(services)(speaker, said.channel_id)
      })
    )

/** The one table of what a channel can say. */
const hearing = (kinds: { readonly [Type in Said["type"]]: HearsUnread }) => {
  const byType = new Map(Object.entries(kinds))
  return (speaker: Speaker, said: unknown): Effect.Effect<Heard> => {
    const kind = textIn(said, "type")
    const hears = byType.get(kind)
    const excess = tooMuch(said)
    if (excess !== undefined) return refused(speaker, said, excess)
    if (hears === undefined) return refused(speaker, said, "type: is unknown")
    return hears(speaker, said).pipe(
      Effect.catchTag("SaidRefused", ({ reason }) => refused(speaker, said, reason)),
      Effect.provideService(Acting, byItself(`channel ${speaker.channelType}`, `ingest ${kind}`))
    )
  }
}

const refused = (speaker: Speaker, said: unknown, reason: string): Effect.Effect<Heard> =>
  Effect.logWarning("a channel event was rejected").pipe(
    Effect.annotateLogs({
      operator_id: speaker.operatorId,
      channel_account_id: speaker.accountId,
      channel_type: speaker.channelType,
      kind: toldName(textIn(said, "type")),
      id: toldName(ID_FIELDS.map((field) => textIn(said, field)).find((id) => id !== "") ?? ""),
      reason
    }),
    Effect.as({ outcome: "refused", reason })
  )

/** What is said is about the first of these that it has. */
const ID_FIELDS = ["payment_id", "message_id", "offer_id", "channel_id", "thread_id", "listing_id"]

const textIn = (said: unknown, field: string): string => {
  const value = Predicate.hasProperty(said, field) ? said[field] : undefined
  return typeof value === "string" ? value : ""
}
