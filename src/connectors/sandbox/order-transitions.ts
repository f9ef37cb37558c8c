import { DAY_MS, formatUtcInstant } from "../../contract/time.ts"
import type { ChannelOrderEvent, ChannelRoom } from "../../domain/channels/port/channel-events.ts"
import { listNights } from "./bookability.ts"
import { CHANNEL_PROFILES, type SandboxChannel } from "./channel-profiles.ts"
import { computeNightPrice, type DaysByDate, findDay } from "./listing-calendar.ts"
import { readNumericSetting } from "./listing-settings.ts"
import { computePercentage, parseUnits, toMajorUnits, toRoundedUnits } from "./minor-units.ts"
import type { SandboxListing, SandboxOrder, SandboxPayment } from "./rows.ts"

type SandboxOrderStatus = SandboxOrder["status"]

export const holdsNights = (status: SandboxOrderStatus): boolean =>
  status === "wait_accept" || status === "wait_pay" || status === "accepted"

export interface RoomRequest {
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly adults: number
  readonly children: number
}

const CLEANING_FEE_SETTING = "cleaning_fee"

/** In minor units. The other amounts include the commission. */
interface RoomCost {
  readonly accommodation: bigint
  readonly cleaning: bigint
  readonly taxes: bigint
  readonly commission: bigint
}

const toChannelRoom = (
  channel: SandboxChannel,
  { currency, tax, commission: percent }: SandboxListing,
  request: RoomRequest,
  roomId: string,
  { accommodation, cleaning, taxes, commission }: RoomCost
): ChannelRoom => {
  const nights = listNights({ checkIn: request.check_in_date, checkOut: request.check_out_date }).length
  const detail = (type: string, description: string, units: bigint) =>
    units === 0n ? [] : [{ type, description, amount: toMajorUnits(units, currency) }]
  const details = [
    ...detail("ACCOMMODATION", `${nights} night${nights === 1 ? "" : "s"}`, accommodation),
    ...detail("CLEANING_FEE", "Cleaning", cleaning),
    ...detail("TAXES", `${tax} % tax`, taxes),
    ...detail("HOST_SERVICE_FEE", `${percent} % commission`, commission)
  ]
  return {
    room_id: roomId,
    listing_id: request.listing_id,
    check_in_date: request.check_in_date,
    check_out_date: request.check_out_date,
    number_of_adults: request.adults,
    number_of_children: request.children,
    rate: toMajorUnits(accommodation + cleaning + taxes, currency),
    commission: toMajorUnits(commission, currency),
    accommodation: toMajorUnits(accommodation, currency),
    ...(CHANNEL_PROFILES[channel].itemizesRate ? { details } : {})
  }
}

export const priceStandardRoom = (
  channel: SandboxChannel,
  listing: SandboxListing,
  days: DaysByDate,
  request: RoomRequest,
  roomId: string
): ChannelRoom => {
  const nights = listNights({ checkIn: request.check_in_date, checkOut: request.check_out_date })
  const accommodation = nights.reduce(
    (sum, night) => sum + computeNightPrice(listing, findDay(listing, days, night)),
    0n
  )
  const cleaning = toRoundedUnits(readNumericSetting(listing, CLEANING_FEE_SETTING) ?? 0, listing.currency)
  const taxes = computePercentage(accommodation + cleaning, listing.tax)
  const commission = computePercentage(accommodation + cleaning, listing.commission)
  return toChannelRoom(channel, listing, request, roomId, { accommodation, cleaning, taxes, commission })
}

export const priceRoomAt = (
  price: number,
  channel: SandboxChannel,
  listing: SandboxListing,
  request: RoomRequest,
  roomId: string
): ChannelRoom => {
  const accommodation = toRoundedUnits(price, listing.currency)
  const commission = computePercentage(accommodation, listing.commission)
  return toChannelRoom(channel, listing, request, roomId, { accommodation, cleaning: 0n, taxes: 0n, commission })
}

/** Returns minor units. */
export const computeOrderTotal = ({ said }: SandboxOrder): bigint =>
  said.rooms.reduce((sum, { rate }) => sum + toRoundedUnits(rate, said.currency), 0n)

/** Returns minor units. */
export const computePaidTotal = (
  { said: { currency } }: SandboxOrder,
  payments: ReadonlyArray<SandboxPayment>
): bigint =>
  payments.reduce((sum, { kind, amount }) => sum + (kind === "payment" ? 1n : -1n) * parseUnits(amount, currency), 0n)

interface OrderDetails {
  readonly orderId: string
  readonly instant: boolean
  readonly currency: string
  readonly booker: ChannelOrderEvent["booker"]
  readonly remarks: string | undefined
  readonly policy: string | undefined
  readonly threadId: string
  readonly rooms: readonly [ChannelRoom, ...ChannelRoom[]]
}

export const createOrder = ({ orderId, instant, rooms, ...details }: OrderDetails, now: Date): SandboxOrder => {
  const status = instant ? "accepted" : "wait_accept"
  const said: ChannelOrderEvent = {
    type: "order",
    version: 1,
    channel_id: orderId,
    status,
    booked_at: formatUtcInstant(now),
    currency: details.currency,
    booker: details.booker,
    ...(details.remarks === undefined ? {} : { remarks: details.remarks }),
    ...(details.policy === undefined ? {} : { cancellation_policy_category: details.policy }),
    thread_id: details.threadId,
    rooms
  }
  const order = { order_id: orderId, version: 1, status, answer: null, expires_at: null, said, booked_at: now } as const
  return withStatus(order, status, now)
}

const withStatus = (order: SandboxOrder, status: SandboxOrderStatus, now: Date): SandboxOrder => {
  const defaultExpiry = status === "wait_accept" || status === "wait_pay" ? new Date(now.getTime() + DAY_MS) : null
  const expires_at = status === order.status && order.expires_at !== null ? order.expires_at : defaultExpiry
  const { expires_at: _before, ...said } = order.said
  return {
    ...order,
    status,
    expires_at,
    said: {
      ...said,
      status,
      version: order.version,
      ...(expires_at === null ? {} : { expires_at: formatUtcInstant(expires_at) })
    }
  }
}

const toNextVersion = (
  order: SandboxOrder,
  status: SandboxOrderStatus,
  now: Date,
  change: Partial<Pick<SandboxOrder, "answer" | "said">> = {}
): SandboxOrder => withStatus({ ...order, ...change, version: order.version + 1 }, status, now)

type OrderTransition = SandboxOrder | undefined

export const approveOrder = (
  channel: SandboxChannel,
  order: SandboxOrder,
  unpaidUnits: bigint,
  now: Date
): OrderTransition =>
  order.status === "wait_accept"
    ? toNextVersion(
        order,
        CHANNEL_PROFILES[channel].requiresPaymentAfterApproval && unpaidUnits > 0n ? "wait_pay" : "accepted",
        now,
        {
          answer: "approved"
        }
      )
    : undefined

export const declineOrder = (order: SandboxOrder, now: Date): OrderTransition =>
  order.status === "wait_accept" ? toNextVersion(order, "denied", now, { answer: "declined" }) : undefined

export const cancelOrder = (order: SandboxOrder, now: Date): OrderTransition =>
  holdsNights(order.status) ? toNextVersion(order, "cancelled", now) : undefined

export const timeOutOrder = (order: SandboxOrder, now: Date): OrderTransition =>
  order.status === "wait_accept" || order.status === "wait_pay" ? toNextVersion(order, "timeout", now) : undefined

export const replaceRooms = (
  order: SandboxOrder,
  rooms: readonly [ChannelRoom, ...ChannelRoom[]],
  paid: bigint,
  now: Date
): OrderTransition => {
  if (!holdsNights(order.status)) return undefined
  const said = { ...order.said, rooms }
  const isPaid = order.status === "wait_pay" && computeOrderTotal({ ...order, said }) <= paid
  return toNextVersion(order, isPaid ? "accepted" : order.status, now, { said })
}

export const acceptOrderIfPaid = (order: SandboxOrder, unpaidUnits: bigint, now: Date): OrderTransition =>
  order.status === "wait_pay" && unpaidUnits <= 0n ? toNextVersion(order, "accepted", now) : undefined

export const assignThread = (order: SandboxOrder, threadId: string, now: Date): SandboxOrder =>
  toNextVersion(order, order.status, now, { said: { ...order.said, thread_id: threadId } })

export const matchRooms = (
  order: SandboxOrder,
  requests: ReadonlyArray<RoomRequest>
): ReadonlyArray<{
  readonly request: RoomRequest
  readonly room: ChannelRoom | undefined
  readonly roomId: string
}> => {
  const unmatchedRooms = [...order.said.rooms]
  let number = Math.max(0, ...order.said.rooms.map(({ room_id }) => Number(room_id.slice(ROOM_ID_PREFIX.length)) || 0))
  return requests.map((request) => {
    const at = unmatchedRooms.findIndex(({ listing_id }) => listing_id === request.listing_id)
    const room = at < 0 ? undefined : unmatchedRooms.splice(at, 1)[0]
    if (room === undefined) number += 1
    return { request, room, roomId: room?.room_id ?? toRoomId(number) }
  })
}

const ROOM_ID_PREFIX = "R"
export const toRoomId = (number: number): string => `${ROOM_ID_PREFIX}${number}`
