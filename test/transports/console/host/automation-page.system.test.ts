import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { STAY_FIELD_NAMES } from "../../../../src/domain/automation/rules/template.ts"
import { ACTIONS_SHOWN, RULE_TEXT_SHOWN } from "../../../../src/platform/limits.ts"
import { RULE_KINDS } from "../../../../src/transports/console/host/automation/rule-kinds.ts"
import {
  BEFORE_ARRIVAL_RULE,
  insertRule,
  insertStay,
  loadAutomaticMessages,
  NOW
} from "../../../support/domain/automation/automation-service.ts"
import { insertProperty } from "../../../support/harness.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findDoneAction,
  findForms,
  getPage,
  postInventedForm,
  postWithoutToken,
  sendFormTwice,
  startRule,
  tryRule
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PAGE = "/console/automation"

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const host = yield* createSignedInHost({ timeZone: "Europe/Lisbon" })
  const property = yield* insertProperty(host.operatorId, "Harbour <1>")
  const account = yield* insertChannelAccount(host.operatorId)
  return { ...host, property, account }
})

/** The rules of an operator, removed ones among them, oldest first. */
const rulesOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; state: string; definition: { readonly [field: string]: unknown } }>`
    SELECT id, state, definition FROM automation_rules WHERE operator_id = ${operatorId} ORDER BY id`
}, Effect.orDie)

/** Plans of a rule that wait, one for each stay of the operator, an hour after one another. */
const plansOf = Effect.fnUntraced(function* (operatorId: number, ruleId: number, kind = "send_message") {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number }>`
    INSERT INTO automation_plans (operator_id, rule_id, kind, stay_id, scheduled_at, due_at, created_at)
    SELECT operator_id, ${ruleId}, ${kind}, id, ${new Date(NOW)}::timestamptz + row_number() OVER (ORDER BY id) * interval '1 hour',
      'infinity', now()
    FROM stays WHERE operator_id = ${operatorId} RETURNING id`
  return rows.map(({ id }) => id)
}, Effect.orDie)

const planStates = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ state: string }>`
    SELECT state FROM automation_plans WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ state }) => state)
}, Effect.orDie)

const pre = (text: string): string => /<pre>([\s\S]*?)<\/pre>/.exec(text)?.[1] ?? ""

layer(layerSignedInPages)("the page of automation", (it) => {
  it.effect("says that there is nothing yet, and which rules can be made", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const { status, text } = yield* getPage(cookie, PAGE)
      assert.strictEqual(status, 200)
      assert.include(text, "No rules yet.")
      assert.include(text, "No upcoming messages.")
      for (const { kind } of RULE_KINDS) assert.include(text, `${PAGE}?new=${kind}`)
    })
  )

  it.effect("makes a rule of each kind as its form stands, in a sentence, and its text can be filled of a stay", () =>
    Effect.gen(function* () {
      const host = yield* ready
      for (const { kind } of RULE_KINDS) {
        const page = yield* startRule(host.cookie, `${PAGE}?new=${kind}`)
        assert.strictEqual(findDoneAction(page), "make_rule", kind)
      }
      const { text } = yield* getPage(host.cookie, PAGE)
      for (const sentence of [
        "Sends a message 1 day before check-in, at 10:00, for all reservations.",
        "Sends a message 1 day after check-out, at 10:00, for all reservations.",
        "Sends a message at the booking, for all reservations.",
        "Sends a message at a booking request, for all reservations.",
        "Sends a message when a guest without a booking asks, for all reservations.",
        "Reviews the guest with 5/5, 1 day after check-out, at 10:00, for all reservations.",
        "Answers guests&#39; questions from the knowledge base, for all reservations."
      ]) {
        assert.include(text, sentence)
      }
      const { code } = yield* insertStay(host, { propertyId: host.property })
      for (const { id, definition } of yield* rulesOf(host.operatorId)) {
        const { text } = yield* getPage(host.cookie, `${PAGE}?try=${id}&stay=${code}`)
        assert.notInclude(text, "{{guest", String(definition["name"]))
      }
    })
  )

  it.effect("names beside the text every field that a template knows", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const { text } = yield* getPage(cookie, `${PAGE}?new=booking`)
      for (const field of STAY_FIELD_NAMES)
        assert.match(text, new RegExp(`<code>\\{\\{${field}\\}\\}</code></dt><dd>(?!${field}<)`))
      assert.include(text, "{{cf.NAME}}")
      const inquiry = yield* getPage(cookie, `${PAGE}?new=inquiry`)
      assert.include(inquiry.text, "{{guest.name}}")
      assert.notInclude(inquiry.text, "{{stay.")
    })
  )

  it.effect("makes a rule for some stays, and says for which", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, property } = yield* ready
      const page = yield* startRule(cookie, `${PAGE}?new=before_check_out`, {
        ...{ name: "Leaving", far: "36", unit: "hours", text: "Bye {{guest.name}}\r\n<script>" },
        ...{ property: String(property), channel: ["airbnb", "vrbo"], min: "2", max: "5" }
      })
      const [rule] = yield* rulesOf(operatorId)
      assert.deepStrictEqual(rule?.definition, {
        name: "Leaving",
        action: "send_message",
        trigger: { event: "check_out", when: "before", hours: 36 },
        text: "Bye {{guest.name}}\n<script>",
        property_ids: [property],
        channel_types: ["airbnb", "vrbo"],
        nights: { min: 2, max: 5 }
      })
      assert.include(
        page.text,
        "Sends a message 36 hours before check-out, for reservations of 2 to 5 nights in Harbour &lt;1&gt; from Airbnb and Vrbo."
      )
      assert.include(page.text, "&lt;script&gt;")
    })
  )

  it.effect("says why a rule cannot be made, and keeps what was filled in", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, property } = yield* ready
      const path = `${PAGE}?new=before_check_in`
      const fields = { name: "Mine", text: "To {{stay.nope}}", property: String(property), far: "3", channel: "vrbo" }
      const page = yield* tryRule(cookie, path, fields)
      assert.strictEqual(page.status, 422)
      assert.match(findAlert(page) ?? "", /\{\{stay\.nope\}\}: /)
      const back = findForms(page, "try_rule")[0]?.form
      for (const [name, value] of Object.entries(fields)) assert.strictEqual(back?.get(name), value, name)
      assert.strictEqual((yield* tryRule(cookie, path, { far: "many" })).status, 400)
      const none = yield* postInventedForm(cookie, PAGE, "make_rule", fields)
      assert.strictEqual(none.status, 400)
      assert.deepStrictEqual(yield* rulesOf(operatorId), [])
    })
  )

  it.effect("makes no rule of another's property, none without its token, and one of a form that is sent twice", () =>
    Effect.gen(function* () {
      const [{ cookie, operatorId }, other] = [yield* ready, yield* ready]
      const path = `${PAGE}?new=booking`
      const foreign = yield* tryRule(cookie, path, { property: String(other.property) })
      assert.strictEqual(foreign.status, 404)
      assert.strictEqual((yield* postWithoutToken(cookie, path, "make_rule")).status, 403)
      assert.deepStrictEqual(yield* rulesOf(operatorId), [])
      const [start] = findForms(yield* tryRule(cookie, path), "make_rule")
      if (start === undefined) return assert.fail("the trial has no form that starts the rule")
      const sent = yield* sendFormTwice(cookie, path, start)
      assert.deepStrictEqual(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.lengthOf(yield* rulesOf(operatorId), 1)
      // Looked at anew it is another form.
      yield* startRule(cookie, path)
      assert.lengthOf(yield* rulesOf(operatorId), 2)
    })
  )

  it.effect("pauses, resumes and removes a rule", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* ready
      yield* startRule(cookie, `${PAGE}?new=booking`)
      const states = Effect.map(rulesOf(operatorId), (rules) => rules.map(({ state }) => state))
      const paused = yield* fillAndFollow(cookie, PAGE, "pause_rule")
      assert.strictEqual(findDoneAction(paused), "pause_rule")
      assert.include(paused.text, `<span class="badge wait">Paused</span>`)
      assert.deepStrictEqual(yield* states, ["paused"])
      const resumed = yield* fillAndFollow(cookie, PAGE, "resume_rule")
      assert.include(resumed.text, `<span class="badge good">Active</span>`)
      assert.deepStrictEqual(yield* states, ["active"])
      const sent = yield* fillAndSendTwice(cookie, PAGE, "remove_rule")
      assert.deepStrictEqual(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.deepStrictEqual(yield* states, ["removed"])
      assert.include((yield* getPage(cookie, PAGE)).text, "No rules yet.")
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ count: number }>`
        SELECT count(*)::int AS count FROM trail WHERE operator_id = ${operatorId} AND operation = 'delete_automation_rule'`
      assert.strictEqual(row?.count, 1)
    })
  )

  it.effect("shows before a rule starts on which stays it would act, and on which never", () =>
    Effect.gen(function* () {
      const host = yield* ready
      yield* insertStay(host, { guestName: "Ada" })
      yield* insertStay(host, { guestName: "Grace", checkIn: "2027-04-20", checkOut: "2027-04-22" })
      const path = `${PAGE}?new=before_check_in`
      const fields = { name: "Mine", text: "Dear {{guest.name}}\r\nBye" }
      const page = yield* tryRule(host.cookie, path, fields)
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "Dear Ada\nBye")
      assert.include(page.text, "The time of the rule has passed for this stay.")
      assert.deepStrictEqual(yield* rulesOf(host.operatorId), [])
      assert.strictEqual(findForms(page, "try_rule")[0]?.form.get("name"), "Mine")
      yield* startRule(host.cookie, path, fields)
      assert.deepStrictEqual(
        (yield* rulesOf(host.operatorId)).map(({ definition }) => definition["text"]),
        ["Dear {{guest.name}}\nBye"]
      )
    })
  )

  it.effect("edits a rule of each kind, and removes a condition that is emptied", () =>
    Effect.gen(function* () {
      const host = yield* ready
      for (const { kind } of RULE_KINDS) {
        yield* startRule(host.cookie, `${PAGE}?new=${kind}`, { property: String(host.property), min: "2" })
      }
      for (const { id, definition } of yield* rulesOf(host.operatorId)) {
        const path = `${PAGE}?edit=${id}`
        yield* fillAndFollow(host.cookie, path, "save_rule")
        const unchanged = (yield* rulesOf(host.operatorId)).find((rule) => rule.id === id)
        assert.deepStrictEqual(unchanged?.definition, definition)
        const page = yield* fillAndFollow(host.cookie, path, "save_rule", { name: "New name", min: "", property: [] })
        assert.strictEqual(findDoneAction(page), "save_rule")
        const { property_ids: _, nights: __, ...kept } = definition
        const edited = (yield* rulesOf(host.operatorId)).find((rule) => rule.id === id)
        assert.deepStrictEqual(edited?.definition, { ...kept, name: "New name" })
      }
      const other = yield* ready
      assert.strictEqual((yield* getPage(other.cookie, `${PAGE}?edit=1`)).status, 404)
    })
  )

  it.effect("does nothing with another's rules and plans", () =>
    Effect.gen(function* () {
      const [{ cookie }, other] = [yield* ready, yield* ready]
      yield* insertStay(other)
      const rule = yield* insertRule(other.operatorId, BEFORE_ARRIVAL_RULE)
      const [plan] = yield* plansOf(other.operatorId, rule)
      for (const act of ["pause_rule", "resume_rule", "remove_rule"]) {
        const page = yield* postInventedForm(cookie, PAGE, act, { id: String(rule) })
        assert.strictEqual(page.status, 404)
        assert.isDefined(findAlert(page))
        assert.strictEqual((yield* postWithoutToken(cookie, PAGE, act)).status, 403)
        assert.strictEqual((yield* postInventedForm(cookie, PAGE, act, { id: "x" })).status, 404)
      }
      for (const act of ["do_now", "take_away"]) {
        const page = yield* postInventedForm(cookie, PAGE, act, { id: String(plan) })
        assert.strictEqual(page.status, 404)
        assert.match(findAlert(page) ?? "", /no longer exists|does not exist/)
        assert.strictEqual((yield* postWithoutToken(cookie, PAGE, act)).status, 403)
      }
      assert.strictEqual((yield* getPage(cookie, `${PAGE}?try=${rule}`)).status, 404)
      assert.deepStrictEqual(
        (yield* rulesOf(other.operatorId)).map(({ state }) => state),
        ["active"]
      )
      assert.deepStrictEqual(yield* planStates(other.operatorId), ["waiting"])
    })
  )

  it.effect("tries a rule on a stay: what would be said to whom and when, or why nothing would be", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* ready, yield* ready]
      const { code } = yield* insertStay(host, { guestName: "Ada <b>" })
      const text = `See you, {{guest.first_name}} ${"x".repeat(RULE_TEXT_SHOWN)}.`
      const id = yield* insertRule(host.operatorId, { ...BEFORE_ARRIVAL_RULE, text })
      const tried = (query: string) => getPage(host.cookie, `${PAGE}?try=${id}${query}`)
      const open = yield* tried("")
      assert.include(open.text, `<option value="${code}">Ada &lt;b&gt;, unassigned, from Sun 25 Apr 2027</option>`)
      const page = yield* tried(`&stay=${code}`)
      assert.include(page.text, "on Airbnb, <time")
      assert.include(page.text, "Sat 24 Apr 2027, 15:00")
      // The whole text, of which the list shows the beginning.
      assert.strictEqual(pre(page.text), text.replace("{{guest.first_name}}", "Ada"))
      const list = yield* getPage(host.cookie, PAGE)
      assert.include(list.text, `${text.slice(0, RULE_TEXT_SHOWN)} …`)
      assert.notInclude(list.text, text.slice(0, RULE_TEXT_SHOWN + 1))

      const elsewhere = yield* insertRule(host.operatorId, { ...BEFORE_ARRIVAL_RULE, channel_types: ["vrbo"] })
      const never = yield* getPage(host.cookie, `${PAGE}?try=${elsewhere}&stay=${code}`)
      assert.include(never.text, "Would not be sent")

      const unknown = yield* insertRule(host.operatorId, { ...BEFORE_ARRIVAL_RULE, text: "{{cf.gate}}" })
      const unsaid = yield* getPage(host.cookie, `${PAGE}?try=${unknown}&code=${code}`)
      assert.include(unsaid.text, "{{cf.gate}}: ")

      const { code: foreign } = yield* insertStay(other, { guestName: "Grace" })
      const none = yield* tried(`&code=${foreign}`)
      assert.isDefined(findAlert(none))
      assert.notInclude(none.text, "Grace")
      assert.deepStrictEqual(yield* planStates(host.operatorId), [])
    })
  )

  it.effect("has what is planned done now, or takes it away, once", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const { cookie, operatorId } = host
      const stays = [
        yield* insertStay(host),
        yield* insertStay(host, { checkIn: "2027-05-25", checkOut: "2027-05-26" })
      ]
      const rule = yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE)
      yield* plansOf(operatorId, rule)
      const shown = yield* getPage(cookie, PAGE)
      assert.include(shown.text, "Before arrival")
      assert.include(shown.text, `<a href="/console/stay?code=${stays[0]?.code}">Ada Lovelace</a>`)
      const [first] = yield* fillAndSendTwice(cookie, PAGE, "do_now")
      assert.strictEqual(first.status, 303)
      assert.deepStrictEqual(yield* loadAutomaticMessages(stays[0]?.conversation ?? ""), ["See you tomorrow, Ada."])
      const page = yield* fillAndFollow(cookie, PAGE, "take_away")
      assert.strictEqual(findDoneAction(page), "take_away")
      assert.include(page.text, "No upcoming messages.")
      assert.deepStrictEqual(yield* planStates(operatorId), ["done", "deleted"])
      assert.deepStrictEqual(yield* loadAutomaticMessages(stays[1]?.conversation ?? ""), [])
    })
  )

  it.effect("says why what is planned cannot be done now; it waits on", () =>
    Effect.gen(function* () {
      const host = yield* ready
      yield* insertStay(host, { guestName: null })
      yield* plansOf(host.operatorId, yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE))
      const page = yield* fillAndSend(host.cookie, PAGE, "do_now")
      assert.strictEqual(page.status, 400)
      assert.match(findAlert(page) ?? "", /\{\{guest\.first_name\}\}: /)
      assert.deepStrictEqual(yield* planStates(host.operatorId), ["waiting"])
    })
  )

  it.effect("lists so many actions at once, and goes on; reviews by themselves", () =>
    Effect.gen(function* () {
      const host = yield* ready
      const { cookie, operatorId } = host
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        WITH entered AS (
          INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
          SELECT ${operatorId}, '0-P' || n, 'airbnb', 'P' || n, 'accepted', 'EUR', now(), now()
          FROM generate_series(1, ${ACTIONS_SHOWN}::int) n RETURNING id, reservation_code)
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
        SELECT ${operatorId}, id, reservation_code, '2027-04-25', '2027-04-26' FROM entered ORDER BY id`
      yield* plansOf(operatorId, yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE))
      const full = yield* getPage(cookie, PAGE)
      assert.lengthOf(findForms(full, "do_now"), ACTIONS_SHOWN)
      assert.notInclude(full.text, "Next page")
      const { code } = yield* insertStay(host)
      yield* sql`DELETE FROM automation_plans WHERE operator_id = ${operatorId}`
      yield* plansOf(operatorId, yield* insertRule(operatorId, BEFORE_ARRIVAL_RULE))
      const more = yield* getPage(cookie, PAGE)
      assert.lengthOf(findForms(more, "do_now"), ACTIONS_SHOWN)
      assert.include(more.text, "Next page")
      const rest = yield* getPage(cookie, `${PAGE}?offset=${ACTIONS_SHOWN}`)
      assert.lengthOf(findForms(rest, "do_now"), 1)
      assert.include(rest.text, code)
      assert.lengthOf(findForms(yield* getPage(cookie, `${PAGE}?show=reviews`), "do_now"), 0)
    })
  )
})
