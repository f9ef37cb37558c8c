import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { searchVectorSql, toKnowledgeFragments } from "../../../../src/domain/knowledge/search/fragments.ts"
import { KNOWLEDGE_SHOWN, SCOPE_CHOICES_MAX } from "../../../../src/platform/limits.ts"
import { call, dataOf, insertOrder, insertProperty } from "../../../support/harness.ts"
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
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const PAGE = "/console/knowledge"

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
  const host = yield* createSignedInHost()
  const property = yield* insertProperty(host.operatorId, "Harbour <1>")
  return { ...host, property }
})

interface Kept {
  readonly id: number
  readonly title: string
  readonly is_enable: boolean
  readonly audience: string
  readonly scope: string
  readonly channels: ReadonlyArray<string>
  readonly contents: ReadonlyArray<{ readonly sub_title: string; readonly text: string }>
}

const entriesOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Kept>`
    SELECT id, title, is_enable, audience, scope_property_type || ' ' || array_to_string(scope_property_ids, ',') AS scope,
      scope_channels AS channels, contents
    FROM knowledge_bases WHERE operator_id = ${operatorId} ORDER BY id`
}, Effect.orDie)

/** All entries of an operator are made ready, as a worker does. */
const prepared = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  for (const { id, title, contents } of yield* entriesOf(operatorId)) {
    for (const [place, { sub_title, text, searchable }] of toKnowledgeFragments({ title, contents }).entries()) {
      yield* sql`
        INSERT INTO knowledge_fragments (operator_id, knowledge_base_id, revision, place, sub_title, text, words)
        SELECT operator_id, id, revision, ${place}, ${sub_title}, ${text}, ${searchVectorSql(sql, sql`${searchable}`)}
        FROM knowledge_bases WHERE operator_id = ${operatorId} AND id = ${id}`
    }
  }
  yield* sql`UPDATE knowledge_bases SET process_status = 'done', due_at = 'infinity' WHERE operator_id = ${operatorId}`
}, Effect.orDie)

const WIFI = { title: "Wi-Fi", "sub_title.0": "Network", "text.0": "The password is sail-away.\r\n<script>" }

layer(layerSignedInPages)("the page of knowledge", (it) => {
  it.effect("adds an entry for all guests, which waits to be prepared", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* ready
      assert.include((yield* getPage(cookie, PAGE)).text, "No articles yet.")
      const page = yield* fillAndFollow(cookie, PAGE, "add_entry", WIFI)
      assert.strictEqual(findDoneAction(page), "add_entry")
      assert.include(page.text, "Guests, all properties")
      assert.include(page.text, "Waiting</span>")
      const [entry] = yield* entriesOf(operatorId)
      assert.deepInclude(entry, {
        title: "Wi-Fi",
        is_enable: true,
        audience: "guests",
        scope: "all -1",
        channels: ["unlimited"],
        contents: [{ sub_title: "Network", text: "The password is sail-away.\n<script>" }]
      })
      yield* prepared(operatorId)
      assert.include((yield* getPage(cookie, PAGE)).text, `<span class="badge good">Indexed</span>`)
    })
  )

  it.effect("changes an entry: its parts with one more, for whom it is, and one part taken away", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, property } = yield* ready
      yield* fillAndFollow(cookie, PAGE, "add_entry", WIFI)
      const [entry] = yield* entriesOf(operatorId)
      const path = `${PAGE}?change=${entry?.id}`
      const open = yield* getPage(cookie, path)
      assert.include(open.text, "&lt;script&gt;")
      const form = findForms(open, "change_entry")[0]?.form
      assert.strictEqual(form?.get("text.0"), "The password is sail-away.\r\n<script>")
      assert.strictEqual(form?.get("text.1"), "")
      assert.isFalse(form?.has("text.2"))
      const page = yield* fillAndFollow(cookie, path, "change_entry", {
        ...{ "sub_title.1": "Range", "text.1": "It reaches the garden.", where: "by_property" },
        ...{ property: String(property), channel: "airbnb", audience: "anyone" }
      })
      assert.strictEqual(findDoneAction(page), "change_entry")
      const changed = yield* entriesOf(operatorId)
      assert.deepInclude(changed[0], {
        ...{
          title: "Wi-Fi",
          is_enable: true,
          audience: "anyone",
          scope: `by_property ${property}`,
          channels: ["airbnb"]
        },
        contents: [
          { sub_title: "Network", text: "The password is sail-away.\n<script>" },
          { sub_title: "Range", text: "It reaches the garden." }
        ]
      })
      assert.include((yield* getPage(cookie, PAGE)).text, "Everyone, Harbour &lt;1&gt;, Airbnb")
      // As it stands the form changes nothing.
      yield* fillAndFollow(cookie, path, "change_entry")
      assert.deepStrictEqual(yield* entriesOf(operatorId), changed)
      yield* fillAndFollow(cookie, path, "change_entry", { "sub_title.0": "", "text.0": "" })
      assert.deepStrictEqual((yield* entriesOf(operatorId))[0]?.contents, [
        { sub_title: "Range", text: "It reaches the garden." }
      ])
    })
  )

  it.effect("replaces nothing that another has changed meanwhile, and keeps what was filled in", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* ready
      yield* fillAndFollow(cookie, PAGE, "add_entry", WIFI)
      const [entry] = yield* entriesOf(operatorId)
      const path = `${PAGE}?change=${entry?.id}`
      const seen = findForms(yield* getPage(cookie, path), "change_entry")[0]?.form.get("seen") ?? ""
      yield* fillAndFollow(cookie, path, "change_entry", { title: "Other" })
      const page = yield* fillAndSend(cookie, path, "change_entry", { seen, title: "Mine", "text.1": "More." })
      assert.strictEqual(page.status, 409)
      assert.isDefined(findAlert(page))
      const back = findForms(page, "change_entry")[0]?.form
      assert.strictEqual(back?.get("title"), "Mine")
      assert.strictEqual(back?.get("text.1"), "More.")
      assert.strictEqual((yield* entriesOf(operatorId))[0]?.title, "Other")
    })
  )

  it.effect("says why an entry cannot be, and keeps what was filled in", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* ready
      const none = yield* fillAndSend(cookie, PAGE, "add_entry", { title: "Empty", where: "by_group", on: [] })
      assert.strictEqual(none.status, 422)
      assert.strictEqual(findAlert(none), "Write at least one section.")
      const back = findForms(none, "add_entry")[0]?.form
      assert.strictEqual(back?.get("title"), "Empty")
      assert.strictEqual(back?.get("where"), "by_group")
      assert.isFalse(back?.has("on"))
      const nowhere = yield* fillAndSend(cookie, PAGE, "add_entry", { ...WIFI, where: "by_group" })
      assert.strictEqual(nowhere.status, 422)
      assert.include(findAlert(nowhere) ?? "", "Ids")
      assert.strictEqual(findForms(nowhere, "add_entry")[0]?.form.get("text.0"), WIFI["text.0"])
      assert.deepStrictEqual(yield* entriesOf(operatorId), [])
    })
  )

  it.effect("switches an entry off and on, and deletes it", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* ready
      yield* fillAndFollow(cookie, PAGE, "add_entry", WIFI)
      const [before = assert.fail("nothing was added")] = yield* entriesOf(operatorId)
      const off = yield* fillAndFollow(cookie, PAGE, "switch_off")
      assert.include(off.text, `<span class="badge wait">Off</span>`)
      assert.deepStrictEqual(yield* entriesOf(operatorId), [{ ...before, is_enable: false }])
      const on = yield* fillAndFollow(cookie, PAGE, "switch_on")
      assert.include(on.text, `<span class="badge good">On</span>`)
      assert.deepStrictEqual(yield* entriesOf(operatorId), [before])
      const sent = yield* fillAndSendTwice(cookie, PAGE, "delete_entry")
      assert.deepStrictEqual(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.deepStrictEqual(yield* entriesOf(operatorId), [])
      assert.strictEqual((yield* getPage(cookie, `${PAGE}?change=${before.id}`)).status, 404)
    })
  )

  it.effect("does nothing with another's entries and properties, nor without a form's token, and all of it once", () =>
    Effect.gen(function* () {
      const [{ cookie, operatorId }, other] = [yield* ready, yield* ready]
      yield* fillAndFollow(other.cookie, PAGE, "add_entry", { ...WIFI, title: "Theirs" })
      const theirs = yield* entriesOf(other.operatorId)
      const id = String(theirs[0]?.id)
      for (const act of ["change_entry", "switch_on", "switch_off", "delete_entry"]) {
        const page = yield* postInventedForm(cookie, PAGE, act, { id, ...WIFI })
        assert.strictEqual(page.status, 404, act)
        assert.isDefined(findAlert(page))
        assert.strictEqual((yield* postWithoutToken(cookie, PAGE, act)).status, 403)
      }
      const foreign = yield* getPage(cookie, `${PAGE}?change=${id}`)
      assert.strictEqual(foreign.status, 404)
      assert.notInclude(foreign.text, "Theirs")
      const scoped = { ...WIFI, where: "by_property", property: String(other.property) }
      assert.strictEqual((yield* fillAndSend(cookie, PAGE, "add_entry", scoped)).status, 404)
      assert.strictEqual((yield* postWithoutToken(cookie, PAGE, "add_entry")).status, 403)
      assert.deepStrictEqual(yield* entriesOf(operatorId), [])
      assert.deepStrictEqual(yield* entriesOf(other.operatorId), theirs)
      yield* fillAndSendTwice(cookie, PAGE, "add_entry", WIFI)
      const [mine, ...more] = yield* entriesOf(operatorId)
      assert.deepStrictEqual(more, [])
      const sent = yield* fillAndSendTwice(cookie, `${PAGE}?change=${mine?.id}`, "change_entry", { title: "Twice" })
      assert.deepStrictEqual(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.strictEqual((yield* entriesOf(operatorId))[0]?.title, "Twice")
    })
  )

  it.effect("tries a question: the sentences with their entry for a guest, nothing for a stranger", () =>
    Effect.gen(function* () {
      const [{ cookie, operatorId, property }, other] = [yield* ready, yield* ready]
      yield* fillAndFollow(cookie, PAGE, "add_entry", {
        ...WIFI,
        title: "Wi-Fi <b>",
        "text.0": "The password is <sail>."
      })
      const [entry] = yield* entriesOf(operatorId)
      yield* prepared(operatorId)
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-05-06", checkOut: "2027-05-08" }
      ])
      const ask = (more: string) => getPage(cookie, `${PAGE}?ask=What+is+the+Wi-Fi+password%3F${more}`)
      const open = yield* getPage(cookie, `${PAGE}?ask=`)
      assert.include(open.text, `${code}, Harbour &lt;1&gt;, from Thu 6 May 2027`)
      assert.notInclude(open.text, "Answer</span>")
      for (const more of [`&stay=${code}`, `&stay=&code=${code}`]) {
        const { text } = yield* ask(more)
        assert.include(text, "The password is &lt;sail&gt;.")
        assert.include(text, `<a href="${PAGE}?change=${entry?.id}">Wi-Fi &lt;b&gt;</a>`)
      }
      const stranger = yield* ask("")
      assert.include(stranger.text, "No answer</span>")
      assert.notInclude(stranger.text, "sail")
      const foreign = yield* insertOrder(other.operatorId, [{ propertyId: other.property }])
      const none = yield* ask(`&code=${foreign}`)
      assert.isDefined(findAlert(none))
    })
  )

  it.effect("lists so many entries at once, and lets choose from so many names", () =>
    Effect.gen(function* () {
      const { cookie, operatorId, token } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO knowledge_bases (operator_id, title, is_enable, audience, scope_property_type, scope_property_ids,
          scope_channel_type, scope_channels, contents, process_status, due_at, created_at)
        SELECT ${operatorId}, 'Entry ' || n, true, 'guests', 'all', '{-1}', 'all', '{unlimited}', '[]', 'done', 'infinity', now()
        FROM generate_series(1, ${KNOWLEDGE_SHOWN}::int) n`
      const full = yield* getPage(cookie, PAGE)
      assert.lengthOf(findForms(full, "delete_entry"), KNOWLEDGE_SHOWN)
      assert.notInclude(full.text, "Next page")
      yield* fillAndFollow(cookie, PAGE, "add_entry", WIFI)
      const more = yield* getPage(cookie, PAGE)
      assert.lengthOf(findForms(more, "delete_entry"), KNOWLEDGE_SHOWN)
      assert.include(more.text, `href="${PAGE}?offset=${KNOWLEDGE_SHOWN}">Next page`)
      assert.lengthOf(findForms(yield* getPage(cookie, `${PAGE}?offset=${KNOWLEDGE_SHOWN}`), "delete_entry"), 1)

      yield* sql`UPDATE operators SET room_limit = 1000 WHERE id = ${operatorId}`
      const [first] = yield* sql<{ id: number }>`
        INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, 'zzz, the last', now()) RETURNING id`
      yield* sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}, 'House ' || n, now() FROM generate_series(1, ${SCOPE_CHOICES_MAX}::int) n`
      const scope = { type: "by_property", ids: [first?.id] }
      const [entry] = yield* entriesOf(operatorId)
      const contents = [{ sub_title: "", text: "Here." }]
      const channel = { type: "all", channels: ["unlimited"] }
      yield* Effect.flatMap(
        call(token, "update_knowledge_base", {
          ...{ id: entry?.id, is_enable: true, scope_property: scope, scope_channel: channel, contents }
        }),
        dataOf
      )
      // One that is not among those shown stays in the scope.
      yield* fillAndFollow(cookie, `${PAGE}?change=${entry?.id}`, "change_entry", { title: "Kept" })
      const [kept] = yield* entriesOf(operatorId)
      assert.deepInclude(kept, { title: "Kept", scope: `by_property ${first?.id}` })
    })
  )
})
