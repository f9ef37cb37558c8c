import { randomBytes } from "node:crypto"
import { type CustomTypesConfig, type Pool, type QueryResult, types } from "pg"

// The same SQL as resources/reservations/search-store.ts and entry-store.ts, as those compile it, for the reference
// servers: what differs in the bench is everything around it. Prepared by name, as the service's own client does.

const list = (where: string, orderBy: string, limit: string, offset: string) => `
  WITH page AS (
    SELECT s.*, o.reservation_code, o.channel_id, o.channel_type, o.status, o.cancelled_at, o.booked_at,
      o.created_at, o.creator, o.currency, o.custom_channel_id, o.cancellation_policy_category, o.conversation_id,
      row_number() OVER (ORDER BY ${orderBy}) AS position
    FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
    WHERE (s.operator_id = $1 AND o.operator_id = $2 AND ${where})
    ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}
  )
  SELECT p.id, p.reservation_code, p.stay_code, p.channel_id, p.channel_type, p.property_id, p.listing_id,
    p.check_in_date, p.check_out_date, p.number_of_guests, p.number_of_adults, p.number_of_children,
    p.number_of_infants, p.number_of_pets, p.status, p.stay_status, p.guest_name, p.guest_phone, p.guest_email,
    p.cancelled_at, p.booked_at, p.created_at, p.creator, p.currency, p.custom_channel_id,
    p.cancellation_policy_category, p.conversation_id, p.rate, p.commission, p.accommodation_revenue AS revenue,
    whole.rate AS total_rate, whole.commission AS total_commission, come.received, p.rate_details, p.additional_fees,
    CASE WHEN p.arrival_at IS NOT NULL THEN jsonb_build_object(
      'hour', extract(hour FROM p.arrival_at)::int, 'minute', extract(minute FROM p.arrival_at)::int) END AS arrival_at,
    CASE WHEN p.departure_at IS NOT NULL THEN jsonb_build_object(
      'hour', extract(hour FROM p.departure_at)::int, 'minute', extract(minute FROM p.departure_at)::int) END AS departure_at,
    p.lock_code, p.lock_code_visible_after, p.deposit, p.id_required, p.check_in_guide_url, p.remarks, p.channel_remarks,
    p.custom_fields, (
      SELECT coalesce(jsonb_agg(t.tag_name ORDER BY t.id), '[]')
      FROM stay_tags link JOIN usable_reservation_tags t
        ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.stays_version = link.stays_version
      WHERE link.operator_id = p.operator_id AND link.stay_id = p.id) AS tags, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'phone', g.phone, 'email', g.email,
        'id_type', g.id_type, 'id_number', g.id_number, 'gender', g.gender, 'country', g.country,
        'is_booker', g.is_booker, 'id_images', coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', i.id, 'url', i.large_url) ORDER BY i.id)
          FROM identity_images i WHERE i.operator_id = g.operator_id AND i.guest_id = g.id), '[]')) ORDER BY g.id), '[]')
      FROM guests g WHERE g.operator_id = p.operator_id AND g.stay_id = p.id) AS guests, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'client_id', i.guest_id, 'url', i.extra_large_url)
        ORDER BY i.id), '[]')
      FROM identity_images i WHERE i.operator_id = p.operator_id AND i.order_id = p.order_id) AS checkin_guide_images
  FROM page p
  CROSS JOIN LATERAL (
    SELECT sum(each.rate) AS rate, sum(each.commission) AS commission
    FROM stays each WHERE each.operator_id = p.operator_id AND each.order_id = p.order_id) whole
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(t.amount), 0) AS received FROM transactions t
    WHERE t.operator_id = p.operator_id AND t.order_id = p.order_id AND t.direction = 'income' AND t.status = 'paid'
  ) come
  ORDER BY p.position`

const byCheckIn = list("s.check_in_date BETWEEN $3 AND $4", "s.check_in_date DESC, s.id DESC", "$5", "$6")
const byChannelId = list("o.channel_id = $3", "o.booked_at DESC, o.id DESC, s.id", "$4", "$5")

/** The driver would make a moment of a day, in the zone of this machine. */
const daysAsText: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.DATE ? (day: unknown) => day : types.getTypeParser(oid, format)
}

export const readArrivals = (
  pool: Pool,
  operatorId: number,
  { start, end, limit }: { readonly start: string; readonly end: string; readonly limit: number }
): Promise<QueryResult> =>
  pool.query({
    name: "arrivals",
    text: byCheckIn,
    values: [operatorId, operatorId, start, end, limit, 0],
    types: daysAsText
  })

export const readByChannelId = (pool: Pool, operatorId: number, channelId: string): Promise<QueryResult> =>
  pool.query({
    name: "channel",
    text: byChannelId,
    values: [operatorId, operatorId, channelId, 20, 0],
    types: daysAsText
  })

export interface Booking {
  readonly property_id: number
  readonly custom_channel_id: number
  readonly check_in_date: string
  readonly check_out_date: string
  readonly guest_name: string
  readonly currency: string
  readonly rate_amount: number
  readonly commission_amount: number
  readonly received_amount: number
  readonly income_method_id: number
}

const groundText = `
  SELECT NULL::jsonb AS existing,
    EXISTS (SELECT FROM properties WHERE operator_id = $1 AND id = $2) AS "propertyKnown",
    EXISTS (SELECT FROM dictionary_entries
      WHERE operator_id = $3 AND dictionary = 'income_methods' AND id = $4) AS "methodKnown"`

const enterText = `
  WITH entered AS (
    INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, cancelled_at, currency,
      booked_at, created_at, creator, custom_channel_id, conversation_id, cancellation_policy_category)
    VALUES ($1, $2, $3, $4, $5, $6::timestamptz, $7, $8, $9, $10, $11, $12, $13)
    ON CONFLICT DO NOTHING
    RETURNING operator_id, id, reservation_code, currency
  ), given AS (
    SELECT * FROM jsonb_to_recordset($14::jsonb) AS stay ("stayCode" text, nights boolean,
      "propertyId" bigint, "listingId" text, "checkIn" date, "checkOut" date, "numberOfGuests" integer,
      adults integer, children integer, infants integer, pets integer, "guestName" text, "guestPhone" text,
      "guestEmail" text, rate numeric, commission numeric, revenue numeric, "rateDetails" jsonb,
      "additionalFees" jsonb, remarks text, "channelRemarks" text, guests jsonb)
  ), stay AS (
    INSERT INTO stays (operator_id, order_id, stay_code, property_id, listing_id, check_in_date, check_out_date,
      number_of_guests, number_of_adults, number_of_children, number_of_infants, number_of_pets, guest_name,
      guest_phone, guest_email, rate, commission, accommodation_revenue, rate_details, additional_fees, remarks,
      channel_remarks)
    SELECT entered.operator_id, entered.id, "stayCode", "propertyId", "listingId", "checkIn", "checkOut",
      "numberOfGuests", adults, children, infants, pets, "guestName", "guestPhone", "guestEmail", rate,
      commission, revenue, nullif("rateDetails", 'null'), "additionalFees", remarks, "channelRemarks"
    FROM entered, given
    ORDER BY length("stayCode"), "stayCode"
    RETURNING operator_id, id, stay_code, property_id
  ), guest AS (
    INSERT INTO guests (operator_id, stay_id, name, phone, email, id_type, id_number, gender, country, is_booker)
    SELECT stay.operator_id, stay.id, name, phone, email, "idType", "idNumber", gender, country, "isBooker"
    FROM stay JOIN given ON given."stayCode" = stay.stay_code
    CROSS JOIN LATERAL jsonb_to_recordset(given.guests) AS person (name text, phone text, email text,
      "idType" text, "idNumber" text, gender text, country text, "isBooker" boolean)
  ), night AS (
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
    SELECT stay.operator_id, stay.property_id, day::date, stay.id
    FROM stay JOIN given ON given."stayCode" = stay.stay_code AND given.nights
    CROSS JOIN LATERAL generate_series(given."checkIn", given."checkOut" - 1, interval '1 day') day
    ORDER BY stay.property_id, day
    ON CONFLICT (operator_id, property_id, day) DO UPDATE SET stay_id = excluded.stay_id, taken_from = NULL
    RETURNING operator_id, property_id, day, closed
  ), gone AS (
    SELECT operator_id, property_id,
      jsonb_agg(jsonb_build_object('date', day, 'available', false) ORDER BY day) AS availabilities
    FROM night WHERE NOT closed GROUP BY operator_id, property_id
  ), created AS (
    SELECT stay.operator_id, reservation_code, stay_code, coalesce(property_id, 0) AS property_id FROM stay, entered
  ), order_recorded AS (
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT operator_id, $15, 'reservation:' || reservation_code, jsonb_build_object('reservation_code', reservation_code,
      'stay_code', stay_code,'property_id', property_id), $16::timestamptz
    FROM created
  ), nights_recorded AS (
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT operator_id, $17, 'property:' || property_id, jsonb_build_object('property_id', property_id,
      'availabilities', availabilities), $18::timestamptz
    FROM gone
  ), entry AS (
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at,
      order_id, status, operator_name, created_at, updated_at)
    SELECT operator_id, 'income', $19::numeric, currency, $20::bigint, $21::bigint,
      $22::timestamptz, id, 'paid', $23, $24::timestamptz, $25::timestamptz
    FROM entered
    RETURNING operator_id, id
  ), share AS (
    INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
    SELECT entry.operator_id, entry.id, stay.id, part.amount
    FROM entry, stay JOIN jsonb_to_recordset($26::jsonb) AS part (stay_code text, amount numeric)
      ON part.stay_code = stay.stay_code
  ), entry_recorded AS (
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT operator_id, $27, 'transaction:' || id, jsonb_build_object('transaction_id', id), $28::timestamptz
    FROM entry
  )
  SELECT (SELECT reservation_code FROM entered) AS code`

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const newChannelId = () => Array.from(randomBytes(9), (byte) => ALPHABET.charAt(byte & 31)).join("")

/** The code of the order a booking became; undefined when it could not become one. */
export const book = async (pool: Pool, operatorId: number, booking: Booking): Promise<string | undefined> => {
  const ground = await pool.query({
    name: "booking_ground",
    text: groundText,
    values: [operatorId, booking.property_id, operatorId, booking.income_method_id]
  })
  if (ground.rows[0]?.propertyKnown !== true) return undefined
  const at = new Date(Math.floor(Date.now() / 1000) * 1000)
  const channelId = newChannelId()
  const code = `5-${channelId}`
  const rate = String(booking.rate_amount)
  const contact = { name: booking.guest_name, phone: null, email: null }
  const stay = {
    propertyId: booking.property_id,
    listingId: null,
    checkIn: booking.check_in_date,
    checkOut: booking.check_out_date,
    adults: 1,
    children: 0,
    infants: 0,
    pets: 0,
    numberOfGuests: 1,
    guestName: contact.name,
    guestPhone: null,
    guestEmail: null,
    rate,
    commission: String(booking.commission_amount),
    revenue: rate,
    rateDetails: null,
    additionalFees: [],
    remarks: "",
    channelRemarks: "",
    guests: [{ ...contact, idType: null, idNumber: null, gender: null, country: null, isBooker: true }],
    stayCode: code,
    nights: true
  }
  const entered = await pool.query({
    name: "booking",
    text: enterText,
    values: [
      ...[operatorId, code, "direct", channelId, "accepted", null, booking.currency, at, at, "Owner"],
      ...[booking.custom_channel_id, null, null, JSON.stringify([stay])],
      ...["reservation_created", at, "property_availability_updated", at],
      ...[String(booking.received_amount), 11, booking.income_method_id, at, "Owner", at, at],
      ...[JSON.stringify([{ stay_code: code, amount: booking.received_amount.toFixed(2) }]), "transaction_created", at]
    ]
  })
  return entered.rows[0]?.code ?? undefined
}
