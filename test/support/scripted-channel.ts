import { Context, Effect, Layer, Ref } from "effect"
import { addDays, daysInRange } from "../../src/contract/time.ts"
import { type ChannelAccountTarget, ChannelGateway } from "../../src/domain/channels/port/ChannelGateway.ts"
import type { ChannelRequestStatus, RemoteListing, RemoteOrder } from "../../src/domain/channels/port/connector.ts"
import type { ChannelError } from "../../src/domain/channels/port/errors.ts"
import type {
  DayRangeInventory,
  DayRangePrice,
  DayRangeRestrictions,
  ListingDay
} from "../../src/domain/channels/port/listing-days.ts"
import { makeRemoteRules, type RemoteRules } from "./price-and-rules.ts"
import { makeRemoteGuests, type RemoteGuests } from "./remote-guests.ts"

/** What a listing of a scripted channel was told. */
export interface ListingUpdate {
  readonly account: ChannelAccountTarget
  readonly listingId: string
  readonly prices?: ReadonlyArray<DayRangePrice>
  readonly inventories?: ReadonlyArray<DayRangeInventory>
  readonly restrictions?: ReadonlyArray<DayRangeRestrictions>
}

/** How many of a listing are sold on days; of one that it does not name, one. */
type Sold = ReadonlyMap<string, number>

const datesOf = (start: string, end: string) =>
  Array.from({ length: Math.max(0, daysInRange(start, end)) }, (_, at) => addDays(start, at))

/** Every day of it costs 100. */
const calendar = (sold: Sold | undefined, start: string, end: string): ReadonlyArray<ListingDay> =>
  datesOf(start, end).map((date) => ({ date, price: 100, inventory: sold?.get(date) ?? 1 }))

const withInventories = (sold: Sold | undefined, ranges: ReadonlyArray<DayRangeInventory>): Sold =>
  new Map([
    ...(sold ?? []),
    ...ranges.flatMap(({ start_date, end_date, inventory }) =>
      datesOf(start_date, end_date).map((date) => [date, inventory] as const)
    )
  ])

/** A channel whose answers a test decides; it agrees to everything until told otherwise. */
export class ScriptedChannel extends Context.Service<
  ScriptedChannel,
  {
    /** What it was told, oldest first: `approve 0-123-AB`. */
    readonly heard: Effect.Effect<ReadonlyArray<string>>
    /** Answers every act about this order or listing like that from now on; `meanwhile` runs before the answer. */
    readonly answer: (code: string, answer: Effect.Effect<void, ChannelError>) => Effect.Effect<void>
    /** What listings were told and took of prices, inventories and restrictions, oldest first. */
    readonly told: Effect.Effect<ReadonlyArray<ListingUpdate>>
    /** Says from now on that the order stands so; until then it is pending, or as it agreed that it should. */
    readonly say: (
      reservationCode: string,
      answer: Effect.Effect<ChannelRequestStatus, ChannelError>
    ) => Effect.Effect<void>
    /** It sells so many of the listing on these days from now on, whoever said so. */
    readonly sells: (listingId: string, ...ranges: ReadonlyArray<DayRangeInventory>) => Effect.Effect<void>
    /** Prices and rules as they are there. */
    readonly rules: Omit<RemoteRules, "acts">
    /** What it was told to send, to offer and to withdraw, and the reviews it was given, oldest first. */
    readonly guests: Omit<RemoteGuests, "acts">
  }
>()("latchkey/test/ScriptedChannel") {
  static readonly layer: Layer.Layer<ScriptedChannel | ChannelGateway> = Layer.effectContext(
    Effect.gen(function* () {
      const heard = yield* Ref.make<ReadonlyArray<string>>([])
      const answers = yield* Ref.make<ReadonlyMap<string, Effect.Effect<void, ChannelError>>>(new Map())
      const stands = yield* Ref.make<ReadonlyMap<string, Effect.Effect<ChannelRequestStatus, ChannelError>>>(new Map())
      const say = (code: string, answer: Effect.Effect<ChannelRequestStatus, ChannelError>) =>
        Ref.update(stands, (all) => new Map([...all, [code, answer]]))
      const hear = Effect.fnUntraced(function* (name: string, code: string) {
        yield* Ref.update(heard, (all) => [...all, `${name} ${code}`])
        yield* (yield* Ref.get(answers)).get(code) ?? Effect.void
      })
      const { acts, ...rules } = yield* makeRemoteRules(hear)
      const { acts: toGuests, ...guests } = yield* makeRemoteGuests(hear)
      const act = (name: string, agreed: ChannelRequestStatus) => (_: ChannelAccountTarget, order: RemoteOrder) =>
        Effect.gen(function* () {
          yield* hear(name, order.reservationCode)
          yield* say(order.reservationCode, Effect.succeed(agreed))
        })
      const taken = yield* Ref.make<ReadonlyArray<ListingUpdate>>([])
      const calendars = yield* Ref.make<ReadonlyMap<string, Sold>>(new Map())
      const sells = (listingId: string, ...ranges: ReadonlyArray<DayRangeInventory>) =>
        Ref.update(calendars, (all) => new Map([...all, [listingId, withInventories(all.get(listingId), ranges)]]))
      const push =
        (name: string) => (account: ChannelAccountTarget, payload: RemoteListing & Omit<ListingUpdate, "account">) =>
          hear(name, payload.listingId).pipe(
            Effect.andThen(Ref.update(taken, (all) => [...all, { account, ...payload }])),
            Effect.andThen(sells(payload.listingId, ...(payload.inventories ?? [])))
          )
      const gateway = ChannelGateway.of({
        approve: act("approve", "approved"),
        decline: act("decline", "declined"),
        answered: (_, { reservationCode }) =>
          Effect.flatMap(Ref.get(stands), (all) => all.get(reservationCode) ?? Effect.succeed("pending" as const)),
        pushPrices: push("prices"),
        pushInventories: push("inventories"),
        pushRestrictions: push("restrictions"),
        readCalendar: (_, { listingId, start, end }) =>
          Effect.andThen(
            hear("calendar", listingId),
            Effect.map(Ref.get(calendars), (all) => calendar(all.get(listingId), start, end))
          ),
        ...acts,
        ...toGuests
      })
      return Context.make(
        ScriptedChannel,
        ScriptedChannel.of({
          heard: Ref.get(heard),
          told: Ref.get(taken),
          answer: (code, answer) => Ref.update(answers, (all) => new Map([...all, [code, answer]])),
          say,
          sells,
          rules,
          guests
        })
      ).pipe(Context.add(ChannelGateway, gateway))
    })
  )
}
