import { toExactNumber, toTenThousandths } from "../../../../contract/money.ts"
import { formatInstantWithOffset } from "../../../../contract/time.ts"
import { findCustomChannel } from "../../../channels/custom-channels/built-in-channels.ts"
import { guestPortalUrl } from "../../check-in/guest-portal-url.ts"
import { hasOrderEnded } from "../../orders/order.ts"
import { computeShownStayStatus } from "../../stays/rules.ts"
import type { DecimalText } from "../../stays/stay.ts"
import type { Reservation } from "../reservation.ts"
import type { ReservationRow } from "../search-store.ts"

/** Amounts are added in ten-thousandths, because sums of floating-point numbers lose digits. */
const toExactAmount = (units: bigint) => toExactNumber(units, 4)

/**
 * Returns the payment of the whole order (specification, "Reservation", payment). An ended order (`isOver`) has balance
 * 0 but keeps its payment status.
 */
export const toPayment = (currency: string, total: DecimalText, received: DecimalText, isOver = false) => {
  const [receivable, receivedUnits] = [toTenThousandths(total), toTenThousandths(received)]
  const status =
    receivedUnits > receivable
      ? "over_received"
      : receivedUnits === receivable
        ? "received"
        : receivedUnits === 0n
          ? "unreceived"
          : "partial"
  return {
    currency,
    total_amount: toExactAmount(receivable),
    received_amount: toExactAmount(receivedUnits),
    balance_amount: toExactAmount(isOver || receivedUnits > receivable ? 0n : receivable - receivedUnits),
    status
  } as const
}

const toRates = (row: ReservationRow): Reservation["rates"] => {
  const { currency } = row
  const money = (amount: DecimalText) => ({ currency, amount: Number(amount) })
  const sum = (amount: DecimalText) => ({ currency, amount: toExactAmount(toTenThousandths(amount)) })
  return {
    total_rate: sum(row.total_rate),
    total_commission: row.total_commission === null ? null : sum(row.total_commission),
    rate: money(row.rate),
    commission: row.commission === null ? null : money(row.commission),
    tax: toTax(row),
    details: (row.rate_details ?? toDefaultRateDetails(row)).map(({ type, description, amount }) => ({
      type,
      description,
      amount,
      currency
    }))
  }
}

const toDefaultRateDetails = (row: ReservationRow) => [
  { type: "ACCOMMODATION", description: "Nights", amount: Number(row.accommodation_revenue) },
  ...(row.commission === null || Number(row.commission) === 0
    ? []
    : [{ type: "HOST_SERVICE_FEE", description: "Commission", amount: Number(row.commission) }])
]

const toTax = (row: ReservationRow) => {
  const taxes = row.rate_details?.filter(({ type }) => type === "TAXES") ?? []
  const units = taxes.reduce((sum, { amount }) => sum + toTenThousandths(amount.toFixed(4)), 0n)
  return taxes.length === 0 ? null : { currency: row.currency, amount: toExactAmount(units) }
}

/**
 * Uses the international list, which has every custom channel. So the order shows its custom channel even if this
 * deployment does not offer it.
 */
const toCustomChannel = (row: ReservationRow) =>
  row.custom_channel_id === null ? undefined : findCustomChannel("international", row.custom_channel_id)

const toCheckInDetails = (row: ReservationRow, publicUrl: string): Reservation["check_in_details"] => ({
  arrival_at: row.arrival_at,
  departure_at: row.departure_at,
  lock_code: row.lock_code,
  lock_code_visible_after: row.lock_code_visible_after,
  deposit: row.deposit === null ? null : Number(row.deposit),
  id_required: row.id_required,
  check_in_guide_url: guestPortalUrl(publicUrl, row.guide_token)
})

/**
 * `clock` is the operator's local time, `YYYY-MM-DD HH:mm:ss`. The fields are written out because spreading a row is
 * much slower.
 */
export const toReservation = (row: ReservationRow, publicUrl: string, clock: string): Reservation => ({
  id: row.id,
  reservation_code: row.reservation_code,
  stay_code: row.stay_code,
  channel_id: row.channel_id,
  property_id: row.property_id ?? 0,
  channel_type: row.channel_type,
  listing_id: row.listing_id ?? String(row.property_id ?? 0),
  check_in_date: row.check_in_date,
  check_out_date: row.check_out_date,
  number_of_guests: row.number_of_guests,
  number_of_adults: row.number_of_adults,
  number_of_children: row.number_of_children,
  number_of_infants: row.number_of_infants,
  number_of_pets: row.number_of_pets,
  status: row.status,
  stay_status: computeShownStayStatus(row, clock),
  guest_name: row.guest_name,
  guest_phone: row.guest_phone,
  guest_email: row.guest_email,
  cancelled_at: row.cancelled_at === null ? null : formatInstantWithOffset(row.cancelled_at),
  booked_at: formatInstantWithOffset(row.booked_at),
  created_at: formatInstantWithOffset(row.created_at),
  creator: row.creator,
  rates: toRates(row),
  payment: toPayment(row.currency, row.total_rate, row.received, hasOrderEnded(row)),
  check_in_details: toCheckInDetails(row, publicUrl),
  remarks: row.remarks,
  channel_remarks: row.channel_remarks,
  conversation_id: row.conversation_id,
  tags: row.tags,
  custom_channel: toCustomChannel(row) ?? null,
  guests: row.guests,
  custom_fields: row.custom_fields,
  in_reservation_box: row.property_id === null,
  additional_fees: row.additional_fees,
  checkin_guide_images: row.checkin_guide_images,
  channel_details:
    row.channel_type === "airbnb"
      ? { airbnb: { cancellation_policy_category: row.cancellation_policy_category } }
      : null
})
