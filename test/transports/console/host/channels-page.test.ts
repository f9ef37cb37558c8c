import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CHANNELS_LISTINGS, FAILED_PUSHES_SHOWN } from "../../../../src/platform/limits.ts"
import { propertyOf } from "../../../support/harness.ts"
import { channelAccountOf, listingOf } from "../../../support/listings.ts"
import { look, newHost, type Page } from "../../../support/transports/console/host/hosting.ts"
import { listingsOf, pushedThen, rowOfListing } from "../../../support/transports/console/host/selling.ts"
import { layerSignedIn } from "../../../support/transports/console/signed-in.ts"

const CHANNELS = "/console/channels"
const MARKUP = "<script>alert(1)</script>"
const ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"

const NOW = "2027-04-20T10:00:00Z"

/** How many links to pages of listings there are. */
const linksTo = ({ text }: Page) => text.match(/href="\/console\/channels\/listing\?/g)?.length ?? 0

layer(layerSignedIn)("the page of channels", (it) => {
  it.effect("says how accounts and listings stand, what they sell, and each leads to its page", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* newHost(), yield* newHost()]
      const property = yield* propertyOf(host.operatorId, `Harbour ${MARKUP}`)
      const account = yield* channelAccountOf(host.operatorId, { username: `me ${MARKUP}` })
      const away = yield* channelAccountOf(host.operatorId, { channelType: "vrbo", authStatus: "disconnected" })
      const sold = yield* listingOf(host.operatorId, account, {
        title: `View ${MARKUP}`,
        propertyId: property,
        ratio: 115
      })
      yield* listingOf(host.operatorId, away, { channelType: "vrbo", title: "Cabin", isReadOnly: true })
      yield* listingOf(other.operatorId, yield* channelAccountOf(other.operatorId), { title: "Theirs" })
      const page = yield* look(host.cookie, CHANNELS)
      assert.strictEqual(page.status, 200)
      for (const words of [
        `me ${ESCAPED}`,
        `View ${ESCAPED}`,
        `Harbour ${ESCAPED}`,
        ...["connected", "disconnected", "115 %", "not set from here", "1 not linked", "Cabin", "Airbnb", "Vrbo"]
      ]) {
        assert.include(page.text, words)
      }
      assert.notInclude(page.text, "<script")
      assert.notInclude(page.text, "Theirs")
      assert.include(page.text, `href="/console/channels/listing?id=${yield* rowOfListing(host.operatorId, sold)}"`)
      assert.include(page.text, "Channels took all that they were told.")
    })
  )

  it.effect(
    "narrows the listings to an account's, and to those that sell nothing yet; another's account has none",
    () =>
      Effect.gen(function* () {
        const [host, other] = [yield* newHost(), yield* newHost()]
        const [one, two] = [yield* channelAccountOf(host.operatorId), yield* channelAccountOf(host.operatorId)]
        const property = yield* propertyOf(host.operatorId, "Harbour")
        yield* listingOf(host.operatorId, one, { title: "Linked", propertyId: property })
        yield* listingOf(host.operatorId, one, { title: "Loose" })
        yield* listingOf(host.operatorId, two, { title: "Second" })
        const theirs = yield* channelAccountOf(other.operatorId)
        yield* listingOf(other.operatorId, theirs, { title: "Theirs" })
        const names = ["Linked", "Loose", "Second", "Theirs"]
        const shown = (query: string) =>
          Effect.map(look(host.cookie, `${CHANNELS}?${query}`), ({ text }) =>
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
      const host = yield* newHost()
      const account = yield* channelAccountOf(host.operatorId)
      const listing = yield* listingOf(host.operatorId, account, { title: "Harbour view" })
      const row = yield* rowOfListing(host.operatorId, listing)
      yield* pushedThen(host.operatorId, row, {
        state: "refused",
        reason: `price: ${MARKUP}`,
        at: "2027-04-19T10:00:00Z"
      })
      yield* pushedThen(host.operatorId, row, {
        state: "dead",
        reason: "the channel failed (502)",
        at: "2027-04-13T10:00:01Z"
      })
      yield* pushedThen(host.operatorId, row, { state: "refused", reason: "long ago", at: "2027-04-13T09:59:59Z" })
      yield* pushedThen(host.operatorId, row, { state: "pushed", at: NOW })
      const { text } = yield* look(host.cookie, CHANNELS)
      const [, pushes = ""] = /<section id="pushes">([\s\S]*?)<\/section>/.exec(text) ?? []
      assert.include(pushes, `price: ${ESCAPED}`)
      assert.include(pushes, "refused")
      assert.include(pushes, "the channel failed (502)")
      assert.include(pushes, "given up")
      assert.include(pushes, "Sat 1 May 2027")
      assert.notInclude(pushes, "long ago")
      assert.strictEqual(pushes.match(new RegExp(`listing\\?id=${row}"`, "g"))?.length, 2)
    })
  )

  it.effect("shows a page of the listings and of the failures, and leads to the next of each", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(NOW))
      const { operatorId, cookie } = yield* newHost()
      const account = yield* channelAccountOf(operatorId)
      yield* listingsOf(operatorId, account, CHANNELS_LISTINGS)
      const full = yield* look(cookie, CHANNELS)
      assert.strictEqual(linksTo(full), CHANNELS_LISTINGS)
      assert.notInclude(full.text, "Further in the list")
      const last = yield* listingOf(operatorId, account, { title: "The last" })
      const more = yield* look(cookie, CHANNELS)
      assert.strictEqual(linksTo(more), CHANNELS_LISTINGS)
      assert.include(more.text, `href="/console/channels?offset=${CHANNELS_LISTINGS}"`)
      const next = yield* look(cookie, `${CHANNELS}?offset=${CHANNELS_LISTINGS}`)
      assert.strictEqual(linksTo(next), 1)
      assert.include(next.text, "The last")

      const row = yield* rowOfListing(operatorId, last)
      const failed = (count: number) => pushedThen(operatorId, row, { state: "refused", reason: "no", at: NOW }, count)
      yield* failed(FAILED_PUSHES_SHOWN)
      const further = `/console/channels?failed=${FAILED_PUSHES_SHOWN}`
      assert.notInclude((yield* look(cookie, CHANNELS)).text, further)
      yield* failed(1)
      assert.include((yield* look(cookie, CHANNELS)).text, `href="${further}"`)
      const [, rest = ""] = /<section id="pushes">([\s\S]*?)<\/section>/.exec((yield* look(cookie, further)).text) ?? []
      assert.lengthOf(rest.match(/listing\?id=/g) ?? [], 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE listings SET title = repeat('x', 300) WHERE operator_id = ${operatorId}`
      assert.isBelow((yield* look(cookie, CHANNELS)).text.length, 300_000)
    })
  )
})
