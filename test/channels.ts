import { Context, Effect, Layer, Ref } from "effect"
import { type AccountMeant, ChannelGateway } from "../src/channels/ChannelGateway.ts"
import type { ChannelAnswer, ListingThere, OrderThere } from "../src/channels/connector.ts"
import type { ListingDay, PricedDays, RestrictedDays, StockedDays } from "../src/channels/days.ts"
import type { ChannelError } from "../src/channels/errors.ts"
import { addDays, daysInRange } from "../src/contract/time.ts"
import { makeRulesThere, type RulesThere } from "./price-and-rules.ts"

/** What a listing of a scripted channel was told. */
export interface ToldOf {
  readonly account: AccountMeant
  readonly listingId: string
  readonly prices?: ReadonlyArray<PricedDays>
  readonly inventories?: ReadonlyArray<StockedDays>
  readonly restrictions?: ReadonlyArray<RestrictedDays>
}

/** Every day of it costs 100 and can be sold once. */
const calendar = (start: string, end: string): ReadonlyArray<ListingDay> =>
  Array.from({ length: Math.max(0, daysInRange(start, end)) }, (_, at) => ({
    date: addDays(start, at),
    price: 100,
    inventory: 1
  }))

/** A channel whose answers a test decides; it agrees to everything until told otherwise. */
export class ScriptedChannel extends Context.Service<
  ScriptedChannel,
  {
    /** What it was told, oldest first: `approve 0-123-AB`. */
    readonly heard: Effect.Effect<ReadonlyArray<string>>
    /** Answers every act about this order or listing like that from now on; `meanwhile` runs before the answer. */
    readonly answer: (code: string, answer: Effect.Effect<void, ChannelError>) => Effect.Effect<void>
    /** What listings were told and took of prices, inventories and restrictions, oldest first. */
    readonly told: Effect.Effect<ReadonlyArray<ToldOf>>
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
      const hear = Effect.fnUntraced(function* (name: string, code: string) {
        yield* Ref.update(heard, (all) => [...all, `${name} ${code}`])
        yield* (yield* Ref.get(answers)).get(code) ?? Effect.void
      })
      const { acts, ...rules } = yield* makeRulesThere(hear)
      const act = (name: string, agreed: ChannelAnswer) => (_: AccountMeant, order: OrderThere) =>
        Effect.gen(function* () {
          yield* hear(name, order.reservationCode)
          yield* say(order.reservationCode, Effect.succeed(agreed))
        })
      const taken = yield* Ref.make<ReadonlyArray<ToldOf>>([])
      const push = (name: string) => (account: AccountMeant, payload: ListingThere & Omit<ToldOf, "account">) =>
        Effect.andThen(
          hear(name, payload.listingId),
          Ref.update(taken, (all) => [...all, { account, ...payload }])
        )
      const gateway = ChannelGateway.of({
        approve: act("approve", "approved"),
        decline: act("decline", "declined"),
        answered: (_, { reservationCode }) =>
          Effect.flatMap(Ref.get(stands), (all) => all.get(reservationCode) ?? Effect.succeed("pending" as const)),
        pushPrices: push("prices"),
        pushInventories: push("inventories"),
        pushRestrictions: push("restrictions"),
        readCalendar: (_, { listingId, start, end }) => Effect.as(hear("calendar", listingId), calendar(start, end)),
        ...acts
      })
      return Context.make(
        ScriptedChannel,
        ScriptedChannel.of({
          heard: Ref.get(heard),
          told: Ref.get(taken),
          answer: (code, answer) => Ref.update(answers, (all) => new Map([...all, [code, answer]])),
          say,
          rules
        })
      ).pipe(Context.add(ChannelGateway, gateway))
    })
  )
}
