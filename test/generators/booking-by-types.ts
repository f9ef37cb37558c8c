// A booking with the types that openapi-typescript makes of the document, and nothing but fetch. Compiled and run by a test.
import type { operations } from "./types.ts"

const [base = "", token = "", checkIn = "", checkOut = ""] = process.argv.slice(2)

type Answer<Name extends keyof operations> = operations[Name]["responses"][200]["content"]["application/json"]
type Query<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>
type Booked = NonNullable<operations["create_reservation"]["requestBody"]>["content"]["application/json"]

const headers = { "Service-Access-Token": token, "content-type": "application/json" }

const get = async <Name extends keyof operations>(path: string, query: Record<string, string>): Promise<Answer<Name>> =>
  (await fetch(`${base}/v3${path}?${new URLSearchParams(query)}`, { headers })).json()

const fail = (answer: { error_code: number; error_msg: string }): never => {
  throw new Error(`${answer.error_code} ${answer.error_msg}`)
}

const properties = await get<"search_properties">("/properties", { limit: "1" })
if (properties.error_code !== 0) throw fail(properties)
const property = properties.data.properties[0]
if (property === undefined) throw new Error("there is no property")

const asked: Query<"get_property_availability"> = {
  property_ids: String(property.id),
  start_date: checkIn,
  end_date: checkIn
}
const free = await get<"get_property_availability">("/availabilities", { ...asked })
if (free.error_code !== 0) throw fail(free)

const channels = await get<"query_custom_channels">("/custom_channels", {})
if (channels.error_code !== 0) throw fail(channels)

const methods = await get<"query_income_methods">("/income_methods", {})
if (methods.error_code !== 0) throw fail(methods)

const booking: Booked = {
  property_id: property.id,
  custom_channel_id: channels.data.custom_channels[0]?.id ?? 0,
  check_in_date: checkIn,
  check_out_date: checkOut,
  guest_name: "Ada Lovelace",
  currency: "EUR",
  rate_amount: 300,
  commission_amount: 0,
  received_amount: 100,
  income_method_id: methods.data.income_methods[0]?.id ?? 0
}
const made: Answer<"create_reservation"> = await (
  await fetch(`${base}/v3/reservations`, { method: "POST", headers, body: JSON.stringify(booking) })
).json()
if (made.error_code !== 0) throw fail(made)

const cancelled: Answer<"cancel_reservation"> = await (
  await fetch(`${base}/v3/reservations/${made.data.reservation.reservation_code}`, { method: "DELETE", headers })
).json()
if (cancelled.error_code !== 0) throw fail(cancelled)
console.log(`booked and cancelled ${made.data.reservation.reservation_code}`)
