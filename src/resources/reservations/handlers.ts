import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { Conflict, NotFound, ValidationFailed } from "../../contract/errors.ts"
import { pageOf } from "../../contract/page.ts"
import { dateInZone, wholeSecond } from "../../contract/time.ts"
import { Deployment } from "../../installation.ts"
import { ORDER_ENTRY_ATTEMPTS } from "../../limits.ts"
import { customChannelOf } from "../custom-channels/dictionary.ts"
import { handled, layerHandled } from "../handled.ts"
import { amended } from "./amending.ts"
import { makeAnswering } from "./answering.ts"
import { isManualCode } from "./codes.ts"
import { Reservations } from "./contract.ts"
import { makeCreating } from "./creating.ts"
import { OrderEntryStore } from "./entry-store.ts"
import { checkInDays, checkOutDays, defaultDays } from "./filters.ts"
import { allocated, boxed } from "./moves.ts"
import { type Meant, Orders } from "./Orders.ts"
import { isOver } from "./order-state.ts"
import { toReservation } from "./presenting.ts"
import { ReservationSearch } from "./search-store.ts"

export const layerReservations = layerHandled(
  Effect.gen(function* () {
    const search = yield* ReservationSearch
    const orders = yield* Orders
    const create = yield* makeCreating
    const answering = yield* makeAnswering
    const deployment = yield* Deployment
    const now = Effect.map(Clock.currentTimeMillis, wholeSecond)

    return handled(Reservations, {
      search_reservations: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const { order_by = "booked_at", offset: _offset, limit: _limit, ...filters } = payload
        const checkOut = yield* Effect.fromResult(checkOutDays(payload))
        const wanted = {
          reservationCode: payload.reservation_code,
          id: payload.id,
          channelId: payload.channel_id,
          propertyId: payload.property_id,
          status: payload.status,
          channelType: payload.channel_type,
          checkIn: yield* Effect.fromResult(checkInDays(payload)),
          checkOut:
            Object.keys(filters).length > 0
              ? checkOut
              : defaultDays(dateInZone(yield* Clock.currentTimeMillis, caller.timeZone))
        }
        const rows = yield* search.page(caller.operatorId, wanted, order_by, pageOf(payload))
        if (rows.length === 0 && wanted.propertyId !== undefined) {
          if (!(yield* search.propertyKnown(caller.operatorId, wanted.propertyId))) return yield* noSuchProperty
        }
        return { reservations: rows.map(toReservation) }
      }),

      create_reservation: (payload) => create(payload),

      update_reservation_basic: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const channel = payload.custom_channel_id
        if (channel !== undefined && customChannelOf(deployment, channel) === undefined) return yield* noSuchChannel
        const next = Effect.fnUntraced(function* ({ order, stay }: Meant) {
          if (order === null || stay === undefined) return yield* noSuchStay
          return [yield* Effect.fromResult(amended(order, stay, payload))]
        })
        yield* orders
          .change(operatorId, yield* now, { key: { stayCode: payload.stay_code } }, next)
          .pipe(Effect.catchTag("NightTaken", () => nightsHeld))
        return {}
      }),

      cancel_reservation: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const at = yield* now
        const next = Effect.fnUntraced(function* ({ order }: Meant) {
          if (order === null) return yield* gone
          if (!isManualCode(order.reservationCode)) return yield* notByHand
          // Cancelling twice is what a client does that did not hear of the first time.
          if (order.status === "cancelled") return []
          if (isOver(order)) return yield* alreadyOver(order.status)
          return [{ ...order, status: "cancelled" as const, cancelledAt: at }]
        })
        yield* orders
          .change(operatorId, at, { key: { reservationCode: payload.reservation_code } }, next)
          .pipe(Effect.catchTag("NightTaken", Effect.die))
        return {}
      }),

      approve_reservation: (payload) => answering.approve(payload.reservation_code),
      decline_reservation: (payload) => answering.decline(payload.reservation_code),

      allocate_stay: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const next = Effect.fnUntraced(function* ({ order, stay, inTheWay, propertyKnown }: Meant) {
          if (order === null || stay === undefined) return yield* noSuchStay
          if (!propertyKnown) return yield* noSuchProperty
          if (isOver(order)) return yield* overIn("property_id", order.status)
          return allocated([order, ...inTheWay], stay, payload.property_id)
        })
        const find = { key: { stayCode: payload.stay_code }, toProperty: payload.property_id }
        yield* orders.change(operatorId, yield* now, find, next).pipe(
          // Somebody took a night after the reading: read again who is in the way now.
          Effect.retry({ times: ORDER_ENTRY_ATTEMPTS, while: (error) => error._tag === "NightTaken" }),
          Effect.catchTag("NightTaken", () => nightsHeld)
        )
        return {}
      }),

      move_stay_to_box: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const next = Effect.fnUntraced(function* ({ order, stay }: Meant) {
          if (order === null || stay === undefined) return yield* noSuchStay
          if (isOver(order)) return yield* overIn("stay_code", order.status)
          return [boxed(order, stay)]
        })
        yield* orders
          .change(operatorId, yield* now, { key: { stayCode: payload.stay_code } }, next)
          .pipe(Effect.catchTag("NightTaken", Effect.die))
        return {}
      })
    })
  })
).pipe(Layer.provide([ReservationSearch.layer, OrderEntryStore.layer, Orders.layer]))

const noSuchProperty = new NotFound({ message: "property_id: no such property." })
const noSuchStay = new NotFound({ message: "stay_code: no such stay." })
const noSuchChannel = new ValidationFailed({
  message: "custom_channel_id: is not in the dictionary GET /custom_channels."
})
const nightsHeld = new Conflict({ message: "check_in_date: the property is not free on all of these nights." })

// Both texts are the specification's (Errors, Specific cases 1 and 2).
const notByHand = new NotFound({
  message: "Only manually created reservations can be cancelled through this endpoint."
})
const gone = new NotFound({ message: "This resource is no longer available." })

const alreadyOver = (status: string) =>
  new Conflict({ message: `reservation_code: the order is ${status} and cannot be cancelled.` })
const overIn = (field: string, status: string) =>
  new ValidationFailed({ message: `${field}: the order is ${status}; its stays stay where they are.` })
