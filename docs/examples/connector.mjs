// A connector in one file: a tiny marketplace in memory that Latchkey reaches over HTTP (docs/channels.md, "A connector over
// HTTP"). A real one keeps its orders, what it still has to say and the ids it has heard in a database.
//   SECRET=whsec_… SERVICE=http://127.0.0.1:8080/connectors/1 ACCOUNT=12 node docs/examples/connector.mjs
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import SETTINGS from "./airbnb-settings.json" with { type: "json" }

const NIGHT = { price: 100, inventory: 1 }
const eligible_cancellation_policies = ["flexible", "moderate", "strict"]
const [DAY_MS, TOLERANCE_MS, LARGEST] = [86_400_000, 300_000, 1024 * 1024]

const daysOf = (start, end) => {
  const days = Array.from({ length: (Date.parse(end) - Date.parse(start)) / DAY_MS + 1 }, (_, at) => at * DAY_MS)
  return days.map((ms) => new Date(Date.parse(start) + ms).toISOString().slice(0, 10))
}
const refused = (reason, field) => Object.assign(new Error(reason), { refusal: { reason, field } })

export const makeConnector = ({ secret, service, now = Date.now }) => {
  const [listings, orders, heard] = [new Map(), new Map(), new Map()]
  // Standard Webhooks (standardwebhooks.com), the same in both directions.
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const sign = (id, time, body) => `v1,${createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64")}`
  const isSigned = ({ "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" }, body) => {
    const expected = Buffer.from(sign(id, time, body))
    const fits = (given) => given.length === expected.length && timingSafeEqual(given, expected)
    const isFresh = Math.abs(now() - time * 1000) <= TOLERANCE_MS
    return isFresh && signatures.split(" ").some((each) => fits(Buffer.from(each)))
  }

  // What is said goes out one after the other, each under an id of its own until it is answered.
  const send = async (id, body) => {
    while (true) {
      const time = Math.floor(now() / 1000)
      const signed = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": sign(id, time, body) }
      const headers = { "content-type": "application/json", ...signed }
      const answer = await fetch(service, { method: "POST", headers, body }).catch(() => undefined)
      if (answer?.ok) return
      const isFinal = answer !== undefined && answer.status < 500 && ![401, 408, 429].includes(answer.status)
      if (isFinal) return console.warn(`not heard: ${answer.status} ${await answer.text()}`)
      await sleep(1000 * Number(answer?.headers.get("retry-after") ?? 5))
    }
  }
  let told = Promise.resolve()
  const say = (account, said) => {
    const [id, body] = [randomUUID(), JSON.stringify({ account, said })]
    told = told.then(() => send(id, body))
  }
  // An order is said whole, in a version that rises.
  const sayOrder = (order) => {
    order.version += 1
    const { account, version, channel_id, status, booked_at, ...stay } = order
    const rate = NIGHT.price * (daysOf(stay.check_in_date, stay.check_out_date).length - 1)
    const rooms = [{ ...stay, room_id: "1", number_of_adults: 2, rate, commission: 0, accommodation: rate }]
    const common = { currency: "EUR", booker: { name: "Ana Reis" }, booked_at, rooms }
    say(account, { type: "order", version, channel_id, status, ...common })
  }
  const listingOf = ({ account, listing_id }) => {
    const listing = listings.get(listing_id)
    if (listing?.account.channel_account_id === account.channel_account_id) return listing
    throw refused(`there is no listing ${listing_id}`)
  }
  const push = (asked) => {
    const { nights } = listingOf(asked)
    for (const { start_date, end_date, ...pushed } of asked.prices ?? asked.inventories ?? asked.restrictions) {
      for (const day of daysOf(start_date, end_date)) {
        const night = nights.get(day) ?? NIGHT
        const changed = asked.restrictions ? { restrictions: { ...night.restrictions, ...pushed } } : pushed
        nights.set(day, { ...night, ...changed })
      }
    }
  }
  const answer = (status, { channel_id }) => {
    const order = orders.get(channel_id)
    if (order?.status === status) return
    if (order?.status !== "wait_accept") throw refused("the request is over, or there is none")
    sayOrder(Object.assign(order, { status }))
  }
  const settle = (asked) => {
    const settings = { ...listingOf(asked).settings, ...asked.settings }
    const isOffered = eligible_cancellation_policies.includes(settings.cancellation_policy)
    if (!isOffered) throw refused("not eligible", "settings.cancellation_policy")
    listingOf(asked).settings = settings
  }
  const readCalendar = (asked) => {
    const { nights } = listingOf(asked)
    // On ctrip the price that is pushed is the guest's, and the one that is read is what is left for the host.
    const share = asked.account.channel_type === "ctrip" ? 0.85 : 1
    const days = daysOf(asked.start_date, asked.end_date).map((date) => ({ date, ...(nights.get(date) ?? NIGHT) }))
    return { days: days.map((day) => ({ ...day, price: day.price * share })) }
  }
  const STANDS = { wait_accept: "pending", accepted: "approved", denied: "declined" }
  const acts = {
    approve: (asked) => answer("accepted", asked),
    decline: (asked) => answer("denied", asked),
    answered: ({ channel_id }) => ({ answer: STANDS[orders.get(channel_id)?.status] ?? "unknown" }),
    push_prices: push,
    push_inventories: push,
    push_restrictions: push,
    read_calendar: readCalendar,
    read_airbnb_price_and_rules: (asked) => ({ settings: listingOf(asked).settings, eligible_cancellation_policies }),
    write_airbnb_price_and_rules: settle,
    write_vrbo_price_and_rules: settle
  }
  const act = (asked) => {
    try {
      return [200, acts[asked.type](asked) ?? {}]
    } catch (error) {
      return error.refusal === undefined ? [500, {}] : [422, error.refusal]
    }
  }
  // A message that comes again while its signature is good is answered as it was, and nothing is done.
  const hear = (id, body) => {
    for (const [old, { at }] of heard) if (now() - at > 2 * TOLERANCE_MS) heard.delete(old)
    if (!heard.has(id)) heard.set(id, { at: now(), answer: act(JSON.parse(body)) })
    return heard.get(id).answer
  }
  const converse = async (request, response) => {
    let body = ""
    for await (const chunk of request.setEncoding("utf8")) if (body.length <= LARGEST) body += chunk
    const isOurs = body.length <= LARGEST && isSigned(request.headers, body)
    const [status, said] = isOurs ? hear(request.headers["webhook-id"], body) : [401, { reason: "not signed" }]
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said))
  }
  // Anybody can hang up in the middle of a body: that ends his connection, and not the process.
  const server = createServer((asked, response) => converse(asked, response).catch(() => response.destroy()))

  const open = (account, listing_id) => {
    listings.set(listing_id, { account, nights: new Map(), settings: SETTINGS })
    const listing = { title: "Old town loft", currency: "EUR", inventory: 1, shelf_status: "on" }
    say(account, { type: "listing", version: 1, listing_id, ...listing })
  }
  const request = (account, listing_id, check_in_date, check_out_date) => {
    const order = { account, version: 0, channel_id: randomUUID(), status: "wait_accept", listing_id }
    orders.set(order.channel_id, { ...order, check_in_date, check_out_date, booked_at: new Date(now()).toISOString() })
    sayOrder(orders.get(order.channel_id))
    return order.channel_id
  }
  /** The guest wants another `check_out_date`, or has `cancelled`: `status`. */
  const change = (channel_id, changes) => sayOrder(Object.assign(orders.get(channel_id), changes))
  return { server, open, request, change, /** Once all is said. */ told: () => told }
}

const { SECRET, SERVICE, ACCOUNT, CHANNEL = "houfy", PORT = "9000" } = process.env
if (SECRET && SERVICE && process.argv[1] === import.meta.filename) {
  const { server, open } = makeConnector({ secret: SECRET, service: SERVICE })
  const account = { channel_account_id: Number(ACCOUNT), channel_type: CHANNEL }
  server.listen(PORT, "127.0.0.1", () => open(account, "loft"))
}
