import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import { decimalOf } from "../../../contract/money.ts"
import { inSpan } from "../../../platform/telemetry/spans.ts"
import { checkedDates } from "../../bookings/reservations/rules/stay-checks.ts"
import { type HeardVersion, heardVersion, instantSaid, SaidRefused, type Speaking } from "../../channels/port/heard.ts"
import type { OfferSaid } from "../../channels/port/said.ts"
import { hear } from "./inward.ts"
import { standing } from "./rules/standing.ts"
import type { NewOffer } from "./table.ts"

/** What guests were offered, as channels say it. */
export class SpecialOffers extends Context.Service<
  SpecialOffers,
  {
    /** An offer in a thread of the account that speaks: new, or how it stands by now. */
    readonly said: (speaker: Speaking, said: OfferSaid, at: Date) => Effect.Effect<HeardVersion, SaidRefused, Acting>
  }
>()("latchkey/resources/SpecialOffers") {
  static readonly layer = Layer.effect(
    SpecialOffers,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const heard = hear(sql)
      return SpecialOffers.of({
        said: Effect.fnUntraced(function* (speaker, said, at) {
          const offer = offerSaid(said, at)
          if (Result.isFailure(offer)) return yield* new SaidRefused({ reason: offer.failure.message })
          const { thread_known, applied, last_version } = yield* heard(
            speaker,
            said.thread_id,
            said.version,
            offer.success
          )
          if (!thread_known) return yield* noSuchThread
          if (applied) return "applied"
          // Who came first at the very same moment said as much.
          return last_version === null ? "known" : heardVersion(last_version, said.version)
        }, inSpan("SpecialOffers.said"))
      })
    })
  )
}

const noSuchThread = new SaidRefused({ reason: "thread_id: the account has no such thread" })

/** The row that says the same, as it stands at that time. */
const offerSaid = (said: OfferSaid, at: Date) =>
  Result.gen(function* () {
    const { check_in_date, check_out_date } = yield* checkedDates(said)
    const expires_at = instantSaid(said.expires_at)
    return {
      offer_id: said.offer_id,
      offer_type: said.offer_type,
      status: standing(said.status, expires_at, at),
      listing_id: said.listing_id,
      rate_plan_id: said.rate_plan_id ?? null,
      check_in_date,
      check_out_date,
      number_of_adults: said.number_of_adults,
      number_of_children: said.number_of_children ?? 0,
      number_of_infants: said.number_of_infants ?? 0,
      number_of_pets: said.number_of_pets ?? 0,
      price: yield* decimalOf("price", said.price, said.currency),
      currency: said.currency,
      create_time: said.created_at,
      expire_time: said.expires_at,
      created_at: instantSaid(said.created_at),
      expires_at
    } satisfies NewOffer
  })
