import type { ListingDay } from "../../../../domain/channels/port/listing-days.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ListingBasePrices, ListingDetail } from "../../queries/OneListing.ts"
import { badge, formatMoney, link, pluralize } from "../page-parts.ts"
import { SKIP_TEXTS } from "../prices/skip-texts.ts"
import { PRICES_PATH } from "../urls.ts"

type ExpectedPrice = ListingBasePrices["days"][number]

/** Ctrip reports prices after commission, which no base price equals. */
const differsFromChannel = (
  { channel_type }: ListingDetail,
  expected: ExpectedPrice | undefined,
  { price }: ListingDay
): boolean => channel_type !== "ctrip" && typeof expected?.price === "number" && expected.price !== price

export const ownPriceCell = (listing: ListingDetail, expected: ExpectedPrice | undefined, day: ListingDay): Html => {
  const text = typeof expected?.price === "number" ? formatMoney(String(expected.price), listing.currency) : "–"
  if (expected?.is_direct === true) return html`${badge("this listing only", "wait")} ${text}`
  return differsFromChannel(listing, expected, day) ? html`${badge("differs", "wait")} ${text}` : html`${text}`
}

export const skipNote = ({ base_prices }: ListingDetail): Html =>
  base_prices === null || base_prices.reason === null
    ? nothing
    : html`<p class="message note">Base prices are not sent: ${SKIP_TEXTS[base_prices.reason]}.</p>
`

/** Explains nights whose price on the channel is not the base price plus the markup. */
export const priceNotes = (
  listing: ListingDetail,
  prices: ReadonlyMap<string, ExpectedPrice>,
  days: ReadonlyArray<ListingDay>
): Html => {
  const isDirect = ({ date }: ListingDay) => prices.get(date)?.is_direct === true
  const differing = days.filter((day) => !isDirect(day) && differsFromChannel(listing, prices.get(day.date), day))
  return html`${
    days.some(isDirect)
      ? html`<p class="message note">Nights marked “this listing only” have a price that you set for this listing. It stays until the base price of the night, the mapping or the currency changes.</p>
`
      : nothing
  }${
    differing.length === 0
      ? nothing
      : html`<p class="message note">${pluralize(differing.length, "night")} marked “differs”: the channel has another price than your base price plus markup. ${link(PRICES_PATH, "Save the base price again")} to send it.</p>
`
  }`
}
