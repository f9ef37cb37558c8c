import { Context, Effect, Layer, Result } from "effect"
import type { Acting } from "../../../contract/acting.ts"
import type { Conflict } from "../../../contract/errors.ts"
import { ORDER_CHANGE_FREE_ATTEMPTS } from "../../../platform/limits.ts"
import { inSpan } from "../../../platform/telemetry/spans.ts"
import type { NewOrder, OrderState } from "../orders/order.ts"
import { unlessOrderChanges } from "../orders/rules.ts"
import type { StayState } from "../stays/stay.ts"
import type { Destination, Found, OrderKey } from "./change-order.ts"
import type { KnownOrder, NamedByOrder } from "./create-order.ts"
import { NightTaken } from "./nights-taken.ts"
import { allBoxed, boxedAround, boxedWhere, newNights } from "./rules/box.ts"
import { heldNights, keyOf } from "./rules/nights.ts"
import { changeBetween, isEmpty } from "./rules/order-change.ts"
import { OrderStore } from "./store.ts"

/** What became of an order that a channel sold. */
export interface SoldOrder extends KnownOrder {
  /** False when the service knew the order already; then nothing was written. */
  readonly is_new: boolean
}

/** What was found under a key. */
export interface FoundOrder extends Found {
  /** The stay the key names; undefined when it names an order or nothing. */
  readonly stay: StayState | undefined
}

/** Works out what orders should be from what was found. */
type Next<E> = (found: FoundOrder) => Effect.Effect<ReadonlyArray<OrderState>, E, Acting>

/** The one way orders come into the service and change in it: nothing else takes or frees a night for a stay. */
export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Creates an order. Nothing is written, and undefined answered, where one is known under the same code or
     * channel id, what it names is not the operator's or not let, or somebody holds one of its nights elsewhere. Fails, with
     * nothing written, when one of its nights is held.
     */
    readonly create: (
      operatorId: number,
      order: NewOrder,
      at: Date,
      named?: NamedByOrder
    ) => Effect.Effect<KnownOrder | undefined, NightTaken, Acting>
    /**
     * Creates an order that a channel has sold already and that therefore cannot be refused: a stay whose nights are
     * held goes into the reservation box, for the host to find another property. Creating it again changes nothing.
     */
    readonly createSold: (operatorId: number, order: NewOrder, at: Date) => Effect.Effect<SoldOrder, never, Acting>
    /**
     * Reads an order, works out with `next` what it (and what is in its way) should be, and makes that so: nights,
     * splits and events with it, in one statement. When something changed meanwhile, it starts again. Orders that
     * `next` does not answer stay as they are. Fails, with nothing written, when a night is held by another order.
     */
    readonly change: <E>(
      operatorId: number,
      at: Date,
      find: { readonly key: OrderKey; readonly to?: Destination },
      next: Next<E>
    ) => Effect.Effect<void, E | NightTaken | Conflict, Acting>
    /**
     * The same for what a channel says of an order of its own, which cannot be refused for its nights: a stay that would
     * take one that others hold goes into the reservation box. `next` answers no other order.
     */
    readonly changeSold: <E>(
      operatorId: number,
      at: Date,
      key: OrderKey,
      next: Next<E>
    ) => Effect.Effect<void, E | Conflict, Acting>
  }
>()("latchkey/resources/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.map(OrderStore, (store) =>
      Orders.of({
        create: create(store),
        createSold: createSold(store),
        change: change(store),
        changeSold: changeSold(store)
      })
    )
  ).pipe(Layer.provide(OrderStore.layer))
}

/** How often a change is worked out while others take the nights it needs, and a sold order is tried before all is boxed. */
export const NIGHTS_TAKEN_ATTEMPTS = 6
export const SOLD_ATTEMPTS = 5

/** Works out anew what met a night that was taken between reading and writing: `most` times in all. */
export const againWhileNightsGo = <A, E extends { readonly _tag: string }, R>(
  attempt: Effect.Effect<A, E, R>,
  most = NIGHTS_TAKEN_ATTEMPTS
): Effect.Effect<A, E, R> => Effect.retry(attempt, { times: most - 1, while: (error) => error._tag === "NightTaken" })

type Store = OrderStore["Service"]

const created = (store: Pick<Store, "create">, ...order: Parameters<Store["create"]>) =>
  Effect.map(store.create(...order), ({ reservation_code, status }): KnownOrder | undefined =>
    reservation_code === null || status === null ? undefined : { reservation_code, status }
  )

const create = (store: Store): Orders["Service"]["create"] =>
  Effect.fnUntraced(function* (operatorId, order, at, named) {
    // Two stays in one property on one night, in one order, are held by nobody else yet.
    if (boxedWhere(order, new Set()).stays.some((stay, room) => stay.property_id !== order.stays[room]?.property_id)) {
      return yield* new NightTaken()
    }
    return yield* created(store, operatorId, order, at, named)
  }, inSpan("Orders.create"))

const sold = Effect.fnUntraced(function* (
  store: Pick<Store, "create" | "known">,
  operatorId: number,
  order: NewOrder,
  at: Date
): Effect.fn.Return<SoldOrder, NightTaken, Acting> {
  const made = yield* created(store, operatorId, order, at)
  if (made !== undefined) return { ...made, is_new: true }
  const known = yield* store.known(operatorId, order.channel_type, order.channel_id)
  return known === undefined
    ? yield* Effect.die(new Error(`order ${order.reservation_code} has the code of another order`))
    : { ...known, is_new: false }
})

export const createSold = (store: Pick<Store, "create" | "known" | "taken">): Orders["Service"]["createSold"] =>
  Effect.fnUntraced(function* (operatorId, order, at) {
    const aroundOthers = Effect.gen(function* () {
      const nights = order.stays.flatMap((stay) => heldNights(order.status, stay))
      const taken = yield* store.taken(operatorId, nights)
      return yield* sold(store, operatorId, boxedWhere(order, new Set(taken.map(keyOf))), at)
    })
    // Nearly always nobody holds one of the nights, so nobody is asked first.
    return yield* sold(store, operatorId, boxedWhere(order, new Set()), at).pipe(
      Effect.catchTag("NightTaken", () => againWhileNightsGo(aroundOthers, SOLD_ATTEMPTS - 1)),
      Effect.catchTag("NightTaken", () => Effect.orDie(sold(store, operatorId, allBoxed(order), at)))
    )
  }, inSpan("Orders.createSold"))

/** What an order should be, once it is seen what can be held. */
type Settles = (before: OrderState, after: OrderState) => Effect.Effect<OrderState>

const asItShouldBe: Settles = (_, after) => Effect.succeed(after)

/** What became of a change: `taken`, and nothing was written, when a night it needs is held by another order. */
type Became = "changed" | "taken"

const changing = Effect.fnUntraced(function* <E>(
  store: Pick<Store, "find" | "apply" | "queued">,
  { operatorId, at, key, to }: Change,
  next: Next<E>,
  settle: Settles
): Effect.fn.Return<Became, E | Conflict, Acting> {
  /** Undefined when something it was worked out from had changed before it was written; then nothing was. */
  const attempt = Effect.gen(function* () {
    const found = yield* store.find(operatorId, key, to)
    const stay = found.order?.stays.find(({ stay_code }) => "stay_code" in key && stay_code === key.stay_code)
    const before = [...(found.order === null ? [] : [found.order]), ...found.in_the_way]
    const orders = yield* Effect.forEach(yield* next({ ...found, stay }), (after) => {
      const was = before.find(({ id }) => id === after.id)
      return was === undefined ? Effect.succeed(after) : settle(was, after)
    })
    const worked = changeBetween(before, orders)
    if (Result.isFailure(worked)) return "taken"
    if (isEmpty(worked.success)) return "changed"
    return yield* store.apply(operatorId, worked.success, at).pipe(
      Effect.map(({ applied }) => (applied ? "changed" : undefined)),
      Effect.catchTag("NightTaken", () => Effect.succeed("taken" as const))
    )
  })
  // Two statements are enough for almost all changes. Where many want the same orders at once, each round lets only one
  // through: then they queue.
  let rounds = 0
  const freeOrQueued = Effect.suspend(() => {
    rounds += 1
    return rounds <= ORDER_CHANGE_FREE_ATTEMPTS ? attempt : store.queued(operatorId, attempt)
  })
  return yield* unlessOrderChanges(freeOrQueued)
})

type ChangingStore = Pick<Store, "find" | "apply" | "queued" | "taken">

interface Change {
  readonly operatorId: number
  readonly at: Date
  readonly key: OrderKey
  readonly to?: Destination | undefined
}

const change = (store: Store): Orders["Service"]["change"] =>
  Effect.fnUntraced(function* (operatorId, at, { key, to }, next) {
    const became = yield* changing(store, { operatorId, at, key, to }, next, asItShouldBe)
    if (became === "taken") return yield* new NightTaken()
  }, inSpan("Orders.change"))

export const changeSold = (store: ChangingStore): Orders["Service"]["changeSold"] =>
  Effect.fnUntraced(function* (operatorId, at, key, next) {
    const settled = (settle: Settles) => changing(store, { operatorId, at, key }, next, settle)
    const aroundOthers: Settles = (before, after) =>
      Effect.map(store.taken(operatorId, newNights(before, after)), (taken) =>
        boxedAround(before, after, new Set(taken.map(keyOf)))
      )
    // Nearly always nobody holds one of the nights, so nobody is asked first.
    const first = yield* settled((before, after) => Effect.succeed(boxedAround(before, after, new Set())))
    if (first === "changed") return
    const later = yield* Effect.repeat(settled(aroundOthers), {
      times: SOLD_ATTEMPTS - 2,
      until: (became) => became === "changed"
    })
    if (later === "changed") return
    const last = yield* settled((before, after) =>
      Effect.succeed(boxedAround(before, after, new Set(newNights(before, after).map(keyOf))))
    )
    if (last === "taken")
      return yield* Effect.die(new Error("a night is reported as taken although the order adds no night"))
  }, inSpan("Orders.changeSold"))
