import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { Conflict, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { hasOrderEnded } from "../../bookings/orders/order.ts"
import { type OrderChangeContext, Orders } from "../../bookings/reservations/Orders.ts"
import { stayNotFoundError } from "../../bookings/stays/rules.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { CalendarStayStore } from "./CalendarStayStore.ts"
import { isCalendarOrderCode } from "./calendar-order.ts"
import { CalendarStayOperations, type cancel_calendar_stay, type detach_calendar_stay } from "./contract.ts"

export const layerCalendarStays = layerOperations(
  Effect.gen(function* () {
    const [store, orders] = [yield* CalendarStayStore, yield* Orders]
    return handleOperations(CalendarStayOperations, {
      cancel_calendar_stay: voidChangeHandler(cancelStay(orders)),
      detach_calendar_stay: voidChangeHandler(detachStay(store, orders))
    })
  })
)

const cancelStay = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ stay_code }: typeof cancel_calendar_stay.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const at = yield* currentSecond
    const computeOrders = Effect.fnUntraced(function* ({ order, stay }: OrderChangeContext) {
      if (order === null || stay === undefined) return yield* stayNotFoundError
      if (!isCalendarOrderCode(order.reservation_code)) return yield* notFromCalendarError
      if (order.channel_account_id !== null) return yield* fromAccountError
      if (order.status === "cancelled") return []
      if (hasOrderEnded(order)) return yield* alreadyEndedError(order.status)
      return [{ ...order, status: "cancelled" as const, cancelled_at: at }]
    })
    yield* orders
      .change(operatorId, at, { key: { stay_code } }, computeOrders)
      .pipe(Effect.catchTag("NightTaken", Effect.die))
    return {}
  })

const detachStay = (store: CalendarStayStore["Service"], orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ stay_code }: typeof detach_calendar_stay.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    if (isCalendarOrderCode(stay_code) && (yield* store.detachStay(operatorId, stay_code))) return {}
    const computeOrders = Effect.fnUntraced(function* ({ order }: OrderChangeContext) {
      return yield* order === null ? stayNotFoundError : notFromCalendarError
    })
    yield* orders
      .change(operatorId, yield* currentSecond, { key: { stay_code } }, computeOrders)
      .pipe(Effect.catchTags({ NightTaken: Effect.die, Conflict: Effect.die }))
    return {}
  })

const notFromCalendarError = new ValidationFailed({
  message: "stay_code: must be a reservation from an imported calendar, whose code begins with 9-."
})
const fromAccountError = new ValidationFailed({
  message: "stay_code: must not be a reservation of a connected channel account; cancel it at the channel."
})
const alreadyEndedError = (status: string) =>
  new Conflict({ message: `stay_code: the reservation is ${status} and cannot be cancelled.` })
