import { CHANNEL_PROFILES, SANDBOX_CHANNELS } from "../../connectors/sandbox/channel-profiles.ts"
import { FAILURE_MODES } from "../../connectors/sandbox/rows.ts"
import type {
  GuestCalendarDay,
  PageRange,
  SandboxAccountRow,
  SandboxListingRow,
  SandboxOrderRow,
  SandboxRequestRow,
  SandboxThreadRow
} from "../../connectors/sandbox/SandboxQueries.ts"
import type { RowPage } from "../../platform/database/rows.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import type { HtmlPage } from "../pages/html-page.ts"
import { field, hiddenField, multilineField, option, optionalFields, sandboxForm, selectField } from "./form-fields.ts"
import { listingCalendar } from "./listing-calendar.ts"
import { ordersSection } from "./orders.ts"
import { STYLE } from "./style.ts"
import { threadsSection } from "./threads.ts"

/** Each list is paged: `?orders=2` shows the second page of orders. */
const LIST_NAMES = ["accounts", "listings", "orders", "threads", "asked"] as const
type ListName = (typeof LIST_NAMES)[number]

const PAGE_SIZES: Readonly<Record<ListName, number>> = {
  accounts: 20,
  listings: 8,
  orders: 15,
  threads: 6,
  asked: 15
}

export const readListRanges = (query: URLSearchParams): Readonly<Record<ListName, PageRange>> => {
  const readRange = (name: ListName): PageRange => {
    const text = query.get(name) ?? "1"
    const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 1
    return { limit: PAGE_SIZES[name], offset: (number - 1) * PAGE_SIZES[name] }
  }
  return {
    accounts: readRange("accounts"),
    listings: readRange("listings"),
    orders: readRange("orders"),
    threads: readRange("threads"),
    asked: readRange("asked")
  }
}

export const readOperatorFilter = (query: URLSearchParams): { readonly operator_id?: number } => {
  const text = query.get("operator") ?? ""
  return /^[1-9]\d{0,14}$/.test(text) ? { operator_id: Number(text) } : {}
}

export const preservedQuery = (query: URLSearchParams): string => {
  const preserved = ["operator", ...LIST_NAMES].flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return new URLSearchParams(Object.fromEntries(preserved)).toString()
}

interface MarketplaceView {
  readonly accounts: RowPage<SandboxAccountRow>
  readonly listings: RowPage<SandboxListingRow>
  readonly orders: RowPage<SandboxOrderRow>
  readonly threads: RowPage<SandboxThreadRow>
  readonly asked: RowPage<SandboxRequestRow>
  readonly listRanges: Readonly<Record<ListName, PageRange>>
  readonly calendarOf: (listing: SandboxListingRow) => ReadonlyArray<GuestCalendarDay>
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

export const renderMarketplacePage = (view: MarketplaceView): HtmlPage => ({
  title: "Sandbox marketplace",
  style: STYLE,
  body: html`<header>
<h1>Sandbox marketplace</h1>
<p class="soft">Channels to try the service with: nobody pays, nobody travels. What guests do here reaches the service as it would from a real channel, and what the service asks of its sandbox accounts is answered here.</p>
<nav class="more" aria-label="Parts of this page">${SECTIONS.map(([id, label]) => html`<a href="#${id}">${label}</a> `)}</nav>
</header>
${messageHtml(view.query)}<main>
${bookSection(view)}
${inquireSection(view)}
${listingsSection(view)}
${threadsSection(view.threads, toRenderContext(view), pagination("threads", view))}
${ordersSection(view.orders, toRenderContext(view), pagination("orders", view))}
${channelRequestsSection(view)}
${accountsSection(view)}
${openSection(view)}
</main>`
})

export const textPage = (text: string): HtmlPage => ({
  title: "Sandbox marketplace",
  style: STYLE,
  body: html`<main>
<h1>Sandbox marketplace</h1>
<p>${text}</p>
<p><a href="/sandbox">To the sandbox</a></p>
</main>`
})

const querySuffix = (query: URLSearchParams): string =>
  preservedQuery(query) === "" ? "" : `?${preservedQuery(query)}`
const actionUrl = (act: string, query: URLSearchParams): string => `${act}${querySuffix(query)}`

const toRenderContext = ({ query, now, publicUrl }: MarketplaceView) => ({
  querySuffix: querySuffix(query),
  now,
  publicUrl
})

const messageHtml = (query: URLSearchParams): Html => {
  const [done, error] = [query.get("done"), query.get("error")]
  if (error !== null)
    return html`<p class="message error" role="alert">${error}</p>
`
  return done === null
    ? nothing
    : html`<p class="message done" role="status">${done}</p>
`
}

const pagination = (name: ListName, { listRanges, query, ...rows }: MarketplaceView): Html => {
  const { limit, offset } = listRanges[name]
  const { total } = rows[name]
  if (total <= limit && offset === 0) return nothing
  const number = offset / limit + 1
  const pageLink = (pageNumber: number, label: string) => {
    const pageQuery = new URLSearchParams(preservedQuery(query))
    pageQuery.set(name, String(pageNumber))
    return html`<a href="/sandbox?${pageQuery.toString()}#${name}">${label}</a> `
  }
  return html`<nav class="more" aria-label="More ${name}">
${number > 1 ? pageLink(number - 1, "Previous") : nothing}<span class="soft">${number} of ${Math.max(1, Math.ceil(total / limit))}</span> ${offset + limit < total ? pageLink(number + 1, "Next") : nothing}</nav>
`
}

const CHANNEL_OPTIONS = SANDBOX_CHANNELS.map((channel) => [channel, channel] as const)

const bookSection = ({
  listings,
  query
}: MarketplaceView): Html => html`<section id="book" aria-labelledby="book-title">
<h2 id="book-title">Book as a guest</h2>
${sandboxForm(
  actionUrl("book", query),
  "Book",
  html`${field("listing_id", "Listing", { value: query.get("listing_id") ?? "", list: "listing-ids", required: true })}
<datalist id="listing-ids">${listings.rows.map(({ listing_id, title, channel_type }) => html`<option value="${listing_id}">${title} (${channel_type})</option>`)}</datalist>
${field("check_in_date", "Check-in", { type: "date", required: true })}
${field("check_out_date", "Check-out", { type: "date", required: true })}
${field("guest_name", "Guest", { required: true })}
${field("adults", "Adults", { type: "number", value: "2" })}
${field("children", "Children", { type: "number", value: "0" })}
${field("rooms", "Rooms of each", { type: "number", value: "1" })}
${optionalFields(
  "How to reach the guest, a message, and whose listing it is",
  html`${field("guest_phone", "Phone")}
${field("guest_email", "E-mail")}
${field("remarks", "Message")}
${selectField("channel_type", "Channel", [["", "whichever has it"], ...CHANNEL_OPTIONS])}
${field("operator_id", "Operator", { type: "number" })}`
)}`
)}
<p class="soft">Several listings of one account in one order: their ids, separated by commas. Say channel or operator where several accounts have one of that id.</p>
</section>`

const inquireSection = ({ query }: MarketplaceView): Html => html`<section id="inquire" aria-labelledby="inquire-title">
<h2 id="inquire-title">Ask as a guest</h2>
${sandboxForm(
  actionUrl("inquire", query),
  "Ask",
  html`${field("listing_id", "Listing", { value: query.get("listing_id") ?? "", list: "listing-ids", required: true })}
${field("check_in_date", "Check-in", { type: "date", required: true })}
${field("check_out_date", "Check-out", { type: "date", required: true })}
${field("guest_name", "Guest", { required: true })}
${field("adults", "Adults", { type: "number", value: "2" })}
${field("children", "Children", { type: "number", value: "0" })}
${multilineField("text", "What the guest writes")}
${optionalFields(
  "How to reach the guest, and whose listing it is",
  html`${field("guest_phone", "Phone")}
${field("guest_email", "E-mail")}
${selectField("channel_type", "Channel", [["", "whichever has it"], ...CHANNEL_OPTIONS])}
${field("operator_id", "Operator", { type: "number" })}`
)}`
)}
<p class="soft">A guest has one conversation with an account, and is known again by the e-mail address, else by the name.</p>
</section>`

const listingsSection = (view: MarketplaceView): Html => html`<section id="listings" aria-labelledby="listings-title">
<h2 id="listings-title">Listings</h2>
${view.listings.total === 0 ? html`<p>Nothing is on sale yet: open a listing below.</p>` : nothing}
${view.listings.rows.map((listing) => listingCard(listing, view.calendarOf(listing)))}
${pagination("listings", view)}</section>`

const listingCard = (listing: SandboxListingRow, days: ReadonlyArray<GuestCalendarDay>): Html => {
  const { listing_id, title, channel_type, username, operator, instant, commission, tax, rooms, currency } = listing
  const priceNote =
    CHANNEL_PROFILES[channel_type].pushedPriceIs === "the guest's" ? "the host's price includes the commission" : ""
  const mappingText =
    listing.property_id !== null
      ? `sells property ${listing.property_id}`
      : listing.room_type_id !== null
        ? `sells room type ${listing.room_type_id}`
        : "is linked to nothing"
  const factTexts = [
    `${username} of ${operator}`,
    instant ? "instant booking" : "request to book",
    `${rooms} room${rooms === 1 ? "" : "s"}`,
    `${commission} % commission`,
    `${tax} % tax`,
    mappingText,
    priceNote
  ]
  return html`<article class="card">
<h3><span class="tag">${channel_type}</span> ${title} <a class="id" href="/sandbox?listing_id=${encodeURIComponent(listing_id)}#book">${listing_id}</a></h3>
<p class="soft">${factTexts.filter((fact) => fact !== "").join(" · ")}</p>
${listingCalendar(days, currency)}
</article>
`
}

const channelRequestsSection = (view: MarketplaceView): Html => html`<section id="asked" aria-labelledby="asked-title">
<h2 id="asked-title">What the service asked</h2>
${
  view.asked.rows.length === 0
    ? html`<p>Nothing yet.</p>`
    : html`<div class="scroll"><table class="rows">
<thead><tr><th scope="col">When</th><th scope="col">Account</th><th scope="col">Act</th><th scope="col">Of</th><th scope="col">What</th><th scope="col">Answer</th></tr></thead>
<tbody>${view.asked.rows.map(
        (
          row
        ) => html`<tr><td>${row.asked_at.toISOString().slice(0, 19).replace("T", " ")}</td><td>${row.channel_type} ${row.username}</td><td>${row.act}</td><td>${row.subject}</td><td><code>${row.summary}</code></td><td>${row.answer}</td></tr>
`
      )}</tbody></table></div>`
}
${pagination("asked", view)}</section>`

const failureModeText = ({ mood, mood_ms, mood_reason }: SandboxAccountRow): string => {
  if (mood === "late") return `answers ${mood_ms} ms late`
  return mood === "refuses" ? `refuses: ${mood_reason}` : mood
}

const accountsSection = (view: MarketplaceView): Html => html`<section id="accounts" aria-labelledby="accounts-title">
<h2 id="accounts-title">Accounts and how they answer</h2>
${view.accounts.rows.map(
  (account) => html`<article class="card">
<h3><span class="tag">${account.channel_type}</span> ${account.username} <span class="id">account ${account.account_id} of ${account.operator}</span></h3>
<p class="soft">${account.auth_status} · ${account.listings} listings · ${account.orders} orders · now: ${failureModeText(account)}</p>
${sandboxForm(
  actionUrl("mood", view.query),
  "Say how it answers",
  html`${hiddenField("channel_account_id", account.account_id)}<label>Mood <select name="mood">${FAILURE_MODES.map((mood) => option(mood, mood === account.mood))}</select></label>
${field("ms", "Late by (ms)", { type: "number", value: String(account.mood_ms || "") })}
${field("reason", "Refuses because", { value: account.mood_reason })}`
)}
</article>
`
)}
${pagination("accounts", view)}<p class="soft">accepts: does it and says so. refuses: with its reason. late: does it at once, answers later. never: neither does it nor answers. 502: does it, but the answer is lost. 503: is away. disconnected: lets the service act no more.</p>
</section>`

const openSection = ({ query }: MarketplaceView): Html => html`<section id="open" aria-labelledby="open-title">
<h2 id="open-title">Open a listing</h2>
${sandboxForm(
  actionUrl("open", query),
  "Open",
  html`${selectField("channel_type", "Channel", CHANNEL_OPTIONS)}
${field("title", "Title")}
${field("base_price", "Price a night", { value: "100" })}
${field("cleaning_fee", "Cleaning fee")}
${field("rooms", "Rooms", { type: "number", value: "1" })}
${selectField("instant", "Sold", [
  ["", "the usual way"],
  ["1", "at once"],
  ["0", "on request"]
])}
${optionalFields(
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
