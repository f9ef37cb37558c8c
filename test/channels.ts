import { Context, Effect, Layer, Ref } from "effect"
import { type AccountMeant, ChannelGateway } from "../src/channels/ChannelGateway.ts"
import type { ChannelAnswer, OrderThere } from "../src/channels/connector.ts"
import { type ChannelError, ChannelNotServed } from "../src/channels/errors.ts"
import { makeRulesThere, type RulesThere } from "./price-and-rules.ts"

const notServed = ({ channelType }: AccountMeant) => Effect.fail(new ChannelNotServed({ channelType }))

/** A channel whose answers a test decides; it agrees to everything until told otherwise. */
export class ScriptedChannel extends Context.Service<
  ScriptedChannel,
  {
    /** What it was told, oldest first: `approve 0-123-AB`. */
    readonly heard: Effect.Effect<ReadonlyArray<string>>
    /** Answers every act about this order or listing like that from now on; `meanwhile` runs before the answer. */
    readonly answer: (code: string, answer: Effect.Effect<void, ChannelError>) => Effect.Effect<void>
    /** Says from now on that the order stands so; until then it is pending, or as it agreed that it should. */
    readonly say: (reservationCode: string, answer: Effect.Effect<ChannelAnswer, ChannelError>) => Effect.Effect<void>
    /** Prices and rules as they are there. */
    readonly rules: Omit<RulesThere, "acts">
  }
>()("latchkey/test/ScriptedChannel") {
  static readonly layer: Layer.Layer<ScriptedChannel | ChannelGateway> = Layer.effectContext(
    Effect.gen(function* () {
      const heard = yield* Ref.make<ReadonlyArray<string>>([])
      const answers = yield* Ref.make<ReadonlyMap<string, Effect.Effect<void, ChannelError>>>(new Map())
      const stands = yield* Ref.make<ReadonlyMap<string, Effect.Effect<ChannelAnswer, ChannelError>>>(new Map())
      const say = (code: string, answer: Effect.Effect<ChannelAnswer, ChannelError>) =>
        Ref.update(stands, (all) => new Map([...all, [code, answer]]))
      const told = Effect.fnUntraced(function* (name: string, code: string) {
        yield* Ref.update(heard, (all) => [...all, `${name} ${code}`])
        yield* (yield* Ref.get(answers)).get(code) ?? Effect.void
      })
      const { acts, ...rules } = yield* makeRulesThere(told)
      const act = (name: string, agreed: ChannelAnswer) => (_: AccountMeant, order: OrderThere) =>
        Effect.gen(function* () {
          yield* told(name, order.reservationCode)
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
        ...acts
      })
      return Context.make(
        ScriptedChannel,
        ScriptedChannel.of({
          heard: Ref.get(heard),
          answer: (code, answer) => Ref.update(answers, (all) => new Map([...all, [code, answer]])),
          say,
          rules
        })
      ).pipe(Context.add(ChannelGateway, gateway))
    })
  )
}
