// What a connector and Latchkey say to each other: JSON by POST, signed as Standard Webhooks are (standardwebhooks.com), the
// same in both directions.
import { AsyncLocalStorage } from "node:async_hooks"
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

const [TOLERANCE_MS, LARGEST] = [300_000, 1024 * 1024]

export const makeMessages = ({ secret, service, now }) => {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const sign = (id, time, body) => `v1,${createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64")}`
  const isSigned = ({ "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" }, body) => {
    const expected = Buffer.from(sign(id, time, body))
    const fits = (given) => given.length === expected.length && timingSafeEqual(given, expected)
    const isFresh = Math.abs(now() - time * 1000) <= TOLERANCE_MS
    return isFresh && signatures.split(" ").some((each) => fits(Buffer.from(each)))
  }

  // The trace that Latchkey asks in: what is said because of that is said in it.
  const trace = new AsyncLocalStorage()

  // What is said goes out one after the other, each under an id of its own until it is answered.
  const send = async (id, body, traceparent) => {
    while (true) {
      const time = Math.floor(now() / 1000)
      const signed = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": sign(id, time, body) }
      const headers = { "content-type": "application/json", ...signed, ...(traceparent && { traceparent }) }
      const answer = await fetch(service, { method: "POST", headers, body }).catch(() => undefined)
      if (answer?.ok) return
      const isFinal = answer !== undefined && answer.status < 500 && ![401, 408, 429].includes(answer.status)
      if (isFinal) return console.warn(`not heard: ${answer.status} ${await answer.text()}`)
      await sleep(1000 * Number(answer?.headers.get("retry-after") ?? 5))
    }
  }
  let told = Promise.resolve()
  const say = (account, said) => {
    const [id, body, traceparent] = [randomUUID(), JSON.stringify({ account, said }), trace.getStore()]
    told = told.then(() => send(id, body, traceparent))
  }

  // A message that comes again while its signature is good is answered as it was, and nothing is done.
  const heard = new Map()
  const hear = (act, id, body) => {
    for (const [old, { at }] of heard) if (now() - at > 2 * TOLERANCE_MS) heard.delete(old)
    if (!heard.has(id)) heard.set(id, { at: now(), answer: act(JSON.parse(body)) })
    return heard.get(id).answer
  }
  const converse = async (act, request, response) => {
    let body = ""
    for await (const chunk of request.setEncoding("utf8")) if (body.length <= LARGEST) body += chunk
    const isOurs = body.length <= LARGEST && isSigned(request.headers, body)
    const { "webhook-id": id, traceparent } = request.headers
    const answered = () => (isOurs ? hear(act, id, body) : [401, { reason: "not signed" }])
    const [status, said] = trace.run(traceparent, answered)
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said))
  }
  /** Hears what the connector is asked: `act` answers a status and a body. */
  const serverOf = (act) =>
    // Anybody can hang up in the middle of a body: that ends his connection, and not the process.
    createServer((asked, response) => converse(act, asked, response).catch(() => response.destroy()))

  return { say, serverOf, /** Once all is said. */ told: () => told }
}
