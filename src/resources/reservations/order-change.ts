import { Option, Result } from "effect"
import { minorUnits } from "../../contract/money.ts"
import { type Share, sharesOf } from "../transactions/rules.ts"
import { heldNights, keyOf, type Night } from "./nights.ts"
import { fourDecimals, type OrderState, type StayState } from "./order-state.ts"

// What has to be written for orders to become what they should be.

/** A night that gets another holder, or none. */
export interface NightChange extends Night {
  readonly stayId: number | null
  /** The stay that gives it up to this one, null when it was free before or is now. */
  readonly takenFrom: number | null
}

/** An event `reservation_updated`. */
export interface Update {
  readonly reservationCode: string
  readonly stayCode: string
  readonly propertyId: number | null
  readonly subEvent: "rates_updated" | "remarks_updated" | null
}

export interface OrderChange {
  /** Every order the change was worked out from, as it should be. */
  readonly orders: ReadonlyArray<OrderState>
  readonly stays: ReadonlyArray<StayState>
  readonly nights: ReadonlyArray<NightChange>
  readonly shares: ReadonlyArray<Share & { readonly transactionId: number }>
  readonly updates: ReadonlyArray<Update>
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

const RATES = ["rate", "commission", "revenue"] as const satisfies ReadonlyArray<keyof StayState>
const REMARKS = ["remarks"] as const satisfies ReadonlyArray<keyof StayState>
const BASICS = [
  "propertyId",
  "checkIn",
  "checkOut",
  "numberOfGuests",
  "guestName",
  "guestPhone",
  "guestEmail"
] as const satisfies ReadonlyArray<keyof StayState>
const ORDER_BASICS = ["status", "creator", "customChannelId"] as const satisfies ReadonlyArray<keyof OrderState>

/** One event for each kind of thing that changed on a stay; what changed on the order changed on all its stays. */
const updatesOf = (order: Pair<OrderState>): ReadonlyArray<Update> =>
  pairs(order.before.stays, order.after.stays).flatMap((stay) => {
    const about = (subEvent: Update["subEvent"]): Update => ({
      reservationCode: order.after.reservationCode,
      stayCode: stay.after.stayCode,
      propertyId: stay.after.propertyId,
      subEvent
    })
    return [
      ...(differ(order, ORDER_BASICS) || differ(stay, BASICS) ? [about(null)] : []),
      ...(differ(order, ["currency"]) || differ(stay, RATES) ? [about("rates_updated")] : []),
      ...(differ(stay, REMARKS) ? [about("remarks_updated")] : [])
    ]
  })

const holdersOf = (
  orders: ReadonlyArray<OrderState>
): Result.Result<ReadonlyMap<string, Night & { stayId: number }>, Overlap> => {
  const holders = new Map<string, Night & { stayId: number }>()
  for (const order of orders) {
    for (const stay of order.stays) {
      for (const night of heldNights(order.status, stay)) {
        if (holders.has(keyOf(night))) return Result.fail({ night })
        holders.set(keyOf(night), { ...night, stayId: stay.id })
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
      .map(({ propertyId, day }) => ({ propertyId, day, stayId: null, takenFrom: null }))
    const taken = Array.from(after.values())
      .filter((night) => before.get(keyOf(night))?.stayId !== night.stayId)
      .map((night) => ({ ...night, takenFrom: before.get(keyOf(night))?.stayId ?? null }))
    return [...freed, ...taken]
  })

/** The split of an order's entries moves with the revenue of its stays (specification, Transaction rule 1). */
const shareChanges = (order: Pair<OrderState>): OrderChange["shares"] =>
  pairs(order.before.stays, order.after.stays).some((stay) => differ(stay, ["revenue"]))
    ? order.after.entries.flatMap((entry) =>
        sharesOf(unitsOf(entry.amount, order.after.currency), order.after.currency, weights(order.after.stays)).map(
          (share) => ({ ...share, transactionId: entry.id })
        )
      )
    : []

const weights = (stays: ReadonlyArray<StayState>) =>
  stays.map(({ id, revenue }) => ({ id, revenue: fourDecimals(revenue) }))

/** An entry was only accepted in whole smallest units of the order's currency. */
const unitsOf = (amount: string, currency: string): bigint => Option.getOrThrow(minorUnits(Number(amount), currency))

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
      updates: orders.flatMap(updatesOf)
    }
  })

/** Nothing is different. */
export const isEmpty = (change: OrderChange): boolean => change.updates.length === 0
