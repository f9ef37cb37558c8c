import { Predicate, Result, Struct } from "effect"
import { splitOver } from "../../../money/shares.ts"
import { isWaiting, type OrderState, OrderTerms } from "../../orders/order.ts"
import { type NewStay, type StayState, StayTerms } from "../../stays/stay.ts"
import type { AddedStay, RemovedStay } from "../../stays/table.ts"
import { roomOf } from "./codes.ts"
import { heldNights, keyOf, type Night } from "./nights.ts"

// What has to be written for orders to become what they should be.

/** A night that gets another holder, or none. */
export interface NightChange extends Night {
  readonly stay_id: number | null
  /** The stay that gives it up to this one, null when it was free before or is now. */
  readonly taken_from: number | null
}

/** An event `reservation_updated`. */
export interface Update {
  readonly reservation_code: string
  readonly stay_code: string
  readonly property_id: number | null
  readonly sub_event: "rates_updated" | "remarks_updated" | null
}

/** A record that is changed, and the names of its fields that are, for the trail. */
export interface Touched {
  readonly record: string
  readonly fields: ReadonlyArray<string>
}

/**
 * A stay that its order has not had. Its id is below zero until the database gives it one, and no other's of the order;
 * nights and shares are told of it by that.
 */
export interface NextStay extends StayState, NewStay {}

export interface OrderChange {
  /** Every order the change was worked out from, as it should be. */
  readonly orders: ReadonlyArray<OrderState>
  readonly stays: ReadonlyArray<StayState>
  readonly added: ReadonlyArray<AddedStay>
  /** Stays that go for good. */
  readonly removed: ReadonlyArray<RemovedStay>
  readonly nights: ReadonlyArray<NightChange>
  readonly shares: ReadonlyArray<{
    readonly transaction_id: number
    readonly stay_id: number
    readonly amount: string
  }>
  readonly updates: ReadonlyArray<Update>
  readonly touched: ReadonlyArray<Touched>
  /** Anything is different, be it what nobody is told of. */
  readonly isAny: boolean
}

/** Two stays should hold the same night. */
export interface Overlap {
  readonly night: Night
}

interface Pair<A> {
  readonly before: A
  readonly after: A
}

/** Each order that was read, with what it should be: itself, unless something else was said. */
const pairs = (
  before: ReadonlyArray<OrderState>,
  after: ReadonlyArray<OrderState>
): ReadonlyArray<Pair<OrderState>> => {
  const later = new Map(after.map((each) => [each.id, ended(each)]))
  return before.map((each) => ({ before: each, after: later.get(each.id) ?? each }))
}

/** What does not wait any more does not time out, whoever ended the wait. */
const ended = (order: OrderState): OrderState =>
  isWaiting(order) || order.expires_at === null ? order : { ...order, expires_at: null }

/** The stays the order has and will have. */
const kept = ({ before, after }: Pair<OrderState>): ReadonlyArray<Pair<StayState>> => {
  const later = new Map(after.stays.map((each) => [each.id, each]))
  return before.stays.flatMap((each) => {
    const next = later.get(each.id)
    return next === undefined ? [] : [{ before: each, after: next }]
  })
}

const added = ({ before, after }: Pair<OrderState>): ReadonlyArray<AddedStay> => {
  const known = new Set(before.stays.map(({ id }) => id))
  return after.stays.flatMap((stay) =>
    known.has(stay.id) || !isNext(stay)
      ? []
      : [{ ...stay, place: stay.id, order_id: after.id, holds: heldNights(after.status, stay).length > 0 }]
  )
}

const isNext = (stay: StayState): stay is NextStay => Predicate.hasProperty(stay, "guests")

const removed = ({ before, after }: Pair<OrderState>): ReadonlyArray<RemovedStay> => {
  const later = new Set(after.stays.map(({ id }) => id))
  return before.stays.flatMap(({ id, stay_code }) =>
    later.has(id) ? [] : [{ id, order_id: before.id, room: roomOf(before.reservation_code, stay_code) }]
  )
}

const hasOtherStays = (order: Pair<OrderState>): boolean => removed(order).length > 0 || added(order).length > 0

const differ = <A extends object>({ before, after }: Pair<A>, fields: ReadonlyArray<keyof A>): boolean =>
  fields.some((field) => before[field] !== after[field])

const RATES = ["rate", "commission", "accommodation_revenue", "rate_details"] as const satisfies ReadonlyArray<
  keyof StayState
>
const REMARKS = ["remarks"] as const satisfies ReadonlyArray<keyof StayState>
/** What is kept of a channel's order and of its rooms beside the record: nobody is told of it. */
const BOOKKEEPING = ["channel_account_id", "channel_version", "channel_synced_at", "expires_at"] as const
const STAY_BOOKKEEPING = ["channel_room_id"] as const
/** Every other term of a stay. */
const BASICS = Struct.keys(Struct.omit(StayTerms.fields, [...RATES, ...REMARKS, ...STAY_BOOKKEEPING]))
// That its thread is known changes nothing of the stay: subscribers hear of what is said there.
const ORDER_BASICS = Struct.keys(
  Struct.omit(OrderTerms.fields, ["currency", "cancelled_at", "conversation_id", ...BOOKKEEPING])
)

/**
 * One event for each kind of thing that changed on a stay; what changed on the order, be it that a stay went, changed on all
 * that are left.
 */
const updatesOf = (order: Pair<OrderState>): ReadonlyArray<Update> => {
  const isOther = differ(order, ORDER_BASICS) || removed(order).length > 0
  return kept(order).flatMap((stay) => {
    const about = (sub_event: Update["sub_event"]): Update => ({
      reservation_code: order.after.reservation_code,
      ...Struct.pick(stay.after, ["stay_code", "property_id"]),
      sub_event
    })
    return [
      ...(isOther || differ(stay, BASICS) ? [about(null)] : []),
      ...(differ(order, ["currency"]) || differ(stay, RATES) ? [about("rates_updated")] : []),
      ...(differ(stay, REMARKS) ? [about("remarks_updated")] : [])
    ]
  })
}

const holdersOf = (
  orders: ReadonlyArray<OrderState>
): Result.Result<ReadonlyMap<string, Night & { stay_id: number }>, Overlap> => {
  const holders = new Map<string, Night & { stay_id: number }>()
  for (const order of orders) {
    for (const stay of order.stays) {
      for (const night of heldNights(order.status, stay)) {
        if (holders.has(keyOf(night))) return Result.fail({ night })
        holders.set(keyOf(night), { ...night, stay_id: stay.id })
      }
    }
  }
  return Result.succeed(holders)
}

const nightChanges = (orders: ReadonlyArray<Pair<OrderState>>): Result.Result<ReadonlyArray<NightChange>, Overlap> =>
  Result.gen(function* () {
    const before = yield* holdersOf(orders.map((order) => order.before))
    const after = yield* holdersOf(orders.map((order) => order.after))
    const freed = Array.from(before.values())
      .filter((night) => !after.has(keyOf(night)))
      .map(({ property_id, day }) => ({ property_id, day, stay_id: null, taken_from: null }))
    const taken = Array.from(after.values())
      .filter((night) => before.get(keyOf(night))?.stay_id !== night.stay_id)
      .map((night) => ({ ...night, taken_from: before.get(keyOf(night))?.stay_id ?? null }))
    return [...freed, ...taken]
  })

/** The split of an order's entries moves with its stays and their revenue (specification, Transaction rule 1). */
const shareChanges = (order: Pair<OrderState>): OrderChange["shares"] =>
  hasOtherStays(order) || kept(order).some((stay) => differ(stay, ["accommodation_revenue"]))
    ? order.after.entries.flatMap((entry) =>
        splitOver(entry.amount, order.after.currency, order.after.stays).map((share) => ({
          ...share,
          transaction_id: entry.id
        }))
      )
    : []

const TERMS = Struct.keys(OrderTerms.fields)
const ORDER_TERMS = Struct.keys(Struct.omit(OrderTerms.fields, BOOKKEEPING))
const STAY_TERMS = Struct.keys(StayTerms.fields)
const TOLD_STAY_TERMS = Struct.keys(Struct.omit(StayTerms.fields, STAY_BOOKKEEPING))

/** The names of what changed on an order or on any of its stays, each once; `stays` where it has got or lost one. */
const fieldsOf = (order: Pair<OrderState>): ReadonlyArray<string> => {
  const stays = kept(order)
  const changed = [
    ...(hasOtherStays(order) ? ["stays"] : []),
    ...ORDER_TERMS.filter((field) => differ(order, [field])),
    ...TOLD_STAY_TERMS.filter((field) => stays.some((stay) => differ(stay, [field])))
  ]
  // What a rate is made of has no name of its own in the record: it is shown with the rate.
  return Array.from(new Set(changed.map((field) => (PARTS_OF_RATE.has(field) ? "rate" : field)))).toSorted()
}

const PARTS_OF_RATE: ReadonlySet<string> = new Set(["accommodation_revenue", "rate_details"])

/** The order, and its entries that are split anew. */
const touchedOf = (order: Pair<OrderState>): ReadonlyArray<Touched> => {
  const fields = fieldsOf(order)
  const split = new Set(shareChanges(order).map(({ transaction_id }) => transaction_id))
  return [
    ...(fields.length === 0 ? [] : [{ record: `reservation:${order.after.reservation_code}`, fields }]),
    ...Array.from(split, (id) => ({ record: `transaction:${id}`, fields: ["shares"] }))
  ]
}

/**
 * What turns the orders from one state into the other: rows, nights, splits, events; nothing for what stays as it is.
 * Fails when two stays would hold the same night.
 */
export const changeBetween = (
  before: ReadonlyArray<OrderState>,
  after: ReadonlyArray<OrderState>
): Result.Result<OrderChange, Overlap> =>
  Result.map(nightChanges(pairs(before, after)), (nights) => {
    const orders = pairs(before, after)
    const stays = orders.flatMap((order) =>
      kept(order)
        .filter((stay) => differ(stay, STAY_TERMS))
        .map((stay) => stay.after)
    )
    return {
      orders: orders.map((order) => order.after),
      stays,
      added: orders.flatMap(added),
      removed: orders.flatMap(removed),
      nights,
      shares: orders.flatMap(shareChanges),
      updates: orders.flatMap(updatesOf),
      touched: orders.flatMap(touchedOf),
      isAny: stays.length > 0 || orders.some((order) => hasOtherStays(order) || differ(order, TERMS))
    }
  })

/** Nothing is different. */
export const isEmpty = (change: OrderChange): boolean => !change.isAny
