import { LISTING_PUSHES_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ListingDetail, ListingPush } from "../../queries/OneListing.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { badge, section, table, timeHtml } from "../page-parts.ts"
import {
  accountBadge,
  dateRangeText,
  failureReason,
  mappingText,
  markupText,
  pushBadge,
  pushKindLabel,
  shelfBadge
} from "./channel-badges.ts"

/** The channel chooses the URL, so only `http` and `https` URLs become links. */
const externalLink = (url: string): Html =>
  /^https?:\/\//i.test(url) ? html`<a href="${url}" rel="noreferrer noopener">${url}</a>` : html`${url}`

export const listingFactsSection = (listing: ListingDetail): Html =>
  section(
    "What it is",
    html`<dl class="facts">
<dt>Channel</dt><dd>${channelName(listing.channel_type)}, as ${listing.listing_id}</dd>
<dt>Account</dt><dd>${listing.account.username} ${accountBadge(listing.account.auth_status)}</dd>
<dt>Stands</dt><dd>${shelfBadge(listing.shelf_status)}</dd>
<dt>Sells here</dt><dd>${mappingText(listing) ?? badge("nothing yet", "wait")}</dd>
<dt>Price there</dt><dd>${markupText(listing)}${listing.readonly ? nothing : html` <span class="soft">of the base price of what it sells</span>`}</dd>
<dt>Currency</dt><dd>${listing.currency}</dd>
<dt>How many</dt><dd>${listing.inventory}</dd>
${listing.url === null ? nothing : html`<dt>Seen there</dt><dd>${externalLink(listing.url)}</dd>`}
</dl>
${
  listing.account.auth_status === "disconnected"
    ? html`<p class="message note">The account on ${channelName(listing.channel_type)} is disconnected: nothing can be told there, nor read from there, until it is connected again.</p>
`
    : nothing
}`
  )

export const syncStatusSection = (visit: SignedInVisit, listing: ListingDetail): Html =>
  section(
    "In step with its channel",
    html`<p>${syncStatusText(visit, listing)}</p>
`
  )

/** Returns the latest push that failed after `comparedAt` and whose days no later push of the same kind covered. */
const findUnresolvedPush = (pushes: ReadonlyArray<ListingPush>, comparedAt: string): ListingPush | undefined =>
  pushes.find(({ kind, state, settled_at, first, last }, index) => {
    const isFailedSince =
      (state === "refused" || state === "dead") &&
      settled_at !== null &&
      Date.parse(settled_at) > Date.parse(comparedAt)
    const isSupersededBy = (later: ListingPush): boolean =>
      later.kind === kind &&
      later.state === "pushed" &&
      (later.first ?? "") <= (first ?? "") &&
      (later.last ?? "") >= (last ?? "")
    return isFailedSince && !pushes.slice(0, index).some(isSupersededBy)
  })

const syncStatusText = (
  visit: SignedInVisit,
  { comparison, waiting, link_type, shelf_status, pushes }: ListingDetail
): Html => {
  if (shelf_status === "deleted") return html`It is deleted there; nothing is compared any more.`
  if (link_type === null) return html`It sells nothing here, so there is nothing to compare.`
  if (waiting > 0)
    return html`${badge("being told", "wait")} ${waiting} ${waiting === 1 ? "change waits" : "changes wait"} to be told to the channel.`
  if (comparison === null || comparison.compared_at === null)
    return html`${badge("not compared yet", "wait")} The two calendars are compared soon, and every night from then on.`
  const comparisonText = html`They were compared last on ${timeHtml(comparison.compared_at, visit)}${comparison.due_at === null ? nothing : html`; the next time is ${timeHtml(comparison.due_at, visit)}`}.`
  if (comparison.failures > 0)
    return html`${badge("cannot be read", "bad")} The channel could not be read, ${comparison.failures} times in a row. ${comparisonText}`
  if (comparison.suspected_days > 0)
    return html`${badge("sells fewer", "wait")} On ${comparison.suspected_days} days the channel sells fewer than there are: a booking may be on its way, or else it is told at the next look. ${comparisonText}`
  const failedPush = findUnresolvedPush(pushes, comparison.compared_at)
  if (failedPush !== undefined)
    return html`${badge("not taken", "bad")} The channel has not taken what it was told since: ${pushKindLabel(failedPush.kind)}, ${dateRangeText(failedPush)}. ${comparisonText}`
  return html`${badge("in step", "good")} ${comparisonText}`
}

export const pushesSection = (visit: SignedInVisit, pushes: ReadonlyArray<ListingPush>): Html =>
  section(
    "What its channel was told",
    html`${table(
      { empty: "Nothing lately." },
      [
        { label: "When", cell: ({ created_at }) => timeHtml(created_at, visit) },
        { label: "What", cell: ({ kind }) => pushKindLabel(kind) },
        { label: "Days", cell: dateRangeText },
        { label: "Stands", cell: ({ state }) => pushBadge(state) },
        { label: "Why", cell: failureReason }
      ],
      pushes
    )}${
      pushes.length < LISTING_PUSHES_SHOWN
        ? nothing
        : html`<p class="soft">These are the latest ${pushes.length}.</p>
`
    }`,
    "told"
  )
