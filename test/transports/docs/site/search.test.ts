import { assert, describe, it } from "@effect/vitest"
import MiniSearch from "minisearch"
import { createSearch } from "../../../../src/transports/docs/site/assets/search.js"
import { SEARCH_SYNONYMS } from "../../../../src/transports/docs/site/search-synonyms.ts"
import { listPages, listSiteFiles } from "../../../../src/transports/docs/site/site-files.ts"
import { siteSettings } from "../../../support/transports/docs/site/site-settings.ts"

// The search as the browser runs it, without the browser.

interface SearchResult {
  readonly title: string
  readonly heading: string
  readonly href: string
}

const index = listSiteFiles(siteSettings).get("search.json")?.().text ?? ""
const search: (query: string) => ReadonlyArray<SearchResult> = createSearch(MiniSearch, JSON.parse(index))

const findSlugs = (query: string): ReadonlyArray<string> =>
  search(query).map(({ href }) => /^reference\/([a-z0-9_-]+)\.html/.exec(href)?.[1] ?? href)

/** A query, and the pages that answer it. One of them must be among the first three results. */
const ANSWERS: Readonly<Record<string, ReadonlyArray<string>>> = {
  authentication: ["oauth", "oauth-quickstart", "console", "create_oauth_authorization"],
  pagination: ["page-and-filter"],
  sdk: ["client"],
  changelog: ["changelog"],
  payout: ["search_transactions"],
  "cancel a booking": ["cancel_reservation"],
  "rate limit": ["rate-limits"],
  "webhook signature": ["verify-signatures", "webhook-signatures"],
  idempotency: ["retry-safely"],
  "check-in instructions": ["update_check_in_details", "guest-portal"],
  "move a booking": ["update_reservation_basic", "allocate_stay"],
  search_staffs: ["query_staffs"],
  "open a week": ["update_availabilities"],
  authent: ["oauth", "oauth-quickstart", "console", "create_oauth_authorization"],
  ical: ["sync-calendars", "calendars"]
}

describe("the search", () => {
  for (const [query, slugs] of Object.entries(ANSWERS)) {
    it(`answers "${query}" in the first three results`, () => {
      const first = findSlugs(query).slice(0, 3)
      assert.isTrue(
        first.some((slug) => slugs.includes(slug)),
        first.join(", ")
      )
    })
  }

  it("puts the page first whose title is the query", () => {
    for (const { slug, title } of listPages(siteSettings)) {
      const [first] = search(title)
      assert.deepStrictEqual([first?.href, first?.heading], [`reference/${slug}.html`, title])
    }
  })

  it("has synonyms in lower case", () => {
    const words = Object.entries(SEARCH_SYNONYMS).flat(2)
    assert.deepStrictEqual(
      words.filter((word) => word !== word.toLowerCase()),
      []
    )
  })
})
