import { DateTime, Effect } from "effect"
import { CHANNELS_LISTINGS, FAILED_PUSHES_SHOWN, OVERVIEW_DAYS_FAILED } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { type Account, AtChannels, type Listed } from "../queries/AtChannels.ts"
import { type FailedPush, FailedPushes } from "../queries/FailedPushes.ts"
import type { SignedInVisit } from "../visit.ts"
import { CHANNELS_PATH, listingAddress } from "./addresses.ts"
import { channelWords } from "./channel-words.ts"
import { accountBadge, kindText, pushBadge, ratioText, sellsText, shelfBadge, spanText, whyOf } from "./listing/said.ts"
import { hereWith, hostPage } from "./page.ts"
import { badge, historyLink, idIn, link, offsetIn, pages, section, table, timeOf, zoneOf } from "./parts.ts"

/** Where the list of failed pushes is gone on with. */
const FAILED = "failed"

/** Accounts at channels, what is on sale there, and what channels were told and did not take. */
export const makeChannelsPage = Effect.gen(function* () {
  const [atChannels, failedPushes] = [yield* AtChannels, yield* FailedPushes]
  return hostPage({
    path: CHANNELS_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { operatorId } = visit.session.person.caller
        const [offset, account] = [offsetIn(visit), idIn(visit, "account")]
        const unlinked = visit.query.has("unlinked") ? (true as const) : undefined
        const { accounts, listings, total } = yield* atChannels.of(operatorId, { account, unlinked }, offset)
        const failedAt = offsetIn(visit, FAILED)
        const failed = yield* failedPushes.of(operatorId, yield* DateTime.nowAsDate, failedAt)
        return {
          title: "Channels",
          body: html`${accountsOf(visit, accounts)}
${section(
  "Listings",
  html`${narrowing(visit, accounts, account, unlinked)}${listingsOf(visit, listings)}${pages(visit, { offset, limit: CHANNELS_LISTINGS, total })}`,
  "listings"
)}
${section(`Not taken in the last ${OVERVIEW_DAYS_FAILED} days`, html`${failedOf(visit, failed.pushes)}${pages(visit, { offset: failedAt, limit: FAILED_PUSHES_SHOWN, total: failed.total, name: FAILED })}`, "pushes")}
${zoneOf(visit)}`
        }
      })
  })
})

const accountsOf = (visit: SignedInVisit, accounts: ReadonlyArray<Account>): Html =>
  section(
    "Accounts",
    table(
      { empty: "No account at a channel is connected. Whoever runs this service for you connects them." },
      [
        { label: "Channel", cell: ({ channel_type }) => channelWords(channel_type) },
        {
          label: "Account",
          cell: ({ id, username }) => html`<span class="name">${username}</span>${historyLink(`channel_account:${id}`)}`
        },
        { label: "Stands", cell: ({ auth_status }) => accountBadge(auth_status) },
        {
          label: "Listings",
          number: true,
          cell: ({ id, listings, unlinked }) =>
            html`${link(listingsAt(visit, { account: id }), `${listings} listings`)}${
              unlinked === 0 ? nothing : html` ${badge(`${unlinked} not linked`, "wait")}`
            }`
        }
      ],
      accounts
    )
  )

/** The listings of the page narrowed otherwise, from their beginning. */
const listingsAt = (visit: SignedInVisit, wanted: { readonly account?: number; readonly unlinked?: "yes" }): string =>
  `${hereWith(visit, { account: wanted.account, unlinked: wanted.unlinked, offset: undefined })}#listings`

const narrowing = (
  visit: SignedInVisit,
  accounts: ReadonlyArray<Account>,
  account: number | undefined,
  unlinked: true | undefined
): Html => {
  const only = accounts.find(({ id }) => id === account)
  const here = account === undefined ? {} : { account }
  const ofAccount =
    account === undefined
      ? nothing
      : html`<p>Only those of ${only === undefined ? "an account that there is not" : `${only.username} on ${channelWords(only.channel_type)}`}. ${link(listingsAt(visit, unlinked === undefined ? {} : { unlinked: "yes" }), "Those of all accounts")}</p>
`
  return html`${ofAccount}<p>${
    unlinked === undefined
      ? link(listingsAt(visit, { ...here, unlinked: "yes" }), "Only those that sell nothing here yet")
      : html`Only those that sell nothing here yet. ${link(listingsAt(visit, here), "All")}`
  }</p>
`
}

const listingsOf = (visit: SignedInVisit, listings: ReadonlyArray<Listed>): Html =>
  table(
    { empty: "No listings." },
    [
      {
        label: "Listing",
        cell: ({ id, title, listing_id }) =>
          html`<a class="name" href="${listingAddress(id)}">${title === "" ? listing_id : title}</a>`
      },
      { label: "Channel", cell: ({ channel_type }) => channelWords(channel_type) },
      {
        label: "Sells",
        cell: (listing) => {
          const sells = sellsText(listing)
          return sells === undefined ? badge("not linked", "wait") : html`<span class="name">${sells}</span>`
        }
      },
      { label: "Price there", cell: ratioText, number: true },
      { label: "Stands", cell: ({ shelf_status }) => shelfBadge(shelf_status) },
      {
        label: "Last told",
        cell: ({ push_state, push_at }) =>
          push_state === null || push_at === null
            ? "nothing lately"
            : html`${pushBadge(push_state)} ${timeOf(push_at, visit)}`
      }
    ],
    listings
  )

const failedOf = (visit: SignedInVisit, pushes: ReadonlyArray<FailedPush>): Html =>
  table(
    { empty: "Channels took all that they were told." },
    [
      { label: "When", cell: ({ settled_at }) => timeOf(settled_at, visit) },
      {
        label: "Listing",
        cell: ({ listing, listing_title, channel_type }) =>
          html`<a class="name" href="${listingAddress(listing)}">${listing_title}</a> <span class="soft">${channelWords(channel_type)}</span>`
      },
      { label: "What", cell: (push) => html`${kindText(push.kind)} <span class="soft">${spanText(push)}</span>` },
      { label: "Stands", cell: ({ state }) => pushBadge(state) },
      { label: "Why", cell: whyOf }
    ],
    pushes
  )
