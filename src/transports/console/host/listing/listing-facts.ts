import { LISTING_PUSHES_SHOWN } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ListingDetail, ListingPush } from "../../queries/OneListing.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { disclosure } from "../form-fields.ts"
import { activityLogLink, badge, pluralize, section, table, timeHtml } from "../page-parts.ts"
import {
  accountBadge,
  dateRangeText,
  failureCure,
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

/** What a host wants to know first: what the listing sells, whether it does, at which price, and whether it is in sync. */
export const listingFactsSection = (visit: SignedInVisit, listing: ListingDetail): Html => {
  const { account, channel_type } = listing
  return section(
    "Overview",
    html`${
      account.auth_status === "disconnected"
        ? html`<p class="message error">The account on ${channelName(channel_type)} is disconnected, so nothing is updated there. Ask the administrator of this service to connect it again.</p>
`
        : nothing
    }<dl class="facts listing-facts">
<dt>Property</dt><dd>${mappingText(listing) ?? badge("Unmapped", "wait")}</dd>
<dt>Status</dt><dd>${shelfBadge(listing.shelf_status)}</dd>
<dt>Price markup</dt><dd>${markupText(listing)}${listing.readonly ? nothing : html` <span class="soft">on the base price</span>`}</dd>
<dt>Sync status</dt><dd>${syncStatusText(visit, listing)}</dd>
<dt>Channel</dt><dd>${channelName(channel_type)}, ${account.username} ${accountBadge(account.auth_status)}</dd>
${listing.url === null ? nothing : html`<dt>Page on the channel</dt><dd>${externalLink(listing.url)}</dd>`}
</dl>`
  )
}

/** Details for support, last on the page. */
export const technicalDetails = ({ id, listing_id, currency, inventory }: ListingDetail): Html =>
  section(
    "Details",
    disclosure(
      "Technical details",
      html`<dl class="facts">
<dt>Listing ID</dt><dd>${listing_id}</dd>
<dt>Currency</dt><dd>${currency}</dd>
<dt>Units</dt><dd>${inventory}</dd>
</dl>
${activityLogLink(`listing:${id}`)}`
    )
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
  if (shelf_status === "deleted") return html`The listing was deleted on the channel.`
  if (link_type === null) return html`Not synced. Map the listing to a property first.`
  if (waiting > 0) return html`${badge("Sending", "wait")} ${pluralize(waiting, "update")} on the way to the channel.`
  if (comparison === null || comparison.compared_at === null)
    return html`${badge("Not checked yet", "wait")} The first check comes soon, then one every night.`
  const comparisonText = html`Last checked ${timeHtml(comparison.compared_at, visit)}.`
  if (comparison.failures > 0)
    return html`${badge("Cannot be checked", "bad")} The channel did not answer ${pluralize(comparison.failures, "check")} in a row. ${comparisonText}`
  if (comparison.suspected_days > 0)
    return html`${badge("Differs", "wait")} The channel sells less than is available on ${pluralize(comparison.suspected_days, "day")}. If no booking explains it, the next check corrects it. ${comparisonText}`
  const failedPush = findUnresolvedPush(pushes, comparison.compared_at)
  if (failedPush !== undefined)
    return html`${badge("Not accepted", "bad")} ${pushKindLabel(failedPush.kind)}, ${dateRangeText(failedPush)}. ${failureCure(failedPush)} ${comparisonText}`
  return html`${badge("In sync", "good")} ${comparisonText}`
}

export const pushesSection = (visit: SignedInVisit, pushes: ReadonlyArray<ListingPush>): Html =>
  section(
    "Sync log",
    html`${table(
      { empty: "No updates in the last 30 days." },
      [
        { label: "Update", cell: ({ kind }) => pushKindLabel(kind) },
        { label: "Status", onPhone: "side", cell: ({ state }) => pushBadge(state) },
        { label: "Days", onPhone: "detail", cell: dateRangeText },
        { label: "Time", onPhone: "detail", cell: ({ created_at }) => timeHtml(created_at, visit) },
        {
          label: "Reason",
          onPhone: "detail",
          cell: (push) => html`${failureReason(push)} <span class="soft">${failureCure(push)}</span>`
        }
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
