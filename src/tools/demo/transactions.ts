import { addDays, toInstant } from "../../contract/time.ts"
import type { DemoOrder } from "./orders.ts"
import { DEMO_PROPERTIES } from "./properties.ts"

/** Belongs to the operator if it has neither order nor property. */
export interface DemoTransaction {
  readonly direction: "income" | "expense"
  readonly amount: number
  readonly currency: string
  readonly itemId: number
  readonly methodId: number
  readonly actionAt: Date
  readonly note: string
  readonly enteredBy: "System" | "host"
  readonly order?: DemoOrder
  /** Index in DEMO_PROPERTIES. */
  readonly propertyIndex?: number
}

// Ids of domain/money/dictionaries.ts.
const INCOME_ITEMS = { roomFee: 11, deposit: 12, compensation: 16, other: 17 } as const
const EXPENSE_ITEMS = {
  cleaning: 51,
  laundry: 52,
  maintenance: 53,
  utilities: 55,
  commission: 56,
  rent: 57,
  other: 60
} as const
const INCOME_METHODS = { bookingSite: 27, stripe: 34, transfer: 36, creditCard: 196, cash: 197 } as const
const EXPENSE_METHODS = { cash: 301, transfer: 302, creditCard: 303 } as const

const COMMISSION_PERCENT = 15

const revenueOf = (order: DemoOrder): number => order.stays.reduce((sum, stay) => sum + stay.revenue, 0)

const percentOf = (amount: number, rate: number): number => Math.round(amount * rate) / 100

export const commissionOf = (channelType: string, revenue: number): number =>
  channelType === "direct" || channelType === "booking_site" ? 0 : percentOf(revenue, COMMISSION_PERCENT)

const incomeMethodOf = ({ channelType }: DemoOrder, index: number): number => {
  if (channelType === "direct") return index % 2 === 0 ? INCOME_METHODS.creditCard : INCOME_METHODS.cash
  return channelType === "booking_site" ? INCOME_METHODS.bookingSite : INCOME_METHODS.transfer
}

const toDeposit = (order: DemoOrder, timeZone: string): DemoTransaction => ({
  order,
  currency: order.currency,
  direction: "income",
  amount: percentOf(revenueOf(order), 30),
  itemId: INCOME_ITEMS.deposit,
  methodId: INCOME_METHODS.stripe,
  actionAt: toInstant(`${order.stays[0].checkIn}T15:00:00`, timeZone),
  note: "Deposit, due on arrival",
  enteredBy: "host"
})

const toOrderTransactions = (
  order: DemoOrder,
  index: number,
  today: string,
  timeZone: string
): ReadonlyArray<DemoTransaction> => {
  const isDirect = order.channelType === "direct"
  const [{ checkIn }] = order.stays
  if (order.status !== "accepted") return []
  if (checkIn > today) return isDirect ? [toDeposit(order, timeZone)] : []
  const commonFields = {
    order,
    currency: order.currency,
    actionAt: toInstant(`${checkIn}T00:30:00`, timeZone),
    enteredBy: isDirect ? "host" : "System"
  } as const
  const fee: DemoTransaction = {
    ...commonFields,
    direction: "income",
    amount: revenueOf(order),
    itemId: INCOME_ITEMS.roomFee,
    methodId: incomeMethodOf(order, index),
    note: order.stays.length > 1 ? `Room fee for ${order.stays.length} rooms` : "Room fee"
  }
  const commission: DemoTransaction = {
    ...commonFields,
    direction: "expense",
    amount: commissionOf(order.channelType, revenueOf(order)),
    itemId: EXPENSE_ITEMS.commission,
    methodId: EXPENSE_METHODS.transfer,
    note: `Commission of ${order.channelType}`
  }
  return commission.amount === 0 ? [fee] : [fee, commission]
}

const toPropertyExpenses = (propertyIndex: number, today: string, timeZone: string): ReadonlyArray<DemoTransaction> => {
  const { currency = "EUR", nightlyPrice = 100 } = DEMO_PROPERTIES[propertyIndex] ?? {}
  const expense = (
    day: number,
    itemId: number,
    amount: number,
    note: string,
    methodId: number = EXPENSE_METHODS.transfer
  ): DemoTransaction => ({
    direction: "expense",
    amount,
    currency,
    itemId,
    methodId,
    actionAt: toInstant(`${addDays(today, day)}T10:15:00`, timeZone),
    note,
    enteredBy: "host",
    propertyIndex
  })
  return [
    ...[-75, -45, -15, 15].map((day) =>
      expense(day + propertyIndex, EXPENSE_ITEMS.rent, nightlyPrice * 7, "Monthly rent")
    ),
    ...[-66, -36, -6].map((day) =>
      expense(day - propertyIndex, EXPENSE_ITEMS.utilities, 61.4 + propertyIndex * 3.25, "Electricity and water")
    ),
    ...[-40, -30, -20, -10].map((day) =>
      expense(
        day - propertyIndex,
        EXPENSE_ITEMS.cleaning,
        35 + propertyIndex,
        "Cleaning after check-out",
        EXPENSE_METHODS.cash
      )
    ),
    expense(
      -18 - propertyIndex,
      EXPENSE_ITEMS.laundry,
      28.5 + propertyIndex,
      "Towels and bed linen",
      EXPENSE_METHODS.creditCard
    ),
    ...(propertyIndex % 3 === 0 ? [expense(-33, EXPENSE_ITEMS.maintenance, 119.9, "Boiler service")] : [])
  ]
}

const toOverhead = (today: string, timeZone: string): ReadonlyArray<DemoTransaction> => {
  const toTransaction = (
    day: number,
    fields: Pick<DemoTransaction, "direction" | "amount" | "itemId" | "methodId" | "note">
  ): DemoTransaction => ({
    ...fields,
    currency: "EUR",
    actionAt: toInstant(`${addDays(today, day)}T09:00:00`, timeZone),
    enteredBy: "host"
  })
  const accounting = { direction: "expense", itemId: EXPENSE_ITEMS.other, methodId: EXPENSE_METHODS.transfer } as const
  return [
    ...[-70, -40, -10, 20].map((day) => toTransaction(day, { ...accounting, amount: 180, note: "Accountant" })),
    toTransaction(-150, { ...accounting, amount: 940, note: "Insurance for the year" }),
    toTransaction(-28, {
      direction: "income",
      amount: 75,
      itemId: INCOME_ITEMS.other,
      methodId: INCOME_METHODS.transfer,
      note: "Referral from a neighbour"
    }),
    toTransaction(-9, {
      direction: "income",
      amount: 210,
      itemId: INCOME_ITEMS.compensation,
      methodId: INCOME_METHODS.transfer,
      note: "Insurance paid for a broken window"
    })
  ]
}

/**
 * An order has at most one transaction per direction and item. write-transactions.ts finds the transactions of orders
 * by these.
 */
export const makeDemoTransactions = (
  orders: ReadonlyArray<DemoOrder>,
  today: string,
  timeZone: string
): ReadonlyArray<DemoTransaction> => [
  ...orders.flatMap((order, index) => toOrderTransactions(order, index, today, timeZone)),
  ...DEMO_PROPERTIES.flatMap((_, property) => toPropertyExpenses(property, today, timeZone)),
  ...toOverhead(today, timeZone)
]
