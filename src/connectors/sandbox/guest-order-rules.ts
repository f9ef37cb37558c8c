import { Result } from "effect"
import { formatMinorUnits } from "../../contract/money.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import type { ChannelOrderEvent, ChannelRoom } from "../../domain/channels/port/channel-events.ts"
import { CHANNEL_ROOMS_MAX, SANDBOX_PAYMENTS_MAX } from "../../platform/limits.ts"
import { CHANNEL_PROFILES } from "./channel-profiles.ts"
import { assignBookingThread, type NewThreadSlot } from "./guest-thread-rules.ts"
import { type MarketplaceSnapshot, releaseRoom, requireListing, takeRoom } from "./marketplace-snapshot.ts"
import { toMajorUnits, toUnits } from "./minor-units.ts"
import {
  acceptOrderIfPaid,
  cancelOrder,
  computeOrderTotal,
  computePaidTotal,
  createOrder,
  holdsNights,
  matchRooms,
  priceStandardRoom,
  type RoomRequest,
  replaceRooms,
  timeOutOrder,
  toRoomId
} from "./order-transitions.ts"
import { computeGuestActionDueTime } from "./outbox-due-times.ts"
import type { SandboxListing, SandboxOrder } from "./rows.ts"
import {
  failConflict,
  failValidation,
  type RuleResult,
  requireOrder,
  type SandboxOrderView,
  toOrderView
} from "./rule-results.ts"
import { type RuleContext, type RuleOutcome, toOrderOutboxEvent } from "./rule-runner.ts"
import type { OutboxEvent } from "./SandboxRepository.ts"

const requireRoomCount = <A>(rooms: ReadonlyArray<A>): RuleResult<readonly [A, ...A[]]> => {
  const [first, ...others] = rooms
  if (first === undefined) return failValidation("listing_id: an order has at least one room.")
  return rooms.length > CHANNEL_ROOMS_MAX
    ? failValidation(`rooms: an order has at most ${CHANNEL_ROOMS_MAX} rooms.`)
    : Result.succeed([first, ...others])
}

const requireOneCurrency = (snapshot: MarketplaceSnapshot, rooms: ReadonlyArray<RoomRequest>): RuleResult<string> => {
  const currencies = new Set(rooms.flatMap(({ listing_id }) => snapshot.listings.get(listing_id)?.currency ?? []))
  const [currency] = currencies
  return currency === undefined || currencies.size > 1
    ? failValidation("listing_id: the listings of one order have one currency.")
    : Result.succeed(currency)
}

export const priceRoom = (
  snapshot: MarketplaceSnapshot,
  request: RoomRequest,
  roomId: string
): RuleResult<ChannelRoom> =>
  Result.map(requireListing(snapshot, request.listing_id), ({ listing, days }) =>
    priceStandardRoom(snapshot.account.channel_type, listing, days, request, roomId)
  )

interface BookingDetails extends NewThreadSlot {
  readonly orderId: string
  readonly rooms: ReadonlyArray<RoomRequest>
  readonly booker: ChannelOrderEvent["booker"]
  readonly remarks: string | undefined
}

export const findCancellationPolicy = (
  { account }: MarketplaceSnapshot,
  listing: SandboxListing | undefined
): string | undefined => {
  const [first] = CHANNEL_PROFILES[account.channel_type].cancellationPolicies
  const selected = listing?.settings["cancellation_policy"]
  return first === undefined ? undefined : typeof selected === "string" ? selected : first
}

export const bookOrderRule =
  ({ orderId, rooms, booker, remarks, ...newThread }: BookingDetails) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxOrderView>> =>
    Result.gen(function* () {
      const requests = yield* requireRoomCount(rooms)
      let snapshot = context.snapshot
      const pricedRooms: Array<ChannelRoom> = []
      for (const [index, room] of requests.entries()) {
        snapshot = yield* takeRoom(snapshot, room)
        pricedRooms.push(yield* priceRoom(context.snapshot, room, toRoomId(index + 1)))
      }
      const currency = yield* requireOneCurrency(snapshot, requests)
      const instant = requests.every(({ listing_id }) => snapshot.listings.get(listing_id)?.instant === true)
      const policy = findCancellationPolicy(snapshot, snapshot.listings.get(requests[0].listing_id))
      const { thread, write: threadWrite } = yield* assignBookingThread(context, booker, newThread)
      const order = createOrder(
        {
          orderId,
          instant,
          currency,
          booker,
          remarks,
          policy,
          threadId: thread.thread_id,
          rooms: yield* requireRoomCount(pricedRooms)
        },
        snapshot.now
      )
      const days = Array.from(snapshot.changedDays.values())
      const write = {
        ...threadWrite,
        order: { before: undefined, after: order },
        days,
        outboxEvents: [...threadWrite.outboxEvents, toOrderOutboxEvent(order, computeGuestActionDueTime(snapshot.now))]
      }
      return { write, answer: toOrderView(context, order, 0n) }
    })

interface SandboxOrderChange {
  readonly checkIn: string | undefined
  readonly checkOut: string | undefined
  readonly listings: ReadonlyArray<string> | undefined
  readonly adults: number | undefined
}

const toRoomRequest = (room: ChannelRoom): RoomRequest => ({
  listing_id: room.listing_id,
  check_in_date: room.check_in_date,
  check_out_date: room.check_out_date,
  adults: room.number_of_adults,
  children: room.number_of_children ?? 0
})

const toRequestedRooms = (
  order: SandboxOrder,
  { checkIn, checkOut, listings, adults }: SandboxOrderChange
): ReadonlyArray<RoomRequest> => {
  const rooms = order.said.rooms.map(toRoomRequest)
  const requestedRooms =
    listings === undefined
      ? rooms
      : listings.map((listing_id) => ({
          ...(rooms.find((room) => room.listing_id === listing_id) ?? toRoomRequest(order.said.rooms[0])),
          listing_id
        }))
  return requestedRooms.map((room) => ({
    ...room,
    check_in_date: checkIn ?? room.check_in_date,
    check_out_date: checkOut ?? room.check_out_date,
    adults: adults ?? room.adults
  }))
}

const isSameStay = (request: RoomRequest, room: ChannelRoom): boolean => {
  const before = toRoomRequest(room)
  return (
    request.check_in_date === before.check_in_date &&
    request.check_out_date === before.check_out_date &&
    request.adults === before.adults
  )
}

/** Releases the nights of dropped rooms before it takes new ones. Unchanged rooms keep their price. */
export const changeOrderRule =
  (change: SandboxOrderChange) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxOrderView>> =>
    Result.gen(function* () {
      const before = yield* requireOrder(context)
      if (!holdsNights(before.status)) return yield* failConflict(`order_id: the order is ${before.status}.`)
      const requests = yield* requireRoomCount(toRequestedRooms(before, change))
      const matches = matchRooms(before, requests)
      const keptRequests = new Map(
        matches.flatMap((each) => (each.room === undefined ? [] : [[each.room.room_id, each.request]]))
      )
      let snapshot = before.said.rooms.reduce(
        (left, room) => releaseRoom(left, room, keptRequests.get(room.room_id)),
        context.snapshot
      )
      const rooms: Array<ChannelRoom> = []
      for (const { request: room, room: previousRoom, roomId } of matches) {
        if (previousRoom !== undefined && isSameStay(room, previousRoom)) rooms.push(previousRoom)
        else {
          snapshot = yield* takeRoom(snapshot, room, previousRoom)
          rooms.push(yield* priceRoom(context.snapshot, room, roomId))
        }
      }
      yield* requireOneCurrency(snapshot, requests)
      const paid = computePaidTotal(before, context.payments)
      const after = replaceRooms(before, yield* requireRoomCount(rooms), paid, snapshot.now)
      if (after === undefined) return yield* failConflict(`order_id: the order is ${before.status}.`)
      const days = Array.from(snapshot.changedDays.values())
      const write = {
        order: { before, after },
        days,
        outboxEvents: [toOrderOutboxEvent(after, computeGuestActionDueTime(snapshot.now))]
      }
      return { write, answer: toOrderView(context, after, paid) }
    })

const endOrderRule =
  (end: (order: SandboxOrder, now: Date) => SandboxOrder | undefined) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxOrderView>> =>
    Result.gen(function* () {
      const before = yield* requireOrder(context)
      const { now } = context.snapshot
      const after = end(before, now)
      if (after === undefined) return yield* failConflict(`order_id: the order is ${before.status}.`)
      const releasedSnapshot = before.said.rooms.reduce(
        (snapshot, room) => releaseRoom(snapshot, room),
        context.snapshot
      )
      const days = Array.from(releasedSnapshot.changedDays.values())
      const write = {
        order: { before, after },
        days,
        outboxEvents: [toOrderOutboxEvent(after, computeGuestActionDueTime(now))]
      }
      return { write, answer: toOrderView(context, after, computePaidTotal(after, context.payments)) }
    })

export const cancelOrderRule = endOrderRule(cancelOrder)
export const timeOutOrderRule = endOrderRule(timeOutOrder)

interface MoneyMovement {
  readonly paymentId: string
  /** In major units. Undefined means the full amount. */
  readonly amount: number | undefined
}

const requireUnits = (
  order: SandboxOrder,
  amount: number | undefined,
  maxUnits: bigint,
  verb: string
): RuleResult<bigint> => {
  const { currency } = order.said
  if (maxUnits <= 0n) return failConflict(`amount: there is nothing to ${verb}.`)
  if (amount === undefined) return Result.succeed(maxUnits)
  const units = toUnits(amount, currency)
  if (units === undefined) return failValidation(`amount: has more decimals than ${currency} has.`)
  if (units <= 0n) return failValidation("amount: must be above zero.")
  return units > maxUnits
    ? failValidation(`amount: there is ${toMajorUnits(maxUnits, currency)} ${currency} to ${verb}.`)
    : Result.succeed(units)
}

const toMoneyOutboxEvent = (
  kind: "payment" | "refund",
  order: SandboxOrder,
  paymentId: string,
  units: bigint,
  now: Date
): OutboxEvent => ({
  kind,
  subject: paymentId,
  version: 1,
  said: {
    type: kind,
    payment_id: paymentId,
    channel_id: order.order_id,
    amount: toMajorUnits(units, order.said.currency),
    currency: order.said.currency,
    paid_at: formatUtcInstant(now)
  },
  due_at: computeGuestActionDueTime(now)
})

export const moveMoneyRule =
  (kind: "payment" | "refund", { paymentId, amount }: MoneyMovement) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxOrderView>> =>
    Result.gen(function* () {
      const before = yield* requireOrder(context)
      const { now } = context.snapshot
      const { currency } = before.said
      if (kind === "payment" && before.status !== "accepted" && before.status !== "wait_pay") {
        return yield* failConflict(`order_id: the order is ${before.status}.`)
      }
      if (context.payments.length >= SANDBOX_PAYMENTS_MAX) {
        return yield* failConflict(`order_id: an order has at most ${SANDBOX_PAYMENTS_MAX} payments.`)
      }
      const paid = computePaidTotal(before, context.payments)
      const unpaidUnits = computeOrderTotal(before) - paid
      const units = yield* requireUnits(
        before,
        amount,
        kind === "payment" ? unpaidUnits : paid,
        kind === "payment" ? "pay" : "give back"
      )
      const after = kind === "payment" ? acceptOrderIfPaid(before, unpaidUnits - units, now) : undefined
      const payment = {
        payment_id: paymentId,
        kind,
        amount: formatMinorUnits(units, currency),
        order_id: before.order_id,
        paid_at: now
      }
      const moneyEvent = toMoneyOutboxEvent(kind, before, paymentId, units, now)
      const outboxEvents =
        after === undefined ? [moneyEvent] : [toOrderOutboxEvent(after, computeGuestActionDueTime(now)), moneyEvent]
      const currentOrder = after ?? before
      const write = { order: { before, after: currentOrder }, payment, outboxEvents }
      return { write, answer: toOrderView(context, currentOrder, kind === "payment" ? paid + units : paid - units) }
    })
