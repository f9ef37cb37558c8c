import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { toDecimalText } from "../../../contract/money.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { validateStayDates } from "../../bookings/reservations/rules/stay-validation.ts"
import type { ChannelOfferEvent } from "../../channels/port/channel-events.ts"
import {
  type ChannelAccountRef,
  InvalidChannelEvent,
  parseChannelInstant,
  toVersionOutcome,
  type VersionOutcome
} from "../../channels/port/event-handling.ts"
import type { NewOffer } from "./offer-columns.ts"
import { makeIngestOffer } from "./offer-ingest.ts"
import { resolveOfferStatus } from "./rules/offer-status.ts"

export class SpecialOffers extends Context.Service<
  SpecialOffers,
  {
    readonly ingest: (
      channelAccount: ChannelAccountRef,
      event: ChannelOfferEvent,
      at: Date
    ) => Effect.Effect<VersionOutcome, InvalidChannelEvent, CurrentActor>
  }
>()("latchkey/domain/guests/special-offers/SpecialOffers") {
  static readonly layer = Layer.effect(
    SpecialOffers,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const ingestOffer = makeIngestOffer(sql)
      return SpecialOffers.of({
        ingest: Effect.fnUntraced(function* (channelAccount, event, at) {
          const offer = toOffer(event, at)
          if (Result.isFailure(offer)) return yield* new InvalidChannelEvent({ reason: offer.failure.message })
          const { thread_known, applied, last_version } = yield* ingestOffer(
            channelAccount,
            event.thread_id,
            event.version,
            offer.success
          )
          if (!thread_known) return yield* unknownThreadError
          if (applied) return "applied"
          // The offer did not exist before the statement, and a concurrent event inserted it first.
          return last_version === null ? "known" : toVersionOutcome(last_version, event.version)
        }, withChildSpan("SpecialOffers.said"))
      })
    })
  )
}

const unknownThreadError = new InvalidChannelEvent({ reason: "thread_id: the account has no such thread" })

const toOffer = (event: ChannelOfferEvent, at: Date) =>
  Result.gen(function* () {
    const { check_in_date, check_out_date } = yield* validateStayDates(event)
    const expires_at = parseChannelInstant(event.expires_at)
    return {
      offer_id: event.offer_id,
      offer_type: event.offer_type,
      status: resolveOfferStatus(event.status, expires_at, at),
      listing_id: event.listing_id,
      rate_plan_id: event.rate_plan_id ?? null,
      check_in_date,
      check_out_date,
      number_of_adults: event.number_of_adults,
      number_of_children: event.number_of_children ?? 0,
      number_of_infants: event.number_of_infants ?? 0,
      number_of_pets: event.number_of_pets ?? 0,
      price: yield* toDecimalText("price", event.price, event.currency),
      currency: event.currency,
      create_time: event.created_at,
      expire_time: event.expires_at,
      created_at: parseChannelInstant(event.created_at),
      expires_at
    } satisfies NewOffer
  })
