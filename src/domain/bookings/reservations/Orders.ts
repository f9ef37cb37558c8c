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

interface ChannelOrderResult extends OrderCodeAndStatus {
  /** False if the order existed already. */
  readonly is_new: boolean
}

export interface OrderChangeContext extends LoadedOrder {
  /** Undefined if the key names an order, or if no stay has the code of the key. */
  readonly stay: ExistingStay | undefined
}

type ComputeOrders<E> = (context: OrderChangeContext) => Effect.Effect<ReadonlyArray<OrderState>, E, CurrentActor>

/** A change loads other orders by destination or by code, but not by both. */
type OrderChangeTarget =
  | { readonly key: OrderKey; readonly destination?: StayDestination; readonly otherCodes?: never }
  | { readonly key: OrderKey; readonly destination?: never; readonly otherCodes: ReadonlyArray<string> }

/** Only this service assigns and frees nights of stays. */
export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Returns undefined if the code or channel id exists, a referenced record is missing or inactive, the quote cannot be
     * used, or an imported calendar blocks a night. Fails if another stay holds a night. Nothing is written in these cases.
     */
    readonly create: (
      operatorId: number,
      order: NewOrder,
      at: Date,
      references?: OrderReferences
    ) => Effect.Effect<OrderCodeAndStatus | undefined, NightTaken, CurrentActor>
    /**
     * Creates an order that a channel has already sold. The order cannot be rejected, so conflicting stays become
     * unassigned. Idempotent.
     */
    readonly createFromChannel: (
      operatorId: number,
      order: NewOrder,
      at: Date
    ) => Effect.Effect<ChannelOrderResult, never, CurrentActor>
    /**
     * Loads the order of `key`, and the orders of `otherCodes` or, without codes, the orders that hold nights at
     * `destination`. Writes the orders that `computeOrders` returns in one statement. Other loaded orders stay
     * unchanged. Starts again after a concurrent change. Fails, with nothing written, if another order holds a night.
     */
    readonly change: <E>(
      operatorId: number,
      at: Date,
      target: OrderChangeTarget,
      computeOrders: ComputeOrders<E>
    ) => Effect.Effect<void, E | NightTaken | Conflict, CurrentActor>
    /**
     * Like `change`, but conflicting stays of a channel order become unassigned. `computeOrders` may return only the
     * order of `key`.
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

/**
 * Attempts while other stays hold the nights. After `CHANNEL_ORDER_ATTEMPTS`, the stays of a channel order become
 * unassigned.
 */
export const NIGHTS_TAKEN_ATTEMPTS = 6
export const CHANNEL_ORDER_ATTEMPTS = 5

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
    // Stays of one order may conflict with each other.
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
    // Conflicts are rare, so taken nights are queried only after a failure.
    return yield* findOrCreateOrder(store, operatorId, unassignConflictingNewStays(order, new Set()), at).pipe(
      Effect.catchTag("NightTaken", () => retryWhileNightsTaken(createAroundTakenNights, CHANNEL_ORDER_ATTEMPTS - 1)),
      Effect.catchTag("NightTaken", () =>
        Effect.orDie(findOrCreateOrder(store, operatorId, unassignAllStays(order), at))
      )
    )
  }, withChildSpan("Orders.createSold"))

type ResolveConflicts = (before: OrderState, after: OrderState) => Effect.Effect<OrderState>

const keepComputedOrder: ResolveConflicts = (_, after) => Effect.succeed(after)

type ChangeOutcome = "changed" | "taken"

const applyChange = Effect.fnUntraced(function* <E>(
  store: Pick<Store, "loadForChange" | "applyChange" | "withOperatorOrderLock">,
  { operatorId, at, key, destination, otherCodes }: ChangeRequest,
  computeOrders: ComputeOrders<E>,
  resolveConflicts: ResolveConflicts
): Effect.fn.Return<ChangeOutcome, E | Conflict, CurrentActor> {
  /** Returns undefined, with nothing written, if an order changed after it was loaded. */
  const attempt = Effect.gen(function* () {
    const context = yield* store.loadForChange(operatorId, key, destination, otherCodes)
    const stay = context.order?.stays.find(({ stay_code }) => "stay_code" in key && stay_code === key.stay_code)
    const before = [...(context.order === null ? [] : [context.order]), ...context.other_orders]
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
  // Under contention each round lets only one change succeed, so later attempts wait for the operator's lock.
  let rounds = 0
  const attemptOrQueue = Effect.suspend(() => {
    rounds += 1
    return rounds <= ORDER_CHANGE_FREE_ATTEMPTS ? attempt : store.withOperatorOrderLock(operatorId, attempt)
  })
  return yield* retryWhileOrderChanges(attemptOrQueue)
})

type ChangeStore = Pick<Store, "loadForChange" | "applyChange" | "withOperatorOrderLock" | "findTakenNights">

type ChangeRequest = OrderChangeTarget & { readonly operatorId: number; readonly at: Date }

const change = (store: Store): Orders["Service"]["change"] =>
  Effect.fnUntraced(function* (operatorId, at, target, computeOrders) {
    const outcome = yield* applyChange(store, { operatorId, at, ...target }, computeOrders, keepComputedOrder)
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
