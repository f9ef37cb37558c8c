import { DateTime, Effect, Result, Struct } from "effect"
import { runAtMostOnce } from "../../../changes/external-action.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import { skipIdempotencyKey } from "../../../changes/idempotency.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { type BadRequest, Conflict, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { makeImmutableFieldCheck, makeImmutableFieldDetector } from "../../../contract/immutable-fields.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond, dateOfWallClock, formatWallClock } from "../../../contract/time.ts"
import { Deployment, PublicUrl } from "../../../platform/installation.ts"
import { findCustomChannel } from "../../channels/custom-channels/built-in-channels.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { notInDictionaryError } from "../../money/dictionaries.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { propertyDeactivatedError } from "../../properties/properties/activation.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import { hasOrderEnded, type NewOrder } from "../orders/order.ts"
import { stayNotFoundError } from "../stays/rules.ts"
import { approveReservation, declineReservation } from "./booking-request-answers.ts"
import {
  type allocate_stay,
  type cancel_reservation,
  type create_reservation,
  type move_stay_to_box,
  OTHER_WAYS_TO_CHANGE,
  ReservationOperations,
  type search_reservations,
  update_reservation_basic
} from "./contract.ts"
import { OrderCodeAndStatus } from "./create-order.ts"
import { createWithGeneratedId, retryUntilCreated } from "./generated-codes.ts"
import { checkNoImportedBusyNights } from "./imported-busy-nights.ts"
import { type OrderChangeContext, Orders, retryWhileNightsTaken } from "./Orders.ts"
import type { Reservation } from "./reservation.ts"
import { toGuestContact } from "./rules/guest-contact.ts"
import { toKeyword } from "./rules/keyword.ts"
import { toManualOrder } from "./rules/manual-order.ts"
import { toQuotedPrice, toReservationPrice } from "./rules/quoted-price.ts"
import { isManualOrderCode, toManualOrderCode } from "./rules/reservation-codes.ts"
import { toReservation } from "./rules/reservation-view.ts"
import { parseCheckInDays, parseCheckOutDays, toDefaultCheckOutDays } from "./rules/search-days.ts"
import { applyStayEdit } from "./rules/stay-edit.ts"
import { moveStayToProperty, unassignStay } from "./rules/unassigned-stays.ts"
import { type ReservationRow, ReservationSearchStore, UNASSIGNED_PROPERTY_ID } from "./search-store.ts"
import { OrderStore } from "./store.ts"

export const layerReservations = layerOperations(
  Effect.gen(function* () {
    const [search, store, orders] = [yield* ReservationSearchStore, yield* OrderStore, yield* Orders]
    const [deployment, gateway] = [yield* Deployment, yield* ChannelGateway]
    const toRecord = makeToRecord(yield* PublicUrl)
    const runExternalAction = runAtMostOnce(yield* IdempotencyKeys)
    return handleOperations(ReservationOperations, {
      search_reservations: searchReservations(search, toRecord),
      create_reservation: changeHandler(
        createReservation(store, orders, deployment),
        OrderCodeAndStatus,
        toCreateResult
      ),
      update_reservation_basic: voidChangeHandler(updateReservationBasic(orders, search, toRecord, deployment)),
      cancel_reservation: voidChangeHandler(cancelReservation(orders)),
      approve_reservation: voidChangeHandler(approveReservation(orders, gateway, runExternalAction)),
      decline_reservation: voidChangeHandler(declineReservation(orders, gateway, runExternalAction)),
      allocate_stay: voidChangeHandler(allocateStay(orders)),
      move_stay_to_box: voidChangeHandler(moveStayToBox(orders))
    })
  })
)

type ToRecord = (row: ReservationRow, clock: string) => Reservation

const makeToRecord =
  (publicUrl: string): ToRecord =>
  (row, clock) =>
    toReservation(row, publicUrl, clock)

/** Local time in the caller's time zone, `YYYY-MM-DD HH:mm:ss`. */
const callerClock = Effect.zipWith(CurrentCaller, DateTime.nowAsDate, ({ timeZone }, now) =>
  formatWallClock(now, timeZone)
)

const searchReservations = (search: ReservationSearchStore["Service"], toRecord: ToRecord) =>
  Effect.fnUntraced(function* (payload: typeof search_reservations.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const clock = yield* callerClock
    const sentFilters = Struct.omit(payload, ["order_by", "fields", "offset", "limit"])
    const checkOut = yield* Effect.fromResult(parseCheckOutDays(payload))
    const filters = {
      ...Struct.omit(sentFilters, ["keyword"]),
      check_in: yield* Effect.fromResult(parseCheckInDays(payload)),
      check_out: Object.keys(sentFilters).length > 0 ? checkOut : toDefaultCheckOutDays(dateOfWallClock(clock)),
      keyword_match:
        payload.keyword === undefined
          ? undefined
          : yield* search.matchKeyword(caller.operatorId, toKeyword(payload.keyword))
    }
    const page = yield* search.search(caller.operatorId, filters, payload.order_by ?? "booked_at", toPage(payload))
    if (page.total === 0 && payload.property_id !== undefined && payload.property_id !== UNASSIGNED_PROPERTY_ID) {
      if (!(yield* search.checkPropertyExists(caller.operatorId, payload.property_id)))
        return yield* unknownPropertyIdError
    }
    return { reservations: page.rows.map((row) => toRecord(row, clock)), total: page.total }
  })

/**
 * If an order with the `channel_id` exists, it is returned before any other check, because that order itself holds the
 * requested nights.
 */
const createReservation = (
  store: OrderStore["Service"],
  orders: Orders["Service"],
  deployment: typeof Deployment.Service
) =>
  Effect.fnUntraced(function* (payload: typeof create_reservation.payloadSchema.Type) {
    const { operatorId, accountName: creator } = yield* CurrentCaller
    const { channel_id: givenChannelId, property_id: propertyId, income_method_id: incomeMethodId } = payload
    const contact = yield* Effect.fromResult(toGuestContact(payload))
    const at = yield* currentSecond
    const { check_in_date: checkIn, check_out_date: checkOut } = payload
    const references = { propertyId, incomeMethodId, checkIn, checkOut, quoteId: payload.quote_id }
    const customChannelExists = findCustomChannel(deployment, payload.custom_channel_id) !== undefined
    const explainRejection = Effect.fnUntraced(function* (order: ManualOrderResult) {
      const code = givenChannelId === undefined ? undefined : toManualOrderCode(givenChannelId)
      const obstacles = yield* store.findCreateObstacles({ operatorId, code, ...references })
      if (obstacles.existing !== null) return yield* Effect.as(skipIdempotencyKey, obstacles.existing)
      if (!obstacles.property_known) return yield* unknownPropertyIdError
      if (!obstacles.property_let) return yield* propertyDeactivatedError
      if (!customChannelExists) return yield* customChannelNotFoundError
      if (!obstacles.method_known) return yield* incomeMethodNotFoundError
      yield* Effect.fromResult(order)
      yield* Effect.fromResult(checkNoImportedBusyNights(propertyId, obstacles.held_elsewhere))
      return undefined
    })
    const create = Effect.fnUntraced(function* (channel_id: string) {
      const price = yield* findPrice(store, operatorId, payload, at)
      const order = Result.flatMap(price, (agreedPrice) =>
        toManualOrder({ ...payload, ...contact, ...agreedPrice }, { channel_id, at, creator })
      )
      if (Result.isFailure(order) || !customChannelExists) return yield* explainRejection(order)
      const created = yield* Effect.catchTag(
        orders.create(operatorId, order.success, at, references),
        "NightTaken",
        () => nightsNotFreeError
      )
      return created ?? (yield* explainRejection(order))
    })
    return yield* givenChannelId === undefined
      ? createWithGeneratedId(create)
      : retryUntilCreated(create(givenChannelId))
  })

type ManualOrderResult = Result.Result<NewOrder, BadRequest | Conflict | NotFound | ValidationFailed>

/** Every attempt reads the quote again, because another reservation may have used it. */
const findPrice = (
  store: OrderStore["Service"],
  operatorId: number,
  payload: typeof create_reservation.payloadSchema.Type,
  at: Date
) =>
  payload.quote_id === undefined
    ? Effect.succeed(toReservationPrice(payload))
    : Effect.map(store.findQuote(operatorId, payload.quote_id), (quote) => toQuotedPrice(payload, quote, at))

const toCreateResult = ({ reservation_code, status }: OrderCodeAndStatus) => ({
  reservation_code,
  status,
  reservation: { reservation_code, status }
})

const sendsFixedFields = makeImmutableFieldDetector(update_reservation_basic.payloadSchema)
const checkFixedFields = makeImmutableFieldCheck(update_reservation_basic.payloadSchema, {
  changedBy: OTHER_WAYS_TO_CHANGE
})

const withNestedFields = (record: Reservation) => ({
  ...record,
  ...record.check_in_details,
  received_amount: record.payment.received_amount
})

/** Clients may send a whole record back. The record is loaded only if the call contains immutable fields. */
const loadAndCheckFixedFields = Effect.fnUntraced(function* (
  search: ReservationSearchStore["Service"],
  toRecord: ToRecord,
  payload: typeof update_reservation_basic.payloadSchema.Type
) {
  const { operatorId } = yield* CurrentCaller
  if (!sendsFixedFields(payload)) return
  const filters = { stay_code: payload.stay_code, check_in: undefined, check_out: undefined }
  const { rows } = yield* search.search(operatorId, filters, "booked_at", { offset: 0, limit: 1 })
  const [row] = rows
  if (row === undefined) return yield* stayNotFoundError
  yield* Effect.fromResult(checkFixedFields(withNestedFields(toRecord(row, yield* callerClock)), payload))
})

const updateReservationBasic = (
  orders: Orders["Service"],
  search: ReservationSearchStore["Service"],
  toRecord: ToRecord,
  deployment: typeof Deployment.Service
) =>
  Effect.fnUntraced(function* (payload: typeof update_reservation_basic.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const { stay_code, custom_channel_id: channel } = payload
    const contact = yield* Effect.fromResult(toGuestContact(payload))
    yield* loadAndCheckFixedFields(search, toRecord, payload)
    if (channel !== undefined && findCustomChannel(deployment, channel) === undefined)
      return yield* customChannelNotFoundError
    const computeOrders = Effect.fnUntraced(function* ({ order, stay, held_elsewhere }: OrderChangeContext) {
      if (order === null || stay === undefined) return yield* stayNotFoundError
      const after = yield* Effect.fromResult(applyStayEdit(order, stay, { ...payload, ...contact }))
      const newNights = held_elsewhere.filter(({ day }) => day < stay.check_in_date || day >= stay.check_out_date)
      yield* Effect.fromResult(checkNoImportedBusyNights(stay.property_id, newNights))
      return [after]
    })
    const destination = { toCheckIn: payload.check_in_date, toCheckOut: payload.check_out_date }
    yield* orders
      .change(operatorId, yield* currentSecond, { key: { stay_code }, destination }, computeOrders)
      .pipe(Effect.catchTag("NightTaken", () => nightsNotFreeError))
    return {}
  })

const cancelReservation = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ reservation_code }: typeof cancel_reservation.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const at = yield* currentSecond
    const computeOrders = Effect.fnUntraced(function* ({ order }: OrderChangeContext) {
      if (order === null) return yield* orderGoneError
      if (!isManualOrderCode(order.reservation_code)) return yield* orderNotManualError
      // A client may repeat a cancellation whose response it missed.
      if (order.status === "cancelled") return []
      if (hasOrderEnded(order)) return yield* orderAlreadyEndedError(order.status)
      return [{ ...order, status: "cancelled" as const, cancelled_at: at }]
    })
    yield* orders
      .change(operatorId, at, { key: { reservation_code } }, computeOrders)
      .pipe(Effect.catchTag("NightTaken", Effect.die))
    return {}
  })

const allocateStay = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ stay_code, property_id }: typeof allocate_stay.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const computeOrders = Effect.fnUntraced(function* ({
      order,
      stay,
      other_orders,
      property_known,
      ...context
    }: OrderChangeContext) {
      if (order === null || stay === undefined) return yield* stayNotFoundError
      if (!property_known) return yield* unknownPropertyIdError
      if (hasOrderEnded(order)) return yield* orderEndedError("property_id", order.status)
      if (stay.property_id !== property_id) {
        if (!context.property_let) return yield* propertyDeactivatedError
        yield* Effect.fromResult(checkNoImportedBusyNights(property_id, context.held_elsewhere))
      }
      return moveStayToProperty([order, ...other_orders], stay, property_id)
    })
    const target = { key: { stay_code }, destination: { toProperty: property_id } }
    yield* retryWhileNightsTaken(orders.change(operatorId, yield* currentSecond, target, computeOrders)).pipe(
      Effect.catchTag("NightTaken", () => nightsNotFreeError)
    )
    return {}
  })

const moveStayToBox = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ stay_code }: typeof move_stay_to_box.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const computeOrders = Effect.fnUntraced(function* ({ order, stay }: OrderChangeContext) {
      if (order === null || stay === undefined) return yield* stayNotFoundError
      if (hasOrderEnded(order)) return yield* orderEndedError("stay_code", order.status)
      return [unassignStay(order, stay)]
    })
    yield* orders
      .change(operatorId, yield* currentSecond, { key: { stay_code } }, computeOrders)
      .pipe(Effect.catchTag("NightTaken", Effect.die))
    return {}
  })

const customChannelNotFoundError = notInDictionaryError("custom_channel_id", "custom_channels")
const incomeMethodNotFoundError = notInDictionaryError("income_method_id", "income_methods")
const nightsNotFreeError = new Conflict({ message: "check_in_date: the property is not free on all of these nights." })

// The specification sets both texts (Errors, Specific cases 1 and 2).
const orderNotManualError = new NotFound({
  message: "Only manually created reservations can be cancelled through this endpoint."
})
const orderGoneError = new NotFound({ message: "This resource is no longer available." })

const orderAlreadyEndedError = (status: string) =>
  new Conflict({ message: `reservation_code: the order is ${status} and cannot be cancelled.` })
const orderEndedError = (field: string, status: string) =>
  new ValidationFailed({ message: `${field}: the order is ${status}; its stays cannot be moved.` })
