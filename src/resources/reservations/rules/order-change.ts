import { Result, Struct } from "effect"
import { type OrderState, OrderTerms } from "../../orders/order.ts"
import { type StayState, StayTerms } from "../../stays/stay.ts"
import { splitOver } from "../../transactions/shares.ts"
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

export interface OrderChange {
  /** Every order the change was worked out from, as it should be. */
  readonly orders: ReadonlyArray<OrderState>
  readonly stays: ReadonlyArray<StayState>
  readonly nights: ReadonlyArray<NightChange>
  readonly shares: ReadonlyArray<{
    readonly transaction_id: number
    readonly stay_id: number
    readonly amount: string
  }>
  readonly updates: ReadonlyArray<Update>
  readonly touched: ReadonlyArray<Touched>
}

/** Two stays should hold the same night. */
export interface Overlap {
  readonly night: Night
}

interface Pair<A> {
  readonly before: A
  readonly after: A
}

const pairs = <A extends { readonly id: number }>(
  before: ReadonlyArray<A>,
  after: ReadonlyArray<A>
): ReadonlyArray<Pair<A>> => {
  const later = new Map(after.map((each) => [each.id, each]))
  return before.map((each) => ({ before: each, after: later.get(each.id) ?? each }))
}

const differ = <A extends object>({ before, after }: Pair<A>, fields: ReadonlyArray<keyof A>): boolean =>
  fields.some((field) => before[field] !== after[field])

const RATES = ["rate", "commission", "accommodation_revenue"] as const satisfies ReadonlyArray<keyof StayState>
const REMARKS = ["remarks"] as const satisfies ReadonlyArray<keyof StayState>
/** Every other term of a stay. */
const BASICS = Struct.keys(Struct.omit(StayTerms.fields, [...RATES, ...REMARKS]))
/** What is kept of a channel's order beside its record: nobody is told of it. */
const BOOKKEEPING = ["channel_version", "channel_synced_at", "expires_at"] as const
const ORDER_BASICS = Struct.keys(Struct.omit(OrderTerms.fields, ["currency", "cancelled_at", ...BOOKKEEPING]))

/** One event for each kind of thing that changed on a stay; what changed on the order changed on all its stays. */
const updatesOf = (order: Pair<OrderState>): ReadonlyArray<Update> =>
  pairs(order.before.stays, order.after.stays).flatMap((stay) => {
    const about = (sub_event: Update["sub_event"]): Update => ({
      reservation_code: order.after.reservation_code,
      ...Struct.pick(stay.after, ["stay_code", "property_id"]),
      sub_event
    })
    return [
      ...(differ(order, ORDER_BASICS) || differ(stay, BASICS) ? [about(null)] : []),
      ...(differ(order, ["currency"]) || differ(stay, RATES) ? [about("rates_updated")] : []),
      ...(differ(stay, REMARKS) ? [about("remarks_updated")] : [])
    ]
  })

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

/** The split of an order's entries moves with the revenue of its stays (specification, Transaction rule 1). */
const shareChanges = (order: Pair<OrderState>): OrderChange["shares"] =>
  pairs(order.before.stays, order.after.stays).some((stay) => differ(stay, ["accommodation_revenue"]))
    ? order.after.entries.flatMap((entry) =>
        splitOver(entry.amount, order.after.currency, order.after.stays).map((share) => ({
          ...share,
          transaction_id: entry.id
        }))
      )
    : []

const ORDER_TERMS = Struct.keys(Struct.omit(OrderTerms.fields, BOOKKEEPING))
const STAY_TERMS = Struct.keys(StayTerms.fields)

/** The names of what changed on an order or on any of its stays, each once. */
const fieldsOf = (order: Pair<OrderState>): ReadonlyArray<string> => {
  const stays = pairs(order.before.stays, order.after.stays)
  const changed = [
    ...ORDER_TERMS.filter((field) => differ(order, [field])),
    ...STAY_TERMS.filter((field) => stays.some((stay) => differ(stay, [field])))
  ]
  // The part of a rate that is for the nights has no name of its own in the record: it is shown with the rate.
  return Array.from(new Set(changed.map((field) => (field === "accommodation_revenue" ? "rate" : field)))).toSorted()
}

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
    return {
      orders: orders.map((order) => order.after),
      stays: orders.flatMap((order) =>
        pairs(order.before.stays, order.after.stays)
          .filter((stay) => differ(stay, [...BASICS, ...RATES, ...REMARKS]))
          .map((stay) => stay.after)
      ),
      nights,
      shares: orders.flatMap(shareChanges),
      updates: orders.flatMap(updatesOf),
      touched: orders.flatMap(touchedOf)
    }
  })

/** Nothing is different. */
export const isEmpty = (change: OrderChange): boolean => change.updates.length === 0
