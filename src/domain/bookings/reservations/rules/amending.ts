import { Option, Result, Struct } from "effect"
import { decimalOf, minorUnits, tenThousandths } from "../../../../contract/money.ts"
import { isManual, isOver, type OrderState } from "../../orders/order.ts"
import type { Decimal, StayState } from "../../stays/stay.ts"
import type { update_reservation_basic } from "../contract.ts"
import { amendedEmail, type Contact } from "./contact.ts"
import type { Dates } from "./nights.ts"
import { broken, type Checked, checkedDates, checkedGuests } from "./stay-checks.ts"

/** What an edit of one stay may say (contract facts 2.4); what is not sent stays. */
export type Amendment = Omit<typeof update_reservation_basic.payloadSchema.Type, "stay_code" | keyof Contact> & Contact

const sameAmount = (one: Decimal | null, other: Decimal | null): boolean =>
  one === null || other === null ? one === other : tenThousandths(one) === tenThousandths(other)

const amendedDates = (order: OrderState, stay: StayState, sent: Amendment): Checked<Dates> => {
  const known = Struct.pick(stay, ["check_in_date", "check_out_date"])
  const dates = { ...known, ...Struct.pick(sent, ["check_in_date", "check_out_date"]) }
  const sameStart = dates.check_in_date === known.check_in_date
  if (sameStart && dates.check_out_date === known.check_out_date) return Result.succeed(known)
  const field = sameStart ? "check_out_date" : "check_in_date"
  if (!isManual(order)) return broken(`${field}: belongs to the channel of the order and cannot be changed here.`)
  if (isOver(order)) return broken(`${field}: the order is ${order.status}; its dates cannot be changed.`)
  return checkedDates(dates)
}

const amendedRates = (
  order: OrderState,
  stay: StayState,
  sent: Amendment
): Checked<Pick<StayState, "rate" | "commission" | "accommodation_revenue">> =>
  Result.gen(function* () {
    const currency = sent.currency ?? order.currency
    const rate =
      sent.rate_amount === undefined ? stay.rate : yield* decimalOf("rate_amount", sent.rate_amount, currency)
    const commission =
      sent.commission_amount === undefined
        ? stay.commission
        : yield* decimalOf("commission_amount", sent.commission_amount, currency)
    const sameRate = sameAmount(rate, stay.rate)
    const sameCommission = sameAmount(commission, stay.commission)
    if (!isManual(order) && !(sameRate && sameCommission)) {
      const field = sameRate ? "commission_amount" : "rate_amount"
      return yield* broken(`${field}: belongs to the channel of the order and cannot be changed here.`)
    }
    return {
      rate: sameRate ? stay.rate : rate,
      commission: sameCommission ? stay.commission : commission,
      // All of a rate made by hand is for the nights.
      accommodation_revenue: sameRate ? stay.accommodation_revenue : rate
    }
  })

/** Who comes changes only when another number of them is sent. */
const amendedGuests = (
  stay: StayState,
  sent: number | undefined
): Checked<Pick<StayState, "number_of_guests" | "number_of_adults">> => {
  const known = Struct.pick(stay, ["number_of_guests", "number_of_adults"])
  // What the stay has already is no change, be it what a channel should not have said.
  return sent === undefined || sent === known.number_of_guests ? Result.succeed(known) : checkedGuests(sent, stay)
}

const checkedCurrency = (order: OrderState, stays: ReadonlyArray<StayState>, currency: string): Checked<string> => {
  if (currency === order.currency) return Result.succeed(currency)
  if (!isManual(order)) return broken("currency: belongs to the channel of the order and cannot be changed here.")
  if (order.entries.length > 0) {
    return broken(`currency: entries of the order are in ${order.currency}; delete them first.`)
  }
  const fits = stays.every((stay) =>
    [stay.rate, stay.commission ?? "0"].every((amount) => Option.isSome(minorUnits(Number(amount), currency)))
  )
  return fits
    ? Result.succeed(currency)
    : broken(`currency: an amount of the order has more decimals than ${currency} has.`)
}

/**
 * The order with one of its stays changed. On an order of a channel the host's own notes and the guest's contact may
 * change; its dates and its price are the channel's and refuse any other value.
 */
export const amended = (order: OrderState, stay: StayState, sent: Amendment): Checked<OrderState> =>
  Result.gen(function* () {
    const changed: StayState = {
      ...stay,
      ...(yield* amendedDates(order, stay, sent)),
      ...(yield* amendedRates(order, stay, sent)),
      ...(yield* amendedGuests(stay, sent.number_of_guests)),
      guest_name: sent.guest_name ?? stay.guest_name,
      guest_phone: sent.guest_phone === undefined ? stay.guest_phone : sent.guest_phone,
      guest_email: yield* amendedEmail(stay.guest_email, sent.guest_email),
      remarks: sent.remarks === undefined ? stay.remarks : (sent.remarks ?? "")
    }
    const stays = order.stays.map((each) => (each.id === stay.id ? changed : each))
    return {
      ...order,
      currency: yield* checkedCurrency(order, stays, sent.currency ?? order.currency),
      creator: sent.creator ?? order.creator,
      custom_channel_id: sent.custom_channel_id ?? order.custom_channel_id,
      stays
    }
  })
