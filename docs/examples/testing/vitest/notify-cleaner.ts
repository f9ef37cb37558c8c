import { createHmac, timingSafeEqual } from "node:crypto"
import type { Client } from "latchkey/client"

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const TOLERANCE_MS = 300_000

export const isSigned = (secret: string, { headers, body }: Delivery, now: Date): boolean => {
  const timestamp = headers["webhook-timestamp"]
  if (!(Math.abs(now.getTime() - Number(timestamp) * 1000) <= TOLERANCE_MS)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const expected = createHmac("sha256", key).update(`${headers["webhook-id"]}.${timestamp}.${body}`).digest()
  return (headers["webhook-signature"] ?? "").split(" ").some((each) => {
    const signature = Buffer.from(each.replace(/^v1,/, ""), "base64")
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}

/** Creates a cleaning task for each accepted stay of the reservation that the webhook names. */
export const notifyCleaner = async (client: Client, secret: string, delivery: Delivery, now = new Date()) => {
  if (!isSigned(secret, delivery, now)) throw new Error("The signature of the webhook is wrong.")
  const { reservation_code } = JSON.parse(delivery.body)
  const { reservations } = await client.search_reservations({ reservation_code, status: "accepted" })
  for (const { stay_code, check_out_date } of reservations) {
    // The key prevents a second task when another webhook names the same stay within 24 hours.
    const idempotencyKey = `cleaning-${stay_code}`
    await client.create_task({ type: "cleaning", stay_code, expected_date: check_out_date }, { idempotencyKey })
  }
}
