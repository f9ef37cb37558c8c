import { createHmac, timingSafeEqual } from "node:crypto"

const TOLERANCE_MS = 300_000

function isSigned(secret, { headers, body }, now) {
  const timestamp = headers["webhook-timestamp"]
  if (!(Math.abs(now - timestamp * 1000) <= TOLERANCE_MS)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const expected = createHmac("sha256", key).update(`${headers["webhook-id"]}.${timestamp}.${body}`).digest()
  return headers["webhook-signature"].split(" ").some((each) => {
    const signature = Buffer.from(each.replace(/^v1,/, ""), "base64")
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}

/** Copies the status of reservations. `receive` handles a webhook and returns the HTTP status of the response. */
export function createReservationCopy({ client, secret }) {
  const statuses = new Map()
  const handledIds = new Set()

  async function receive(delivery, now = Date.now()) {
    if (!isSigned(secret, delivery, now)) return 401
    const id = delivery.headers["webhook-id"]
    if (handledIds.has(id)) return 204
    const { reservation_code } = JSON.parse(delivery.body)
    const { reservations } = await client.search_reservations({ reservation_code })
    for (const { stay_code, status } of reservations) statuses.set(stay_code, status)
    handledIds.add(id)
    return 204
  }

  return { receive, statuses }
}

/** The nightly job: approves the requests that still wait. Returns their codes. */
export async function approveRequests(client) {
  const codes = []
  for await (const { reservation_code } of client.pages("search_reservations", { status: "wait_accept" })) {
    codes.push(reservation_code)
  }
  // The client repeats a call that fails with 502, 503 or 504, with the same idempotency key.
  for (const reservation_code of codes) await client.approve_reservation({ reservation_code })
  return codes
}
