import { exactNumber } from "../../contract/money.ts"
import { type Decimal, fourDecimals } from "./order-state.ts"

// What an order brings and what of it has come in, computed for the whole order (specification, "Reservation", payment).

/** Whole ten-thousandths: sums of money are compared exactly. */
const exact = (amount: Decimal): bigint => BigInt(fourDecimals(amount).replace(".", ""))

const amountOf = (units: bigint) => exactNumber(units, 4)

/**
 * An order of which nothing is due and nothing came counts as received: there is nothing to remind anyone of.
 */
export const paymentOf = (currency: string, total: Decimal, received: Decimal) => {
  const [due, come] = [exact(total), exact(received)]
  const status = come > due ? "over_received" : come === due ? "received" : come === 0n ? "unreceived" : "partial"
  return {
    currency,
    total_amount: amountOf(due),
    received_amount: amountOf(come),
    balance_amount: amountOf(come > due ? 0n : due - come),
    status
  } as const
}
