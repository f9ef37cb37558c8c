import { Effect } from "effect"

/** Subscribes a receiver on this machine to all events, as any caller would. */
export const subscribe = (base: string, token: string, url: string) =>
  Effect.promise(async () => {
    const headers = { "service-access-token": token, "content-type": "application/json" }
    const response = await fetch(`${base}/v3/webhooks`, { method: "POST", headers, body: JSON.stringify({ url }) })
    const text = await response.text()
    if (!text.includes('"error_code":0')) throw new Error(`not subscribed: ${text}`)
  })
