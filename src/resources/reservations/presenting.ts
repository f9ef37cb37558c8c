import { customChannelOf } from "../custom-channels/dictionary.ts"
import { paymentOf } from "./payment.ts"
import type { Reservation } from "./record.ts"
import type { StayRow } from "./search-store.ts"

/** ISO 8601 with a numeric offset, as reservation times are written (contract facts 0.3). */
const offsetText = (instant: Date): string => instant.toISOString().replace(/(?:\.000)?Z$/, "+00:00")

const money = (currency: string, amount: string) => ({ currency, amount: Number(amount) })

const moneyOrNull = (currency: string, amount: string | null) => (amount === null ? null : money(currency, amount))

/** What was not itemized by a channel is the nights and, if there is one, the commission. */
const plainDetails = (row: StayRow) => [
  { type: "ACCOMMODATION", description: "Nights", amount: Number(row.revenue) },
  ...(row.commission === null || Number(row.commission) === 0
    ? []
    : [{ type: "HOST_SERVICE_FEE", description: "Commission", amount: Number(row.commission) }])
]

const taxOf = (row: StayRow) => {
  const taxes = row.rate_details?.filter(({ type }) => type === "TAXES") ?? []
  const cents = taxes.reduce((sum, { amount }) => sum + Math.round(amount * 10_000), 0)
  return taxes.length === 0 ? null : { currency: row.currency, amount: cents / 10_000 }
}

/** A row of the database as the record shows it. */
export const toReservation = (row: StayRow): Reservation => {
  const { currency } = row
  // An order keeps the channel it was entered under, also where the deployment no longer lists it.
  const customChannel =
    row.custom_channel_id === null ? undefined : customChannelOf("international", row.custom_channel_id)
  return {
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
    stay_status: row.stay_status,
    guest_name: row.guest_name,
    guest_phone: row.guest_phone,
    guest_email: row.guest_email,
    cancelled_at: row.cancelled_at === null ? null : offsetText(row.cancelled_at),
    booked_at: offsetText(row.booked_at),
    created_at: offsetText(row.created_at),
    creator: row.creator,
    rates: {
      total_rate: money(currency, row.total_rate),
      total_commission: moneyOrNull(currency, row.total_commission),
      rate: money(currency, row.rate),
      commission: moneyOrNull(currency, row.commission),
      tax: taxOf(row),
      details: (row.rate_details ?? plainDetails(row)).map((detail) => ({ ...detail, currency }))
    },
    payment: paymentOf(currency, row.total_rate, row.received),
    check_in_details: {
      arrival_at: row.arrival_at,
      departure_at: row.departure_at,
      lock_code: row.lock_code,
      lock_code_visible_after: row.lock_code_visible_after,
      deposit: row.deposit === null ? null : Number(row.deposit),
      id_required: row.id_required,
      check_in_guide_url: row.check_in_guide_url
    },
    remarks: row.remarks,
    channel_remarks: row.channel_remarks,
    conversation_id: row.conversation_id,
    tags: row.tags,
    custom_channel: customChannel ?? null,
    guests: row.guests,
    custom_fields: row.custom_fields,
    in_reservation_box: row.property_id === null,
    additional_fees: row.additional_fees,
    checkin_guide_images: row.checkin_guide_images,
    channel_details:
      row.channel_type === "airbnb"
        ? { airbnb: { cancellation_policy_category: row.cancellation_policy_category } }
        : null
  }
}
