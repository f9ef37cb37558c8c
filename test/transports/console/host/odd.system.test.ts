import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createSignedInHost, getPage } from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

// What somebody may write into the address of a page.

const ODD = [
  ...["", "0", "-1", "1e9", "999999999", "99999999999999999999", "NaN", "1.5", "null", "x".repeat(2_000)],
  ...[
    "9999-12",
    "0000-00",
    "2027-13",
    "9999-12-31",
    "0001-01-01",
    "2027-02-30",
    "2027-5-1",
    "new",
    "group:99",
    "staff:0"
  ],
  ...[
    "<script>alert(1)</script>",
    `"'><b>`,
    "%",
    "%%%",
    "\u202e",
    "🏠",
    "' OR 1=1 --",
    "\\",
    "a:b:c",
    "expense_items:999"
  ]
]

/** Names that queries of pages have. */
const NAMES = {
  calendar: ["from", "days", "offset", "property", "to", "q", "group", "tag"],
  reservations: ["q", "property", "status", "payment", "from", "to", "leaves_from", "leaves_to", "offset"],
  "reservations.csv": ["q", "property", "status", "payment", "from", "to", "leaves_from", "leaves_to"],
  "reservations/new": ["property", "check_in_date", "check_out_date"],
  stay: ["code"],
  messages: ["id", "show", "offset", "before"],
  reviews: ["show", "offset", "until"],
  money: ["from", "to", "property", "order", "offset", "add", "change"],
  "money.csv": ["from", "to", "property", "order"],
  tasks: ["from", "to", "staff", "change", "add", "sheet"],
  year: ["year", "property"],
  properties: ["change", "q", "offset", "groups", "tags", "room_types"],
  channels: ["account", "show", "offset"],
  "channels/listing": ["id", "month"],
  calendars: ["offset", "links"],
  automation: ["try", "stay", "new", "edit", "offset"],
  knowledge: ["change", "ask", "stay", "offset"],
  people: ["change", "q", "staff"],
  words: ["change", "tags"],
  history: ["record", "by", "from", "to", "before"],
  overview: ["done"]
} as const

/** What each page answers to each of its addresses. So many come in no minute: its clock goes on between pages. */
const answered = (addresses: (names: ReadonlyArray<string>) => ReadonlyArray<ReadonlyArray<[string, string]>>) =>
  Effect.flatMap(createSignedInHost(), ({ cookie }) =>
    Effect.forEach(Object.entries(NAMES), ([page, names]) =>
      Effect.andThen(
        TestClock.adjust("1 minute"),
        Effect.forEach(addresses(names), (query) => {
          const path = `/console/${page}?${new URLSearchParams(query)}`
          return Effect.map(getPage(cookie, path), ({ status, text }) => ({ path, status, text }))
        })
      )
    )
  ).pipe(Effect.map((pages) => pages.flat()))

layer(layerSignedInPages)("an odd address", (it) => {
  // All of the page's fields at once.
  it.effect("is no fault of ours, and is shown as text", () =>
    Effect.gen(function* () {
      const seen = yield* answered((names) => ODD.map((value) => names.map((name): [string, string] => [name, value])))
      const wrong = seen.filter(
        ({ status, text }) =>
          status >= 500 || status === 429 || text.includes("<script>alert") || text.includes(`"'><b>`)
      )
      assert.deepStrictEqual(
        wrong.map(({ path, status }) => [path, status]),
        []
      )
    })
  )

  it.effect("of which one field is odd is none either", () =>
    Effect.gen(function* () {
      const seen = yield* answered((names) =>
        names.flatMap((name) =>
          ["9999-12-31", "9999-12", "9999", "99999999999999999999", "999999999"].map(
            (value): ReadonlyArray<[string, string]> => [[name, value]]
          )
        )
      )
      assert.deepStrictEqual(
        seen.filter(({ status }) => status >= 500 || status === 429).map(({ path, status }) => [path, status]),
        []
      )
    })
  )
})
