import { type Client, createClient } from "latchkey/client"
import { createLatchkey } from "latchkey/testing"
import { afterAll, assert, beforeEach, expect, it } from "vitest"
import { notifyCleaner } from "./notify-cleaner.ts"

let client: Client
let secret: string
/** Listings: guests book the flat at once, and the cottage on request. */
let flat: string
let cottage: string

const latchkey = await createLatchkey({
  now: new Date("2027-01-04T09:00:00Z"),
  // Runs once. Each reset goes back to the state that it leaves.
  seed: async (server) => {
    const { token, properties } = await server.operator({
      name: "Harbour Homes",
      properties: [
        { title: "Harbour flat", channel_type: "booking.com" },
        { title: "Harbour cottage", channel_type: "airbnb" }
      ]
    })
    ;[flat, cottage] = properties.map(({ listing_id }) => listing_id)
    client = createClient({ baseUrl: server.url, token })
    const webhook = await client.create_webhook({
      url: server.receiverUrl,
      events: ["reservation_created", "reservation_updated"]
    })
    secret = webhook.secret ?? ""
  }
})

beforeEach(() => latchkey.reset())
afterAll(() => latchkey.close())

/** Returns the code of the reservation. */
const book = async (listing_id: string) => {
  const stay = { check_in_date: "2027-02-01", check_out_date: "2027-02-04", guest_name: "Ada Moreau" }
  const { reservation_code } = await latchkey.sandbox.book({ listing_id, ...stay })
  assert(reservation_code !== null)
  return reservation_code
}

const handleDeliveries = async () => {
  const deliveries = await latchkey.deliveries()
  for (const delivery of deliveries) {
    await notifyCleaner(client, secret, delivery, new Date(delivery.received_at))
  }
}

it("creates a cleaning for the day of check-out", async () => {
  const reservation_code = await book(flat)
  await handleDeliveries()
  const { reservations } = await client.search_reservations({ reservation_code })
  expect(reservations).toMatchObject([{ guest_name: "Ada Moreau", status: "accepted" }])
  const { tasks } = await client.search_tasks({ type: "cleaning" })
  expect(tasks).toMatchObject([{ property_title: "Harbour flat", expected_date: "2027-02-04" }])
})

it("rejects a webhook that was changed on its way", async () => {
  await book(flat)
  const [delivery] = await latchkey.deliveries()
  const forged = { ...delivery, body: delivery.body.replace("reservation_created", "reservation_updated") }
  await expect(notifyCleaner(client, secret, forged, new Date(delivery.received_at))).rejects.toThrow("signature")
})

it("waits for the approval, which succeeds although the channel fails once", async () => {
  const reservation_code = await book(cottage)
  await handleDeliveries()
  expect((await client.search_tasks({})).total).toBe(0)
  await latchkey.sandbox.failNext({ failure: "503" })
  await client.approve_reservation({ reservation_code }) // The client repeats the call.
  await handleDeliveries()
  expect((await client.search_tasks({})).total).toBe(1)
})

it("creates no cleaning for a request that the host does not answer", async () => {
  const reservation_code = await book(cottage)
  await latchkey.advance("2d")
  await handleDeliveries()
  const { reservations } = await client.search_reservations({ reservation_code })
  expect(reservations).toMatchObject([{ status: "timeout" }])
  expect((await client.search_tasks({})).total).toBe(0)
})
