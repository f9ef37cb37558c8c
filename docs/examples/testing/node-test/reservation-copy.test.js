import assert from "node:assert/strict"
import { after, beforeEach, test } from "node:test"
import { createClient } from "latchkey/client"
import { createLatchkey } from "latchkey/testing"
import { approveRequests, createReservationCopy } from "./reservation-copy.js"

const latchkey = await createLatchkey({ seed: "empty", now: new Date("2027-01-04T09:00:00Z") })

beforeEach(() => latchkey.reset())
after(() => latchkey.close())

/** Creates an operator with one listing, and a webhook to the receiver, which responds with `status`. */
async function setUp({ status = 200, channel_type = "airbnb" } = {}) {
  const { token, properties } = await latchkey.operator({ properties: [{ title: "Harbour flat", channel_type }] })
  const client = createClient({ baseUrl: latchkey.url, token })
  const { secret } = await client.create_webhook({ url: `${latchkey.receiverUrl}?status=${status}` })
  const [{ listing_id }] = properties
  return { client, listing_id, copy: createReservationCopy({ client, secret }) }
}

const bookFlat = (listing_id) =>
  latchkey.sandbox.book({
    listing_id,
    check_in_date: "2027-02-01",
    check_out_date: "2027-02-04",
    guest_name: "Ada Moreau"
  })

async function listReservationWebhooks() {
  const deliveries = await latchkey.deliveries()
  return deliveries.filter(({ body }) => JSON.parse(body).event.startsWith("reservation_"))
}

async function receiveAll(copy) {
  for (const delivery of await listReservationWebhooks()) {
    assert.equal(await copy.receive(delivery, Date.parse(delivery.received_at)), 204)
  }
}

test("a webhook copies the reservation", async () => {
  const { listing_id, copy } = await setUp({ channel_type: "booking.com" })
  const { reservation_code } = await bookFlat(listing_id)
  await receiveAll(copy)
  assert.equal(copy.statuses.get(reservation_code), "accepted")
})

test("a webhook with an old timestamp is rejected", async () => {
  const { listing_id, copy } = await setUp()
  await bookFlat(listing_id)
  const [delivery] = await listReservationWebhooks()
  const now = await latchkey.advance("10m")
  assert.equal(await copy.receive(delivery, now.getTime()), 401)
})

test("a failed webhook is sent again with the same id", async () => {
  const { listing_id } = await setUp({ status: 503 })
  await bookFlat(listing_id)
  const [first] = await listReservationWebhooks()
  assert.equal(first.status, 503)
  await latchkey.advance("1m")
  const retries = await listReservationWebhooks()
  const ids = retries.map(({ headers }) => headers["webhook-id"])
  assert.deepEqual(ids, [ids[0], ids[0]])
})

test("a request expires when the host does not answer", async () => {
  const { listing_id, copy } = await setUp()
  const { reservation_code } = await bookFlat(listing_id)
  await latchkey.advance("2d")
  await receiveAll(copy)
  assert.equal(copy.statuses.get(reservation_code), "timeout")
})

test("the nightly job approves a request although the channel fails once", async () => {
  const { client, listing_id, copy } = await setUp()
  const { reservation_code } = await bookFlat(listing_id)
  await latchkey.sandbox.failNext({ failure: "503" })
  assert.deepEqual(await approveRequests(client), [reservation_code])
  await receiveAll(copy)
  assert.equal(copy.statuses.get(reservation_code), "accepted")
})
