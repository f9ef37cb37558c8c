import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SUDO_MS } from "../../../../src/domain/access/sign-in/Sessions.ts"
import { UNREADABLE_URL } from "../../../../src/domain/secret-urls.ts"
import { AllowedReceivers, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { CALENDARS_SHOWN, SHARE_LINKS_SHOWN } from "../../../../src/platform/limits.ts"
import { TEXTS } from "../../../../src/transports/console/console-texts.ts"
import {
  startCalendarSource,
  toBusyCalendar,
  toPartlyReadableCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { layerLocalOutbound, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { insertProperty, layerServiceWithOutbound } from "../../../support/harness.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"
import {
  createSignedInHost,
  type FormValues,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findAlertField,
  findDoneAction,
  findForms,
  getPage,
  type HostPageResponse,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPagesOf, PASSWORD, signIn } from "../../../support/transports/console/signed-in-pages.ts"

const PATH = "/console/calendars"
const MARKUP = "<script>alert(1)</script>"
const ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"
const ELSEWHERE = "https://calendars.example/ical/1.ics?s=abcd1234"

const ACTS_OF_CALENDARS = ["follow", "fetch", "accept_calendar", "update_calendar", "calendar_bookings", "remove"]

/** Calendars may be fetched from this machine. */
const layerPages = Layer.provide(
  layerSignedInPagesOf(Layer.provideMerge(layerServiceWithOutbound(layerTestDatabase), layerLocalOutbound)),
  Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1")))
)

/** A host with a property, on a day in April. */
const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-04-20T10:00:00Z"))
  const host = yield* createSignedInHost()
  return { ...host, property: yield* insertProperty(host.operatorId, `Harbour ${MARKUP}`) }
})

/** What the tables have of an operator's calendars, feeds and links. */
const keptOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return {
    calendars: yield* sql<{
      id: number
      property_id: number
      url: string
      attempts: number
      digest: string | null
      skip_unavailable: boolean
      busy_days: number
    }>`
      SELECT id, property_id, url, attempts, digest, accepted_digest, skip_unavailable, (
        SELECT count(*)::int FROM imported_days d WHERE d.calendar_id = imported_calendars.id) AS busy_days FROM imported_calendars WHERE operator_id = ${operatorId} ORDER BY id`,
    feeds: yield* sql<{ property_id: number; calendar_id: number | null; token: string }>`
      SELECT property_id, calendar_id, token FROM property_feeds WHERE operator_id = ${operatorId} ORDER BY id`,
    links: yield* sql<{ id: number; scope: string }>`
      SELECT id, scope FROM calendar_share_links WHERE operator_id = ${operatorId} ORDER BY id`
  }
}, Effect.orDie)

/** What a page tells this once. */
const toldIn = ({ text }: HostPageResponse) => /role="status"><p>([^<]*)<\/p>/.exec(text)?.[1]

const secretsIn = ({ text }: HostPageResponse) =>
  Array.from(text.matchAll(/<code class="secret">([^<]*)<\/code>/g), ([, secret = ""]) => secret)

/** Follows a calendar. */
const followed = (cookie: string, property: number, url: string) =>
  fillAndSend(cookie, PATH, "follow", { property: String(property), url })

layer(layerPages)("the page of calendars elsewhere", (it) => {
  it.effect("follows a calendar, tells the address for its source this once, and never its own", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const page = yield* followed(cookie, property, ELSEWHERE)
      assert.strictEqual(page.status, 200)
      assert.isDefined(toldIn(page))
      const { calendars, feeds } = yield* keptOf(operatorId)
      assert.deepStrictEqual(
        calendars.map(({ property_id, url }) => [property_id, url]),
        [[property, ELSEWHERE]]
      )
      assert.deepStrictEqual(
        feeds.map(({ calendar_id }) => calendar_id),
        calendars.map(({ id }) => id)
      )
      assert.deepStrictEqual(
        secretsIn(page),
        feeds.map(({ token }) => `http://127.0.0.1:8080/feeds/${token}.ics`)
      )
      const { text } = yield* getPage(cookie, PATH)
      assert.include(text, `calendars.example <span class="soft">…1234</span>`)
      assert.include(text, `Harbour ${ESCAPED}`)
      assert.include(text, "Not read yet")
      assert.notInclude(text, "abcd1234")
      assert.notInclude(text, "<script")
      assert.notInclude(text, feeds[0]?.token ?? "no token")
    })
  )

  it.effect("brings back an address that is none, and what was filled in", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const refused = yield* followed(cookie, property, `ftp://${MARKUP}`)
      assert.strictEqual(refused.status, 422)
      assert.match(findAlert(refused) ?? "", /^iCal URL /)
      assert.include(refused.text, `value="ftp://${ESCAPED}"`)
      assert.include(refused.text, `<option value="${property}" selected>`)
      const none = yield* fillAndSend(cookie, PATH, "follow", { property: "", url: ELSEWHERE })
      assert.deepStrictEqual([none.status, findAlertField(none)], [422, ""])
      assert.deepStrictEqual((yield* keptOf(operatorId)).calendars, [])
    })
  )

  it.effect("fetches a calendar now and says what came of it, whether it can be read or not", () =>
    Effect.gen(function* () {
      const { cookie, property } = yield* ready
      const { makeUrl: url, serveCalendar: says, behavior: mood } = yield* startCalendarSource
      yield* followed(cookie, property, url())
      says(toBusyCalendar("2027-05-01/2027-05-04"))
      const read = yield* fillAndSend(cookie, PATH, "fetch")
      assert.match(toldIn(read) ?? "", /\b3 days .*\b3 days /)
      assert.match(read.text, /data-label="Blocked days" class="at-labelled amount">3</)
      assert.include(read.text, ">Synced</span>")
      mood.respond = respondWith(500, `${MARKUP} SECRET`)
      const failed = yield* fillAndSend(cookie, PATH, "fetch")
      assert.strictEqual(failed.status, 502)
      assert.match(findAlert(failed) ?? "", /\b500\b/)
      assert.include(failed.text, "Cannot be read</span>")
      assert.notInclude(failed.text, "SECRET")
      assert.match(failed.text, /data-label="Blocked days" class="at-labelled amount">3</)
    })
  )

  it.effect("shows the unreadable parts of a calendar, and accepts it as read", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const { makeUrl: url, serveCalendar: says } = yield* startCalendarSource
      yield* followed(cookie, property, url())
      says(toBusyCalendar("2027-05-01/2027-05-04"))
      assert.lengthOf(findForms(yield* fillAndSend(cookie, PATH, "fetch"), "accept_calendar"), 0)
      says(toPartlyReadableCalendar("2027-05-01/2027-05-02"))
      const inPart = yield* fillAndSend(cookie, PATH, "fetch")
      assert.match(toldIn(inPart) ?? "", /\b3 days .*\b0 days /)
      assert.include(inPart.text, "Partly read</span>")
      assert.match(inPart.text, /<span class="name">1 part /)
      assert.include((yield* getPage(cookie, "/console/overview")).text, "imported calendar")
      const [form] = findForms(inPart, "accept_calendar")
      const [otherForm] = findForms(yield* getPage(cookie, PATH), "accept_calendar")
      const acceptance = yield* fillAndFollow(cookie, PATH, "accept_calendar")
      assert.strictEqual(findDoneAction(acceptance), "accept_calendar")
      assert.lengthOf(findForms(acceptance, "accept_calendar"), 0)
      assert.notInclude((yield* getPage(cookie, "/console/overview")).text, "imported calendar")
      assert.match(acceptance.text, /data-label="Blocked days" class="at-labelled amount">1</)
      assert.notInclude(acceptance.text, "1 part ")
      // Another form for the same feed succeeds. After another feed was read, a form for the former one is refused.
      const send = (shownForm: typeof form) =>
        shownForm === undefined ? Effect.die(new Error("no form")) : postForm(cookie, shownForm.action, shownForm.form)
      assert.strictEqual((yield* send(form)).status, 303)
      says(toPartlyReadableCalendar())
      yield* fillAndSend(cookie, PATH, "fetch")
      const late = yield* send(otherForm)
      assert.strictEqual(late.status, 409)
      assert.strictEqual((yield* keptOf(operatorId)).calendars[0]?.busy_days, 1)
    })
  )

  it.effect("saves the setting of the booking window, when a calendar is added and later", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const skips = Effect.map(keptOf(operatorId), ({ calendars }) => calendars[0]?.skip_unavailable)
      yield* fillAndSend(cookie, PATH, "follow", {
        property: String(property),
        url: ELSEWHERE,
        skip_unavailable: "yes"
      })
      assert.isTrue(yield* skips)
      const [form] = findForms(yield* getPage(cookie, PATH), "update_calendar")
      assert.strictEqual(form?.form.get("skip_unavailable"), "yes")
      const page = yield* fillAndFollow(cookie, PATH, "update_calendar", { skip_unavailable: [] })
      assert.strictEqual(findDoneAction(page), "update_calendar")
      assert.isFalse(yield* skips)
      const [nextForm] = findForms(page, "update_calendar")
      assert.isNull(nextForm?.form.get("skip_unavailable"))
      yield* fillAndFollow(cookie, PATH, "update_calendar", { skip_unavailable: "yes" })
      // Adding the calendar again without the tick keeps the setting.
      yield* followed(cookie, property, ELSEWHERE)
      assert.isTrue(yield* skips)
    })
  )

  it.effect("fetches one at a time for who waits: the second is told so, and the source is asked once", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const { makeUrl: url, behavior: mood, requests } = yield* startCalendarSource
      yield* followed(cookie, property, url())
      let answer = () => {}
      mood.respond = (response, received) => {
        answer = () => respondWith(200, toBusyCalendar())(response, received)
      }
      const [form] = findForms(yield* getPage(cookie, PATH), "fetch")
      const send = form === undefined ? Effect.die(new Error("no form")) : postForm(cookie, form.action, form.form)
      const first = yield* Effect.forkChild(send)
      yield* Queue.take(requests)
      const second = yield* send
      assert.deepStrictEqual([second.status, findAlertField(second)], [409, ""])
      answer()
      assert.match(toldIn(yield* Fiber.join(first)) ?? "", /\b0 days .*\b0 days /)
      assert.strictEqual((yield* keptOf(operatorId)).calendars[0]?.attempts, 1)
      // A form that is sent again fetches nothing; a new one does.
      mood.respond = respondWith(200, toBusyCalendar())
      assert.include((yield* send).location ?? "", "done=already_done")
      assert.strictEqual((yield* fillAndSend(cookie, PATH, "fetch")).status, 200)
      assert.strictEqual((yield* keptOf(operatorId)).calendars[0]?.attempts, 2)
    })
  )

  it.effect("follows a calendar no more", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      yield* followed(cookie, property, ELSEWHERE)
      const page = yield* fillAndFollow(cookie, PATH, "remove")
      assert.strictEqual(findDoneAction(page), "remove")
      assert.include(page.text, "No imported calendars yet.")
      assert.deepStrictEqual((yield* keptOf(operatorId)).calendars, [])
    })
  )

  it.effect("shows the addresses of a property, its own and those for sources, and replaces one", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      yield* followed(cookie, property, ELSEWHERE)
      const shown = yield* fillAndSend(cookie, PATH, "feed", { property: String(property) })
      assert.include(toldIn(shown), "Everyone who has one of these URLs")
      const { feeds } = yield* keptOf(operatorId)
      const addressOf = (isOwn: boolean) =>
        feeds
          .filter(({ calendar_id }) => (calendar_id === null) === isOwn)
          .map(({ token }) => `http://127.0.0.1:8080/feeds/${token}.ics`)
      assert.deepStrictEqual(secretsIn(shown), [...addressOf(true), ...addressOf(false)])
      assert.include(shown.text, `For ${new URL(ELSEWHERE).host}, whose calendar is imported (1 of 1):`)
      const forms = findForms(shown, "renew")
      assert.strictEqual(forms.length, 2)
      for (const form of forms) {
        assert.strictEqual((yield* postForm(cookie, form.action, form.form)).status, 303)
      }
      const again = secretsIn(yield* fillAndSend(cookie, PATH, "feed", { property: String(property) }))
      assert.strictEqual(again.length, 2)
      for (const address of again) assert.notInclude([...addressOf(true), ...addressOf(false)], address)
      // Back, and pressed again: what was given since stays.
      for (const form of forms) assert.strictEqual((yield* postForm(cookie, form.action, form.form)).status, 409)
      assert.deepStrictEqual(secretsIn(yield* fillAndSend(cookie, PATH, "feed", { property: String(property) })), again)
      assert.strictEqual((yield* keptOf(operatorId)).feeds.length, 2)
    })
  )

  it.effect("shows no replaced address for an old form that is sent again", () =>
    Effect.gen(function* () {
      const { cookie, property } = yield* ready
      const [form] = findForms(yield* getPage(cookie, PATH), "feed")
      const fields = new URLSearchParams(form === undefined ? assert.fail("no form") : form.form)
      fields.set("property", String(property))
      const show = postForm(cookie, PATH, fields)
      const shown = yield* show
      assert.lengthOf(secretsIn(shown), 1)
      for (const each of findForms(shown, "renew")) yield* postForm(cookie, each.action, each.form)
      const again = yield* show
      assert.deepStrictEqual([again.status, secretsIn(again)], [303, []])
      assert.include((yield* getPage(cookie, again.location ?? "")).text, "You already sent this form.")
    })
  )

  it.effect("shows what it can where an address does not open any more, which has no link, and can be replaced", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* followed(cookie, property, ELSEWHERE)
      yield* followed(cookie, property, "https://whole.example/2.ics?s=5678")
      yield* fillAndSend(cookie, PATH, "share_all")
      const feed = { property: String(property) }
      yield* fillAndSend(cookie, PATH, "feed", feed)
      const lost = `sealed:1:${"0".repeat(12)}:${"A".repeat(16)}:${"A".repeat(30)}`
      yield* sql`UPDATE imported_calendars SET url = ${lost} WHERE operator_id = ${operatorId} AND url = ${ELSEWHERE}`
      yield* sql`UPDATE calendar_share_links SET token = ${lost} WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE property_feeds SET token = ${lost} WHERE operator_id = ${operatorId} AND calendar_id IS NULL`
      const { status, text } = yield* getPage(cookie, PATH)
      assert.strictEqual(status, 200)
      assert.include(text, `calendars.example <span class="soft">URL no longer readable`)
      assert.include(text, `whole.example <span class="soft">…5678</span>`)
      assert.notInclude(text, `href="${UNREADABLE_URL}"`)
      assert.include(text, UNREADABLE_URL)
      const [own, ...others] = secretsIn(yield* fillAndSend(cookie, PATH, "feed", feed))
      assert.strictEqual(own, UNREADABLE_URL)
      assert.strictEqual(others.length, 2)
      yield* sql`DELETE FROM calendar_share_links WHERE operator_id = ${operatorId}`
    })
  )

  it.effect("makes links to all properties and to some, names what they show, and deletes them", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const second = yield* insertProperty(operatorId, "Attic")
      const all = yield* fillAndFollow(cookie, PATH, "share_all")
      assert.include(all.text, "All properties, including new ones")
      const some = yield* fillAndFollow(cookie, PATH, "share_some", { property: [String(property), String(second)] })
      assert.include(some.text, `Attic, Harbour ${ESCAPED}`)
      assert.notInclude(some.text, "<script")
      const none = yield* fillAndSend(cookie, PATH, "share_some")
      assert.deepStrictEqual([none.status, findAlertField(none)], [422, ""])
      yield* fillAndFollow(cookie, PATH, "unshare")
      assert.strictEqual((yield* keptOf(operatorId)).links.length, 1)
    })
  )

  it.effect("knows nothing of another's calendars, properties and links: they are as those that nobody has", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* ready, yield* ready]
      const { makeUrl: url, serveCalendar: says } = yield* startCalendarSource
      yield* followed(theirs.cookie, theirs.property, url())
      for (const feed of [toBusyCalendar("2027-05-01/2027-05-04"), toPartlyReadableCalendar()]) {
        says(feed)
        yield* fillAndSend(theirs.cookie, PATH, "fetch")
      }
      yield* fillAndSend(theirs.cookie, PATH, "feed", { property: String(theirs.property) })
      yield* fillAndFollow(theirs.cookie, PATH, "share_all")
      const before = yield* keptOf(theirs.operatorId)
      const calendar = String(before.calendars[0]?.id)
      const link = String(before.links[0]?.id)
      const acts: ReadonlyArray<readonly [string, (theirs: boolean) => FormValues]> = [
        ["follow", (is) => ({ property: is ? String(theirs.property) : "999999999", url: ELSEWHERE })],
        ["fetch", (is) => ({ id: is ? calendar : "999999999" })],
        ["remove", (is) => ({ id: is ? calendar : "999999999" })],
        ["accept_calendar", (is) => ({ id: is ? calendar : "999999999", digest: before.calendars[0]?.digest ?? "" })],
        ["update_calendar", (is) => ({ id: is ? calendar : "999999999", skip_unavailable: "yes" })],
        ["calendar_bookings", (is) => ({ id: is ? calendar : "999999999", makes_stays: "yes" })],
        ["feed", (is) => ({ property: is ? String(theirs.property) : "999999999" })],
        ["renew", (is) => ({ id: is ? String(theirs.property) : "999999999" })],
        ["renew", (is) => ({ id: is ? `${theirs.property}:${calendar}` : "999999999:999999999" })],
        ["renew", (is) => ({ id: `${mine.property}:${is ? calendar : "999999999"}` })],
        ["share_some", (is) => ({ property: is ? String(theirs.property) : "999999999" })],
        ["unshare", (is) => ({ id: is ? link : "999999999" })]
      ]
      for (const [act, fields] of acts) {
        const [sent, nobodys] = [
          yield* postInventedForm(mine.cookie, PATH, act, fields(true)),
          yield* postInventedForm(mine.cookie, PATH, act, fields(false))
        ]
        assert.deepStrictEqual([act, sent.status], [act, 404])
        const said = findAlert(sent)?.replace(String(theirs.property), "999999999")
        assert.deepStrictEqual([act, nobodys.status, findAlert(nobodys)], [act, 404, said])
        assert.deepStrictEqual(secretsIn(sent), [])
      }
      assert.deepStrictEqual(yield* keptOf(theirs.operatorId), before)
      assert.deepStrictEqual(yield* keptOf(mine.operatorId), { calendars: [], feeds: [], links: [] })
      assert.notInclude((yield* getPage(mine.cookie, PATH)).text, "127.0.0.1 ")
    })
  )

  it.effect("takes no form of another site, and no id that is none", () =>
    Effect.gen(function* () {
      const { operatorId, cookie } = yield* ready
      for (const act of [...ACTS_OF_CALENDARS, "feed", "renew", "share_all", "share_some", "unshare"]) {
        assert.deepStrictEqual([act, (yield* postWithoutToken(cookie, PATH, act)).status], [act, 403])
        if (act === "share_all") continue
        const { status } = yield* postInventedForm(cookie, PATH, act, { id: "0x1", property: "1e3" })
        assert.isTrue(status >= 400 && status < 500, `${act}: ${status}`)
      }
      assert.deepStrictEqual(yield* keptOf(operatorId), { calendars: [], feeds: [], links: [] })
    })
  )

  it.effect(
    "asks for the password after fifteen minutes where an address is given out, and changes nothing without",
    () =>
      Effect.gen(function* () {
        const { operatorId, accountId, property } = yield* ready
        const cookie = yield* signIn(accountId, SUDO_MS + 1)
        const forms: ReadonlyArray<readonly [string, FormValues, number]> = [
          ["share_all", {}, 303],
          ["share_some", { property: [String(property)] }, 303],
          ["feed", { property: String(property) }, 200],
          ["follow", { property: String(property), url: ELSEWHERE }, 200]
        ]
        for (const [act, fields] of forms) {
          const missing = yield* fillAndSend(cookie, PATH, act, fields)
          assert.deepStrictEqual([missing.status, findAlert(missing)], [403, TEXTS.sudo.missingPassword], act)
          assert.strictEqual((yield* fillAndSend(cookie, PATH, act, { ...fields, password: "wrong" })).status, 401, act)
        }
        assert.deepStrictEqual(yield* keptOf(operatorId), { calendars: [], feeds: [], links: [] })
        for (const [act, fields, status] of forms) {
          const late = yield* signIn(accountId, SUDO_MS + 1)
          assert.strictEqual(
            (yield* fillAndSend(late, PATH, act, { ...fields, password: PASSWORD })).status,
            status,
            act
          )
        }
        assert.strictEqual((yield* keptOf(operatorId)).links.length, 2)
      })
  )

  it.effect("does once what is sent twice at once", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const both = (act: string, fields: FormValues = {}) =>
        Effect.map(fillAndSendTwice(cookie, PATH, act, fields), (pages) => pages.map(({ status }) => status))
      // One shows the addresses; the other says that the form was sent before.
      const oneShown = Effect.map((statuses: ReadonlyArray<number>) => assert.sameMembers([...statuses], [200, 303]))
      // This form runs two operations. If each page was first in one of them, both show the address, which is the same.
      const followed = yield* fillAndSendTwice(cookie, PATH, "follow", { property: String(property), url: ELSEWHERE })
      const shown = followed.filter(({ status }) => status === 200)
      assert.isTrue(followed.every(({ status }) => status === 200 || status === 303))
      assert.strictEqual(new Set(shown.flatMap(secretsIn)).size, 1)
      yield* oneShown(both("feed", { property: String(property) }))
      assert.deepStrictEqual(yield* both("share_all"), [303, 303])
      assert.deepStrictEqual(yield* both("share_some", { property: [String(property)] }), [303, 303])
      const { calendars, feeds, links } = yield* keptOf(operatorId)
      assert.deepStrictEqual(
        [calendars.length, feeds.length, links.map(({ scope }) => scope)],
        [1, 2, ["entire", "partial"]]
      )
      assert.deepStrictEqual(yield* both("unshare"), [303, 303])
      assert.strictEqual((yield* keptOf(operatorId)).links.length, 1)
      // A calendar is found gone by the second; or it was in the other's hands in that moment.
      const removed = yield* both("remove")
      assert.include(removed, 303)
      assert.isTrue(removed.every((status) => [303, 404, 409].includes(status)))
      assert.deepStrictEqual((yield* keptOf(operatorId)).calendars, [])
    })
  )

  it.effect("shows a page of the calendars and of the links, those that fail first, and leads to the next", () =>
    Effect.gen(function* () {
      const { operatorId, cookie, property } = yield* ready
      const sql = yield* SqlClient.SqlClient
      const add = (from: number, to: number) => sql`
        INSERT INTO imported_calendars (operator_id, property_id, url, host, state, error, due_at, created_at)
        SELECT ${operatorId}, ${property}, 'https://h.example/' || at, 'host-' || at || '.example',
          CASE WHEN at = ${CALENDARS_SHOWN} THEN 'failing' ELSE 'ok' END, 'no answer', now(), now()
        FROM generate_series(${from}::integer, ${to}::integer) at`
      const share = (count: number) => sql`
        INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
        SELECT ${operatorId}, 'partial', 'lkcal_test_' || ${operatorId}::text || '_' || at || '_' || ${count}::text, now()
        FROM generate_series(1, ${count}) at`
      yield* add(1, CALENDARS_SHOWN)
      yield* share(SHARE_LINKS_SHOWN)
      const full = yield* getPage(cookie, PATH)
      assert.strictEqual(findForms(full, "fetch").length, CALENDARS_SHOWN)
      assert.strictEqual(findForms(full, "unshare").length, SHARE_LINKS_SHOWN)
      assert.notInclude(full.text, "Next page")
      assert.isBelow(full.text.indexOf(`host-${CALENDARS_SHOWN}.example`), full.text.indexOf("host-1.example"))
      yield* add(CALENDARS_SHOWN + 1, CALENDARS_SHOWN + 1)
      yield* share(1)
      const more = yield* getPage(cookie, PATH)
      assert.strictEqual(findForms(more, "fetch").length, CALENDARS_SHOWN)
      assert.strictEqual(findForms(more, "unshare").length, SHARE_LINKS_SHOWN)
      assert.isBelow(more.text.length, 400_000)
      const next = yield* getPage(cookie, `${PATH}?offset=${CALENDARS_SHOWN}&links=${SHARE_LINKS_SHOWN}`)
      assert.deepStrictEqual([findForms(next, "fetch").length, findForms(next, "unshare").length], [1, 1])
      assert.include(next.text, `host-${CALENDARS_SHOWN + 1}.example`)
    })
  )
})
