import type { BasePricePushes, SkipReason } from "../../../../domain/calendars/base-prices/contract.ts"
import { PRICE_RESULTS_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { MappedListing, PricedTarget } from "../../queries/PricedTargets.ts"
import { channelName } from "../channel-names.ts"
import { formatMarkup } from "../listing/channel-badges.ts"
import { badge, link, pluralize } from "../page-parts.ts"
import { listingUrl, unmappedListingsUrl } from "../urls.ts"
import { formatPushCount, SKIP_TEXTS } from "./skip-texts.ts"

/** What became of the change of one property or room type. */
export interface PriceResult {
  readonly target: PricedTarget
  /** Undefined if the change failed. */
  readonly pushes: BasePricePushes | undefined
  readonly failure?: string
}

interface ListingResult {
  readonly target: string
  readonly channelType: string
  readonly listing: MappedListing | undefined
  readonly reason: SkipReason | undefined
}

const isSame = (one: Pick<MappedListing, "channel_type" | "listing_id">, other: typeof one): boolean =>
  one.channel_type === other.channel_type && one.listing_id === other.listing_id

/** Leaves out unmapped listings, which are the same for each property. */
const toListingResults = ({ target, pushes }: PriceResult): ReadonlyArray<ListingResult> => {
  if (pushes === undefined) return []
  const toResult = (pushed: Pick<MappedListing, "channel_type" | "listing_id">, reason: SkipReason | undefined) => ({
    target: target.title,
    channelType: pushed.channel_type,
    listing: target.listings.find((listing) => isSame(listing, pushed)),
    reason
  })
  return [
    ...pushes.pushed.map((pushed) => toResult(pushed, undefined)),
    ...pushes.skipped.flatMap((skipped) => (skipped.reason === "no_mapping" ? [] : [toResult(skipped, skipped.reason)]))
  ]
}

const PRICE_TITLES_SHOWN = 3

const countUnmapped = (results: ReadonlyArray<PriceResult>): number =>
  new Set(
    results.flatMap(({ pushes }) =>
      (pushes?.skipped ?? []).flatMap(({ reason, channel_type, listing_id }) =>
        reason === "no_mapping" ? [`${channel_type} ${listing_id}`] : []
      )
    )
  ).size

const listingResultItem = ({ target, channelType, listing, reason }: ListingResult): Html =>
  html`<li>${channelName(channelType)}: ${listing === undefined ? target : link(listingUrl(listing.id), listing.title)}${listing === undefined || reason === "readonly" ? nothing : ` (${formatMarkup(listing.ratio)})`} ${reason === undefined ? badge("Sent", "good") : html`${badge("Not sent", "wait")} ${SKIP_TEXTS[reason]}`}</li>
`

const failureItem = ({ target, failure }: PriceResult): Html =>
  failure === undefined
    ? nothing
    : html`<li>${target.title}: ${failure}</li>
`

export const renderPriceResults = (results: ReadonlyArray<PriceResult>, undoForm: Html): Html => {
  const saved = results.filter(({ pushes }) => pushes !== undefined)
  const failed = results.filter(({ failure }) => failure !== undefined)
  const listings = saved.flatMap(toListingResults)
  const pushed = listings.filter(({ reason }) => reason === undefined).length
  const unmapped = countUnmapped(saved)
  const names =
    saved.length <= PRICE_TITLES_SHOWN ? saved.map(({ target }) => target.title).join("; ") : `${saved.length} in all`
  return html`<div class="message done price-result" role="status"><p>Prices saved: ${names}. ${formatPushCount(pushed)}</p>
${listings.length === 0 ? nothing : html`<ul>${listings.slice(0, PRICE_RESULTS_SHOWN).map(listingResultItem)}</ul>`}${
  listings.length > PRICE_RESULTS_SHOWN
    ? html`<p>And ${pluralize(listings.length - PRICE_RESULTS_SHOWN, "more listing")}.</p>`
    : nothing
}${
  unmapped === 0
    ? nothing
    : html`<p>${pluralize(unmapped, "listing")} without this mapping got no price. ${link(unmappedListingsUrl, "Map listings")}</p>`
}${undoForm}</div>
${failed.length === 0 ? nothing : html`<div class="message error" role="alert"><p>Not saved:</p><ul>${failed.map(failureItem)}</ul></div>`}`
}
