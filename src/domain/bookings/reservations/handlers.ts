import { DateTime, Effect, Layer, Result, Struct } from "effect"
import { answersAsItIsNow } from "../../../changes/as-it-is-now.ts"
import { Keys } from "../../../changes/Keys.ts"
import { atMostOnce } from "../../../changes/outward.ts"
import { CurrentOperator } from "../../../contract/caller.ts"
import { Conflict, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { fixedFieldsOf, sendsFixedOf } from "../../../contract/fixed-fields.ts"
import { pageOf } from "../../../contract/page.ts"
import { currentSecond, dateOfClock, wallClockText } from "../../../contract/time.ts"
import { Deployment, PublicUrl } from "../../../platform/installation.ts"
import { customChannelOf } from "../../channels/custom-channels/dictionary.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { notInDictionary } from "../../money/dictionaries.ts"
import { noSuchProperty } from "../../properties/properties/belonging.ts"
import { deactivated } from "../../properties/properties/letting.ts"
import { isOver, type NewOrder } from "../orders/order.ts"
import { noSuchStay } from "../stays/rules.ts"
import { approveReservation, declineReservation } from "./answering.ts"
import {
  type allocate_stay,
  CHANGED_BY,
  type cancel_reservation,
  type create_reservation,
  type move_stay_to_box,
  Reservations,
  type search_reservations,
  update_reservation_basic
} from "./contract.ts"
import { KnownOrder } from "./create-order.ts"
import { underDrawnName, untilCreated } from "./drawn-name.ts"
import { freeElsewhere } from "./held-elsewhere.ts"
import { againWhileNightsGo, type FoundOrder, Orders } from "./Orders.ts"
import type { Reservation } from "./record.ts"
import { amended } from "./rules/amending.ts"
import { allocated, boxed } from "./rules/box.ts"
import { orderByHand } from "./rules/by-hand.ts"
import { isManualCode, manualCode } from "./rules/codes.ts"
import { contactOf } from "./rules/contact.ts"
import { keywordOf } from "./rules/keyword.ts"
import { checkInDays, checkOutDays, defaultDays } from "./rules/search-days.ts"
import { toReservation } from "./rules/showing.ts"
import type { Checked } from "./rules/stay-checks.ts"
import { IN_BOX, type ReservationRow, ReservationSearchStore } from "./search-store.ts"
import { OrderStore } from "./store.ts"

export const layerReservations = layerHandled(
  Effect.gen(function* () {
    const [search, store, orders] = [yield* ReservationSearchStore, yield* OrderStore, yield* Orders]
    const [deployment, gateway] = [yield* Deployment, yield* ChannelGateway]
    const toRecord = recordsUnder(yield* PublicUrl)
    const outward = atMostOnce(yield* Keys)
    return handled(Reservations, {
      search_reservations: searchReservations(search, toRecord),
      create_reservation: change(createReservation(store, orders, deployment), KnownOrder, answerOf),
      update_reservation_basic: done(updateReservationBasic(orders, search, toRecord, deployment)),
      cancel_reservation: done(cancelReservation(orders)),
      approve_reservation: done(approveReservation(orders, gateway, outward)),
      decline_reservation: done(declineReservation(orders, gateway, outward)),
      allocate_stay: done(allocateStay(orders)),
      move_stay_to_box: done(moveStayToBox(orders))
    })
  })
).pipe(Layer.provide([ReservationSearchStore.layer, OrderStore.layer, Orders.layer]))

type ToRecord = (row: ReservationRow, clock: string) => Reservation

const recordsUnder =
  (publicUrl: string): ToRecord =>
  (row, clock) =>
    toReservation(row, publicUrl, clock)

/** What the clock of the caller's zone shows, `YYYY-MM-DD HH:mm:ss`. */
const callersClock = Effect.zipWith(CurrentOperator, DateTime.nowAsDate, ({ timeZone }, now) =>
  wallClockText(now, timeZone)
)

const searchReservations = (search: ReservationSearchStore["Service"], toRecord: ToRecord) =>
  Effect.fnUntraced(function* (payload: typeof search_reservations.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const clock = yield* callersClock
    const filters = Struct.omit(payload, ["order_by", "fields", "offset", "limit"])
    const checkOut = yield* Effect.fromResult(checkOutDays(payload))
    const wanted = {
      ...Struct.omit(filters, ["keyword"]),
      check_in: yield* Effect.fromResult(checkInDays(payload)),
      check_out: Object.keys(filters).length > 0 ? checkOut : defaultDays(dateOfClock(clock)),
      found_by_keyword:
        payload.keyword === undefined
          ? undefined
          : yield* search.matchKeyword(caller.operatorId, keywordOf(payload.keyword))
    }
    const found = yield* search.search(caller.operatorId, wanted, payload.order_by ?? "booked_at", pageOf(payload))
    if (found.total === 0 && payload.property_id !== undefined && payload.property_id !== IN_BOX) {
      if (!(yield* search.knowsProperty(caller.operatorId, payload.property_id))) return yield* noSuchProperty
    }
    return { reservations: found.rows.map((row) => toRecord(row, clock)), total: found.total }
  })

/**
 * A channel_id that was used before answers the order it made, as that is now, before anything else of the call is looked
 * at: the order's own nights are held, by itself, and its property may be gone. A key says nothing against that.
 *
 * Nearly always there is nothing against an order, so it is created by a statement that asks for all it needs; what was in
 * its way is asked for when none was created.
 */
const createReservation = (
  store: OrderStore["Service"],
  orders: Orders["Service"],
  deployment: typeof Deployment.Service
) =>
  Effect.fnUntraced(function* (payload: typeof create_reservation.payloadSchema.Type) {
    const { operatorId, accountName: creator } = yield* CurrentOperator
    const { channel_id: given, property_id: propertyId, income_method_id: methodId } = payload
    const contact = yield* Effect.fromResult(contactOf(payload))
    const at = yield* currentSecond
    const { check_in_date: checkIn, check_out_date: checkOut } = payload
    const named = { propertyId, methodId, checkIn, checkOut }
    const isChannel = customChannelOf(deployment, payload.custom_channel_id) !== undefined
    const whyNot = Effect.fnUntraced(function* (order: Checked<NewOrder>) {
      const code = given === undefined ? undefined : manualCode(given)
      const why = yield* store.whyNotCreated({ operatorId, code, ...named })
      if (why.existing !== null) return yield* Effect.as(answersAsItIsNow, why.existing)
      if (!why.property_known) return yield* noSuchProperty
      if (!why.property_let) return yield* deactivated
      if (!isChannel) return yield* noSuchChannel
      if (!why.method_known) return yield* noSuchMethod
      yield* Effect.fromResult(order)
      yield* Effect.fromResult(freeElsewhere(propertyId, why.held_elsewhere))
      return undefined
    })
    const create = Effect.fnUntraced(function* (channel_id: string) {
      const order = orderByHand({ ...payload, ...contact }, { channel_id, at, creator })
      if (Result.isFailure(order) || !isChannel) return yield* whyNot(order)
      const created = yield* Effect.catchTag(
        orders.create(operatorId, order.success, at, named),
        "NightTaken",
        () => nightsHeld
      )
      return created ?? (yield* whyNot(order))
    })
    return yield* given === undefined ? underDrawnName(create) : untilCreated(create(given))
  })

/** Clients read the outcome in either place: beside the others of `data`, or in `data.reservation`. */
const answerOf = ({ reservation_code, status }: KnownOrder) => ({
  reservation_code,
  status,
  reservation: { reservation_code, status }
})

const sendsFixed = sendsFixedOf(update_reservation_basic.payloadSchema)
const fixedFields = fixedFieldsOf(update_reservation_basic.payloadSchema, { changedBy: CHANGED_BY })

/** Returns the record with its check-in details and `received_amount` also at the top level, where an edit accepts them. */
const withInnerFields = (record: Reservation) => ({
  ...record,
  ...record.check_in_details,
  received_amount: record.payment.received_amount
})

/** A record can be sent back whole; it is looked up only when fields came that cannot change. */
const checkFixed = Effect.fnUntraced(function* (
  search: ReservationSearchStore["Service"],
  toRecord: ToRecord,
  payload: typeof update_reservation_basic.payloadSchema.Type
) {
  const { operatorId } = yield* CurrentOperator
  if (!sendsFixed(payload)) return
  const wanted = { stay_code: payload.stay_code, check_in: undefined, check_out: undefined }
  const { rows } = yield* search.search(operatorId, wanted, "booked_at", { offset: 0, limit: 1 })
  const [row] = rows
  if (row === undefined) return yield* noSuchStay
  yield* Effect.fromResult(fixedFields(withInnerFields(toRecord(row, yield* callersClock)), payload))
})

const updateReservationBasic = (
  orders: Orders["Service"],
  search: ReservationSearchStore["Service"],
  toRecord: ToRecord,
  deployment: typeof Deployment.Service
) =>
  Effect.fnUntraced(function* (payload: typeof update_reservation_basic.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const { stay_code, custom_channel_id: channel } = payload
    const contact = yield* Effect.fromResult(contactOf(payload))
    yield* checkFixed(search, toRecord, payload)
    if (channel !== undefined && customChannelOf(deployment, channel) === undefined) return yield* noSuchChannel
    const next = Effect.fnUntraced(function* ({ order, stay, held_elsewhere }: FoundOrder) {
      if (order === null || stay === undefined) return yield* noSuchStay
      const after = yield* Effect.fromResult(amended(order, stay, { ...payload, ...contact }))
      const added = held_elsewhere.filter(({ day }) => day < stay.check_in_date || day >= stay.check_out_date)
      yield* Effect.fromResult(freeElsewhere(stay.property_id, added))
      return [after]
    })
    const to = { toCheckIn: payload.check_in_date, toCheckOut: payload.check_out_date }
    yield* orders
      .change(operatorId, yield* currentSecond, { key: { stay_code }, to }, next)
      .pipe(Effect.catchTag("NightTaken", () => nightsHeld))
    return {}
  })

const cancelReservation = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ reservation_code }: typeof cancel_reservation.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const at = yield* currentSecond
    const next = Effect.fnUntraced(function* ({ order }: FoundOrder) {
      if (order === null) return yield* gone
      if (!isManualCode(order.reservation_code)) return yield* notByHand
      // Cancelling twice is what a client does that did not hear of the first time.
      if (order.status === "cancelled") return []
      if (isOver(order)) return yield* alreadyOver(order.status)
      return [{ ...order, status: "cancelled" as const, cancelled_at: at }]
    })
    yield* orders
      .change(operatorId, at, { key: { reservation_code } }, next)
      .pipe(Effect.catchTag("NightTaken", Effect.die))
    return {}
  })

const allocateStay = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ stay_code, property_id }: typeof allocate_stay.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const next = Effect.fnUntraced(function* ({ order, stay, in_the_way, property_known, ...found }: FoundOrder) {
      if (order === null || stay === undefined) return yield* noSuchStay
      if (!property_known) return yield* noSuchProperty
      if (isOver(order)) return yield* overIn("property_id", order.status)
      // A stay that is there already stays there.
      if (stay.property_id !== property_id) {
        if (!found.property_let) return yield* deactivated
        yield* Effect.fromResult(freeElsewhere(property_id, found.held_elsewhere))
      }
      return allocated([order, ...in_the_way], stay, property_id)
    })
    const find = { key: { stay_code }, to: { toProperty: property_id } }
    yield* againWhileNightsGo(orders.change(operatorId, yield* currentSecond, find, next)).pipe(
      Effect.catchTag("NightTaken", () => nightsHeld)
    )
    return {}
  })

const moveStayToBox = (orders: Orders["Service"]) =>
  Effect.fnUntraced(function* ({ stay_code }: typeof move_stay_to_box.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const next = Effect.fnUntraced(function* ({ order, stay }: FoundOrder) {
      if (order === null || stay === undefined) return yield* noSuchStay
      if (isOver(order)) return yield* overIn("stay_code", order.status)
      return [boxed(order, stay)]
    })
    yield* orders
      .change(operatorId, yield* currentSecond, { key: { stay_code } }, next)
      .pipe(Effect.catchTag("NightTaken", Effect.die))
    return {}
  })

const noSuchChannel = notInDictionary("custom_channel_id", "custom_channels")
const noSuchMethod = notInDictionary("income_method_id", "income_methods")
const nightsHeld = new Conflict({ message: "check_in_date: the property is not free on all of these nights." })

// Both texts are the specification's (Errors, Specific cases 1 and 2).
const notByHand = new NotFound({
  message: "Only manually created reservations can be cancelled through this endpoint."
})
const gone = new NotFound({ message: "This resource is no longer available." })

const alreadyOver = (status: string) =>
  new Conflict({ message: `reservation_code: the order is ${status} and cannot be cancelled.` })
const overIn = (field: string, status: string) =>
  new ValidationFailed({ message: `${field}: the order is ${status}; its stays cannot be moved.` })
