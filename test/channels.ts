import { Context, Effect, Layer, Ref } from "effect"
import { type AccountMeant, ChannelGateway } from "../src/channels/ChannelGateway.ts"
import type { ChannelAnswer, OrderThere } from "../src/channels/connector.ts"
import { type ChannelError, ChannelNotServed } from "../src/channels/errors.ts"

const notServed = ({ channelType }: AccountMeant) => Effect.fail(new ChannelNotServed({ channelType }))

/** A channel whose answers a test decides; it agrees to everything until told otherwise. */
export class ScriptedChannel extends Context.Service<
  ScriptedChannel,
  {
    /** What it was told, oldest first: `approve 0-123-AB`. */
    readonly heard: Effect.Effect<ReadonlyArray<string>>
    /** Answers every act about this order like that from now on; `meanwhile` runs before the answer. */
    readonly answer: (reservationCode: string, answer: Effect.Effect<void, ChannelError>) => Effect.Effect<void>
    /** Says from now on that the order stands so; until then it is pending, or as it agreed that it should. */
    readonly say: (reservationCode: string, answer: Effect.Effect<ChannelAnswer, ChannelError>) => Effect.Effect<void>
  }
>()("latchkey/test/ScriptedChannel") {
  static readonly layer: Layer.Layer<ScriptedChannel | ChannelGateway> = Layer.effectContext(
    Effect.gen(function* () {
      const heard = yield* Ref.make<ReadonlyArray<string>>([])
      const answers = yield* Ref.make<ReadonlyMap<string, Effect.Effect<void, ChannelError>>>(new Map())
      const stands = yield* Ref.make<ReadonlyMap<string, Effect.Effect<ChannelAnswer, ChannelError>>>(new Map())
      const say = (code: string, answer: Effect.Effect<ChannelAnswer, ChannelError>) =>
        Ref.update(stands, (all) => new Map([...all, [code, answer]]))
      const act = (name: string, agreed: ChannelAnswer) => (_: AccountMeant, order: OrderThere) =>
        Effect.gen(function* () {
          yield* Ref.update(heard, (all) => [...all, `${name} ${order.reservationCode}`])
          yield* (yield* Ref.get(answers)).get(order.reservationCode) ?? Effect.void
          yield* say(order.reservationCode, Effect.succeed(agreed))
        })
      const gateway = ChannelGateway.of({
        approve: act("approve", "approved"),
        decline: act("decline", "declined"),
        answered: (_, { reservationCode }) =>
          Effect.flatMap(Ref.get(stands), (all) => all.get(reservationCode) ?? Effect.succeed("pending" as const)),
        pushPrices: notServed,
        pushInventories: notServed,
        pushRestrictions: notServed,
        readCalendar: notServed,
        readAirbnbPriceAndRules: notServed,
        writeAirbnbPriceAndRules: notServed,
        writeVrboPriceAndRules: notServed
      })
      return Context.make(
        ScriptedChannel,
        ScriptedChannel.of({
          heard: Ref.get(heard),
          answer: (code, answer) => Ref.update(answers, (all) => new Map([...all, [code, answer]])),
          say
        })
      ).pipe(Context.add(ChannelGateway, gateway))
    })
  )
}
