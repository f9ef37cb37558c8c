import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ACTIVITY_LOG_SCANNED, ACTIVITY_LOG_SHOWN } from "../../../../src/platform/limits.ts"
import { call, dataOf, insertOrder } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  getPage,
  type HostPageResponse,
  startRule
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages, signInSubAccount } from "../../../support/transports/console/signed-in-pages.ts"

const PAGE = "/console/history"

interface Written {
  readonly at?: string
  readonly by?: number | null
  readonly application?: string
  readonly operation?: string
  readonly record?: string
  readonly request?: string
}

/** So many rows of the trail, a second after one another, the last at that time. */
const trail = Effect.fnUntraced(function* (operatorId: number, count: number, written: Written = {}) {
  const sql = yield* SqlClient.SqlClient
  const { at = "2027-05-04T10:00:00Z", by = null, application = "Robot", operation = "update_task" } = written
  const { record = "task:", request = null } = written
  yield* sql`
    INSERT INTO trail (operator_id, at, account_id, application, operation, request_id, record, fields)
    SELECT ${operatorId}, ${at}::timestamptz - (${count}::int - n) * interval '1 second', ${by}::bigint, ${application},
      ${operation}, ${request}::text, ${record}::text || CASE WHEN right(${record}::text, 1) = ':' THEN n::text ELSE '' END,
      '{status,staff_id}'
    FROM generate_series(1, ${count}::int) n`
}, Effect.orDie)

/** The numbers of the tasks that a page tells of, in its order. */
const tasksIn = ({ text }: HostPageResponse) =>
  Array.from(text.matchAll(/record=task%3A(\d+)"/g), ([, number]) => Number(number))

const cells = ({ text }: HostPageResponse, label: string) =>
  Array.from(text.matchAll(new RegExp(`<td data-label="${label}"[^>]*>([\\s\\S]*?)</td>`, "g")), ([, cell = ""]) =>
    cell
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim()
  )

const next = ({ text }: HostPageResponse) =>
  /href="([^"]*)">Older</.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? assert.fail("there is nothing earlier")

layer(layerSignedInPages)("the activity log", (it) => {
  it.effect("says in a host's words what was done by a call and on a page, with links to the records", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-04T22:30:00Z"))
      const { cookie, token } = yield* createSignedInHost()
      assert.include((yield* getPage(cookie, PAGE)).text, "No changes in this period.")
      yield* Effect.flatMap(call(token, "create_property", { title: "Harbour <1>" }), dataOf)
      yield* startRule(cookie, "/console/automation?new=booking", { name: "Thanks" })
      yield* fillAndFollow(cookie, "/console/automation", "pause_rule")
      const page = yield* getPage(cookie, PAGE)
      assert.deepStrictEqual(cells(page, "Action"), ["Rule paused", "Rule added", "Property added"])
      assert.deepStrictEqual(cells(page, "Who"), ["Owner in the console", "Owner in the console", "Owner via test"])
      assert.deepStrictEqual(cells(page, "Record"), [
        "Rule “Thanks”: state Activity",
        "Rule “Thanks” Activity",
        "Property “Harbour &lt;1&gt;” Activity"
      ])
      // On the operator's own clock it is the next day.
      assert.include(page.text, "Wed 5 May 2027, 00:30")
      assert.match(
        page.text,
        /href="\/console\/history\?record=automation_rule%3A\d+" aria-label="Activity of Rule “Thanks”">Activity</
      )
    })
  )

  it.effect("leads to a reservation's stay and from its entry, and shows the history of one record alone", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, token } = yield* createSignedInHost()
      const code = yield* insertOrder(operatorId, [{ propertyId: null }])
      yield* Effect.flatMap(
        call(token, "update_reservation_custom_fields", { stay_code: code, custom_fields: { gate: "7" } }),
        dataOf
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE stays SET guest_name = 'Ada' WHERE operator_id = ${operatorId}`
      yield* trail(operatorId, 1, { record: `reservation:${code}X`, operation: "delete_reservation" })
      const all = yield* getPage(cookie, PAGE)
      assert.include(all.text, `<a href="/console/stay?code=${code}">Reservation ${code} (Ada)</a>`)
      assert.include(all.text, `<a href="/console/reservations?q=${code}X">Reservation ${code}X</a>`)
      for (const record of [`reservation:${code}`, code]) {
        const one = yield* getPage(cookie, `${PAGE}?record=${encodeURIComponent(record)}`)
        assert.lengthOf(cells(one, "Record"), 1)
        assert.include(one.text, `<h1>Activity: Reservation ${code} (Ada)</h1>`)
        assert.notInclude(one.text, `${code}X<`)
      }
    })
  )

  it.effect("puts what one request did into one row", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      yield* trail(operatorId, 2, { request: "RT1" })
      yield* trail(operatorId, 1, { request: "RT2", record: "review:9", operation: "create_review" })
      const page = yield* getPage(cookie, PAGE)
      assert.lengthOf(cells(page, "Time"), 2)
      assert.include(page.text, ">Task</a>: Status, Assigned to")
    })
  )

  it.effect("says who acted where no account did, and what a worker's work is called", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const rows: ReadonlyArray<readonly [application: string, operation: string, who: string, done: string]> = [
        ["service", "time out order", "System", "Booking request expired"],
        ["automation", "run plan", "Automation", "Rule applied"],
        ["channel airbnb", "ingest order", "Airbnb", "Order received"],
        ["guest", "something new", "Guest", "Something new"],
        ["<b>", "constructor", "&lt;b&gt;", "Constructor"]
      ]
      for (const [at, [application, operation]] of rows.entries()) {
        yield* trail(operatorId, 1, { at: `2027-05-04T10:00:0${9 - at}Z`, application, operation, record: "valueOf:7" })
      }
      const page = yield* getPage(cookie, PAGE)
      assert.deepStrictEqual(
        cells(page, "Who"),
        rows.map(([, , who]) => who)
      )
      assert.deepStrictEqual(
        cells(page, "Action"),
        rows.map(([, , , done]) => done)
      )
    })
  )

  it.effect("is narrowed to one person, and to nobody; another operator's is not seen", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      const { accountId } = yield* signInSubAccount(host.operatorId, "Cleaner <1>")
      yield* trail(host.operatorId, 1, { by: host.accountId, record: "task:1" })
      yield* trail(host.operatorId, 1, { by: accountId, record: "task:2" })
      yield* trail(host.operatorId, 1, { record: "task:3" })
      yield* trail(other.operatorId, 1, { by: other.accountId, record: "task:4" })
      const open = yield* getPage(host.cookie, PAGE)
      assert.deepStrictEqual(tasksIn(open), [3, 2, 1])
      assert.include(open.text, `<option value="${accountId}">Cleaner &lt;1&gt;</option>`)
      assert.deepStrictEqual(tasksIn(yield* getPage(host.cookie, `${PAGE}?by=${accountId}`)), [2])
      assert.deepStrictEqual(tasksIn(yield* getPage(host.cookie, `${PAGE}?by=nobody`)), [3])
      assert.deepStrictEqual(tasksIn(yield* getPage(host.cookie, `${PAGE}?by=${other.accountId}`)), [])
      assert.deepStrictEqual(tasksIn(yield* getPage(host.cookie, `${PAGE}?record=task:4`)), [])
    })
  )

  it.effect("is narrowed to days of the operator's clock, both included", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost({ timeZone: "Europe/Berlin" })
      for (const [at, task] of [
        ["2027-05-03T21:59:59.999Z", 1],
        ["2027-05-03T22:00:00Z", 2],
        ["2027-05-04T21:59:59.999Z", 3],
        ["2027-05-04T22:00:00Z", 4]
      ] as const) {
        yield* trail(operatorId, 1, { at, record: `task:${task}` })
      }
      const shown = (query: string) => Effect.map(getPage(cookie, `${PAGE}?${query}`), tasksIn)
      assert.deepStrictEqual(yield* shown("from=2027-05-04&to=2027-05-04"), [3, 2])
      assert.deepStrictEqual(yield* shown("from=2027-05-04"), [4, 3, 2])
      assert.deepStrictEqual(yield* shown("to=2027-05-03"), [1])
      assert.deepStrictEqual(yield* shown("from=yesterday"), [4, 3, 2, 1])
    })
  )

  it.effect("goes on behind the last that it shows, whatever happens meanwhile", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      yield* trail(operatorId, ACTIVITY_LOG_SHOWN)
      const full = yield* getPage(cookie, `${PAGE}?to=2027-05-04`)
      assert.lengthOf(tasksIn(full), ACTIVITY_LOG_SHOWN)
      assert.notInclude(full.text, ">Older<")
      yield* trail(operatorId, 1, { record: "task:7000" })
      const more = yield* getPage(cookie, `${PAGE}?to=2027-05-04`)
      assert.lengthOf(tasksIn(more), ACTIVITY_LOG_SHOWN)
      yield* trail(operatorId, 5, { at: "2027-05-04T11:00:00Z", record: "task:8000" })
      const rest = yield* getPage(cookie, next(more))
      assert.deepStrictEqual(tasksIn(rest), [1])
      assert.include(next(more), "to=2027-05-04")
      assert.include(rest.text, `<a href="${PAGE}?to=2027-05-04">Latest</a>`)
      assert.lengthOf(tasksIn(yield* getPage(cookie, `${PAGE}?before=nowhere`)), ACTIVITY_LOG_SHOWN)
    })
  )

  it.effect("says how far it has looked for one person's, and goes on from there", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, accountId } = yield* createSignedInHost()
      yield* trail(operatorId, 1, { at: "2027-05-01T10:00:00Z", by: accountId, record: "task:1" })
      yield* trail(operatorId, ACTIVITY_LOG_SCANNED - 1, { record: "property:1" })
      const short = yield* getPage(cookie, `${PAGE}?by=${accountId}`)
      assert.deepStrictEqual(tasksIn(short), [1])
      yield* trail(operatorId, 1, { record: "property:2" })
      const page = yield* getPage(cookie, `${PAGE}?by=${accountId}`)
      assert.deepStrictEqual(tasksIn(page), [])
      assert.include(page.text, `Searched ${ACTIVITY_LOG_SCANNED.toLocaleString("en")} changes`)
      assert.deepStrictEqual(tasksIn(yield* getPage(cookie, next(page))), [1])
    })
  )

  it.effect("has no form that changes anything", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const { text } = yield* getPage(cookie, PAGE)
      const actions = Array.from(text.matchAll(/<form method="post" action="([^"]*)"/g), ([, action]) => action)
      assert.deepStrictEqual(Array.from(new Set(actions)), ["/console"])
    })
  )
})
