import { Context, Effect, Layer, Result } from "effect"
import { Conflict } from "../../contract/errors.ts"
import { ORDER_CHANGE_ATTEMPTS, ORDER_CHANGE_FREE_ATTEMPTS, ORDER_ENTRY_ATTEMPTS } from "../../limits.ts"
import { type Found, OrderChangeStore, type OrderKey } from "./change-store.ts"
import { NightTaken, OrderEntryStore, type Outcome } from "./entry-store.ts"
import { boxedWhere, type NewOrder } from "./new-order.ts"
import { heldNights, keyOf } from "./nights.ts"
import { changeBetween, isEmpty } from "./order-change.ts"
import type { OrderState, StayState } from "./order-state.ts"

/** What became of an order that was entered. */
export interface Entered extends Outcome {
  /** False when the service knew the order already; then nothing was written. */
  readonly isNew: boolean
}

/** The one way orders come into the service and change in it: nothing else takes or frees a night for a stay. */
export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Enters an order made by hand. Fails, with nothing written, when one of its nights is held. An order known under
     * the same code or channel id is answered as it is, whatever else the new one says.
     */
    readonly enter: (operatorId: number, order: NewOrder, at: Date) => Effect.Effect<Entered, NightTaken>
    /**
     * Enters an order that a channel has sold already and that therefore cannot be refused: a stay whose nights are
     * held goes into the reservation box, for the host to find another property. Entering it again changes nothing.
     */
    readonly enterSold: (operatorId: number, order: NewOrder, at: Date) => Effect.Effect<Entered>
    /**
     * Reads an order, works out with `next` what it (and what is in its way) should be, and makes that so: nights,
     * splits and events with it, in one statement. When something changed meanwhile, it starts again. Orders that
     * `next` does not answer stay as they are. Fails, with nothing written, when a night is held by another order.
     */
    readonly change: <E>(
      operatorId: number,
      at: Date,
      find: { readonly key: OrderKey; readonly toProperty?: number },
      next: (meant: Meant) => Effect.Effect<ReadonlyArray<OrderState>, E>
    ) => Effect.Effect<void, E | NightTaken | Conflict>
  }
>()("latchkey/resources/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.gen(function* () {
      const entries = yield* OrderEntryStore
      const changes = yield* OrderChangeStore

      const entered = Effect.fnUntraced(function* (operatorId: number, order: NewOrder, at: Date) {
        const { code } = yield* entries.enter(operatorId, order, at)
        if (code !== null) return { code, status: order.status, isNew: true }
        const known = yield* entries.known(operatorId, order.channelType, order.channelId)
        return known === undefined
          ? yield* Effect.die(new Error(`order ${order.reservationCode} has the code of another order`))
          : { ...known, isNew: false }
      })

      const enter = Effect.fn("Orders.enter")(function* (operatorId: number, order: NewOrder, at: Date) {
        // Two stays in one property on one night, in one order, are held by nobody else yet.
        if (
          boxedWhere(order, new Set()).stays.some((stay, room) => stay.propertyId !== order.stays[room]?.propertyId)
        ) {
          return yield* new NightTaken()
        }
        return yield* entered(operatorId, order, at)
      })

      const enterSold = Effect.fn("Orders.enterSold")(function* (operatorId: number, order: NewOrder, at: Date) {
        for (let attempt = 1; attempt <= ORDER_ENTRY_ATTEMPTS; attempt += 1) {
          const nights = order.stays.flatMap((stay) => heldNights(order.status, stay))
          const taken = nights.length === 0 || attempt === 1 ? [] : yield* entries.taken(operatorId, nights)
          const outcome = yield* Effect.result(entered(operatorId, boxedWhere(order, new Set(taken.map(keyOf))), at))
          if (Result.isSuccess(outcome)) return outcome.success
        }
        const [first, ...others] = order.stays
        const boxed = {
          ...order,
          stays: [{ ...first, propertyId: null }, ...others.map((stay) => ({ ...stay, propertyId: null }))]
        } as const
        return yield* Effect.orDie(entered(operatorId, boxed, at))
      })

      const change: Orders["Service"]["change"] = Effect.fn("Orders.change")(function* (operatorId, at, find, next) {
        const { key, toProperty } = find
        /** False when something it was worked out from had changed before it was written; then nothing was. */
        const attempt = Effect.gen(function* () {
          const found = yield* changes.find(operatorId, key, toProperty)
          const stay = found.order?.stays.find(({ stayCode }) => "stayCode" in key && stayCode === key.stayCode)
          const orders = yield* next({ ...found, stay })
          const before = [...(found.order === null ? [] : [found.order]), ...found.inTheWay]
          const worked = changeBetween(before, orders)
          if (Result.isFailure(worked)) return yield* new NightTaken()
          return isEmpty(worked.success) || (yield* changes.apply(operatorId, worked.success, at)).applied
        })
        for (let round = 1; round <= ORDER_CHANGE_ATTEMPTS; round += 1) {
          // Two statements are enough for almost all changes. Where many want the same orders at once, each round lets
          // only one through: then they queue.
          const done = yield* round <= ORDER_CHANGE_FREE_ATTEMPTS ? attempt : changes.queued(operatorId, attempt)
          if (done) return
        }
        return yield* new Conflict({ message: "The order is being changed by others at the same moment; try again." })
      })

      return Orders.of({ enter, enterSold, change })
    })
  ).pipe(Layer.provide([OrderEntryStore.layer, OrderChangeStore.layer]))
}

/** What was found under a key. */
export interface Meant extends Found {
  /** The stay the key names; undefined when it names an order or nothing. */
  readonly stay: StayState | undefined
}
