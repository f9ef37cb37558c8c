import { Context, Effect, Layer, Result } from "effect"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Conflict } from "../../../contract/errors.ts"
import { ORDER_CHANGE_FREE_ATTEMPTS } from "../../../platform/limits.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import type { NewOrder, OrderState } from "../orders/order.ts"
import { retryWhileOrderChanges } from "../orders/order-change-retry.ts"
import type { ExistingStay } from "../stays/stay.ts"
import type { LoadedOrder, OrderKey, StayDestination } from "./change-order.ts"
import type { OrderCodeAndStatus, OrderReferences } from "./create-order.ts"
import { NightTaken } from "./nights-taken.ts"
import { listHeldNights, toNightKey } from "./rules/nights.ts"
import { diffOrders, isEmptyChange } from "./rules/order-diff.ts"
import {
  listNewNights,
  unassignAllStays,
  unassignConflictingNewStays,
  unassignConflictingStays
} from "./rules/unassigned-stays.ts"
import { OrderStore } from "./store.ts"

/** What became of an order that a channel sold. */
interface ChannelOrderResult extends OrderCodeAndStatus {
  /** False when the service knew the order already; then nothing was written. */
  readonly is_new: boolean
}

/** What was found under a key. */
export interface OrderChangeContext extends LoadedOrder {
  /** The stay the key names; undefined when it names an order or nothing. */
  readonly stay: ExistingStay | undefined
}

/** Works out what orders should be from what was found. */
type ComputeOrders<E> = (context: OrderChangeContext) => Effect.Effect<ReadonlyArray<OrderState>, E, CurrentActor>

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
      references?: OrderReferences
    ) => Effect.Effect<OrderCodeAndStatus | undefined, NightTaken, CurrentActor>
    /**
     * Creates an order that a channel has sold already and that therefore cannot be refused: a stay whose nights are
     * held goes into the reservation box, for the host to find another property. Creating it again changes nothing.
     */
    readonly createFromChannel: (
      operatorId: number,
      order: NewOrder,
      at: Date
    ) => Effect.Effect<ChannelOrderResult, never, CurrentActor>
    /**
     * Reads an order, works out with `computeOrders` what it (and what is in its way) should be, and makes that so: nights,
     * splits and events with it, in one statement. When something changed meanwhile, it starts again. Orders that
     * `computeOrders` does not answer stay as they are. Fails, with nothing written, when a night is held by another order.
     */
    readonly change: <E>(
      operatorId: number,
      at: Date,
      target: { readonly key: OrderKey; readonly destination?: StayDestination },
      computeOrders: ComputeOrders<E>
    ) => Effect.Effect<void, E | NightTaken | Conflict, CurrentActor>
    /**
     * The same for what a channel says of an order of its own, which cannot be refused for its nights: a stay that would
     * take one that others hold goes into the reservation box. `computeOrders` answers no other order.
     */
    readonly changeFromChannel: <E>(
      operatorId: number,
      at: Date,
      key: OrderKey,
      computeOrders: ComputeOrders<E>
    ) => Effect.Effect<void, E | Conflict, CurrentActor>
  }
>()("latchkey/domain/bookings/reservations/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.map(OrderStore, (store) =>
      Orders.of({
        create: create(store),
        createFromChannel: createFromChannel(store),
        change: change(store),
        changeFromChannel: changeFromChannel(store)
      })
    )
  ).pipe(Layer.provide(OrderStore.layer))
}

/** How often a change is worked out while others take the nights it needs, and a sold order is tried before all is boxed. */
export const NIGHTS_TAKEN_ATTEMPTS = 6
export const CHANNEL_ORDER_ATTEMPTS = 5

/** Works out anew what met a night that was taken between reading and writing: `most` times in all. */
export const retryWhileNightsTaken = <A, E extends { readonly _tag: string }, R>(
  attempt: Effect.Effect<A, E, R>,
  maxAttempts = NIGHTS_TAKEN_ATTEMPTS
): Effect.Effect<A, E, R> =>
  Effect.retry(attempt, { times: maxAttempts - 1, while: (error) => error._tag === "NightTaken" })

type Store = OrderStore["Service"]

const createOrder = (store: Pick<Store, "create">, ...order: Parameters<Store["create"]>) =>
  Effect.map(store.create(...order), ({ reservation_code, status }): OrderCodeAndStatus | undefined =>
    reservation_code === null || status === null ? undefined : { reservation_code, status }
  )

const create = (store: Store): Orders["Service"]["create"] =>
  Effect.fnUntraced(function* (operatorId, order, at, references) {
    // Two stays in one property on one night, in one order, are held by nobody else yet.
    if (
      unassignConflictingNewStays(order, new Set()).stays.some(
        (stay, room) => stay.property_id !== order.stays[room]?.property_id
      )
    ) {
      return yield* new NightTaken()
    }
    return yield* createOrder(store, operatorId, order, at, references)
  }, withChildSpan("Orders.create"))

const findOrCreateOrder = Effect.fnUntraced(function* (
  store: Pick<Store, "create" | "findByChannelId">,
  operatorId: number,
  order: NewOrder,
  at: Date
): Effect.fn.Return<ChannelOrderResult, NightTaken, CurrentActor> {
  const created = yield* createOrder(store, operatorId, order, at)
  if (created !== undefined) return { ...created, is_new: true }
  const existing = yield* store.findByChannelId(operatorId, order.channel_type, order.channel_id)
  return existing === undefined
    ? yield* Effect.die(new Error(`order ${order.reservation_code} has the code of another order`))
    : { ...existing, is_new: false }
})

export const createFromChannel = (
  store: Pick<Store, "create" | "findByChannelId" | "findTakenNights">
): Orders["Service"]["createFromChannel"] =>
  Effect.fnUntraced(function* (operatorId, order, at) {
    const createAroundTakenNights = Effect.gen(function* () {
      const nights = order.stays.flatMap((stay) => listHeldNights(order.status, stay))
      const takenNights = yield* store.findTakenNights(operatorId, nights)
      return yield* findOrCreateOrder(
        store,
        operatorId,
        unassignConflictingNewStays(order, new Set(takenNights.map(toNightKey))),
        at
      )
    })
    // Nearly always nobody holds one of the nights, so nobody is asked first.
    return yield* findOrCreateOrder(store, operatorId, unassignConflictingNewStays(order, new Set()), at).pipe(
      Effect.catchTag("NightTaken", () => retryWhileNightsTaken(createAroundTakenNights, CHANNEL_ORDER_ATTEMPTS - 1)),
      Effect.catchTag("NightTaken", () =>
        Effect.orDie(findOrCreateOrder(store, operatorId, unassignAllStays(order), at))
      )
    )
  }, withChildSpan("Orders.createSold"))

/** What an order should be, once it is seen what can be held. */
type ResolveConflicts = (before: OrderState, after: OrderState) => Effect.Effect<OrderState>

const keepComputedOrder: ResolveConflicts = (_, after) => Effect.succeed(after)

/** What became of a change: `taken`, and nothing was written, when a night it needs is held by another order. */
type ChangeOutcome = "changed" | "taken"

const applyChange = Effect.fnUntraced(function* <E>(
  store: Pick<Store, "loadForChange" | "applyChange" | "withOperatorOrderLock">,
  { operatorId, at, key, destination }: ChangeRequest,
  computeOrders: ComputeOrders<E>,
  resolveConflicts: ResolveConflicts
): Effect.fn.Return<ChangeOutcome, E | Conflict, CurrentActor> {
  /** Undefined when something it was worked out from had changed before it was written; then nothing was. */
  const attempt = Effect.gen(function* () {
    const context = yield* store.loadForChange(operatorId, key, destination)
    const stay = context.order?.stays.find(({ stay_code }) => "stay_code" in key && stay_code === key.stay_code)
    const before = [...(context.order === null ? [] : [context.order]), ...context.in_the_way]
    const orders = yield* Effect.forEach(yield* computeOrders({ ...context, stay }), (after) => {
      const previous = before.find(({ id }) => id === after.id)
      return previous === undefined ? Effect.succeed(after) : resolveConflicts(previous, after)
    })
    const change = diffOrders(before, orders)
    if (Result.isFailure(change)) return "taken"
    if (isEmptyChange(change.success)) return "changed"
    return yield* store.applyChange(operatorId, change.success, at).pipe(
      Effect.map(({ applied }) => (applied ? "changed" : undefined)),
      Effect.catchTag("NightTaken", () => Effect.succeed("taken" as const))
    )
  })
  // Two statements are enough for almost all changes. Where many want the same orders at once, each round lets only one
  // through: then they queue.
  let rounds = 0
  const attemptOrQueue = Effect.suspend(() => {
    rounds += 1
    return rounds <= ORDER_CHANGE_FREE_ATTEMPTS ? attempt : store.withOperatorOrderLock(operatorId, attempt)
  })
  return yield* retryWhileOrderChanges(attemptOrQueue)
})

type ChangeStore = Pick<Store, "loadForChange" | "applyChange" | "withOperatorOrderLock" | "findTakenNights">

interface ChangeRequest {
  readonly operatorId: number
  readonly at: Date
  readonly key: OrderKey
  readonly destination?: StayDestination | undefined
}

const change = (store: Store): Orders["Service"]["change"] =>
  Effect.fnUntraced(function* (operatorId, at, { key, destination }, computeOrders) {
    const outcome = yield* applyChange(store, { operatorId, at, key, destination }, computeOrders, keepComputedOrder)
    if (outcome === "taken") return yield* new NightTaken()
  }, withChildSpan("Orders.change"))

export const changeFromChannel = (store: ChangeStore): Orders["Service"]["changeFromChannel"] =>
  Effect.fnUntraced(function* (operatorId, at, key, computeOrders) {
    const applyWith = (resolveConflicts: ResolveConflicts) =>
      applyChange(store, { operatorId, at, key }, computeOrders, resolveConflicts)
    const avoidTakenNights: ResolveConflicts = (before, after) =>
      Effect.map(store.findTakenNights(operatorId, listNewNights(before, after)), (takenNights) =>
        unassignConflictingStays(before, after, new Set(takenNights.map(toNightKey)))
      )
    // Nearly always nobody holds one of the nights, so nobody is asked first.
    const first = yield* applyWith((before, after) =>
      Effect.succeed(unassignConflictingStays(before, after, new Set()))
    )
    if (first === "changed") return
    const later = yield* Effect.repeat(applyWith(avoidTakenNights), {
      times: CHANNEL_ORDER_ATTEMPTS - 2,
      until: (outcome) => outcome === "changed"
    })
    if (later === "changed") return
    const last = yield* applyWith((before, after) =>
      Effect.succeed(unassignConflictingStays(before, after, new Set(listNewNights(before, after).map(toNightKey))))
    )
    if (last === "taken")
      return yield* Effect.die(new Error("a night is reported as taken although the order adds no night"))
  }, withChildSpan("Orders.changeSold"))
