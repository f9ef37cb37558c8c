import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DictionaryName } from "../../../../src/domain/money/dictionaries.ts"
import {
  DICTIONARY_ENTRIES_MAX,
  DICTIONARY_NAME_LENGTH,
  RESERVATION_TAGS_SHOWN,
  TAG_NAME_LENGTH
} from "../../../../src/platform/limits.ts"
import { call } from "../../../support/harness.ts"
import {
  createSignedInHost,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findDoneAction,
  findForms,
  getPage,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const WORDS = "/console/words"

const namesOf = (token: string, dictionary: "income_items" | "expense_items") =>
  Effect.map(
    call(token, `query_${dictionary}`),
    ({ data }): ReadonlyArray<string> =>
      JSON.parse(JSON.stringify(data))[dictionary].map(({ name }: { readonly name: string }) => name)
  )

const entriesOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; name: string; retired: boolean }>`
    SELECT id, name, retired_at IS NOT NULL AS retired FROM dictionary_entries WHERE operator_id = ${operatorId} ORDER BY id`
})

layer(layerSignedInPages)("words", (it) => {
  it.effect("of one's own are added, renamed, retired and brought back", () =>
    Effect.gen(function* () {
      const { cookie, token, operatorId } = yield* createSignedInHost()
      const added = yield* fillAndFollow(cookie, WORDS, "add_entry", { name: "Linen <b>", dictionary: "expense_items" })
      assert.strictEqual(findDoneAction(added), "add_entry")
      assert.include(added.text, "Linen &lt;b&gt;")
      assert.include(yield* namesOf(token, "expense_items"), "Linen <b>")
      const [entry] = yield* entriesOf(operatorId)
      const at = `${WORDS}?change=expense_items:${entry?.id}`
      const renamed = yield* fillAndFollow(cookie, at, "rename_entry", { name: "Bed linen" })
      assert.include(renamed.text, "Renamed everywhere.")
      assert.lengthOf(findForms(renamed, "rename_entry"), 1)
      yield* fillAndFollow(cookie, at, "retire_entry")
      assert.notInclude(yield* namesOf(token, "expense_items"), "Bed linen")
      const retired = yield* getPage(cookie, at)
      assert.include(retired.text, "Retired</span>")
      yield* fillAndFollow(cookie, at, "restore_entry")
      assert.include(yield* namesOf(token, "expense_items"), "Bed linen")
    })
  )

  it.effect("that are built in are called otherwise, and some of them stay", () =>
    Effect.gen(function* () {
      const { cookie, token } = yield* createSignedInHost()
      yield* fillAndFollow(cookie, `${WORDS}?change=expense_items:52`, "rename_entry", { name: "Washing" })
      assert.include(yield* namesOf(token, "expense_items"), "Washing")
      assert.include((yield* getPage(cookie, WORDS)).text, "renamed from “Laundry”")
      // The fee of a room is what channels' money is booked with.
      const { text } = yield* getPage(cookie, `${WORDS}?change=income_items:11`)
      assert.notInclude(text, 'value="retire_entry"')
      assert.include(text, "The service uses this one itself.")
      const refused = yield* postInventedForm(cookie, WORDS, "retire_entry", { dictionary: "income_items", id: "11" })
      assert.strictEqual(refused.status, 409)
    })
  )

  it.effect("keep the name that somebody else gave them since a form was shown that did not touch it", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const at = `${WORDS}?change=income_items:12`
      const stale = findForms(yield* getPage(cookie, at), "rename_entry")[0]?.form ?? new URLSearchParams()
      yield* fillAndFollow(cookie, at, "rename_entry", { name: "Guarantee" })
      assert.strictEqual((yield* postForm(cookie, at, stale)).status, 303)
      assert.deepStrictEqual(
        (yield* entriesOf(operatorId)).map(({ name }) => name),
        ["Guarantee"]
      )
    })
  )

  it.effect("that are none come back with why, and with what was filled in", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      yield* fillAndFollow(cookie, WORDS, "add_entry", { name: "Linen", dictionary: "expense_items" })
      const twice = yield* fillAndSend(cookie, WORDS, "add_entry", { name: "Linen", dictionary: "expense_items" })
      assert.strictEqual(twice.status, 409)
      assert.include(twice.text, 'value="Linen"')
      const most = "x".repeat(DICTIONARY_NAME_LENGTH)
      assert.strictEqual((yield* fillAndSend(cookie, WORDS, "add_entry", { name: most })).status, 303)
      const long = yield* fillAndSend(cookie, WORDS, "add_entry", { name: `${most}y` })
      assert.strictEqual(long.status, 422)
      assert.match(long.text, /<span class="field-error">Name: /)
      assert.strictEqual(
        (yield* postInventedForm(cookie, WORDS, "add_entry", { dictionary: "operators", name: "x" })).status,
        404
      )
      assert.lengthOf(yield* entriesOf(operatorId), 2)
    })
  )

  it.effect("of another operator are nobody's, and no form is taken without its token", () =>
    Effect.gen(function* () {
      const [host, other] = [yield* createSignedInHost(), yield* createSignedInHost()]
      yield* fillAndFollow(other.cookie, WORDS, "add_entry", { name: "Theirs", dictionary: "expense_items" })
      const [theirs] = yield* entriesOf(other.operatorId)
      const at = `${WORDS}?change=expense_items:${theirs?.id}`
      assert.strictEqual((yield* getPage(host.cookie, at)).status, 404)
      for (const act of ["rename_entry", "retire_entry", "restore_entry"]) {
        const fields = { dictionary: "expense_items", id: String(theirs?.id), name: "Mine" }
        assert.strictEqual((yield* postInventedForm(host.cookie, at, act, fields)).status, 404, act)
      }
      const { data } = yield* call(other.token, "create_reservation_tag", { tag_name: "Theirs" })
      const { reservation_tag } = JSON.parse(JSON.stringify(data))
      assert.strictEqual(
        (yield* postInventedForm(host.cookie, WORDS, "delete_tag", { id: String(reservation_tag.id) })).status,
        404
      )
      for (const act of ["add_entry", "rename_entry", "retire_entry", "restore_entry", "add_tag", "delete_tag"]) {
        assert.strictEqual((yield* postWithoutToken(host.cookie, WORDS, act)).status, 403, act)
      }
      assert.deepStrictEqual(yield* entriesOf(other.operatorId), [
        { id: theirs?.id ?? 0, name: "Theirs", retired: false }
      ])
      assert.include((yield* getPage(other.cookie, WORDS)).text, ">Theirs<")
      assert.lengthOf(yield* entriesOf(host.operatorId), 0)
    })
  )

  it.effect("sent twice at once are one", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const sent = yield* fillAndSendTwice(cookie, WORDS, "add_entry", { name: "Linen", dictionary: "expense_items" })
      assert.sameMembers(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.lengthOf(yield* entriesOf(operatorId), 1)
      yield* fillAndSendTwice(cookie, WORDS, "add_tag", { tag_name: "VIP guest" })
      const { text } = yield* getPage(cookie, WORDS)
      assert.lengthOf(text.match(/>VIP guest</g) ?? [], 1)
    })
  )

  it.effect("of reservations are added and deleted, a hundred a page", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const added = yield* fillAndFollow(cookie, WORDS, "add_tag", { tag_name: "x".repeat(TAG_NAME_LENGTH) })
      assert.include(added.text, "x".repeat(TAG_NAME_LENGTH))
      assert.strictEqual(
        (yield* fillAndSend(cookie, WORDS, "add_tag", { tag_name: "x".repeat(TAG_NAME_LENGTH + 1) })).status,
        422
      )
      const deleted = yield* fillAndFollow(cookie, WORDS, "delete_tag")
      assert.strictEqual(findDoneAction(deleted), "delete_tag")
      assert.notInclude(deleted.text, "x".repeat(TAG_NAME_LENGTH))
      const sql = yield* SqlClient.SqlClient
      const [{ built_in } = { built_in: 0 }] = yield* sql<{ built_in: number }>`
        SELECT count(*)::int AS built_in FROM default_reservation_tags`
      const add = (from: number, to: number) => sql`
        INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
        SELECT ${operatorId}, 'Tag ' || n, '#FD587B', now() FROM generate_series(${from}::int, ${to}::int) n`
      yield* add(1, RESERVATION_TAGS_SHOWN - built_in)
      assert.notInclude((yield* getPage(cookie, WORDS)).text, "Next page")
      yield* add(RESERVATION_TAGS_SHOWN - built_in + 1, RESERVATION_TAGS_SHOWN - built_in + 1)
      assert.include((yield* getPage(cookie, WORDS)).text, "Next page")
    })
  )

  it.effect("are all on one small page, however full the dictionaries are, and one more is refused", () =>
    Effect.gen(function* () {
      const { cookie, operatorId } = yield* createSignedInHost()
      const sql = yield* SqlClient.SqlClient
      const add = (from: number, to: number) => sql`
        INSERT INTO dictionary_entries (operator_id, dictionary, id, name)
        SELECT ${operatorId}, dictionary, 10000 + n, lpad(n::text, ${DICTIONARY_NAME_LENGTH}::int, 'x')
        FROM unnest(string_to_array(${DictionaryName.literals.join(",")}, ',')::text[]) dictionary, generate_series(${from}::int, ${to}::int) n`
      yield* add(1, DICTIONARY_ENTRIES_MAX - 1)
      yield* fillAndFollow(cookie, WORDS, "add_entry", { name: "The last", dictionary: "expense_items" })
      const more = yield* fillAndSend(cookie, WORDS, "add_entry", { name: "One more", dictionary: "expense_items" })
      assert.deepStrictEqual([more.status, findAlert(more)?.includes("at most 200 entries")], [422, true])
      const { text } = yield* getPage(cookie, WORDS)
      assert.lengthOf(text.match(/>x+\d+</g) ?? [], (DICTIONARY_ENTRIES_MAX - 1) * DictionaryName.literals.length)
      assert.include(text, ">The last<")
      assert.isBelow(text.length, 300_000)
    })
  )
})
