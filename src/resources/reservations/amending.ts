import { Option, Result } from "effect"
import { ValidationFailed } from "../../contract/errors.ts"
import { decimalText, minorUnits } from "../../contract/money.ts"
import { STAY_NIGHTS } from "../../limits.ts"
import { nightCount } from "./nights.ts"
import { type Decimal, isManual, isOver, type OrderState, type StayState } from "./order-state.ts"

/** What an edit of one stay may say (contract facts 2.4); what is undefined stays. */
export interface Amendment {
  readonly remarks?: string
  readonly creator?: string
  readonly custom_channel_id?: number
  readonly check_in_date?: string
  readonly check_out_date?: string
  readonly number_of_guests?: number
  readonly guest_name?: string
  readonly mobile?: string
  readonly email?: string
  readonly currency?: string
  readonly rate_amount?: number
  readonly commission_amount?: number
}

type Checked<A> = Result.Result<A, ValidationFailed>

const broken = (message: string) => Result.fail(new ValidationFailed({ message }))

/** The days of a stay of an order made by hand, both readable: leaving comes after arriving, and not too long after. */
export const checkedDays = (
  checkIn: string,
  checkOut: string
): Checked<{ readonly checkIn: string; readonly checkOut: string }> => {
  const nights = nightCount(checkIn, checkOut)
  if (nights < 1) return broken("check_out_date: must be after check_in_date.")
  return nights > STAY_NIGHTS
    ? broken(`check_out_date: must be within ${STAY_NIGHTS} nights of check_in_date.`)
    : Result.succeed({ checkIn, checkOut })
}

/** An amount in decimal text, unless it is finer than the currency's smallest unit. */
export const checkedAmount = (field: string, amount: number, currency: string): Checked<Decimal> =>
  Option.match(minorUnits(amount, currency), {
    onNone: () => broken(`${field}: has more decimals than ${currency} has.`),
    onSome: (units) => Result.succeed(decimalText(units, currency))
  })

const sameAmount = (one: Decimal | null, other: Decimal | null): boolean =>
  one === null || other === null ? one === other : Number(one) === Number(other)

const amendedDays = (
  order: OrderState,
  stay: StayState,
  sent: Amendment
): Checked<Pick<StayState, "checkIn" | "checkOut">> => {
  const { check_in_date: checkIn = stay.checkIn, check_out_date: checkOut = stay.checkOut } = sent
  if (checkIn === stay.checkIn && checkOut === stay.checkOut) return Result.succeed(stay)
  const field = checkIn === stay.checkIn ? "check_out_date" : "check_in_date"
  if (!isManual(order)) return broken(`${field}: belongs to the channel of the order and cannot be changed here.`)
  if (isOver(order)) return broken(`${field}: the order is ${order.status}; its dates cannot be changed.`)
  return checkedDays(checkIn, checkOut)
}

const amendedRates = (
  order: OrderState,
  stay: StayState,
  sent: Amendment
): Checked<Pick<StayState, "rate" | "commission" | "revenue">> =>
  Result.gen(function* () {
    const currency = sent.currency ?? order.currency
    const rate =
      sent.rate_amount === undefined ? stay.rate : yield* checkedAmount("rate_amount", sent.rate_amount, currency)
    const commission =
      sent.commission_amount === undefined
        ? stay.commission
        : yield* checkedAmount("commission_amount", sent.commission_amount, currency)
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
      revenue: sameRate ? stay.revenue : rate
    }
  })

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

/** An empty text is none. */
export const filled = (text: string): string | null => (text === "" ? null : text)

/**
 * The order with one of its stays changed. On an order of a channel the host's own notes and the guest's contact may
 * change; its dates and its price are the channel's and refuse any other value.
 */
export const amended = (order: OrderState, stay: StayState, sent: Amendment): Checked<OrderState> =>
  Result.gen(function* () {
    const changed: StayState = {
      ...stay,
      ...(yield* Result.map(amendedDays(order, stay, sent), ({ checkIn, checkOut }) => ({ checkIn, checkOut }))),
      ...(yield* amendedRates(order, stay, sent)),
      numberOfGuests: sent.number_of_guests ?? stay.numberOfGuests,
      guestName: sent.guest_name ?? stay.guestName,
      guestPhone: sent.mobile === undefined ? stay.guestPhone : filled(sent.mobile),
      guestEmail: sent.email === undefined ? stay.guestEmail : filled(sent.email),
      remarks: sent.remarks ?? stay.remarks
    }
    const stays = order.stays.map((each) => (each.id === stay.id ? changed : each))
    return {
      ...order,
      currency: yield* checkedCurrency(order, stays, sent.currency ?? order.currency),
      creator: sent.creator ?? order.creator,
      customChannelId: sent.custom_channel_id ?? order.customChannelId,
      stays
    }
  })
