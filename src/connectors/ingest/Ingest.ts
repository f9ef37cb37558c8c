import { Context, Effect, Layer, Predicate, Schema } from "effect"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { makeDecoder } from "../../contract/decoder.ts"
import { toPrintableName } from "../../contract/printable-name.ts"
import { currentSecond } from "../../contract/time.ts"
import { Orders } from "../../domain/bookings/reservations/Orders.ts"
import { layerListingsWithPrices } from "../../domain/calendars/base-prices/mapping-price-pushes.ts"
import { layerAccountsWithPrices } from "../../domain/calendars/base-prices/missed-price-pushes.ts"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import {
  ChannelAccountEvent,
  type ChannelEvent,
  ChannelListingEvent,
  ChannelMessageEvent,
  ChannelOfferEvent,
  ChannelOrderEvent,
  ChannelPaymentEvent,
  ChannelRefundEvent,
  ChannelReviewEvent,
  ChannelThreadEvent
} from "../../domain/channels/port/channel-events.ts"
import { InvalidChannelEvent, type VersionOutcome } from "../../domain/channels/port/event-handling.ts"
import { Conversations } from "../../domain/guests/conversations/Conversations.ts"
import { Reviews } from "../../domain/guests/reviews/Reviews.ts"
import { SpecialOffers } from "../../domain/guests/special-offers/SpecialOffers.ts"
import { Listings } from "../../domain/listings/Listings.ts"
import { ChannelPaymentStore } from "../../domain/money/channel-payment-store.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { withChildSpan } from "../../platform/telemetry/spans.ts"
import type { ChannelEventHandler, IngestResult, SourceAccount } from "./ingest-result.ts"
import { makeOrderHandler } from "./order-handler.ts"
import { findPayloadLimitViolation } from "./payload-limits.ts"
import {
  acceptOrderIfPaid,
  applyPendingPaymentsOfOrder,
  makePaymentHandler,
  type PaymentServices
} from "./payment-handler.ts"

export type { IngestResult, SourceAccount } from "./ingest-result.ts"

export class Ingest extends Context.Service<
  Ingest,
  {
    /** Never fails: invalid events are rejected and logged. `event` is an unvalidated `ChannelEvent` in JSON form. */
    readonly ingest: (account: SourceAccount, event: unknown) => Effect.Effect<IngestResult>
  }
>()("latchkey/connectors/ingest/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function* () {
      const { wake } = yield* WakeUp
      const [accounts, listings, conversations] = [yield* ChannelAccounts, yield* Listings, yield* Conversations]
      const offers = yield* SpecialOffers
      const services = { payments: yield* ChannelPaymentStore, orders: yield* Orders }
      const dispatch = makeDispatcher({
        account: decodeThenHandle(ChannelAccountEvent, makeVersionedHandler(accounts.applyUpdate)),
        listing: decodeThenHandle(ChannelListingEvent, makeVersionedHandler(listings.applyUpdate)),
        order: decodeThenHandle(ChannelOrderEvent, withPendingPayments(yield* makeOrderHandler, services)),
        payment: decodeThenHandle(ChannelPaymentEvent, makePaymentHandler(services)),
        refund: decodeThenHandle(ChannelRefundEvent, makePaymentHandler(services)),
        thread: decodeThenHandle(ChannelThreadEvent, makeVersionedHandler(conversations.handleThread)),
        message: decodeThenHandle(ChannelMessageEvent, makeVersionedHandler(conversations.handleMessage)),
        offer: decodeThenHandle(ChannelOfferEvent, makeVersionedHandler(offers.ingest)),
        review: decodeThenHandle(ChannelReviewEvent, makeVersionedHandler((yield* Reviews).ingest))
      })
      return Ingest.of({
        ingest: Effect.fnUntraced(function* (account, event) {
          const result = yield* dispatch(account, event)
          if (result.outcome !== "refused") yield* wake
          return result
        }, withChildSpan("Ingest.ingest"))
      })
    })
  ).pipe(
    Layer.provide([
      Orders.layer,
      ChannelPaymentStore.layer,
      layerAccountsWithPrices,
      layerListingsWithPrices,
      Conversations.layer,
      SpecialOffers.layer,
      Reviews.layer
    ])
  )
}

type RawEventHandler = ChannelEventHandler<unknown>

const decodeThenHandle = <A>(
  schema: Schema.ConstraintCodec<A, unknown>,
  handle: ChannelEventHandler<A>
): RawEventHandler => {
  const decode = makeDecoder(Schema.toCodecJson(schema))
  return (account, event) =>
    decode(event).pipe(
      Effect.mapError(({ message }) => new InvalidChannelEvent({ reason: message })),
      Effect.flatMap((decoded) => handle(account, decoded))
    )
}

const makeVersionedHandler =
  <A>(
    apply: (
      account: SourceAccount,
      event: A,
      at: Date
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
  ): ChannelEventHandler<A> =>
  (account, event) =>
    Effect.flatMap(currentSecond, (at) => Effect.map(apply(account, event, at), (outcome) => ({ outcome })))

/**
 * After each order event, applies payments that arrived before their order. After a crash, the channel's repeat of the
 * event does this.
 */
const withPendingPayments =
  (handle: ChannelEventHandler<ChannelOrderEvent>, services: PaymentServices): ChannelEventHandler<ChannelOrderEvent> =>
  (account, event) =>
    Effect.tap(handle(account, event), () =>
      Effect.gen(function* () {
        yield* applyPendingPaymentsOfOrder(services)(account, event.channel_id)
        if (event.status === "wait_pay") yield* acceptOrderIfPaid(services)(account, event.channel_id)
      })
    )

const makeDispatcher = (handlers: { readonly [Type in ChannelEvent["type"]]: RawEventHandler }) => {
  const handlersByType = new Map(Object.entries(handlers))
  return (account: SourceAccount, event: unknown): Effect.Effect<IngestResult> => {
    const eventType = readTextField(event, "type")
    const handle = handlersByType.get(eventType)
    const excess = findPayloadLimitViolation(event)
    if (excess !== undefined) return rejectEvent(account, event, excess)
    if (handle === undefined) return rejectEvent(account, event, "type: is unknown")
    return handle(account, event).pipe(
      Effect.catchTag("InvalidChannelEvent", ({ reason }) => rejectEvent(account, event, reason)),
      Effect.provideService(CurrentActor, systemActor(`channel ${account.channelType}`, `ingest ${eventType}`))
    )
  }
}

const rejectEvent = (account: SourceAccount, event: unknown, reason: string): Effect.Effect<IngestResult> =>
  Effect.logWarning("a channel event was rejected").pipe(
    Effect.annotateLogs({
      operator_id: account.operatorId,
      channel_account_id: account.accountId,
      channel_type: account.channelType,
      kind: toPrintableName(readTextField(event, "type")),
      id: toPrintableName(ID_FIELDS.map((field) => readTextField(event, field)).find((id) => id !== "") ?? ""),
      reason
    }),
    Effect.as({ outcome: "refused", reason })
  )

const ID_FIELDS = ["payment_id", "message_id", "offer_id", "channel_id", "thread_id", "listing_id"]

const readTextField = (event: unknown, field: string): string => {
  const value = Predicate.hasProperty(event, field) ? event[field] : undefined
  return typeof value === "string" ? value : ""
}
