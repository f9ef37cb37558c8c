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
import { makeRemoteGuests, type RemoteGuests } from "./remote-guests.ts"
import { makeRemoteRules, type RemoteRules } from "./remote-rules.ts"

/** What a listing of a scripted channel was told. */
export interface ListingUpdate {
  readonly account: ChannelAccountTarget
  readonly listingId: string
  readonly prices?: ReadonlyArray<DayRangePrice>
  readonly inventories?: ReadonlyArray<DayRangeInventory>
  readonly restrictions?: ReadonlyArray<DayRangeRestrictions>
}

/** How many of a listing are sold on days; of one that it does not name, one. */
type InventoryByDate = ReadonlyMap<string, number>

const listDates = (start: string, end: string) =>
  Array.from({ length: Math.max(0, daysInRange(start, end)) }, (_, at) => addDays(start, at))

/** Every day of it costs 100. */
const makeListingDays = (sold: InventoryByDate | undefined, start: string, end: string): ReadonlyArray<ListingDay> =>
  listDates(start, end).map((date) => ({ date, price: 100, inventory: sold?.get(date) ?? 1 }))

const mergeInventories = (
  sold: InventoryByDate | undefined,
  ranges: ReadonlyArray<DayRangeInventory>
): InventoryByDate =>
  new Map([
    ...(sold ?? []),
    ...ranges.flatMap(({ start_date, end_date, inventory }) =>
      listDates(start_date, end_date).map((date) => [date, inventory] as const)
    )
  ])

/** A channel whose answers a test decides; it agrees to everything until told otherwise. */
export class ScriptedChannel extends Context.Service<
  ScriptedChannel,
  {
    /** What it was told, oldest first: `approve 0-123-AB`. */
    readonly requests: Effect.Effect<ReadonlyArray<string>>
    /** Answers every act about this order or listing like that from now on; `meanwhile` runs before the answer. */
    readonly setResponse: (code: string, answer: Effect.Effect<void, ChannelError>) => Effect.Effect<void>
    /** What listings were told and took of prices, inventories and restrictions, oldest first. */
    readonly listingUpdates: Effect.Effect<ReadonlyArray<ListingUpdate>>
    /** Says from now on that the order stands so; until then it is pending, or as it agreed that it should. */
    readonly setRequestStatus: (
      reservationCode: string,
      answer: Effect.Effect<ChannelRequestStatus, ChannelError>
    ) => Effect.Effect<void>
    /** It sells so many of the listing on these days from now on, whoever said so. */
    readonly setInventory: (listingId: string, ...ranges: ReadonlyArray<DayRangeInventory>) => Effect.Effect<void>
    /** Prices and rules as they are there. */
    readonly rules: Omit<RemoteRules, "gatewayMethods">
    /** What it was told to send, to offer and to withdraw, and the reviews it was given, oldest first. */
    readonly guests: Omit<RemoteGuests, "gatewayMethods">
  }
>()("latchkey/test/ScriptedChannel") {
  static readonly layer: Layer.Layer<ScriptedChannel | ChannelGateway> = Layer.effectContext(
    Effect.gen(function* () {
      const requests = yield* Ref.make<ReadonlyArray<string>>([])
      const responses = yield* Ref.make<ReadonlyMap<string, Effect.Effect<void, ChannelError>>>(new Map())
      const requestStatuses = yield* Ref.make<ReadonlyMap<string, Effect.Effect<ChannelRequestStatus, ChannelError>>>(
        new Map()
      )
      const setRequestStatus = (code: string, answer: Effect.Effect<ChannelRequestStatus, ChannelError>) =>
        Ref.update(requestStatuses, (all) => new Map([...all, [code, answer]]))
      const recordRequest = Effect.fnUntraced(function* (name: string, code: string) {
        yield* Ref.update(requests, (all) => [...all, `${name} ${code}`])
        yield* (yield* Ref.get(responses)).get(code) ?? Effect.void
      })
      const { gatewayMethods: ruleMethods, ...rules } = yield* makeRemoteRules(recordRequest)
      const { gatewayMethods: guestMethods, ...guests } = yield* makeRemoteGuests(recordRequest)
      const answerRequest =
        (name: string, status: ChannelRequestStatus) => (_: ChannelAccountTarget, order: RemoteOrder) =>
          Effect.gen(function* () {
            yield* recordRequest(name, order.reservationCode)
            yield* setRequestStatus(order.reservationCode, Effect.succeed(status))
          })
      const listingUpdates = yield* Ref.make<ReadonlyArray<ListingUpdate>>([])
      const inventories = yield* Ref.make<ReadonlyMap<string, InventoryByDate>>(new Map())
      const setInventory = (listingId: string, ...ranges: ReadonlyArray<DayRangeInventory>) =>
        Ref.update(inventories, (all) => new Map([...all, [listingId, mergeInventories(all.get(listingId), ranges)]]))
      const recordPush =
        (name: string) => (account: ChannelAccountTarget, payload: RemoteListing & Omit<ListingUpdate, "account">) =>
          recordRequest(name, payload.listingId).pipe(
            Effect.andThen(Ref.update(listingUpdates, (all) => [...all, { account, ...payload }])),
            Effect.andThen(setInventory(payload.listingId, ...(payload.inventories ?? [])))
          )
      const gateway = ChannelGateway.of({
        approve: answerRequest("approve", "approved"),
        decline: answerRequest("decline", "declined"),
        answered: (_, { reservationCode }) =>
          Effect.flatMap(
            Ref.get(requestStatuses),
            (all) => all.get(reservationCode) ?? Effect.succeed("pending" as const)
          ),
        pushPrices: recordPush("prices"),
        pushInventories: recordPush("inventories"),
        pushRestrictions: recordPush("restrictions"),
        readCalendar: (_, { listingId, start, end }) =>
          Effect.andThen(
            recordRequest("calendar", listingId),
            Effect.map(Ref.get(inventories), (all) => makeListingDays(all.get(listingId), start, end))
          ),
        ...ruleMethods,
        ...guestMethods
      })
      return Context.make(
        ScriptedChannel,
        ScriptedChannel.of({
          requests: Ref.get(requests),
          listingUpdates: Ref.get(listingUpdates),
          setResponse: (code, answer) => Ref.update(responses, (all) => new Map([...all, [code, answer]])),
          setRequestStatus,
          setInventory,
          rules,
          guests
        })
      ).pipe(Context.add(ChannelGateway, gateway))
    })
  )
}
