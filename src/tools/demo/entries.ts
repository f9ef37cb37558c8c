import { addDays, instantOf } from "../../contract/time.ts"
import type { DemoOrder } from "./orders.ts"
import { DEMO_PROPERTIES } from "./properties.ts"

/** An income or expense of the demo operator, on an order, on a property, or (neither) on the operator as a whole. */
export interface DemoEntry {
  readonly direction: "income" | "expense"
  readonly amount: number
  readonly currency: string
  readonly itemId: number
  readonly methodId: number
  readonly actionAt: Date
  readonly note: string
  readonly by: "System" | "host"
  readonly order?: DemoOrder
  /** Place in DEMO_PROPERTIES. */
  readonly property?: number
}

// Ids of the built-in dictionaries (domain/money/dictionaries.ts).
const INCOME = { roomFee: 11, deposit: 12, compensation: 16, other: 17 } as const
const EXPENSE = {
  cleaning: 51,
  laundry: 52,
  maintenance: 53,
  utilities: 55,
  commission: 56,
  rent: 57,
  other: 60
} as const
const RECEIVED_BY = { bookingSite: 27, stripe: 34, transfer: 36, creditCard: 196, cash: 197 } as const
const PAID_BY = { cash: 301, transfer: 302, creditCard: 303 } as const

const COMMISSION_PERCENT = 15

const revenueOf = (order: DemoOrder): number => order.stays.reduce((sum, stay) => sum + stay.revenue, 0)

/** Percent of an amount, to the cent. */
const percent = (amount: number, of: number): number => Math.round(amount * of) / 100

/** What the channel keeps of a revenue; the host's own channels keep nothing. */
export const commissionOf = (channelType: string, revenue: number): number =>
  channelType === "direct" || channelType === "booking_site" ? 0 : percent(revenue, COMMISSION_PERCENT)

const moneyCameBy = ({ channelType }: DemoOrder, index: number): number => {
  if (channelType === "direct") return index % 2 === 0 ? RECEIVED_BY.creditCard : RECEIVED_BY.cash
  return channelType === "booking_site" ? RECEIVED_BY.bookingSite : RECEIVED_BY.transfer
}

/** Of an order that is still to come: in the future, so outstanding until the guest arrives. */
const depositOf = (order: DemoOrder, timeZone: string): DemoEntry => ({
  order,
  currency: order.currency,
  direction: "income",
  amount: percent(revenueOf(order), 30),
  itemId: INCOME.deposit,
  methodId: RECEIVED_BY.stripe,
  actionAt: instantOf(`${order.stays[0].checkIn}T15:00:00`, timeZone),
  note: "Deposit, due on arrival",
  by: "host"
})

/** What an accepted order brings and costs: the room fee on arrival, the channel's commission, a deposit for the next weeks. */
const entriesOf = (order: DemoOrder, index: number, today: string, timeZone: string): ReadonlyArray<DemoEntry> => {
  const direct = order.channelType === "direct"
  const [{ checkIn }] = order.stays
  if (order.status !== "accepted") return []
  if (checkIn > today) return direct ? [depositOf(order, timeZone)] : []
  const payout = {
    order,
    currency: order.currency,
    actionAt: instantOf(`${checkIn}T00:30:00`, timeZone),
    by: direct ? "host" : "System"
  } as const
  const fee: DemoEntry = {
    ...payout,
    direction: "income",
    amount: revenueOf(order),
    itemId: INCOME.roomFee,
    methodId: moneyCameBy(order, index),
    note: order.stays.length > 1 ? `Room fee for ${order.stays.length} rooms` : "Room fee"
  }
  const kept: DemoEntry = {
    ...payout,
    direction: "expense",
    amount: commissionOf(order.channelType, revenueOf(order)),
    itemId: EXPENSE.commission,
    methodId: PAID_BY.transfer,
    note: `Commission of ${order.channelType}`
  }
  return kept.amount === 0 ? [fee] : [fee, kept]
}

/** What a flat costs whoever stays in it. */
const upkeepOf = (property: number, today: string, timeZone: string): ReadonlyArray<DemoEntry> => {
  const { currency = "EUR", nightly = 100 } = DEMO_PROPERTIES[property] ?? {}
  const expense = (
    day: number,
    itemId: number,
    amount: number,
    note: string,
    methodId: number = PAID_BY.transfer
  ): DemoEntry => ({
    direction: "expense",
    amount,
    currency,
    itemId,
    methodId,
    actionAt: instantOf(`${addDays(today, day)}T10:15:00`, timeZone),
    note,
    by: "host",
    property
  })
  return [
    ...[-75, -45, -15, 15].map((day) => expense(day + property, EXPENSE.rent, nightly * 7, "Monthly rent")),
    ...[-66, -36, -6].map((day) =>
      expense(day - property, EXPENSE.utilities, 61.4 + property * 3.25, "Electricity and water")
    ),
    ...[-40, -30, -20, -10].map((day) =>
      expense(day - property, EXPENSE.cleaning, 35 + property, "Cleaning after check-out", PAID_BY.cash)
    ),
    expense(-18 - property, EXPENSE.laundry, 28.5 + property, "Towels and bed linen", PAID_BY.creditCard),
    ...(property % 3 === 0 ? [expense(-33, EXPENSE.maintenance, 119.9, "Boiler service")] : [])
  ]
}

/** What belongs to the business as a whole. */
const overhead = (today: string, timeZone: string): ReadonlyArray<DemoEntry> => {
  const entry = (
    day: number,
    rest: Pick<DemoEntry, "direction" | "amount" | "itemId" | "methodId" | "note">
  ): DemoEntry => ({
    ...rest,
    currency: "EUR",
    actionAt: instantOf(`${addDays(today, day)}T09:00:00`, timeZone),
    by: "host"
  })
  const accounting = { direction: "expense", itemId: EXPENSE.other, methodId: PAID_BY.transfer } as const
  return [
    ...[-70, -40, -10, 20].map((day) => entry(day, { ...accounting, amount: 180, note: "Accountant" })),
    entry(-150, { ...accounting, amount: 940, note: "Insurance for the year" }),
    entry(-28, {
      direction: "income",
      amount: 75,
      itemId: INCOME.other,
      methodId: RECEIVED_BY.transfer,
      note: "Referral from a neighbour"
    }),
    entry(-9, {
      direction: "income",
      amount: 210,
      itemId: INCOME.compensation,
      methodId: RECEIVED_BY.transfer,
      note: "Insurance paid for a broken window"
    })
  ]
}

/** Every entry of the demo operator. An order has at most one entry of an item, which is how its shares find it. */
export const demoEntries = (
  orders: ReadonlyArray<DemoOrder>,
  today: string,
  timeZone: string
): ReadonlyArray<DemoEntry> => [
  ...orders.flatMap((order, index) => entriesOf(order, index, today, timeZone)),
  ...DEMO_PROPERTIES.flatMap((_, property) => upkeepOf(property, today, timeZone)),
  ...overhead(today, timeZone)
]
