// A connector: a tiny marketplace in memory that Latchkey reaches over HTTP (docs/guides/connect-a-channel.md). A real
// one keeps its orders, what it still has to say and the ids it has heard in a database.
//   SECRET=whsec_… SERVICE=http://127.0.0.1:8080/connectors/1 ACCOUNT=12 node docs/examples/connector.mjs
import { randomUUID } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import SETTINGS from "./airbnb-settings.json" with { type: "json" }
import { makeMessages } from "./signed-messages.mjs"

const NIGHT = { price: 100, inventory: 1 }
const eligible_cancellation_policies = ["flexible", "moderate", "strict"]
const DAY_MS = 86_400_000

const daysOf = (start, end) => {
  const days = Array.from({ length: (Date.parse(end) - Date.parse(start)) / DAY_MS + 1 }, (_, at) => at * DAY_MS)
  return days.map((ms) => timeOf(Date.parse(start) + ms).slice(0, 10))
}
const timeOf = (ms) => new Date(ms).toISOString()
const nightsOf = ({ check_in_date, check_out_date }) => daysOf(check_in_date, check_out_date).slice(0, -1)
const refused = (reason, field) => Object.assign(new Error(reason), { refusal: { reason, field } })

export const makeConnector = ({ secret, service, now = Date.now }) => {
  const [listings, orders, written, offers, reviews] = Array.from({ length: 5 }, () => new Map())
  const { say, serverOf, told } = makeMessages({ secret, service, now })

  // An order is said whole, in a version that rises. Its guest has a thread of the same name.
  const sayOrder = (order) => {
    order.version += 1
    const { account, version, channel_id, status, booked_at, ...stay } = order
    const rate = NIGHT.price * nightsOf(stay).length
    const rooms = [{ ...stay, room_id: "1", number_of_adults: 2, rate, commission: 0, accommodation: rate }]
    const common = { currency: "EUR", booker: { name: "Ana Reis" }, booked_at, rooms }
    say(account, { type: "order", version, channel_id, thread_id: channel_id, status, ...common })
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
  const orderOf = (channel_id) => {
    if (orders.has(channel_id)) return orders.get(channel_id)
    throw refused("there is no such guest")
  }
  // A message is known again by the name it comes under, so it is there once. It is said as any other of its thread. A channel
  // that keeps no such names would answer `again` with {"outcome": "unknown"}, since it may have the message already.
  const write = ({ account, thread_id, message_id: sent_as, text, image_url: attachment_url }) => {
    orderOf(thread_id)
    if (!written.has(sent_as)) {
      const [message_id, sent_at] = [randomUUID(), timeOf(now())]
      say(account, { type: "message", message_id, thread_id, sender: "host", sent_as, text, attachment_url, sent_at })
      written.set(sent_as, message_id)
    }
    return { outcome: "sent", channel_message_id: written.get(sent_as) }
  }
  const offer = ({ thread_id, reference, price, currency, ...asked }) => {
    orderOf(thread_id)
    const nights = nightsOf(asked).map((day) => listingOf(asked).nights.get(day) ?? NIGHT)
    if (!offers.has(reference) && nights.some(({ inventory }) => inventory < 1)) throw refused("the nights are sold")
    const standard = nights.reduce((sum, night) => sum + night.price, 0)
    const times = { created_at: timeOf(now()), expires_at: timeOf(now() + DAY_MS) }
    const made = { offer_id: reference, price: price ?? standard, currency: currency ?? "EUR", ...times }
    return offers.get(reference) ?? offers.set(reference, made).get(reference)
  }
  const withdraw = ({ offer_id }) => {
    const made = offers.get(offer_id)
    if (made === undefined) throw refused("there is no such offer")
    if (!made.withdrawn && timeOf(now()) >= made.expires_at) throw refused("the offer has expired")
    made.withdrawn = true
  }
  // The host's review of a guest, and the reply to what the guest wrote, may come in two acts.
  const judge = ({ channel_id, review, reply }) => {
    orderOf(channel_id)
    const there = reviews.get(channel_id) ?? { review: null, reply: null }
    const isOther = (one, known) => one !== null && known !== null && !isDeepStrictEqual(one, known)
    if (isOther(review, there.review)) throw refused("there is a review")
    if (isOther(reply, there.reply)) throw refused("there is a reply")
    reviews.set(channel_id, { review: review ?? there.review, reply: reply ?? there.reply })
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
    write_vrbo_price_and_rules: settle,
    send_message: write,
    send_offer: offer,
    withdraw_offer: withdraw,
    write_review: judge
  }
  const act = (asked) => {
    try {
      return [200, acts[asked.type](asked) ?? {}]
    } catch (error) {
      return error.refusal === undefined ? [500, {}] : [422, error.refusal]
    }
  }
  const open = (account, listing_id) => {
    listings.set(listing_id, { account, nights: new Map(), settings: SETTINGS })
    const listing = { title: "Old town loft", currency: "EUR", inventory: 1, shelf_status: "on" }
    say(account, { type: "listing", version: 1, listing_id, ...listing })
  }
  const request = (account, listing_id, check_in_date, check_out_date) => {
    const order = { account, version: 0, channel_id: randomUUID(), status: "wait_accept", listing_id }
    orders.set(order.channel_id, { ...order, check_in_date, check_out_date, booked_at: timeOf(now()) })
    sayOrder(orders.get(order.channel_id))
    return order.channel_id
  }
  /** The guest wants another `check_out_date`, or has `cancelled`: `status`. */
  const change = (channel_id, changes) => sayOrder(Object.assign(orders.get(channel_id), changes))
  return { server: serverOf(act), open, request, change, told }
}

const { SECRET, SERVICE, ACCOUNT, CHANNEL = "houfy", PORT = "9000" } = process.env
if (SECRET && SERVICE && process.argv[1] === import.meta.filename) {
  const { server, open } = makeConnector({ secret: SECRET, service: SERVICE })
  const account = { channel_account_id: Number(ACCOUNT), channel_type: CHANNEL }
  server.listen(PORT, "127.0.0.1", () => open(account, "loft"))
}
