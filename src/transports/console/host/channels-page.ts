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
  failureReason,
  mappingText,
  markupText,
  pushBadge,
  pushKindLabel,
  shelfBadge
} from "./listing/channel-badges.ts"
import {
  activityLogLink,
  badge,
  link,
  pagination,
  readIdParam,
  readOffsetParam,
  section,
  table,
  timeHtml,
  timeZoneNote
} from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { CHANNELS_PATH, listingUrl } from "./urls.ts"

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
        return {
          title: "Channels",
          body: html`${accountsSection(visit, accounts)}
${section(
  "Listings",
  html`${listingFilters(visit, accounts, accountId, isUnmappedOnly)}${listingsTable(visit, listings)}${pagination(visit, { offset, limit: CHANNELS_LISTINGS_MAX, total })}`,
  "listings"
)}
${section(`Not taken in the last ${OVERVIEW_DAYS_FAILED} days`, html`${failedPushesTable(visit, failures.pushes)}${pagination(visit, { offset: failedOffset, limit: FAILED_PUSHES_SHOWN, total: failures.total, name: FAILED_PUSHES_OFFSET_FIELD })}`, "pushes")}
${timeZoneNote(visit)}`
        }
      })
  })
})

const accountsSection = (visit: SignedInVisit, accounts: ReadonlyArray<ChannelAccountSummary>): Html =>
  section(
    "Accounts",
    table(
      { empty: "No account at a channel is connected. Whoever runs this service for you connects them." },
      [
        { label: "Channel", cell: ({ channel_type }) => channelName(channel_type) },
        {
          label: "Account",
          cell: ({ id, username }) =>
            html`<span class="name">${username}</span>${activityLogLink(`channel_account:${id}`)}`
        },
        { label: "Stands", cell: ({ auth_status }) => accountBadge(auth_status) },
        {
          label: "Listings",
          isNumeric: true,
          cell: ({ id, listings, unlinked }) =>
            html`${link(listingsUrl(visit, { account: id }), `${listings} listings`)}${
              unlinked === 0 ? nothing : html` ${badge(`${unlinked} not linked`, "wait")}`
            }`
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
  const accountNote =
    accountId === undefined
      ? nothing
      : html`<p>Only those of ${selectedAccount === undefined ? "an account that there is not" : `${selectedAccount.username} on ${channelName(selectedAccount.channel_type)}`}. ${link(listingsUrl(visit, isUnmappedOnly === undefined ? {} : { unlinked: "yes" }), "Those of all accounts")}</p>
`
  return html`${accountNote}<p>${
    isUnmappedOnly === undefined
      ? link(listingsUrl(visit, { ...accountFilter, unlinked: "yes" }), "Only those that sell nothing here yet")
      : html`Only those that sell nothing here yet. ${link(listingsUrl(visit, accountFilter), "All")}`
  }</p>
`
}

const listingsTable = (visit: SignedInVisit, listings: ReadonlyArray<ListingSummary>): Html =>
  table(
    { empty: "No listings." },
    [
      {
        label: "Listing",
        cell: ({ id, title, listing_id }) =>
          html`<a class="name" href="${listingUrl(id)}">${title === "" ? listing_id : title}</a>`
      },
      { label: "Channel", cell: ({ channel_type }) => channelName(channel_type) },
      {
        label: "Sells",
        cell: (listing) => {
          const mappingLabel = mappingText(listing)
          return mappingLabel === undefined
            ? badge("not linked", "wait")
            : html`<span class="name">${mappingLabel}</span>`
        }
      },
      { label: "Price there", cell: markupText, isNumeric: true },
      { label: "Stands", cell: ({ shelf_status }) => shelfBadge(shelf_status) },
      {
        label: "Last told",
        cell: ({ push_state, push_at }) =>
          push_state === null || push_at === null
            ? "nothing lately"
            : html`${pushBadge(push_state)} ${timeHtml(push_at, visit)}`
      }
    ],
    listings
  )

const failedPushesTable = (visit: SignedInVisit, pushes: ReadonlyArray<FailedPush>): Html =>
  table(
    { empty: "Channels took all that they were told." },
    [
      { label: "When", cell: ({ settled_at }) => timeHtml(settled_at, visit) },
      {
        label: "Listing",
        cell: ({ listing, listing_title, channel_type }) =>
          html`<a class="name" href="${listingUrl(listing)}">${listing_title}</a> <span class="soft">${channelName(channel_type)}</span>`
      },
      {
        label: "What",
        cell: (push) => html`${pushKindLabel(push.kind)} <span class="soft">${dateRangeText(push)}</span>`
      },
      { label: "Stands", cell: ({ state }) => pushBadge(state) },
      { label: "Why", cell: failureReason }
    ],
    pushes
  )
