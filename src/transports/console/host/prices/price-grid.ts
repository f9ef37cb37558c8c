import { addDays, daysInRange } from "../../../../contract/time.ts"
import { PRICE_LISTINGS_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ListingPriceDay, PriceListing, PriceRow } from "../../queries/PriceGrid.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { formatMarkup } from "../listing/channel-badges.ts"
import { badge, formatDay, link, pluralize, weekdayName } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { listingUrl } from "../urls.ts"
import { SKIP_TEXTS } from "./skip-texts.ts"

export interface PriceGridOptions {
  readonly label: string
  readonly first: string
  readonly last: string
  readonly today: string
  readonly openId: number | undefined
  /** The ticked rows of a form that has just failed. */
  readonly selected: ReadonlyArray<string>
  readonly isAllSelected: boolean
}

export const priceGrid = (visit: SignedInVisit, rows: ReadonlyArray<PriceRow>, options: PriceGridOptions): Html => {
  const { label, first, last } = options
  const days = Array.from({ length: daysInRange(first, last) }, (_, index) => addDays(first, index))
  return html`<div class="scroll" role="region" aria-label="${label} and their prices" tabindex="0"><table class="prices">
<thead><tr><th scope="col"><label class="choice"><input type="checkbox" name="all" value="yes"${checkedAttribute(options.isAllSelected)}> All ${rows.length} shown</label></th>${days.map((day) => dayHeader(day, options.today))}</tr></thead>
${rows.map((row) => priceRows(visit, row, options))}</table></div>
`
}

const checkedAttribute = (isChecked: boolean): Html => (isChecked ? { html: " checked" } : nothing)

const dayHeader = (day: string, today: string): Html =>
  html`<th scope="col"${day === today ? TODAY_ATTRIBUTE : nothing}><abbr title="${formatDay(day)}">${weekdayName(day)}<br>${Number(day.slice(8))}</abbr></th>`

const TODAY_ATTRIBUTE: Html = { html: ' class="today"' }

const weekendAttribute = (day: string): Html => (/^S/.test(weekdayName(day)) ? WEEKEND_ATTRIBUTE : nothing)

const WEEKEND_ATTRIBUTE: Html = { html: ' class="weekend"' }

const priceRows = (visit: SignedInVisit, row: PriceRow, { openId, selected }: PriceGridOptions): Html => {
  const { id, title, deactivated, currency, days, listings, listing_total } = row
  const isOpen = id === openId
  return html`<tbody id="row-${id}">
<tr><th scope="row"><input type="hidden" name="shown" value="${id}"><label class="choice"><input type="checkbox" name="target" value="${id}"${checkedAttribute(selected.includes(String(id)))}> <span>${title} <span class="soft">${currency}${deactivated ? " · inactive" : ""}</span></span></label>${listingsLink(visit, row, isOpen)}</th>${days.map(
    ({ date, price, minimum_stay }) =>
      html`<td${weekendAttribute(date)}>${price === null ? "–" : formatPrice(price)}${minimum_stay === null ? nothing : html`<small>min ${minimum_stay}</small>`}</td>`
  )}</tr>
${isOpen ? listings.map(listingRow) : nothing}${
  isOpen && listing_total > listings.length
    ? html`<tr class="listing"><th scope="row">The first ${PRICE_LISTINGS_SHOWN} of ${listing_total}</th>${days.map(() => html`<td></td>`)}</tr>`
    : nothing
}</tbody>
`
}

const formatPrice = (price: number): string => price.toLocaleString("en")

const listingsLink = (visit: SignedInVisit, { id, days, listings, listing_total }: PriceRow, isOpen: boolean): Html => {
  if (listing_total === 0) return html`<span class="soft state">No listing</span>`
  const url = `${currentUrlWith(visit, { listings: isOpen ? undefined : id })}#row-${id}`
  return html`<span class="soft state">${link(url, `${isOpen ? "Hide" : "Show"} ${pluralize(listing_total, "listing")}`)} ${hasPrice(days) ? summaryBadge(listings) : nothing}</span>`
}

export const hasPrice = (days: PriceRow["days"]): boolean => days.some(({ price }) => price !== null)

/** Returns the most urgent state of the listings. */
const summaryBadge = (listings: ReadonlyArray<PriceListing>): Html => {
  const sold = listings.filter(({ reason }) => reason === null)
  const count = (isMatching: (listing: PriceListing) => boolean) => sold.filter(isMatching).length
  const [missed, waiting, direct] = [
    count(({ is_missed }) => is_missed),
    count(({ is_waiting }) => is_waiting),
    count(({ is_direct }) => is_direct)
  ]
  if (missed > 0) return badge(`${missed} not accepted`, "bad")
  if (waiting > 0) return badge(`${waiting} sending`, "wait")
  if (direct > 0) return badge(`${direct} with own price`)
  return sold.length === 0 ? badge("not sent", "wait") : badge(`${sold.length} synced`, "good")
}

const listingRow = ({ id, channel_type, title, ratio, reason, days }: PriceListing): Html =>
  html`<tr class="listing"><th scope="row">${channelName(channel_type)} <span class="soft">${reason === "readonly" ? nothing : formatMarkup(ratio)}</span><br>${link(listingUrl(id), title)}</th>${
    reason === null
      ? days.map((day) => html`<td${weekendAttribute(day.date)}>${listingCell(day)}</td>`)
      : html`<td class="reason" colspan="${days.length}">Not sent: ${SKIP_TEXTS[reason]}.</td>`
  }</tr>
`

/** Shows what the channel has. A price that it does not have yet is marked. */
const listingCell = ({ expected, accepted, is_waiting, is_missed, is_direct }: ListingPriceDay): Html => {
  const shown = accepted ?? expected
  const text = shown === null ? "–" : formatPrice(shown)
  if (is_waiting) return html`${expected === null ? text : formatPrice(expected)} ${mark("…", "Sending")}`
  if (is_missed) return html`${text} ${mark("!", `Not accepted by the channel. It should be ${expected ?? "–"}`)}`
  if (is_direct) return html`${text} ${mark("*", "Set for this listing only")}`
  return accepted !== null && expected !== null && accepted !== expected
    ? html`${text} ${mark("≠", `The channel has this price. It should be ${formatPrice(expected)}`)}`
    : html`${text}`
}

const mark = (symbol: string, meaning: string): Html => html`<abbr class="mark" title="${meaning}">${symbol}</abbr>`

export const PRICE_LEGEND = html`<p class="soft">Prices below a property are those of the channel: base price plus markup. … sending · ! not accepted by the channel · ≠ differs from the base price · * set for this listing only · – no price</p>
`
