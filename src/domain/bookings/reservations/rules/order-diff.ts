import { Predicate, Result, Struct } from "effect"
import { splitAmountOverStays } from "../../../money/transaction-shares.ts"
import { isOrderPending, type OrderState, OrderTerms } from "../../orders/order.ts"
import { type ExistingStay, type NewStay, OrderStayFields } from "../../stays/stay.ts"
import type { AddedStay, RemovedStay } from "../../stays/stay-sql.ts"
import { listHeldNights, type PropertyNight, toNightKey } from "./nights.ts"
import { roomIndexOf } from "./reservation-codes.ts"

interface NightChange extends PropertyNight {
  readonly stay_id: number | null
  /** Id of the stay that previously held the night. Null if the night was free or becomes free. */
  readonly taken_from: number | null
}

interface ReservationUpdate {
  readonly reservation_code: string
  readonly stay_code: string
  readonly property_id: number | null
  readonly sub_event: "rates_updated" | "remarks_updated" | null
}

interface ChangedRecord {
  readonly record: string
  readonly fields: ReadonlyArray<string>
}

/** A stay to insert. Nights and shares refer to it by a temporary negative id. */
export interface NewOrderStay extends ExistingStay, NewStay {}

export interface OrderChange {
  readonly orders: ReadonlyArray<OrderState>
  readonly stays: ReadonlyArray<ExistingStay>
  readonly addedStays: ReadonlyArray<AddedStay>
  readonly removedStays: ReadonlyArray<RemovedStay>
  readonly nights: ReadonlyArray<NightChange>
  readonly shares: ReadonlyArray<{
    readonly transaction_id: number
    readonly stay_id: number
    readonly amount: string
  }>
  readonly updates: ReadonlyArray<ReservationUpdate>
  readonly touched: ReadonlyArray<ChangedRecord>
  readonly hasChanges: boolean
}

interface NightOverlap {
  readonly night: PropertyNight
}

interface BeforeAndAfter<A> {
  readonly before: A
  readonly after: A
}

const pairStates = (
  before: ReadonlyArray<OrderState>,
  after: ReadonlyArray<OrderState>
): ReadonlyArray<BeforeAndAfter<OrderState>> => {
  const afterById = new Map(after.map((each) => [each.id, withoutObsoleteExpiry(each)]))
  return before.map((each) => ({ before: each, after: afterById.get(each.id) ?? each }))
}

const withoutObsoleteExpiry = (order: OrderState): OrderState =>
  isOrderPending(order) || order.expires_at === null ? order : { ...order, expires_at: null }

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
/** Changes of these fields produce no event, because the API does not show them. */
const ORDER_BOOKKEEPING_FIELDS = ["channel_account_id", "channel_version", "channel_synced_at", "expires_at"] as const
const STAY_BOOKKEEPING_FIELDS = ["channel_room_id"] as const
const STAY_BASIC_FIELDS = Struct.keys(
  Struct.omit(OrderStayFields.fields, [...RATE_FIELDS, ...REMARK_FIELDS, ...STAY_BOOKKEEPING_FIELDS])
)
// `conversation_id` is omitted, because message events already report a new conversation.
const ORDER_BASIC_FIELDS = Struct.keys(
  Struct.omit(OrderTerms.fields, ["currency", "cancelled_at", "conversation_id", ...ORDER_BOOKKEEPING_FIELDS])
)

/** Returns one update per kind of change and stay. A change of the order affects all remaining stays. */
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

/**
 * When stays or their revenue change, the incomes and expenses of the order (`entries`) are split again (specification,
 * Transaction rule 1).
 */
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

const changedFieldsOf = (order: BeforeAndAfter<OrderState>): ReadonlyArray<string> => {
  const stays = pairKeptStays(order)
  const fields = [
    ...(hasAddedOrRemovedStays(order) ? ["stays"] : []),
    ...AUDITED_ORDER_TERMS.filter((field) => differsIn(order, [field])),
    ...AUDITED_STAY_TERMS.filter((field) => stays.some((stay) => differsIn(stay, [field])))
  ]
  // The record shows the parts of a rate under `rate`.
  return Array.from(new Set(fields.map((field) => (RATE_PART_FIELDS.has(field) ? "rate" : field)))).toSorted()
}

const RATE_PART_FIELDS: ReadonlySet<string> = new Set(["accommodation_revenue", "rate_details"])

const toChangedRecords = (order: BeforeAndAfter<OrderState>): ReadonlyArray<ChangedRecord> => {
  const fields = changedFieldsOf(order)
  const splitEntryIds = new Set(listShareChanges(order).map(({ transaction_id }) => transaction_id))
  return [
    ...(fields.length === 0 ? [] : [{ record: `reservation:${order.after.reservation_code}`, fields }]),
    ...Array.from(splitEntryIds, (id) => ({ record: `transaction:${id}`, fields: ["shares"] }))
  ]
}

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

export const isEmptyChange = (change: OrderChange): boolean => !change.hasChanges
