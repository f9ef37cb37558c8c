import type { QueryResult } from "pg"
import { settings } from "./settings.ts"

// The JSON the service answers about reservations, from the same rows.

const text = (instant: Date) => instant.toISOString().replace(/(?:\.000)?Z$/, "+00:00")

const money = (currency: string, amount: string | null) =>
  amount === null ? null : { currency, amount: Number(amount) }

const CUSTOM_CHANNELS = new Map([
  [29, "Booking site"],
  [30, "Direct"],
  [31, "Phone"],
  [32, "Walk-in"],
  [33, "E-mail"],
  [34, "Travel agency"],
  [35, "International agency"]
])

interface Detail {
  readonly type: string
  readonly description: string
  readonly amount: number
}

type Row = QueryResult["rows"][number]

const plainDetails = (row: Row): ReadonlyArray<Detail> => {
  const nights = { type: "ACCOMMODATION", description: "Nights", amount: Number(row.accommodation_revenue) }
  const commission = Number(row.commission ?? 0)
  return commission === 0
    ? [nights]
    : [nights, { type: "HOST_SERVICE_FEE", description: "Commission", amount: commission }]
}

const taxOf = (currency: string, details: ReadonlyArray<Detail> | null) => {
  const taxes = details?.filter(({ type }) => type === "TAXES") ?? []
  return taxes.length === 0 ? null : { currency, amount: taxes.reduce((sum, { amount }) => sum + amount, 0) }
}

const paymentOf = (currency: string, due: number, come: number) => ({
  currency,
  total_amount: due,
  received_amount: come,
  balance_amount: come > due ? 0 : due - come,
  status: come > due ? "over_received" : come === due ? "received" : come === 0 ? "unreceived" : "partial"
})

const ratesOf = (row: Row) => ({
  total_rate: money(row.currency, row.total_rate),
  total_commission: money(row.currency, row.total_commission),
  rate: money(row.currency, row.rate),
  commission: money(row.currency, row.commission),
  tax: taxOf(row.currency, row.rate_details),
  details: (row.rate_details ?? plainDetails(row)).map((detail: Detail) => ({ ...detail, currency: row.currency }))
})

const checkInDetailsOf = (row: Row) => ({
  arrival_at: row.arrival_at,
  departure_at: row.departure_at,
  lock_code: row.lock_code,
  lock_code_visible_after: row.lock_code_visible_after,
  deposit: row.deposit === null ? null : Number(row.deposit),
  id_required: row.id_required,
  check_in_guide_url: `${settings.publicUrl}/guests/${row.guide_token}`
})

const reservation = (row: Row) => {
  const { currency } = row
  const propertyId = Number(row.property_id ?? 0)
  const customChannelId = row.custom_channel_id === null ? null : Number(row.custom_channel_id)
  return {
    id: Number(row.id),
    reservation_code: row.reservation_code,
    stay_code: row.stay_code,
    channel_id: row.channel_id,
    property_id: propertyId,
    channel_type: row.channel_type,
    listing_id: row.listing_id ?? String(propertyId),
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
    cancelled_at: row.cancelled_at === null ? null : text(row.cancelled_at),
    booked_at: text(row.booked_at),
    created_at: text(row.created_at),
    creator: row.creator,
    rates: ratesOf(row),
    payment: paymentOf(currency, Number(row.total_rate), Number(row.received)),
    check_in_details: checkInDetailsOf(row),
    remarks: row.remarks,
    channel_remarks: row.channel_remarks,
    conversation_id: row.conversation_id,
    tags: row.tags,
    custom_channel:
      customChannelId === null ? null : { id: customChannelId, name: CUSTOM_CHANNELS.get(customChannelId) },
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

export const reservationsEnvelope = (rows: ReadonlyArray<Row>) => ({
  request_id: `RT${Date.now()}`,
  error_code: 0,
  error_msg: "",
  data: { reservations: rows.filter((row) => row.position !== null).map(reservation), total: Number(rows[0]?.total) }
})

export const bookedEnvelope = ([row]: ReadonlyArray<Row>) => {
  const outcome = { reservation_code: row?.reservation_code, status: "accepted" }
  return outcome.reservation_code === undefined
    ? { request_id: `RT${Date.now()}`, error_code: 409, error_msg: "not booked", data: {} }
    : { request_id: `RT${Date.now()}`, error_code: 0, error_msg: "", data: { ...outcome, reservation: outcome } }
}
