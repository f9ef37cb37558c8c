import type { Status } from "./record.ts"

// An order as rules see it: what they need to know of it, and what they may change. A change is worked out as the state
// there should be; what that means for nights, splits and events follows from the difference (order-change.ts).

/** Decimal text as `numeric` takes and gives it. */
export type Decimal = string

/** The amount with four decimals, as `numeric(18, 4)` has: weights of a split are compared digit by digit. */
export const fourDecimals = (amount: Decimal): Decimal => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return `${whole}.${fraction.padEnd(4, "0")}`
}

export interface StayState {
  readonly id: number
  readonly stayCode: string
  /** Null in the reservation box. */
  readonly propertyId: number | null
  readonly checkIn: string
  readonly checkOut: string
  readonly numberOfGuests: number
  readonly guestName: string | null
  readonly guestPhone: string | null
  readonly guestEmail: string | null
  /** Including the commission. */
  readonly rate: Decimal
  readonly commission: Decimal | null
  /** The weight of this stay in the split of the order's entries. */
  readonly revenue: Decimal
  readonly remarks: string
}

export interface EntryState {
  readonly id: number
  readonly amount: Decimal
}

export interface OrderState {
  readonly id: number
  readonly version: number
  readonly reservationCode: string
  readonly channelType: string
  readonly channelId: string
  readonly status: Status
  readonly cancelledAt: Date | null
  readonly currency: string
  readonly creator: string
  readonly customChannelId: number | null
  readonly stays: ReadonlyArray<StayState>
  /** The income and expense entries of the order, which are split over its stays. */
  readonly entries: ReadonlyArray<EntryState>
}

/** Made by hand, not by a channel: its dates and its price are the host's. */
export const isManual = (order: Pick<OrderState, "channelType">): boolean => order.channelType === "direct"

/** Ended, one way or another: it holds nothing and never will. */
export const isOver = (order: Pick<OrderState, "status">): boolean =>
  order.status === "cancelled" || order.status === "denied" || order.status === "timeout"
