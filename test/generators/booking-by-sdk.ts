// A booking with the client that @hey-api/openapi-ts makes of the document. Compiled and run by a test.
import { createClient } from "./sdk/client/index.ts"
import {
  cancelReservation,
  createReservation,
  getPropertyAvailability,
  queryCustomChannels,
  queryIncomeMethods,
  searchProperties,
  searchReservations
} from "./sdk/index.ts"

const [base = "", token = "", checkIn = "", checkOut = ""] = process.argv.slice(2)
const client = createClient({ baseUrl: `${base}/v3`, auth: token })

/** The envelope of success; anything else ends the program. */
const succeeded = <Answer extends { error_code: number; error_msg: string }>(answer: Answer | undefined) => {
  if (answer === undefined) throw new Error("there is no answer")
  if (answer.error_code !== 0) throw new Error(`${answer.error_code} ${answer.error_msg}`)
  return answer as Extract<Answer, { error_code: 0 }>
}

const { properties } = succeeded((await searchProperties({ client, query: { limit: 1 } })).data).data
const property = properties[0]
if (property === undefined) throw new Error("there is no property")

const range = { property_ids: String(property.id), start_date: checkIn, end_date: checkIn }
succeeded((await getPropertyAvailability({ client, query: range })).data)
const { custom_channels: channels } = succeeded((await queryCustomChannels({ client })).data).data

const { income_methods: methods } = succeeded((await queryIncomeMethods({ client })).data).data

const made = await createReservation({
  client,
  headers: { "Idempotency-Key": `booking-${checkIn}` },
  body: {
    property_id: property.id,
    custom_channel_id: channels[0]?.id ?? 0,
    check_in_date: checkIn,
    check_out_date: checkOut,
    guest_name: "Ada Lovelace",
    currency: "EUR",
    rate_amount: 300,
    commission_amount: 0,
    received_amount: 100,
    income_method_id: methods[0]?.id ?? 0
  }
})
const code = succeeded(made.data).data.reservation.reservation_code
const { reservations } = succeeded((await searchReservations({ client, query: { reservation_code: code } })).data).data
if (reservations[0]?.status !== "accepted") throw new Error("the booking is not there")
succeeded((await cancelReservation({ client, path: { code } })).data)
console.log(`booked and cancelled ${code}`)
