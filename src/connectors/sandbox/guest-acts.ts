import { Result } from "effect"
import { decimalText } from "../../contract/money.ts"
import { instantText } from "../../contract/time.ts"
import type { OrderSaid, RoomSaid } from "../../domain/channels/port/said.ts"
import { CHANNEL_ROOMS, SANDBOX_PAYMENTS } from "../../platform/limits.ts"
import { majorOf, unitsOfNumber } from "./amounts.ts"
import type { Word } from "./Books.ts"
import { type Becomes, type Found, orderWord } from "./changing.ts"
import { DIFFERENCES } from "./channels.ts"
import { saidWithAct } from "./due.ts"
import { conflict, invalid, type Judged, type OrderSeen, orderOf, orderSeen } from "./judging.ts"
import {
  cancelled,
  changedRooms,
  holds,
  knownRooms,
  newOrder,
  paidOf,
  paidUp,
  pricedRoom,
  type RoomAsked,
  roomName,
  timedOut,
  totalOf
} from "./order.ts"
import type { Listing, Order } from "./rows.ts"
import { giveBack, listingIn, type Scene, takeRoom } from "./scene.ts"
import { bookedIn, type Newcomer } from "./thread-acts.ts"

// What guests do at the marketplace, and what becomes of it: pure rules over what was read.

/** At least one, and as many as an order has room for. */
const roomsWithin = <A>(rooms: ReadonlyArray<A>): Judged<readonly [A, ...A[]]> => {
  const [first, ...others] = rooms
  if (first === undefined) return invalid("listing_id: an order has at least one room.")
  return rooms.length > CHANNEL_ROOMS
    ? invalid(`rooms: an order has at most ${CHANNEL_ROOMS} rooms.`)
    : Result.succeed([first, ...others])
}

const oneCurrency = (scene: Scene, rooms: ReadonlyArray<RoomAsked>): Judged<string> => {
  const currencies = new Set(rooms.flatMap(({ listing_id }) => scene.listings.get(listing_id)?.currency ?? []))
  const [currency] = currencies
  return currency === undefined || currencies.size > 1
    ? invalid("listing_id: the listings of one order have one currency.")
    : Result.succeed(currency)
}

export const priced = (scene: Scene, asked: RoomAsked, roomId: string): Judged<RoomSaid> =>
  Result.map(listingIn(scene, asked.listing_id), ({ listing, days }) =>
    pricedRoom(scene.account.channel_type, listing, days, asked, roomId)
  )

export interface Booking extends Newcomer {
  readonly orderId: string
  readonly rooms: ReadonlyArray<RoomAsked>
  readonly booker: OrderSaid["booker"]
  readonly remarks: string | undefined
}

/** What the channel says of an order's cancellation, where it says anything: what its listing has chosen. */
export const policyOf = ({ account }: Scene, listing: Listing | undefined): string | undefined => {
  const [first] = DIFFERENCES[account.channel_type].cancellationPolicies
  const chosen = listing?.settings["cancellation_policy"]
  return first === undefined ? undefined : typeof chosen === "string" ? chosen : first
}

/** A guest books. It is sold at once where every listing is sold so. */
export const booking =
  ({ orderId, rooms, booker, remarks, ...where }: Booking) =>
  (found: Found): Judged<Becomes<OrderSeen>> =>
    Result.gen(function* () {
      const asked = yield* roomsWithin(rooms)
      let scene = found.scene
      const priceds: Array<RoomSaid> = []
      for (const [at, room] of asked.entries()) {
        scene = yield* takeRoom(scene, room)
        priceds.push(yield* priced(found.scene, room, roomName(at + 1)))
      }
      const currency = yield* oneCurrency(scene, asked)
      const instant = asked.every(({ listing_id }) => scene.listings.get(listing_id)?.instant === true)
      const policy = policyOf(scene, scene.listings.get(asked[0].listing_id))
      const { thread, told } = yield* bookedIn(found, booker, where)
      const order = newOrder(
        {
          orderId,
          instant,
          currency,
          booker,
          remarks,
          policy,
          threadId: thread.thread_id,
          rooms: yield* roomsWithin(priceds)
        },
        scene.now
      )
      const days = Array.from(scene.changed.values())
      const writing = {
        ...told,
        order: { before: undefined, after: order },
        days,
        words: [...told.words, orderWord(order, saidWithAct(scene.now))]
      }
      return { writing, answer: orderSeen(found, order, 0n) }
    })

/** What a guest wants another of an order: undefined stays. */
export interface Change {
  readonly checkIn: string | undefined
  readonly checkOut: string | undefined
  /** A room of each, in the place of those there are. */
  readonly listings: ReadonlyArray<string> | undefined
  readonly adults: number | undefined
}

/** A room that is asked for as it is. */
const asBefore = (room: RoomSaid): RoomAsked => ({
  listing_id: room.listing_id,
  check_in_date: room.check_in_date,
  check_out_date: room.check_out_date,
  adults: room.number_of_adults,
  children: room.number_of_children ?? 0
})

const askedRooms = (order: Order, { checkIn, checkOut, listings, adults }: Change): ReadonlyArray<RoomAsked> => {
  const rooms = order.said.rooms.map(asBefore)
  const wanted =
    listings === undefined
      ? rooms
      : listings.map((listing_id) => ({
          ...(rooms.find((room) => room.listing_id === listing_id) ?? asBefore(order.said.rooms[0])),
          listing_id
        }))
  return wanted.map((room) => ({
    ...room,
    check_in_date: checkIn ?? room.check_in_date,
    check_out_date: checkOut ?? room.check_out_date,
    adults: adults ?? room.adults
  }))
}

const isSame = (asked: RoomAsked, room: RoomSaid): boolean => {
  const before = asBefore(room)
  return (
    asked.check_in_date === before.check_in_date &&
    asked.check_out_date === before.check_out_date &&
    asked.adults === before.adults
  )
}

/** A guest wants other dates or other rooms: what is dropped is free before what is new is taken. A room as it was costs what it did. */
export const changing =
  (change: Change) =>
  (found: Found): Judged<Becomes<OrderSeen>> =>
    Result.gen(function* () {
      const before = yield* orderOf(found)
      if (!holds(before.status)) return yield* conflict(`order_id: the order is ${before.status}.`)
      const asked = yield* roomsWithin(askedRooms(before, change))
      const known = knownRooms(before, asked)
      const kept = new Map(known.flatMap((each) => (each.room === undefined ? [] : [[each.room.room_id, each.asked]])))
      let scene = before.said.rooms.reduce((left, room) => giveBack(left, room, kept.get(room.room_id)), found.scene)
      const rooms: Array<RoomSaid> = []
      for (const { asked: room, room: was, roomId } of known) {
        if (was !== undefined && isSame(room, was)) rooms.push(was)
        else {
          scene = yield* takeRoom(scene, room, was)
          rooms.push(yield* priced(found.scene, room, roomId))
        }
      }
      yield* oneCurrency(scene, asked)
      const paid = paidOf(before, found.payments)
      const after = changedRooms(before, yield* roomsWithin(rooms), paid, scene.now)
      if (after === undefined) return yield* conflict(`order_id: the order is ${before.status}.`)
      const days = Array.from(scene.changed.values())
      const writing = { order: { before, after }, days, words: [orderWord(after, saidWithAct(scene.now))] }
      return { writing, answer: orderSeen(found, after, paid) }
    })

const ending =
  (end: (order: Order, now: Date) => Order | undefined) =>
  (found: Found): Judged<Becomes<OrderSeen>> =>
    Result.gen(function* () {
      const before = yield* orderOf(found)
      const { now } = found.scene
      const after = end(before, now)
      if (after === undefined) return yield* conflict(`order_id: the order is ${before.status}.`)
      const freed = before.said.rooms.reduce((scene, room) => giveBack(scene, room), found.scene)
      const days = Array.from(freed.changed.values())
      const writing = { order: { before, after }, days, words: [orderWord(after, saidWithAct(now))] }
      return { writing, answer: orderSeen(found, after, paidOf(after, found.payments)) }
    })

export const cancelling = ending(cancelled)
export const lettingTimeOut = ending(timedOut)

export interface Money {
  readonly paymentId: string
  /** Major units; undefined: all that there is to pay, or to give back. */
  readonly amount: number | undefined
}

/** 422 for an amount that is no amount, or more than there is. */
const amountOf = (order: Order, asked: number | undefined, most: bigint, what: string): Judged<bigint> => {
  const { currency } = order.said
  if (most <= 0n) return conflict(`amount: there is nothing to ${what}.`)
  if (asked === undefined) return Result.succeed(most)
  const units = unitsOfNumber(asked, currency)
  if (units === undefined) return invalid(`amount: has more decimals than ${currency} has.`)
  if (units <= 0n) return invalid("amount: must be above zero.")
  return units > most
    ? invalid(`amount: there is ${majorOf(most, currency)} ${currency} to ${what}.`)
    : Result.succeed(units)
}

const moneyWord = (kind: "payment" | "refund", order: Order, paymentId: string, units: bigint, now: Date): Word => ({
  kind,
  subject: paymentId,
  version: 1,
  said: {
    type: kind,
    payment_id: paymentId,
    channel_id: order.order_id,
    amount: majorOf(units, order.said.currency),
    currency: order.said.currency,
    paid_at: instantText(now)
  },
  due_at: saidWithAct(now)
})

/** The guest pays, or gets money back. What waited for the payment is agreed when nothing is left to pay. */
export const moving =
  (kind: "payment" | "refund", { paymentId, amount }: Money) =>
  (found: Found): Judged<Becomes<OrderSeen>> =>
    Result.gen(function* () {
      const before = yield* orderOf(found)
      const { now } = found.scene
      const { currency } = before.said
      if (kind === "payment" && before.status !== "accepted" && before.status !== "wait_pay") {
        return yield* conflict(`order_id: the order is ${before.status}.`)
      }
      if (found.payments.length >= SANDBOX_PAYMENTS) {
        return yield* conflict(`order_id: an order has at most ${SANDBOX_PAYMENTS} payments.`)
      }
      const paid = paidOf(before, found.payments)
      const left = totalOf(before) - paid
      const units = yield* amountOf(
        before,
        amount,
        kind === "payment" ? left : paid,
        kind === "payment" ? "pay" : "give back"
      )
      const after = kind === "payment" ? paidUp(before, left - units, now) : undefined
      const payment = {
        payment_id: paymentId,
        kind,
        amount: decimalText(units, currency),
        order_id: before.order_id,
        paid_at: now
      }
      const money = moneyWord(kind, before, paymentId, units, now)
      const words = after === undefined ? [money] : [orderWord(after, saidWithAct(now)), money]
      const stands = after ?? before
      const writing = { order: { before, after: stands }, payment, words }
      return { writing, answer: orderSeen(found, stands, kind === "payment" ? paid + units : paid - units) }
    })
