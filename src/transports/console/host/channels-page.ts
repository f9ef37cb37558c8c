import { DateTime, Effect } from "effect"
import { CHANNELS_LISTINGS_MAX, FAILED_PUSHES_SHOWN, OVERVIEW_DAYS_FAILED } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { AtChannels, type ChannelAccountSummary, type ListingSummary } from "../queries/AtChannels.ts"
import { type FailedPush, FailedPushes } from "../queries/FailedPushes.ts"
import type { SignedInVisit } from "../visit.ts"
import { channelName } from "./channel-names.ts"
import { makeHostPage } from "./host-page.ts"
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
} from "./listing/channel-badges.ts"
import {
  badge,
  buttonLink,
  link,
  pagination,
  pluralize,
  readIdParam,
  readOffsetParam,
  section,
  table,
  timeHtml,
  timeZoneNote
} from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { activityLogUrl, CHANNELS_PATH, listingUrl, PRICES_PATH, unmappedListingsUrl } from "./urls.ts"

const FAILED_PUSHES_OFFSET_FIELD = "failed"

export const makeChannelsPage = Effect.gen(function* () {
  const [atChannels, failedPushes] = [yield* AtChannels, yield* FailedPushes]
  return makeHostPage({
    path: CHANNELS_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const [offset, accountId] = [readOffsetParam(visit), readIdParam(visit, "account")]
        const isUnmappedOnly = visit.query.has("unlinked") ? (true as const) : undefined
        const { accounts, listings, total } = yield* atChannels.of({ account: accountId, isUnmappedOnly }, offset)
        const failedOffset = readOffsetParam(visit, FAILED_PUSHES_OFFSET_FIELD)
        const failures = yield* failedPushes.of(yield* DateTime.nowAsDate, failedOffset)
        const failuresHtml = section(
          `Failed updates (${OVERVIEW_DAYS_FAILED} days)`,
          html`${failedPushesTable(visit, failures.pushes)}${pagination(visit, { offset: failedOffset, limit: FAILED_PUSHES_SHOWN, total: failures.total, name: FAILED_PUSHES_OFFSET_FIELD })}`,
          "pushes"
        )
        const hasFailures = failures.total > 0
        return {
          title: "Channels & listings",
          primaryAction: primaryAction(accounts),
          body: html`${hasFailures ? failuresHtml : nothing}${section(
            "Listings",
            html`${listingFilters(visit, accounts, accountId, isUnmappedOnly)}${listingsTable(visit, listings, isUnmappedOnly)}${pagination(visit, { offset, limit: CHANNELS_LISTINGS_MAX, total })}`,
            "listings"
          )}
${accountsSection(visit, accounts)}${hasFailures ? nothing : failuresHtml}${timeZoneNote(visit)}`
        }
      })
  })
})

/** A host maps new listings first, because an unmapped listing is not kept in sync. */
const primaryAction = (accounts: ReadonlyArray<ChannelAccountSummary>): Html => {
  const unmapped = accounts.reduce((sum, { unlinked }) => sum + unlinked, 0)
  if (unmapped > 0) return buttonLink(unmappedListingsUrl, `Map ${pluralize(unmapped, "listing")}`)
  return accounts.length === 0 ? nothing : buttonLink(PRICES_PATH, "Set prices")
}

const accountsSection = (visit: SignedInVisit, accounts: ReadonlyArray<ChannelAccountSummary>): Html =>
  section(
    "Channel accounts",
    table(
      { empty: "No channel account is connected. Ask the administrator of this service to connect one." },
      [
        { label: "Channel", cell: ({ channel_type }) => channelName(channel_type) },
        { label: "Account", onPhone: "detail", cell: ({ username }) => html`<span class="name">${username}</span>` },
        { label: "Status", onPhone: "side", cell: ({ auth_status }) => accountBadge(auth_status) },
        {
          label: "Listings",
          onPhone: "detail",
          cell: ({ id, listings, unlinked }) =>
            html`${link(listingsUrl(visit, { account: id }), pluralize(listings, "listing"))}${
              unlinked === 0 ? nothing : html` ${badge(`${unlinked} unmapped`, "wait")}`
            }`
        },
        {
          label: "Activity",
          onPhone: "detail",
          cell: ({ id }) => link(activityLogUrl(`channel_account:${id}`), "Activity")
        }
      ],
      accounts
    )
  )

const listingsUrl = (visit: SignedInVisit, filters: { readonly account?: number; readonly unlinked?: "yes" }): string =>
  `${currentUrlWith(visit, { account: filters.account, unlinked: filters.unlinked, offset: undefined })}#listings`

const listingFilters = (
  visit: SignedInVisit,
  accounts: ReadonlyArray<ChannelAccountSummary>,
  accountId: number | undefined,
  isUnmappedOnly: true | undefined
): Html => {
  const selectedAccount = accounts.find(({ id }) => id === accountId)
  const accountFilter = accountId === undefined ? {} : { account: accountId }
  const unmappedFilter = isUnmappedOnly === undefined ? {} : { unlinked: "yes" as const }
  const accountNote =
    accountId === undefined
      ? nothing
      : html`<p>${selectedAccount === undefined ? "Unknown account" : `${channelName(selectedAccount.channel_type)}, ${selectedAccount.username}`} · ${link(listingsUrl(visit, unmappedFilter), "All accounts")}</p>
`
  const filterLink = (filters: Parameters<typeof listingsUrl>[1], text: string, isCurrent: boolean) =>
    isCurrent
      ? html`<a href="${listingsUrl(visit, filters)}" aria-current="true">${text}</a>`
      : link(listingsUrl(visit, filters), text)
  return html`${accountNote}<nav class="pages" aria-label="Filter listings">${filterLink(accountFilter, "All listings", isUnmappedOnly === undefined)} ${filterLink({ ...accountFilter, unlinked: "yes" }, "Unmapped listings", isUnmappedOnly === true)}</nav>
`
}

const lastSyncCell = (visit: SignedInVisit, { push_state, push_at, link_type }: ListingSummary): Html => {
  if (push_state !== null && push_at !== null)
    return html`${pushBadge(push_state)} <span class="desktop-only">${timeHtml(push_at, visit)}</span>`
  return link_type === null
    ? html`<span class="soft desktop-only">Not synced until mapped</span>`
    : html`<span class="soft desktop-only">No update lately</span>`
}

const listingsTable = (
  visit: SignedInVisit,
  listings: ReadonlyArray<ListingSummary>,
  isUnmappedOnly: true | undefined
): Html =>
  table(
    {
      empty:
        isUnmappedOnly === undefined
          ? "No listings yet. They appear here when a channel account is connected."
          : "All listings are mapped."
    },
    [
      {
        label: "Listing",
        cell: ({ id, title, listing_id }) =>
          html`<a class="name" href="${listingUrl(id)}">${title === "" ? listing_id : title}</a>`
      },
      {
        label: "Status",
        onPhone: "detail",
        cell: ({ shelf_status }) =>
          shelf_status === "on"
            ? html`<span class="desktop-only">${shelfBadge(shelf_status)}</span>`
            : shelfBadge(shelf_status)
      },
      { label: "Channel", onPhone: "detail", cell: ({ channel_type }) => channelName(channel_type) },
      {
        label: "Property",
        onPhone: "detail",
        cell: (listing) => {
          const mappingLabel = mappingText(listing)
          return mappingLabel === undefined
            ? html`${badge("Unmapped", "wait")} ${link(`${listingUrl(listing.id)}#mapping`, "Map")}`
            : html`<span class="name">${mappingLabel}</span>`
        }
      },
      { label: "Markup", onPhone: "detail", cell: markupText, isNumeric: true },
      { label: "Last sync", onPhone: "side", cell: (listing) => lastSyncCell(visit, listing) }
    ],
    listings
  )

const failedPushesTable = (visit: SignedInVisit, pushes: ReadonlyArray<FailedPush>): Html =>
  table(
    { empty: "All updates delivered." },
    [
      {
        label: "Listing",
        cell: ({ listing, listing_title, channel_type }) =>
          html`<a class="name" href="${listingUrl(listing)}">${listing_title}</a> <span class="soft">${channelName(channel_type)}</span>`
      },
      { label: "Status", onPhone: "side", cell: ({ state }) => pushBadge(state) },
      {
        label: "Update",
        onPhone: "detail",
        cell: (push) => html`${pushKindLabel(push.kind)} <span class="soft">${dateRangeText(push)}</span>`
      },
      {
        label: "Reason",
        onPhone: "detail",
        cell: (push) => html`${failureReason(push)} <span class="soft">${failureCure(push)}</span>`
      },
      { label: "Time", onPhone: "detail", cell: ({ settled_at }) => timeHtml(settled_at, visit) }
    ],
    pushes
  )
