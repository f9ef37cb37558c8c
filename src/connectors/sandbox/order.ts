import { DAY_MS, instantText } from "../../contract/time.ts"
import type { OrderSaid, RoomSaid } from "../../domain/channels/port/said.ts"
import { majorOf, percentOf, roundedUnits, unitsOfText } from "./amounts.ts"
import { type Days, dayOf, priceOf } from "./calendar.ts"
import { DIFFERENCES, type SandboxChannel } from "./channels.ts"
import type { Listing, Order, Payment } from "./rows.ts"
import { nightsOf } from "./selling.ts"
import { settingOf } from "./settings.ts"

// An order as its marketplace has it, and what it becomes. Every change raises its version.

type Status = Order["status"]

/** Whether an order keeps its nights from others: a request does, while it waits. */
export const holds = (status: Status): boolean =>
  status === "wait_accept" || status === "wait_pay" || status === "accepted"

/** What a guest asks for: one room of a listing. */
export interface RoomAsked {
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly adults: number
  readonly children: number
}

const CLEANING = "cleaning_fee"

/** What a room costs, in smallest units; the commission is a part of it. */
interface Cost {
  readonly accommodation: bigint
  readonly cleaning: bigint
  readonly taxes: bigint
  readonly commission: bigint
}

const costing = (
  channel: SandboxChannel,
  { currency, tax, commission: percent }: Listing,
  asked: RoomAsked,
  roomId: string,
  { accommodation, cleaning, taxes, commission }: Cost
): RoomSaid => {
  const nights = nightsOf({ checkIn: asked.check_in_date, checkOut: asked.check_out_date }).length
  const detail = (type: string, description: string, units: bigint) =>
    units === 0n ? [] : [{ type, description, amount: majorOf(units, currency) }]
  const details = [
    ...detail("ACCOMMODATION", `${nights} night${nights === 1 ? "" : "s"}`, accommodation),
    ...detail("CLEANING_FEE", "Cleaning", cleaning),
    ...detail("TAXES", `${tax} % tax`, taxes),
    ...detail("HOST_SERVICE_FEE", `${percent} % commission`, commission)
  ]
  return {
    room_id: roomId,
    listing_id: asked.listing_id,
    check_in_date: asked.check_in_date,
    check_out_date: asked.check_out_date,
    number_of_adults: asked.adults,
    number_of_children: asked.children,
    rate: majorOf(accommodation + cleaning + taxes, currency),
    commission: majorOf(commission, currency),
    accommodation: majorOf(accommodation, currency),
    ...(DIFFERENCES[channel].itemizes ? { details } : {})
  }
}

/** A room at the standard price: the nights, the cleaning and the taxes on both. */
export const pricedRoom = (
  channel: SandboxChannel,
  listing: Listing,
  days: Days,
  asked: RoomAsked,
  roomId: string
): RoomSaid => {
  const nights = nightsOf({ checkIn: asked.check_in_date, checkOut: asked.check_out_date })
  const accommodation = nights.reduce((sum, night) => sum + priceOf(listing, dayOf(listing, days, night)), 0n)
  const cleaning = roundedUnits(settingOf(listing, CLEANING) ?? 0, listing.currency)
  const taxes = percentOf(accommodation + cleaning, listing.tax)
  const commission = percentOf(accommodation + cleaning, listing.commission)
  return costing(channel, listing, asked, roomId, { accommodation, cleaning, taxes, commission })
}

/** A room at a price that its host has made for the whole stay: nothing comes on top. */
export const roomAt = (
  price: number,
  channel: SandboxChannel,
  listing: Listing,
  asked: RoomAsked,
  roomId: string
): RoomSaid => {
  const accommodation = roundedUnits(price, listing.currency)
  const commission = percentOf(accommodation, listing.commission)
  return costing(channel, listing, asked, roomId, { accommodation, cleaning: 0n, taxes: 0n, commission })
}

/** What the guest pays for all rooms, in smallest units. */
export const totalOf = ({ said }: Order): bigint =>
  said.rooms.reduce((sum, { rate }) => sum + roundedUnits(rate, said.currency), 0n)

/** What was paid and not given back, in smallest units. */
export const paidOf = ({ said: { currency } }: Order, payments: ReadonlyArray<Payment>): bigint =>
  payments.reduce((sum, { kind, amount }) => sum + (kind === "payment" ? 1n : -1n) * unitsOfText(amount, currency), 0n)

interface NewOrder {
  readonly orderId: string
  readonly instant: boolean
  readonly currency: string
  readonly booker: OrderSaid["booker"]
  readonly remarks: string | undefined
  readonly policy: string | undefined
  readonly threadId: string
  readonly rooms: readonly [RoomSaid, ...RoomSaid[]]
}

/** A new order, the first of its versions. */
export const newOrder = ({ orderId, instant, rooms, ...given }: NewOrder, now: Date): Order => {
  const status = instant ? "accepted" : "wait_accept"
  const said: OrderSaid = {
    type: "order",
    version: 1,
    channel_id: orderId,
    status,
    booked_at: instantText(now),
    currency: given.currency,
    booker: given.booker,
    ...(given.remarks === undefined ? {} : { remarks: given.remarks }),
    ...(given.policy === undefined ? {} : { cancellation_policy_category: given.policy }),
    thread_id: given.threadId,
    rooms
  }
  const order = { order_id: orderId, version: 1, status, answer: null, expires_at: null, said, booked_at: now } as const
  return standing(order, status, now)
}

/** What waits, waits for a day. */
const standing = (order: Order, status: Status, now: Date): Order => {
  const expires = status === "wait_accept" || status === "wait_pay" ? new Date(now.getTime() + DAY_MS) : null
  const expires_at = status === order.status && order.expires_at !== null ? order.expires_at : expires
  const { expires_at: _before, ...said } = order.said
  return {
    ...order,
    status,
    expires_at,
    said: {
      ...said,
      status,
      version: order.version,
      ...(expires_at === null ? {} : { expires_at: instantText(expires_at) })
    }
  }
}

/** The next version of an order. */
const next = (order: Order, status: Status, now: Date, change: Partial<Pick<Order, "answer" | "said">> = {}): Order =>
  standing({ ...order, ...change, version: order.version + 1 }, status, now)

/** Undefined: an order that stands so cannot become that. */
type Becoming = Order | undefined

/** The host agreed: it waits for the payment where the channel does so, unless nothing is left to pay. */
export const approved = (channel: SandboxChannel, order: Order, left: bigint, now: Date): Becoming =>
  order.status === "wait_accept"
    ? next(order, DIFFERENCES[channel].paidAfterApproval && left > 0n ? "wait_pay" : "accepted", now, {
        answer: "approved"
      })
    : undefined

export const declined = (order: Order, now: Date): Becoming =>
  order.status === "wait_accept" ? next(order, "denied", now, { answer: "declined" }) : undefined

export const cancelled = (order: Order, now: Date): Becoming =>
  holds(order.status) ? next(order, "cancelled", now) : undefined

/** Nobody answered, or nobody paid. */
export const timedOut = (order: Order, now: Date): Becoming =>
  order.status === "wait_accept" || order.status === "wait_pay" ? next(order, "timeout", now) : undefined

/**
 * With other rooms, of which so much was `paid`; the terms of a request that waits are asked for as they are now. What waits
 * for a payment waits no longer where enough was paid.
 */
export const changedRooms = (
  order: Order,
  rooms: readonly [RoomSaid, ...RoomSaid[]],
  paid: bigint,
  now: Date
): Becoming => {
  if (!holds(order.status)) return undefined
  const said = { ...order.said, rooms }
  const isPaid = order.status === "wait_pay" && totalOf({ ...order, said }) <= paid
  return next(order, isPaid ? "accepted" : order.status, now, { said })
}

/** After a payment that leaves so much: what waited for it is agreed when nothing is left. Undefined: it stays as it is. */
export const paidUp = (order: Order, left: bigint, now: Date): Becoming =>
  order.status === "wait_pay" && left <= 0n ? next(order, "accepted", now) : undefined

/** An order of which nobody had said a thread. */
export const inThread = (order: Order, threadId: string, now: Date): Order =>
  next(order, order.status, now, { said: { ...order.said, thread_id: threadId } })

/** Which of the rooms asked for are rooms that are there: known again by their listing, first come first. */
export const knownRooms = (
  order: Order,
  asked: ReadonlyArray<RoomAsked>
): ReadonlyArray<{ readonly asked: RoomAsked; readonly room: RoomSaid | undefined; readonly roomId: string }> => {
  const left = [...order.said.rooms]
  let number = Math.max(0, ...order.said.rooms.map(({ room_id }) => Number(room_id.slice(ROOM.length)) || 0))
  return asked.map((each) => {
    const at = left.findIndex(({ listing_id }) => listing_id === each.listing_id)
    const room = at < 0 ? undefined : left.splice(at, 1)[0]
    if (room === undefined) number += 1
    return { asked: each, room, roomId: room?.room_id ?? roomName(number) }
  })
}

const ROOM = "R"
export const roomName = (number: number): string => `${ROOM}${number}`
