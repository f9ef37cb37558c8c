import { DIFFERENCES, SANDBOX_CHANNELS } from "../../connectors/sandbox/channels.ts"
import { MOODS } from "../../connectors/sandbox/rows.ts"
import type {
  AccountSeen,
  AskedRow,
  GuestDay,
  ListingSeen,
  OrderRow,
  Part,
  ThreadSeen
} from "../../connectors/sandbox/Seeing.ts"
import type { PageOf } from "../../platform/database/rows.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import type { Document } from "../pages/document.ts"
import { calendarOf } from "./calendar.ts"
import { choice, field, form, hidden, lines, option, seldom } from "./fields.ts"
import { ordersSection } from "./orders.ts"
import { STYLE } from "./style.ts"
import { threadsSection } from "./threads.ts"

// The page of the sandbox, without a script: what is sold, to whom, and what the service has asked.

/** The lists of the page. Each is shown a part at a time: `?orders=2` is its second. */
export const PARTS = ["accounts", "listings", "orders", "threads", "asked"] as const
export type PartName = (typeof PARTS)[number]

const SHOWN: Readonly<Record<PartName, number>> = {
  accounts: 20,
  listings: 8,
  orders: 15,
  threads: 6,
  asked: 15
}

/** The parts that a query asks for. */
export const partsOf = (query: URLSearchParams): Readonly<Record<PartName, Part>> => {
  const part = (name: PartName): Part => {
    const text = query.get(name) ?? "1"
    const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 1
    return { limit: SHOWN[name], offset: (number - 1) * SHOWN[name] }
  }
  return {
    accounts: part("accounts"),
    listings: part("listings"),
    orders: part("orders"),
    threads: part("threads"),
    asked: part("asked")
  }
}

/** Whose the page shows: of one operator, or of all. */
export const operatorIn = (query: URLSearchParams): { readonly operator_id?: number } => {
  const text = query.get("operator") ?? ""
  return /^[1-9]\d{0,14}$/.test(text) ? { operator_id: Number(text) } : {}
}

/** What the address says beside messages, so that whoever sends a form comes back to where they were. */
export const keptOf = (query: URLSearchParams): string => {
  const kept = ["operator", ...PARTS].flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return new URLSearchParams(Object.fromEntries(kept)).toString()
}

interface Market {
  readonly accounts: PageOf<AccountSeen>
  readonly listings: PageOf<ListingSeen>
  readonly orders: PageOf<OrderRow>
  readonly threads: PageOf<ThreadSeen>
  readonly asked: PageOf<AskedRow>
  readonly parts: Readonly<Record<PartName, Part>>
  readonly daysOf: (listing: ListingSeen) => ReadonlyArray<GuestDay>
  readonly query: URLSearchParams
  readonly now: Date
  readonly publicUrl: string
}

const SECTIONS = [
  ["book", "Book"],
  ["inquire", "Ask"],
  ["listings", "Listings"],
  ["threads", "Conversations"],
  ["orders", "Orders"],
  ["asked", "Asked"],
  ["accounts", "Accounts"],
  ["open", "Open a listing"]
] as const

export const marketPage = (market: Market): Document => ({
  title: "Sandbox marketplace",
  style: STYLE,
  body: html`<header>
<h1>Sandbox marketplace</h1>
<p class="soft">Channels to try the service with: nobody pays, nobody travels. What guests do here reaches the service as it would from a real channel, and what the service asks of its sandbox accounts is answered here.</p>
<nav class="more" aria-label="Parts of this page">${SECTIONS.map(([id, words]) => html`<a href="#${id}">${words}</a> `)}</nav>
</header>
${messageOf(market.query)}<main>
${bookSection(market)}
${inquireSection(market)}
${listingsSection(market)}
${threadsSection(market.threads, shownIn(market), more("threads", market))}
${ordersSection(market.orders, shownIn(market), more("orders", market))}
${askedSection(market)}
${accountsSection(market)}
${openSection(market)}
</main>`
})

/** A page with one sentence. */
export const wordPage = (words: string): Document => ({
  title: "Sandbox marketplace",
  style: STYLE,
  body: html`<main>
<h1>Sandbox marketplace</h1>
<p>${words}</p>
<p><a href="/sandbox">To the sandbox</a></p>
</main>`
})

const suffixOf = (query: URLSearchParams): string => (keptOf(query) === "" ? "" : `?${keptOf(query)}`)
const address = (act: string, query: URLSearchParams): string => `${act}${suffixOf(query)}`

const shownIn = ({ query, now, publicUrl }: Market) => ({ kept: suffixOf(query), now, publicUrl })

const messageOf = (query: URLSearchParams): Html => {
  const [done, error] = [query.get("done"), query.get("error")]
  if (error !== null)
    return html`<p class="message error" role="alert">${error}</p>
`
  return done === null
    ? nothing
    : html`<p class="message done" role="status">${done}</p>
`
}

/** Ways to the parts before and after. */
const more = (name: PartName, { parts, query, ...rows }: Market): Html => {
  const { limit, offset } = parts[name]
  const { total } = rows[name]
  if (total <= limit && offset === 0) return nothing
  const number = offset / limit + 1
  const link = (to: number, words: string) => {
    const search = new URLSearchParams(keptOf(query))
    search.set(name, String(to))
    return html`<a href="/sandbox?${search.toString()}#${name}">${words}</a> `
  }
  return html`<nav class="more" aria-label="More ${name}">
${number > 1 ? link(number - 1, "Previous") : nothing}<span class="soft">${number} of ${Math.max(1, Math.ceil(total / limit))}</span> ${offset + limit < total ? link(number + 1, "Next") : nothing}</nav>
`
}

const CHANNELS = SANDBOX_CHANNELS.map((channel) => [channel, channel] as const)

const bookSection = ({ listings, query }: Market): Html => html`<section id="book" aria-labelledby="book-title">
<h2 id="book-title">Book as a guest</h2>
${form(
  address("book", query),
  "Book",
  html`${field("listing_id", "Listing", { value: query.get("listing_id") ?? "", list: "listing-ids", required: true })}
<datalist id="listing-ids">${listings.rows.map(({ listing_id, title, channel_type }) => html`<option value="${listing_id}">${title} (${channel_type})</option>`)}</datalist>
${field("check_in_date", "Check-in", { type: "date", required: true })}
${field("check_out_date", "Check-out", { type: "date", required: true })}
${field("guest_name", "Guest", { required: true })}
${field("adults", "Adults", { type: "number", value: "2" })}
${field("children", "Children", { type: "number", value: "0" })}
${field("rooms", "Rooms of each", { type: "number", value: "1" })}
${seldom(
  "How to reach the guest, a message, and whose listing it is",
  html`${field("guest_phone", "Phone")}
${field("guest_email", "E-mail")}
${field("remarks", "Message")}
${choice("channel_type", "Channel", [["", "whichever has it"], ...CHANNELS])}
${field("operator_id", "Operator", { type: "number" })}`
)}`
)}
<p class="soft">Several listings of one account in one order: their ids, separated by commas. Say channel or operator where several accounts have one of that id.</p>
</section>`

const inquireSection = ({ query }: Market): Html => html`<section id="inquire" aria-labelledby="inquire-title">
<h2 id="inquire-title">Ask as a guest</h2>
${form(
  address("inquire", query),
  "Ask",
  html`${field("listing_id", "Listing", { value: query.get("listing_id") ?? "", list: "listing-ids", required: true })}
${field("check_in_date", "Check-in", { type: "date", required: true })}
${field("check_out_date", "Check-out", { type: "date", required: true })}
${field("guest_name", "Guest", { required: true })}
${field("adults", "Adults", { type: "number", value: "2" })}
${field("children", "Children", { type: "number", value: "0" })}
${lines("text", "What the guest writes")}
${seldom(
  "How to reach the guest, and whose listing it is",
  html`${field("guest_phone", "Phone")}
${field("guest_email", "E-mail")}
${choice("channel_type", "Channel", [["", "whichever has it"], ...CHANNELS])}
${field("operator_id", "Operator", { type: "number" })}`
)}`
)}
<p class="soft">A guest has one conversation with an account, and is known again by the e-mail address, else by the name.</p>
</section>`

const listingsSection = (market: Market): Html => html`<section id="listings" aria-labelledby="listings-title">
<h2 id="listings-title">Listings</h2>
${market.listings.total === 0 ? html`<p>Nothing is on sale yet: open a listing below.</p>` : nothing}
${market.listings.rows.map((listing) => listingCard(listing, market.daysOf(listing)))}
${more("listings", market)}</section>`

const listingCard = (listing: ListingSeen, days: ReadonlyArray<GuestDay>): Html => {
  const { listing_id, title, channel_type, username, operator, instant, commission, tax, rooms, currency } = listing
  const prices = DIFFERENCES[channel_type].pricesAre === "the guest's" ? "the host's price includes the commission" : ""
  const link =
    listing.property_id !== null
      ? `sells property ${listing.property_id}`
      : listing.room_type_id !== null
        ? `sells room type ${listing.room_type_id}`
        : "is linked to nothing"
  const facts = [
    `${username} of ${operator}`,
    instant ? "instant booking" : "request to book",
    `${rooms} room${rooms === 1 ? "" : "s"}`,
    `${commission} % commission`,
    `${tax} % tax`,
    link,
    prices
  ]
  return html`<article class="card">
<h3><span class="tag">${channel_type}</span> ${title} <a class="id" href="/sandbox?listing_id=${encodeURIComponent(listing_id)}#book">${listing_id}</a></h3>
<p class="soft">${facts.filter((fact) => fact !== "").join(" · ")}</p>
${calendarOf(days, currency)}
</article>
`
}

const askedSection = (market: Market): Html => html`<section id="asked" aria-labelledby="asked-title">
<h2 id="asked-title">What the service asked</h2>
${
  market.asked.rows.length === 0
    ? html`<p>Nothing yet.</p>`
    : html`<div class="scroll"><table class="rows">
<thead><tr><th scope="col">When</th><th scope="col">Account</th><th scope="col">Act</th><th scope="col">Of</th><th scope="col">What</th><th scope="col">Answer</th></tr></thead>
<tbody>${market.asked.rows.map(
        (
          row
        ) => html`<tr><td>${row.asked_at.toISOString().slice(0, 19).replace("T", " ")}</td><td>${row.channel_type} ${row.username}</td><td>${row.act}</td><td>${row.subject}</td><td><code>${row.summary}</code></td><td>${row.answer}</td></tr>
`
      )}</tbody></table></div>`
}
${more("asked", market)}</section>`

const moodWords = ({ mood, mood_ms, mood_reason }: AccountSeen): string => {
  if (mood === "late") return `answers ${mood_ms} ms late`
  return mood === "refuses" ? `refuses: ${mood_reason}` : mood
}

const accountsSection = (market: Market): Html => html`<section id="accounts" aria-labelledby="accounts-title">
<h2 id="accounts-title">Accounts and how they answer</h2>
${market.accounts.rows.map(
  (account) => html`<article class="card">
<h3><span class="tag">${account.channel_type}</span> ${account.username} <span class="id">account ${account.account_id} of ${account.operator}</span></h3>
<p class="soft">${account.auth_status} · ${account.listings} listings · ${account.orders} orders · now: ${moodWords(account)}</p>
${form(
  address("mood", market.query),
  "Say how it answers",
  html`${hidden("channel_account_id", account.account_id)}<label>Mood <select name="mood">${MOODS.map((mood) => option(mood, mood === account.mood))}</select></label>
${field("ms", "Late by (ms)", { type: "number", value: String(account.mood_ms || "") })}
${field("reason", "Refuses because", { value: account.mood_reason })}`
)}
</article>
`
)}
${more("accounts", market)}<p class="soft">accepts: does it and says so. refuses: with its reason. late: does it at once, answers later. never: neither does it nor answers. 502: does it, but the answer is lost. 503: is away. disconnected: lets the service act no more.</p>
</section>`

const openSection = ({ query }: Market): Html => html`<section id="open" aria-labelledby="open-title">
<h2 id="open-title">Open a listing</h2>
${form(
  address("open", query),
  "Open",
  html`${choice("channel_type", "Channel", CHANNELS)}
${field("title", "Title")}
${field("base_price", "Price a night", { value: "100" })}
${field("cleaning_fee", "Cleaning fee")}
${field("rooms", "Rooms", { type: "number", value: "1" })}
${choice("instant", "Sold", [
  ["", "the usual way"],
  ["1", "at once"],
  ["0", "on request"]
])}
${seldom(
  "Its id, its account, and what it costs otherwise than usual there",
  html`${field("listing_id", "Listing id")}
${field("username", "Account", { value: "host" })}
${field("operator_id", "Operator", { type: "number" })}
${field("currency", "Currency")}
${field("commission", "Commission (%)", { type: "number" })}
${field("tax", "Tax (%)", { type: "number" })}`
)}`
)}
<p class="soft">Link it to a property, so that its orders find their place: <code>npx latchkey listing link --listing ID --property ID</code></p>
</section>`
