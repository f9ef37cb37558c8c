import { Predicate, Result, Struct } from "effect"
import { splitAmountOverStays } from "../../../money/transaction-shares.ts"
import { isOrderPending, type OrderState, OrderTerms } from "../../orders/order.ts"
import { type ExistingStay, type NewStay, OrderStayFields } from "../../stays/stay.ts"
import type { AddedStay, RemovedStay } from "../../stays/stay-sql.ts"
import { listHeldNights, type PropertyNight, toNightKey } from "./nights.ts"
import { roomIndexOf } from "./reservation-codes.ts"

// What has to be written for orders to become what they should be.

/** A night that gets another holder, or none. */
interface NightChange extends PropertyNight {
  readonly stay_id: number | null
  /** The stay that gives it up to this one, null when it was free before or is now. */
  readonly taken_from: number | null
}

/** An event `reservation_updated`. */
interface ReservationUpdate {
  readonly reservation_code: string
  readonly stay_code: string
  readonly property_id: number | null
  readonly sub_event: "rates_updated" | "remarks_updated" | null
}

/** A record that is changed, and the names of its fields that are, for the trail. */
interface ChangedRecord {
  readonly record: string
  readonly fields: ReadonlyArray<string>
}

/**
 * A stay that its order has not had. Its id is below zero until the database gives it one, and no other's of the order;
 * nights and shares are told of it by that.
 */
export interface NewOrderStay extends ExistingStay, NewStay {}

export interface OrderChange {
  /** Every order the change was worked out from, as it should be. */
  readonly orders: ReadonlyArray<OrderState>
  readonly stays: ReadonlyArray<ExistingStay>
  readonly addedStays: ReadonlyArray<AddedStay>
  /** Stays that go for good. */
  readonly removedStays: ReadonlyArray<RemovedStay>
  readonly nights: ReadonlyArray<NightChange>
  readonly shares: ReadonlyArray<{
    readonly transaction_id: number
    readonly stay_id: number
    readonly amount: string
  }>
  readonly updates: ReadonlyArray<ReservationUpdate>
  readonly touched: ReadonlyArray<ChangedRecord>
  /** Anything is different, be it what nobody is told of. */
  readonly hasChanges: boolean
}

/** Two stays should hold the same night. */
interface NightOverlap {
  readonly night: PropertyNight
}

interface BeforeAndAfter<A> {
  readonly before: A
  readonly after: A
}

/** Each order that was read, with what it should be: itself, unless something else was said. */
const pairStates = (
  before: ReadonlyArray<OrderState>,
  after: ReadonlyArray<OrderState>
): ReadonlyArray<BeforeAndAfter<OrderState>> => {
  const afterById = new Map(after.map((each) => [each.id, withoutObsoleteExpiry(each)]))
  return before.map((each) => ({ before: each, after: afterById.get(each.id) ?? each }))
}

/** What does not wait any more does not time out, whoever ended the wait. */
const withoutObsoleteExpiry = (order: OrderState): OrderState =>
  isOrderPending(order) || order.expires_at === null ? order : { ...order, expires_at: null }

/** The stays the order has and will have. */
const pairKeptStays = ({ before, after }: BeforeAndAfter<OrderState>): ReadonlyArray<BeforeAndAfter<ExistingStay>> => {
  const afterById = new Map(after.stays.map((each) => [each.id, each]))
  return before.stays.flatMap((each) => {
    const next = afterById.get(each.id)
    return next === undefined ? [] : [{ before: each, after: next }]
  })
}

const listAddedStays = ({ before, after }: BeforeAndAfter<OrderState>): ReadonlyArray<AddedStay> => {
  const existingIds = new Set(before.stays.map(({ id }) => id))
  return after.stays.flatMap((stay) =>
    existingIds.has(stay.id) || !isNewStay(stay)
      ? []
      : [{ ...stay, place: stay.id, order_id: after.id, holds: listHeldNights(after.status, stay).length > 0 }]
  )
}

const isNewStay = (stay: ExistingStay): stay is NewOrderStay => Predicate.hasProperty(stay, "guests")

const listRemovedStays = ({ before, after }: BeforeAndAfter<OrderState>): ReadonlyArray<RemovedStay> => {
  const remainingIds = new Set(after.stays.map(({ id }) => id))
  return before.stays.flatMap(({ id, stay_code }) =>
    remainingIds.has(id) ? [] : [{ id, order_id: before.id, room: roomIndexOf(before.reservation_code, stay_code) }]
  )
}

const hasAddedOrRemovedStays = (order: BeforeAndAfter<OrderState>): boolean =>
  listRemovedStays(order).length > 0 || listAddedStays(order).length > 0

const differsIn = <A extends object>({ before, after }: BeforeAndAfter<A>, fields: ReadonlyArray<keyof A>): boolean =>
  fields.some((field) => before[field] !== after[field])

const RATE_FIELDS = ["rate", "commission", "accommodation_revenue", "rate_details"] as const satisfies ReadonlyArray<
  keyof ExistingStay
>
const REMARK_FIELDS = ["remarks"] as const satisfies ReadonlyArray<keyof ExistingStay>
/** What is kept of a channel's order and of its rooms beside the record: nobody is told of it. */
const ORDER_BOOKKEEPING_FIELDS = ["channel_account_id", "channel_version", "channel_synced_at", "expires_at"] as const
const STAY_BOOKKEEPING_FIELDS = ["channel_room_id"] as const
/** Every other term of a stay. */
const STAY_BASIC_FIELDS = Struct.keys(
  Struct.omit(OrderStayFields.fields, [...RATE_FIELDS, ...REMARK_FIELDS, ...STAY_BOOKKEEPING_FIELDS])
)
// That its thread is known changes nothing of the stay: subscribers hear of what is said there.
const ORDER_BASIC_FIELDS = Struct.keys(
  Struct.omit(OrderTerms.fields, ["currency", "cancelled_at", "conversation_id", ...ORDER_BOOKKEEPING_FIELDS])
)

/**
 * One event for each kind of thing that changed on a stay; what changed on the order, be it that a stay went, changed on all
 * that are left.
 */
const toReservationUpdates = (order: BeforeAndAfter<OrderState>): ReadonlyArray<ReservationUpdate> => {
  const hasBasicChange = differsIn(order, ORDER_BASIC_FIELDS) || listRemovedStays(order).length > 0
  return pairKeptStays(order).flatMap((stay) => {
    const toUpdate = (sub_event: ReservationUpdate["sub_event"]): ReservationUpdate => ({
      reservation_code: order.after.reservation_code,
      ...Struct.pick(stay.after, ["stay_code", "property_id"]),
      sub_event
    })
    return [
      ...(hasBasicChange || differsIn(stay, STAY_BASIC_FIELDS) ? [toUpdate(null)] : []),
      ...(differsIn(order, ["currency"]) || differsIn(stay, RATE_FIELDS) ? [toUpdate("rates_updated")] : []),
      ...(differsIn(stay, REMARK_FIELDS) ? [toUpdate("remarks_updated")] : [])
    ]
  })
}

const mapNightHolders = (
  orders: ReadonlyArray<OrderState>
): Result.Result<ReadonlyMap<string, PropertyNight & { stay_id: number }>, NightOverlap> => {
  const holders = new Map<string, PropertyNight & { stay_id: number }>()
  for (const order of orders) {
    for (const stay of order.stays) {
      for (const night of listHeldNights(order.status, stay)) {
        if (holders.has(toNightKey(night))) return Result.fail({ night })
        holders.set(toNightKey(night), { ...night, stay_id: stay.id })
      }
    }
  }
  return Result.succeed(holders)
}

const listNightChanges = (
  orders: ReadonlyArray<BeforeAndAfter<OrderState>>
): Result.Result<ReadonlyArray<NightChange>, NightOverlap> =>
  Result.gen(function* () {
    const before = yield* mapNightHolders(orders.map((order) => order.before))
    const after = yield* mapNightHolders(orders.map((order) => order.after))
    const freedNights = Array.from(before.values())
      .filter((night) => !after.has(toNightKey(night)))
      .map(({ property_id, day }) => ({ property_id, day, stay_id: null, taken_from: null }))
    const takenNights = Array.from(after.values())
      .filter((night) => before.get(toNightKey(night))?.stay_id !== night.stay_id)
      .map((night) => ({ ...night, taken_from: before.get(toNightKey(night))?.stay_id ?? null }))
    return [...freedNights, ...takenNights]
  })

/** The split of an order's entries moves with its stays and their revenue (specification, Transaction rule 1). */
const listShareChanges = (order: BeforeAndAfter<OrderState>): OrderChange["shares"] =>
  hasAddedOrRemovedStays(order) || pairKeptStays(order).some((stay) => differsIn(stay, ["accommodation_revenue"]))
    ? order.after.entries.flatMap((entry) =>
        splitAmountOverStays(entry.amount, order.after.currency, order.after.stays).map((share) => ({
          ...share,
          transaction_id: entry.id
        }))
      )
    : []

const ALL_ORDER_TERMS = Struct.keys(OrderTerms.fields)
const AUDITED_ORDER_TERMS = Struct.keys(Struct.omit(OrderTerms.fields, ORDER_BOOKKEEPING_FIELDS))
const STAY_TERMS = Struct.keys(OrderStayFields.fields)
const AUDITED_STAY_TERMS = Struct.keys(Struct.omit(OrderStayFields.fields, STAY_BOOKKEEPING_FIELDS))

/** The names of what changed on an order or on any of its stays, each once; `stays` where it has got or lost one. */
const changedFieldsOf = (order: BeforeAndAfter<OrderState>): ReadonlyArray<string> => {
  const stays = pairKeptStays(order)
  const fields = [
    ...(hasAddedOrRemovedStays(order) ? ["stays"] : []),
    ...AUDITED_ORDER_TERMS.filter((field) => differsIn(order, [field])),
    ...AUDITED_STAY_TERMS.filter((field) => stays.some((stay) => differsIn(stay, [field])))
  ]
  // What a rate is made of has no name of its own in the record: it is shown with the rate.
  return Array.from(new Set(fields.map((field) => (RATE_PART_FIELDS.has(field) ? "rate" : field)))).toSorted()
}

const RATE_PART_FIELDS: ReadonlySet<string> = new Set(["accommodation_revenue", "rate_details"])

/** The order, and its entries that are split anew. */
const toChangedRecords = (order: BeforeAndAfter<OrderState>): ReadonlyArray<ChangedRecord> => {
  const fields = changedFieldsOf(order)
  const splitEntryIds = new Set(listShareChanges(order).map(({ transaction_id }) => transaction_id))
  return [
    ...(fields.length === 0 ? [] : [{ record: `reservation:${order.after.reservation_code}`, fields }]),
    ...Array.from(splitEntryIds, (id) => ({ record: `transaction:${id}`, fields: ["shares"] }))
  ]
}

/**
 * What turns the orders from one state into the other: rows, nights, splits, events; nothing for what stays as it is.
 * Fails when two stays would hold the same night.
 */
export const diffOrders = (
  before: ReadonlyArray<OrderState>,
  after: ReadonlyArray<OrderState>
): Result.Result<OrderChange, NightOverlap> =>
  Result.map(listNightChanges(pairStates(before, after)), (nights) => {
    const orders = pairStates(before, after)
    const stays = orders.flatMap((order) =>
      pairKeptStays(order)
        .filter((stay) => differsIn(stay, STAY_TERMS))
        .map((stay) => stay.after)
    )
    return {
      orders: orders.map((order) => order.after),
      stays,
      addedStays: orders.flatMap(listAddedStays),
      removedStays: orders.flatMap(listRemovedStays),
      nights,
      shares: orders.flatMap(listShareChanges),
      updates: orders.flatMap(toReservationUpdates),
      touched: orders.flatMap(toChangedRecords),
      hasChanges:
        stays.length > 0 || orders.some((order) => hasAddedOrRemovedStays(order) || differsIn(order, ALL_ORDER_TERMS))
    }
  })

/** Nothing is different. */
export const isEmptyChange = (change: OrderChange): boolean => !change.hasChanges
