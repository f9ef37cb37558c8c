import { Option, Result, Struct } from "effect"
import { toDecimalText, toMinorUnits, toTenThousandths } from "../../../../contract/money.ts"
import { hasOrderEnded, isManualOrder, type OrderState } from "../../orders/order.ts"
import type { DecimalText, ExistingStay } from "../../stays/stay.ts"
import type { update_reservation_basic } from "../contract.ts"
import { editGuestEmail, type GuestContact } from "./guest-contact.ts"
import type { StayDates } from "./nights.ts"
import { failValidation, type ValidationResult, validateGuestCount, validateStayDates } from "./stay-validation.ts"

/** Contract facts 2.4. */
export type StayEdit = Omit<typeof update_reservation_basic.payloadSchema.Type, "stay_code" | keyof GuestContact> &
  GuestContact

const isSameAmount = (one: DecimalText | null, other: DecimalText | null): boolean =>
  one === null || other === null ? one === other : toTenThousandths(one) === toTenThousandths(other)

const editDates = (order: OrderState, stay: ExistingStay, edit: StayEdit): ValidationResult<StayDates> => {
  const current = Struct.pick(stay, ["check_in_date", "check_out_date"])
  const dates = { ...current, ...Struct.pick(edit, ["check_in_date", "check_out_date"]) }
  const isSameCheckIn = dates.check_in_date === current.check_in_date
  if (isSameCheckIn && dates.check_out_date === current.check_out_date) return Result.succeed(current)
  const field = isSameCheckIn ? "check_out_date" : "check_in_date"
  if (!isManualOrder(order))
    return failValidation(`${field}: belongs to the channel of the order and cannot be changed here.`)
  if (hasOrderEnded(order))
    return failValidation(`${field}: the order is ${order.status}; its dates cannot be changed.`)
  return validateStayDates(dates)
}

/** A null commission is unchanged. */
const replaceCommission = (
  details: ExistingStay["rate_details"],
  commission: DecimalText | null
): ExistingStay["rate_details"] =>
  details === null || commission === null
    ? details
    : [
        ...details.filter(({ type }) => type !== "HOST_SERVICE_FEE"),
        ...(toTenThousandths(commission) === 0n
          ? []
          : [{ type: "HOST_SERVICE_FEE", description: "Commission", amount: Number(commission) }])
      ]

const editRates = (
  order: OrderState,
  stay: ExistingStay,
  edit: StayEdit
): ValidationResult<Pick<ExistingStay, "rate" | "commission" | "accommodation_revenue" | "rate_details">> =>
  Result.gen(function* () {
    const currency = edit.currency ?? order.currency
    const rate =
      edit.rate_amount === undefined ? stay.rate : yield* toDecimalText("rate_amount", edit.rate_amount, currency)
    const commission =
      edit.commission_amount === undefined
        ? stay.commission
        : yield* toDecimalText("commission_amount", edit.commission_amount, currency)
    const isSameRate = isSameAmount(rate, stay.rate)
    const isSameCommission = isSameAmount(commission, stay.commission)
    if (!isManualOrder(order) && !(isSameRate && isSameCommission)) {
      const field = isSameRate ? "commission_amount" : "rate_amount"
      return yield* failValidation(`${field}: belongs to the channel of the order and cannot be changed here.`)
    }
    return {
      rate: isSameRate ? stay.rate : rate,
      commission: isSameCommission ? stay.commission : commission,
      // A new rate of a manual order is accommodation revenue as a whole, also where a quote gave the former one.
      accommodation_revenue: isSameRate ? stay.accommodation_revenue : rate,
      rate_details: isSameRate ? replaceCommission(stay.rate_details, isSameCommission ? null : commission) : null
    }
  })

const editGuests = (
  stay: ExistingStay,
  numberOfGuests: number | undefined
): ValidationResult<Pick<ExistingStay, "number_of_guests" | "number_of_adults">> => {
  const current = Struct.pick(stay, ["number_of_guests", "number_of_adults"])
  // An invalid number from a channel may be sent back unchanged.
  return numberOfGuests === undefined || numberOfGuests === current.number_of_guests
    ? Result.succeed(current)
    : validateGuestCount(numberOfGuests, stay)
}

const checkCurrency = (
  order: OrderState,
  stays: ReadonlyArray<ExistingStay>,
  currency: string
): ValidationResult<string> => {
  if (currency === order.currency) return Result.succeed(currency)
  if (!isManualOrder(order))
    return failValidation("currency: belongs to the channel of the order and cannot be changed here.")
  if (order.entries.length > 0) {
    return failValidation(`currency: entries of the order are in ${order.currency}; delete them first.`)
  }
  const haveAllowedDecimals = stays.every((stay) =>
    [stay.rate, stay.commission ?? "0"].every((amount) => Option.isSome(toMinorUnits(Number(amount), currency)))
  )
  return haveAllowedDecimals
    ? Result.succeed(currency)
    : failValidation(`currency: an amount of the order has more decimals than ${currency} has.`)
}

export const applyStayEdit = (order: OrderState, stay: ExistingStay, edit: StayEdit): ValidationResult<OrderState> =>
  Result.gen(function* () {
    const editedStay: ExistingStay = {
      ...stay,
      ...(yield* editDates(order, stay, edit)),
      ...(yield* editRates(order, stay, edit)),
      ...(yield* editGuests(stay, edit.number_of_guests)),
      guest_name: edit.guest_name ?? stay.guest_name,
      guest_phone: edit.guest_phone === undefined ? stay.guest_phone : edit.guest_phone,
      guest_email: yield* editGuestEmail(stay.guest_email, edit.guest_email),
      remarks: edit.remarks === undefined ? stay.remarks : (edit.remarks ?? "")
    }
    const stays = order.stays.map((each) => (each.id === stay.id ? editedStay : each))
    return {
      ...order,
      currency: yield* checkCurrency(order, stays, edit.currency ?? order.currency),
      creator: edit.creator ?? order.creator,
      custom_channel_id: edit.custom_channel_id ?? order.custom_channel_id,
      stays
    }
  })
