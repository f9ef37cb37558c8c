import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CHANNELS_LISTINGS_MAX, FAILED_PUSHES_SHOWN } from "../../../../src/platform/limits.ts"
import { insertProperty } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import {
  createSignedInHost,
  getPage,
  type HostPageResponse
} from "../../../support/transports/console/host/host-forms.ts"
import {
  findListingRowId,
  insertListings,
  insertPushes
} from "../../../support/transports/console/host/listing-rows.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const CHANNELS = "/console/channels"
const MARKUP = "<script>alert(1)</script>"
const ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"

const NOW = "2027-04-20T10:00:00Z"

/** How many links to pages of listings there are. */
const linksTo = ({ text }: HostPageResponse) =>
  text.match(/class="name" href="\/console\/channels\/listing\?/g)?.length ?? 0

layer(layerSignedInPages)("the page of channels", (it) => {
  it.effect("says how accounts and listings stand, what they sell, and each leads to its page", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      const property = yield* insertProperty(host.operatorId, `Harbour ${MARKUP}`)
      const account = yield* insertChannelAccount(host.operatorId, { username: `me ${MARKUP}` })
      const away = yield* insertChannelAccount(host.operatorId, { channelType: "vrbo", authStatus: "disconnected" })
      const sold = yield* insertListing(host.operatorId, account, {
        title: `View ${MARKUP}`,
        propertyId: property,
        ratio: 115
      })
      yield* insertListing(host.operatorId, away, { channelType: "vrbo", title: "Cabin", isReadOnly: true })
      yield* insertListing(other.operatorId, yield* insertChannelAccount(other.operatorId), { title: "Theirs" })
      const page = yield* getPage(host.cookie, CHANNELS)
      assert.strictEqual(page.status, 200)
      for (const words of [
        `me ${ESCAPED}`,
        `View ${ESCAPED}`,
        `Harbour ${ESCAPED}`,
        ...["Connected", "Disconnected", "+15 %", "Set on the channel", "1 unmapped", "Cabin", "Airbnb", "Vrbo"]
      ]) {
        assert.include(page.text, words)
      }
      assert.notInclude(page.text, "<script")
      assert.notInclude(page.text, "Theirs")
      assert.include(page.text, `href="/console/channels/listing?id=${yield* findListingRowId(host.operatorId, sold)}"`)
      assert.include(page.text, "All updates delivered.")
    })
  )

  it.effect(
    "narrows the listings to an account's, and to those that sell nothing yet; another's account has none",
    () =>
      Effect.gen(function* () {
        const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
        const [one, two] = [yield* insertChannelAccount(host.operatorId), yield* insertChannelAccount(host.operatorId)]
        const property = yield* insertProperty(host.operatorId, "Harbour")
        yield* insertListing(host.operatorId, one, { title: "Linked", propertyId: property })
        yield* insertListing(host.operatorId, one, { title: "Loose" })
        yield* insertListing(host.operatorId, two, { title: "Second" })
        const theirs = yield* insertChannelAccount(other.operatorId)
        yield* insertListing(other.operatorId, theirs, { title: "Theirs" })
        const names = ["Linked", "Loose", "Second", "Theirs"]
        const shown = (query: string) =>
          Effect.map(getPage(host.cookie, `${CHANNELS}?${query}`), ({ text }) =>
            names.filter((name) => text.includes(`>${name}</a>`)).join(" ")
          )
        assert.strictEqual(yield* shown(""), "Linked Loose Second")
        assert.strictEqual(yield* shown(`account=${one}`), "Linked Loose")
        assert.strictEqual(yield* shown("unlinked=yes"), "Loose Second")
        assert.strictEqual(yield* shown(`account=${one}&unlinked=yes`), "Loose")
        assert.strictEqual(yield* shown(`account=${theirs}`), "")
      })
  )

  it.effect("tells why pushes failed in the last days, with the way to their listing; of older ones not", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW))
      const host = yield* createSignedInHost()
      const account = yield* insertChannelAccount(host.operatorId)
      const listing = yield* insertListing(host.operatorId, account, { title: "Harbour view" })
      const row = yield* findListingRowId(host.operatorId, listing)
      yield* insertPushes(host.operatorId, row, {
        state: "refused",
        reason: `price: ${MARKUP}`,
        settledAt: "2027-04-19T10:00:00Z"
      })
      yield* insertPushes(host.operatorId, row, {
        state: "dead",
        reason: "the channel failed (502)",
        settledAt: "2027-04-13T10:00:01Z"
      })
      yield* insertPushes(host.operatorId, row, {
        state: "refused",
        reason: "long ago",
        settledAt: "2027-04-13T09:59:59Z"
      })
      yield* insertPushes(host.operatorId, row, { state: "pushed", settledAt: NOW })
      const { text } = yield* getPage(host.cookie, CHANNELS)
      const [, pushes = ""] = /<section id="pushes">([\s\S]*?)<\/section>/.exec(text) ?? []
      assert.include(pushes, `price: ${ESCAPED}`)
      assert.include(pushes, "Rejected")
      assert.include(pushes, "the channel failed (502)")
      assert.include(pushes, "Failed")
      assert.include(pushes, "1–2 May 2027")
      assert.notInclude(pushes, "long ago")
      assert.strictEqual(pushes.match(new RegExp(`listing\\?id=${row}"`, "g"))?.length, 2)
    })
  )

  it.effect("shows a page of the listings and of the failures, and leads to the next of each", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW))
      const { operatorId, cookie } = yield* createSignedInHost()
      const account = yield* insertChannelAccount(operatorId)
      yield* insertListings(operatorId, account, CHANNELS_LISTINGS_MAX)
      const full = yield* getPage(cookie, CHANNELS)
      assert.strictEqual(linksTo(full), CHANNELS_LISTINGS_MAX)
      assert.notInclude(full.text, "Next page")
      const last = yield* insertListing(operatorId, account, { title: "The last" })
      const more = yield* getPage(cookie, CHANNELS)
      assert.strictEqual(linksTo(more), CHANNELS_LISTINGS_MAX)
      assert.include(more.text, `href="/console/channels?offset=${CHANNELS_LISTINGS_MAX}"`)
      const next = yield* getPage(cookie, `${CHANNELS}?offset=${CHANNELS_LISTINGS_MAX}`)
      assert.strictEqual(linksTo(next), 1)
      assert.include(next.text, "The last")

      const row = yield* findListingRowId(operatorId, last)
      const failed = (count: number) =>
        insertPushes(operatorId, row, { state: "refused", reason: "no", settledAt: NOW }, count)
      yield* failed(FAILED_PUSHES_SHOWN)
      const further = `/console/channels?failed=${FAILED_PUSHES_SHOWN}`
      assert.notInclude((yield* getPage(cookie, CHANNELS)).text, further)
      yield* failed(1)
      assert.include((yield* getPage(cookie, CHANNELS)).text, `href="${further}"`)
      const [, rest = ""] =
        /<section id="pushes">([\s\S]*?)<\/section>/.exec((yield* getPage(cookie, further)).text) ?? []
      assert.lengthOf(rest.match(/listing\?id=/g) ?? [], 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE listings SET title = repeat('x', 300) WHERE operator_id = ${operatorId}`
      assert.isBelow((yield* getPage(cookie, CHANNELS)).text.length, 300_000)
    })
  )
})
