import { Context, Effect, Layer, Predicate, Schema } from "effect"
import { WakeUp } from "../background/WakeUp.ts"
import { AccountSaid, ListingSaid, OrderSaid, PaymentSaid, RefundSaid, type Said } from "../channels/said.ts"
import { Acting, byItself } from "../contract/acting.ts"
import { decoderOf } from "../contract/decode.ts"
import { toldName } from "../contract/told-name.ts"
import { Orders } from "../resources/reservations/Orders.ts"
import { ChannelMoneyStore } from "../resources/transactions/channel-money.ts"
import { inSpan } from "../telemetry/spans.ts"
import { CannotBe, type Heard, type Hears, type Speaker } from "./heard.ts"
import { hearsMoney, settleWaiting } from "./money.ts"
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
    /** `said`: a `Said` (channels/said.ts) as JSON has it, of whom nothing is believed. */
    readonly ingest: (speaker: Speaker, said: unknown) => Effect.Effect<Heard>
  }
>()("latchkey/ingest/Ingest") {
  /** Over the database; what it changes wakes the workers. */
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function* () {
      const { wake } = yield* WakeUp
      const services = { money: yield* ChannelMoneyStore, orders: yield* Orders }
      const hearsOrderOf = yield* hearsOrder
      const settle = settleWaiting(services)
      const hearsPayment = hearsMoney(services)
      const heard = hearing({
        account: unheard(AccountSaid),
        listing: unheard(ListingSaid),
        // What came before its order waited for it.
        order: heardAs(OrderSaid, (speaker, said) =>
          Effect.tap(hearsOrderOf(speaker, said), ({ outcome }) =>
            outcome === "applied" ? settle(speaker, said.channel_id) : Effect.void
          )
        ),
        payment: heardAs(PaymentSaid, hearsPayment),
        refund: heardAs(RefundSaid, hearsPayment)
      })
      return Ingest.of({
        ingest: Effect.fnUntraced(function* (speaker, said) {
          const become = yield* heard(speaker, said)
          if (become.outcome === "applied") yield* wake
          return become
        }, inSpan("Ingest.ingest"))
      })
    })
  ).pipe(Layer.provide([Orders.layer, ChannelMoneyStore.layer]))
}

type HearsUnread = Hears<unknown>

/** Reads what was said and takes it. */
const heardAs = <A>(kind: Schema.ConstraintCodec<A, unknown>, hears: Hears<A>): HearsUnread => {
  const decode = decoderOf(Schema.toCodecJson(kind))
  return (speaker, said) =>
    decode(said).pipe(
      Effect.mapError(({ message }) => new CannotBe({ reason: message })),
      Effect.flatMap((read) => hears(speaker, read))
    )
}

/** A kind that nobody takes yet. */
const unheard = <A>(kind: Schema.ConstraintCodec<A, unknown>): HearsUnread =>
  heardAs(kind, () => Effect.fail(new CannotBe({ reason: "not heard yet" })))

/** The one table of what a channel can say. */
const hearing = (kinds: { readonly [Type in Said["type"]]: HearsUnread }) => {
  const byType = new Map(Object.entries(kinds))
  return (speaker: Speaker, said: unknown): Effect.Effect<Heard> => {
    const kind = textIn(said, "type")
    const hears = byType.get(kind)
    const excess = tooMuch(said)
    if (excess !== undefined) return refused(speaker, said, excess)
    if (hears === undefined) return refused(speaker, said, "type: is not one that is known")
    return hears(speaker, said).pipe(
      Effect.catchTag("CannotBe", ({ reason }) => refused(speaker, said, reason)),
      Effect.provideService(Acting, byItself(`channel ${speaker.channelType}`, `ingest ${kind}`))
    )
  }
}

const refused = (speaker: Speaker, said: unknown, reason: string): Effect.Effect<Heard> =>
  Effect.logWarning("a channel's word is refused").pipe(
    Effect.annotateLogs({
      operator_id: speaker.operatorId,
      channel_account_id: speaker.accountId,
      channel_type: speaker.channelType,
      kind: toldName(textIn(said, "type")),
      id: toldName(textIn(said, "channel_id") || textIn(said, "listing_id")),
      reason
    }),
    Effect.as({ outcome: "refused", reason })
  )

const textIn = (said: unknown, field: string): string => {
  const value = Predicate.hasProperty(said, field) ? said[field] : undefined
  return typeof value === "string" ? value : ""
}
