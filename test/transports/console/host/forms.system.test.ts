import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { deriveFormToken, FORM_TOKEN_FIELD } from "../../../../src/transports/console/visit.ts"
import { makeSampleWorld } from "../../../support/sample-world.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"
import {
  createSignedInHost,
  decodeEntities,
  type FormValues,
  fillForm,
  findAlert,
  findForms,
  getPage,
  type HostPageResponse,
  type PageForm,
  postForm,
  sendFormTwice
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

// Every form there is, found as a host would find it: by following the links of every page, in a business that has a record of every
// kind. What is asked of one is asked of all of them.

const PATHS = [
  ...[
    "overview",
    "calendar",
    "reservations",
    "reservations/new",
    "messages",
    "messages?show=waiting",
    "reviews",
    "reviews?show=waiting"
  ],
  ...[
    "money",
    "tasks",
    "year",
    "properties",
    "prices",
    "channels",
    "calendars",
    "automation",
    "knowledge",
    "people",
    "words",
    "history"
  ]
].map((name) => `/console/${name}`)

/** Pages that are looked at of one business, and how many links lead to the furthest of them. */
const MOST_PAGES = 250
const FURTHEST = 3

const HOST_PAGE = /^\/console\/(?!access|password|[0-9a-f]{16}\.)/

const linksIn = ({ text }: HostPageResponse): ReadonlyArray<string> =>
  Array.from(text.matchAll(/<a [^>]*href="([^"#]*)/g), ([, href = ""]) => decodeEntities(href)).filter((href) =>
    HOST_PAGE.test(href)
  )

interface Found extends PageForm {
  /** The page's path and the form's act. */
  readonly name: string
  /** Where it was found. */
  readonly at: string
  readonly isDanger: boolean
}

const actsIn = ({ text }: HostPageResponse): ReadonlyArray<string> =>
  Array.from(new Set(Array.from(text.matchAll(/name="act" value="(\w+)"/g), ([, act = ""]) => act))).filter(
    (act) => act !== "sign_out"
  )

const isDanger = ({ text }: HostPageResponse, act: string): boolean =>
  text.includes(`class="danger" name="act" value="${act}"`)

const found = (page: HostPageResponse, at: string): ReadonlyArray<Found> =>
  actsIn(page).flatMap((act) =>
    findForms(page, act)
      .slice(0, 1)
      .map((form) => ({
        ...{ ...form, at, name: `${at.split("?", 1)[0]?.replace("/console/", "")} ${act}` },
        isDanger: isDanger(page, act)
      }))
  )

/** All forms that links lead to, the first of each name. */
const crawled = Effect.fnUntraced(function* (cookie: string, starts: ReadonlyArray<string>) {
  const forms = new Map<string, Found>()
  const seen = new Set<string>(starts)
  let next = starts
  for (let depth = 0; depth <= FURTHEST; depth += 1) {
    const further: Array<string> = []
    for (const at of next) {
      const page = yield* getPage(cookie, at)
      if (page.status !== 200) assert.strictEqual(page.status, 404, `${at}: ${page.text}`)
      for (const form of found(page, at)) if (!forms.has(form.name)) forms.set(form.name, form)
      for (const link of linksIn(page)) {
        if (seen.has(link) || seen.size >= MOST_PAGES) continue
        seen.add(link)
        further.push(link)
      }
    }
    next = further
  }
  return Array.from(forms.values())
})

/** All that is written of an operator, but for who was refused what. */
const writtenOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND c.column_name = 'operator_id' AND t.table_type = 'BASE TABLE'
      AND c.table_name NOT IN ('refusals', 'access_tokens') ORDER BY 1`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{ digest: string | null }>`
        SELECT md5(string_agg(row::text, '|' ORDER BY row::text)) AS digest FROM ${sql(name)} row WHERE operator_id = ${operatorId}`,
      ([row]) => [name, row?.digest ?? ""] as const
    )
  )
  return Object.fromEntries(rows)
})

/** A host with a record of everything, when its stays are near. Nobody looks at more pages of the console in a minute. */
const business = Effect.fnUntraced(function* (now: string) {
  yield* TestClock.setTime(0)
  const world = yield* makeSampleWorld
  yield* TestClock.setTime(Date.parse(now))
  const sql = yield* SqlClient.SqlClient
  const [account] = yield* sql<{ id: number }>`
    SELECT id FROM accounts WHERE operator_id = ${world.operatorId} AND role = 'main'`
  const cookie = yield* signIn(account?.id ?? 0)
  const property = String(world.fields["property_id"])
  const days = new URLSearchParams({ property, from: "2027-07-01", to: "2027-07-03" }).toString()
  return { world, cookie, starts: [...PATHS, `/console/calendar?${days}`] }
})

type World = Effect.Success<ReturnType<typeof business>>["world"]

/** What is filled in where a form would else be refused for what it lacks, and the records that it names, by the form's name. */
const filledWith = (world: World): Readonly<Record<string, FormValues>> => {
  const property = String(world.fields["property_id"])
  const guest = { guest_name: "Grace Hopper", check_in_date: "2027-08-01", check_out_date: "2027-08-03" }
  return {
    "reservations/new create": { property_id: property, ...guest, rate_amount: "100" },
    "reservations/new quote": { property_id: property, ...guest, number_of_guests: "2" },
    "calendar set_prices": { price: "150" },
    "prices set_prices": { target: property, price: "160" },
    "prices clear_prices": { target: property },
    "calendar move_stay": {
      ...{ stay: String(world.fields["stay_code"]), check_in_date: "2027-05-01", check_out_date: "2027-05-04" },
      property_id: String(world.edits["allocate_stay"]?.["property_id"])
    },
    "properties add_property": { title: "Another house" },
    "automation save_rule": { name: "Renamed" },
    "calendars follow": { property, url: "https://calendars.example.com/2.ics" },
    "calendars feed": { property },
    "calendars make_house_calendar": { property, field: ["guest_name", "door_code"], door_code_source: "reservation" },
    "calendars share_some": { property: [property] },
    "knowledge add_entry": { title: "Wi-Fi", "sub_title.0": "Name", "text.0": "Harbour" },
    "people make_account": {
      ...{
        email: `second-${world.operatorId}@example.test`,
        new_password: "a long enough one",
        again: "a long enough one"
      }
    },
    "people new_password": { new_password: "a long enough one", again: "a long enough one" },
    "words add_entry": { name: "Boat trips" },
    "words add_tag": { tag_name: "By boat" },
    "words rename_entry": { name: "Nights" },
    "stay check_in": { lock_code: "4711" },
    "stay change": { remarks: "By boat" },
    "stay dates": { check_out_date: "2027-05-05" },
    "stay allocate": { property_id: String(world.edits["allocate_stay"]?.["property_id"]) },
    "stay tag": { tag_name: "By boat" },
    "stay fields": { new_name: "door", new_text: "blue" },
    "messages send": { message: "Until then." },
    "messages note": { note: "By boat" },
    "messages offer": { price: "380" },
    "money record": { amount: "5", property_id: property },
    "tasks create": { property_id: property, expected_date: "2027-06-01" },
    "tasks change": { note: "By boat" },
    "properties change_group": { name: "Quay" },
    "properties make_group": { name: "Boats", property_ids: [property] },
    "properties change_tag": { name: "Quay" },
    "properties make_tag": { name: "Boats", property_ids: [property] },
    "properties make_room_type": { title: "Cabins" },
    "channels/listing ratio": { markup: "10" },
    "channels/listing price": { start_date: "2027-08-01", end_date: "2027-08-02", price: "100" },
    "channels/listing stock": { start_date: "2027-08-01", end_date: "2027-08-02", inventory: "1" },
    "channels/listing rules": { start_date: "2027-08-01", end_date: "2027-08-02", min_stay_on_arrival: "2" },
    "knowledge change_entry": { title: "Where to park" },
    "people change_staff": { note: "By boat" },
    "people add_staff": {
      ...{ name: "Lena", mobile: "+49 15112345678", works_in: "some", property_ids: [property] }
    }
  }
}

/** Forms that name nobody's record: who sends them changes what is their own. */
const OWN: ReadonlySet<string> = new Set([
  ...["properties add_property", "properties make_room_type", "calendars share_all", "automation try_rule"],
  ...["knowledge add_entry", "people make_account", "words add_entry", "words add_tag"],
  // These only open another page, or look for free properties.
  ...["calendar book", "reservations/new check"],
  // What is built in has one id for everybody.
  ...["words rename_entry", "words retire_entry"]
])

/** Forms that change nothing in this contract test, and why. So it cannot send them twice. */
const NOTHING: Readonly<Record<string, string>> = {
  "calendars fetch": "no calendar is reached from here",
  "stay decline": "the request was accepted before",
  "automation take_away": "what was about to be done was done before"
}

/** Forms that do not make one change, and how many of their calls change something; each is done once. */
const CALLS: Readonly<Record<string, number>> = { "calendars follow": 2, "automation try_rule": 0 }

/** Comes before others, after which it would be gone. */
const FIRST = "automation do_now"

/** All there are, so that one which no link leads to any more is missed here. */
const FORMS = [
  ...["reservations/new create", "calendar close_days", "money record"],
  ...[
    "allocate",
    "approve",
    "approve_check_in",
    "box",
    "cancel",
    "change",
    "check_in",
    "dates",
    "decline",
    "fields",
    "tag",
    "untag",
    "whereabouts"
  ].map((act) => `stay ${act}`),
  ...["note", "offer", "preapprove", "send", "withdraw"].map((act) => `messages ${act}`),
  ...["assign", "begin", "change", "create", "delete", "finish"].map((act) => `tasks ${act}`),
  ...["add_property", "change_group", "delete_group", "make_group", "make_room_type"].map((act) => `properties ${act}`),
  ...["change_tag", "delete_tag", "make_tag"].map((act) => `properties ${act}`),
  ...["link", "price", "ratio", "rules", "stock", "unlink"].map((act) => `channels/listing ${act}`),
  ...["accept_calendar", "feed", "fetch", "follow", "remove", "share_all", "share_some", "unshare"].map(
    (act) => `calendars ${act}`
  ),
  ...["delete_house_calendar", "make_house_calendar", "update_calendar"].map((act) => `calendars ${act}`),
  ...["do_now", "pause_rule", "remove_rule", "resume_rule", "save_rule", "take_away", "try_rule"].map(
    (act) => `automation ${act}`
  ),
  ...["book", "clear_prices", "move_stay", "open_days", "set_prices"].map((act) => `calendar ${act}`),
  ...["properties/property save_property", "properties/property stop_letting"],
  ...["reservations/new check", "reservations/new quote", "prices set_prices", "prices clear_prices"],
  ...["calendars calendar_bookings", "stay cancel_calendar_stay", "stay detach"],
  ...["add_entry", "change_entry", "delete_entry", "switch_off"].map((act) => `knowledge ${act}`),
  ...[
    ...["add_staff", "change_staff", "delete_staff"],
    ...["make_account", "disable_account", "enable_account", "new_password"]
  ].map((act) => `people ${act}`),
  ...["add_entry", "add_tag", "delete_tag", "rename_entry", "retire_entry"].map((act) => `words ${act}`)
]

/** New lines of the trail since then: how many calls they are of, and how often the same record was touched beside calls. */
const trailSince = Effect.fnUntraced(function* (operatorId: number, since: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ calls: number; most: number }>`
    SELECT count(DISTINCT request_id)::int AS calls, coalesce((
      SELECT max(times)::int FROM (
        SELECT count(*) AS times FROM trail
        WHERE operator_id = ${operatorId} AND id > ${since} AND request_id IS NULL GROUP BY operation, record) each), 0) AS most
    FROM trail WHERE operator_id = ${operatorId} AND id > ${since}`
  return row ?? { calls: 0, most: 0 }
})

const lastOfTrail = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ last: number }>`
    SELECT coalesce(max(id), 0)::int AS last FROM trail WHERE operator_id = ${operatorId}`
  return row?.last ?? 0
})

/** The form as it stands now: where it was found, or where else one of its name is by now. */
const standingNow = Effect.fnUntraced(function* (
  cookie: string,
  starts: ReadonlyArray<string>,
  name: string,
  at: string
) {
  const [standing] = findForms(yield* getPage(cookie, at), name.split(" ")[1] ?? "")
  if (standing !== undefined) return standing
  yield* TestClock.adjust("2 minutes")
  return (yield* crawled(cookie, starts)).find((each) => each.name === name)
})

layer(layerSignedInPages, { timeout: EVERY_PAGE_MS })("every form", (it) => {
  it.effect(
    "of another operator, and without its token, changes nothing of whose it is",
    () =>
      Effect.gen(function* () {
        const { world, cookie, starts } = yield* business("2027-05-20T10:00:00Z")
        const forms = yield* crawled(cookie, starts)
        const fields = filledWith(world)
        const other = yield* createSignedInHost()
        const before = yield* writtenOf(world.operatorId)
        const taken: Array<string> = []
        for (const { name, action, form } of forms) {
          const theirs = fillForm(new URLSearchParams(form), fields[name] ?? {})
          theirs.set(FORM_TOKEN_FIELD, deriveFormToken(other.cookie))
          const sent = yield* postForm(other.cookie, action, theirs)
          assert.isBelow(sent.status, 500, `${name}: ${sent.text}`)
          if (sent.status < 400) taken.push(name)
          for (const token of ["", deriveFormToken(other.cookie)]) {
            theirs.set(FORM_TOKEN_FIELD, token)
            assert.strictEqual((yield* postForm(cookie, action, theirs)).status, 403, name)
          }
        }
        assert.deepStrictEqual(
          taken.filter((name) => !OWN.has(name)),
          []
        )
        assert.deepStrictEqual(yield* writtenOf(world.operatorId), before)
      }),
    EVERY_PAGE_MS
  )

  it.effect(
    "sent twice at once is done once",
    () =>
      Effect.gen(function* () {
        const { world, cookie, starts } = yield* business("2027-05-20T11:00:00Z")
        const forms = yield* crawled(cookie, starts)
        const fields = filledWith(world)
        assert.sameMembers(
          forms.map(({ name }) => name),
          FORMS
        )
        const order = ({ name, isDanger }: Found) => (name === FIRST ? -1 : Number(isDanger))
        for (const { name, at } of forms.toSorted((one, two) => order(one) - order(two))) {
          // So many come in no minute.
          yield* TestClock.adjust("10 seconds")
          const standing = yield* standingNow(cookie, starts, name, at)
          if (standing === undefined) {
            assert.property(NOTHING, name)
            continue
          }
          const since = yield* lastOfTrail(world.operatorId)
          const sent = yield* sendFormTwice(cookie, at, standing, fields[name] ?? {})
          const { calls, most } = yield* trailSince(world.operatorId, since)
          const taken = sent.filter(({ status }) => status < 400).length
          const words = `${name}: ${sent.map((each) => `${each.status} ${findAlert(each) ?? ""}`).join(", ")}`
          if (name in NOTHING) assert.strictEqual(taken, 0, words)
          else assert.isAtLeast(taken, 1, words)
          assert.isAtMost(calls, CALLS[name] ?? 1, words)
          assert.isAtMost(most, 1, words)
        }
      }),
    EVERY_PAGE_MS
  )
})
