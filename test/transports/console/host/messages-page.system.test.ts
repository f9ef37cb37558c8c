import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MESSAGES_SHOWN, PAGE_DEFAULT } from "../../../../src/platform/limits.ts"
import { insertConversation } from "../../../support/conversations.ts"
import { insertOrder } from "../../../support/harness.ts"
import { loadMessageLines } from "../../../support/messages.ts"
import {
  conversationPath,
  insertMessages,
  prepareHostConversation
} from "../../../support/transports/console/host/host-conversation.ts"
import {
  createSignedInHost,
  decodeEntities,
  fillAndFollow,
  fillAndSend,
  findAlert,
  findDoneAction,
  findForms,
  getPage
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const LIST = "/console/messages"

/** So many conversations more of a host, each with a word of its guest. */
const others = Effect.fnUntraced(function* (
  { operatorId, accountId }: { operatorId: number; accountId: number },
  count: number
) {
  for (let nth = 0; nth < count; nth++) {
    const { code } = yield* insertConversation({ operatorId, accountId, channelType: "airbnb" })
    yield* insertMessages(code, `Word ${nth}`, { sentAt: "2027-04-19T08:00:00Z" })
  }
})

/** Texts of the messages of a page, in their order. */
const wordsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/<div class="words">([^<]*)<\/div>/g), ([, words]) => decodeEntities(words ?? ""))

layer(layerSignedInPages)("the list of conversations", (it) => {
  it.effect("says that there are no messages yet, or that all are answered", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      assert.include((yield* getPage(cookie, LIST)).text, "No messages yet.")
      assert.include((yield* getPage(cookie, `${LIST}?show=waiting`)).text, "All guests have an answer.")
    })
  )

  it.effect("has those that wait: the guest had the last word lately, as the overview counts them", () =>
    Effect.gen(function* () {
      const ground = yield* prepareHostConversation()
      const { cookie, operatorId, accountId, conversation_id } = ground
      yield* insertMessages(conversation_id, "Is it <b>quiet</b>?")
      const thread = Effect.map(
        insertConversation({ operatorId, accountId, channelType: "airbnb" }),
        ({ code }) => code
      )
      const [answered, old] = [yield* thread, yield* thread]
      yield* insertMessages(answered, "And the key?", { sentAt: "2027-04-20T08:00:00Z" })
      yield* insertMessages(answered, "Under the mat", { sender: "host", sentAt: "2027-04-20T09:00:00Z" })
      yield* insertMessages(old, "Hello?", { sentAt: "2027-03-21T09:59:59Z" })
      const { text } = yield* getPage(cookie, `${LIST}?show=waiting`)
      assert.include(text, "Is it &lt;b&gt;quiet&lt;/b&gt;?")
      assert.include(text, "1 conversation in which the guest wrote last")
      assert.include(text, conversationPath(conversation_id))
      assert.notInclude(text, answered)
      assert.notInclude(text, old)
      const all = (yield* getPage(cookie, LIST)).text
      for (const code of [conversation_id, answered, old]) assert.include(all, conversationPath(code))
      assert.include((yield* getPage(cookie, "/console/overview")).text, "<strong>1</strong> message to answer")
    })
  )

  it.effect("is shown a page at a time", () =>
    Effect.gen(function* () {
      const ground = yield* prepareHostConversation()
      yield* insertMessages(ground.conversation_id, "The newest")
      yield* others(ground, PAGE_DEFAULT - 1)
      for (const show of ["", "show=waiting"]) {
        const { text } = yield* getPage(ground.cookie, `${LIST}?${show}`)
        assert.strictEqual(text.match(/<td data-label="Guest"/g)?.length, PAGE_DEFAULT)
        assert.notInclude(text, "Next page")
      }
      yield* others(ground, 1)
      for (const show of ["", "&show=waiting"]) {
        const first = yield* getPage(ground.cookie, `${LIST}?x=1${show}`)
        assert.strictEqual(first.text.match(/<td data-label="Guest"/g)?.length, PAGE_DEFAULT)
        assert.include(first.text, "Next page")
        const { text } = yield* getPage(ground.cookie, `${LIST}?offset=${PAGE_DEFAULT}${show}`)
        assert.strictEqual(text.match(/<td data-label="Guest"/g)?.length, 1)
      }
    })
  )
})

layer(layerSignedInPages)("a conversation", (it) => {
  it.effect("is read from the oldest message on: who spoke, what is attached, and what became of it", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, conversation_id } = yield* prepareHostConversation()
      yield* insertMessages(conversation_id, "First\n<script>alert(1)</script>", {
        sentAt: "2027-04-20T08:05:00Z",
        name: "Ada"
      })
      yield* insertMessages(conversation_id, "A picture", {
        sentAt: "2027-04-20T08:06:00Z",
        attachment: "https://img.example.test/1.jpg"
      })
      yield* insertMessages(conversation_id, "", { sentAt: "2027-04-20T08:07:00Z", attachment: "javascript:alert(2)" })
      const own = { sender: "host", name: "Owner" } as const
      yield* insertMessages(conversation_id, "Waits", { ...own, sentAt: "2027-04-20T08:08:00Z", delivery: "queued" })
      yield* insertMessages(conversation_id, "Went", { ...own, sentAt: "2027-04-20T08:09:00Z", delivery: "sent" })
      yield* insertMessages(conversation_id, "Not", {
        ...own,
        sentAt: "2027-04-20T08:10:00Z",
        delivery: "refused",
        reason: "Too <rude>."
      })
      yield* insertMessages(conversation_id, "Maybe", { ...own, sentAt: "2027-04-20T08:11:00Z", delivery: "unknown" })
      const { status, text, headers } = yield* getPage(cookie, page)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(wordsIn(text), [
        "First\n<script>alert(1)</script>",
        "A picture",
        "Waits",
        "Went",
        "Not",
        "Maybe"
      ])
      assert.match(
        text,
        /<li class="guest"[^>]*><div><strong>Ada<\/strong> <time datetime="2027-04-20T08:05:00.000Z">Tue 20 Apr 2027, 10:05</
      )
      assert.include(text, '<a href="https://img.example.test/1.jpg" rel="noopener noreferrer">')
      assert.notInclude(text, "javascript:")
      for (const words of ["Sending…", "Sent</span>", "Not sent</span> Too &lt;rude&gt;.", "May not have arrived"]) {
        assert.include(text, words)
      }
      assert.include(text, 'role="log" aria-label="Messages" tabindex="0"><ol class="talk">')
      assert.match(headers.get("content-security-policy") ?? "", /script-src 'self'; connect-src 'self'/)
    })
  )

  it.effect("has beside it the stays it is about, and what its guest asks for", () =>
    Effect.gen(function* () {
      const inquiry = { checkInDate: "2027-05-04", checkOutDate: "2027-05-07" }
      const {
        cookie,
        pagePath: page,
        operatorId,
        conversation_id,
        propertyId: property
      } = yield* prepareHostConversation({ inquiry })
      const days = { checkIn: "2027-05-05", checkOut: "2027-05-06" }
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, ...days },
        { propertyId: null, ...days }
      ])
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE orders SET conversation_id = ${conversation_id} WHERE operator_id = ${operatorId}`
      const stays = yield* sql<{
        stay_code: string
      }>`SELECT stay_code FROM stays WHERE operator_id = ${operatorId} ORDER BY id`
      const { text } = yield* getPage(cookie, page)
      assert.lengthOf(stays, 2)
      for (const { stay_code } of stays) assert.include(text, `href="/console/stay?code=${stay_code}"`)
      assert.include(text, code)
      assert.include(text, "Unassigned")
      assert.match(text, /The guest asks for <strong>Harbour 1<\/strong>, 4–7 May 2027\./)
      assert.include(text, "Not all of these nights are free.")
    })
  )

  it.effect("is answered, and shows what its guest wrote meanwhile", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, conversation_id } = yield* prepareHostConversation()
      yield* insertMessages(conversation_id, "Is it quiet?", { sentAt: "2027-04-20T09:00:00Z" })
      const [standing] = findForms(yield* getPage(cookie, page), "send")
      assert.isDefined(standing)
      yield* insertMessages(conversation_id, "At night, I mean?", { sentAt: "2027-04-20T09:59:00Z" })
      const answered = yield* fillAndFollow(cookie, page, "send", { message: "It is.\r\nAt night, too. " })
      assert.strictEqual(findDoneAction(answered), "send")
      assert.deepStrictEqual(wordsIn(answered.text), ["Is it quiet?", "At night, I mean?", "It is.\nAt night, too."])
      assert.include(answered.text, "Sending…")
    })
  )

  it.effect("keeps an answer that was not taken", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, conversation_id } = yield* prepareHostConversation()
      const blank = yield* fillAndSend(cookie, page, "send", { message: " \r\n " })
      assert.deepStrictEqual([blank.status, findAlert(blank)], [422, "Write a message."])
      assert.include(blank.text, `<span class="field-error">Write a message.</span>`)
      const long = "x".repeat(10_001)
      const refused = yield* fillAndSend(cookie, page, "send", { message: long })
      assert.strictEqual(refused.status, 422)
      assert.match(findAlert(refused) ?? "", /10,000 characters max/)
      assert.strictEqual(findForms(refused, "send")[0]?.form.get("message"), long)
      assert.isEmpty(yield* loadMessageLines(conversation_id))
    })
  )

  it.effect("has a note of the host's, kept and cleared", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page } = yield* prepareHostConversation()
      const kept = yield* fillAndFollow(cookie, page, "note", { note: "Allergic to <nuts>\r\nand cats" })
      assert.strictEqual(findDoneAction(kept), "note")
      assert.strictEqual(findForms(kept, "note")[0]?.form.get("note"), "Allergic to <nuts>\r\nand cats")
      const cleared = yield* fillAndFollow(cookie, page, "note", { note: "" })
      assert.strictEqual(findForms(cleared, "note")[0]?.form.get("note"), "")
    })
  )

  it.effect("has its older messages behind a link, on pages without the forms to answer", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, conversation_id } = yield* prepareHostConversation()
      yield* insertMessages(conversation_id, "Word", { sentAt: "2027-04-19T00:00:00Z", count: MESSAGES_SHOWN })
      const all = yield* getPage(cookie, page)
      assert.lengthOf(wordsIn(all.text), MESSAGES_SHOWN)
      assert.notInclude(all.text, "Earlier messages")
      yield* insertMessages(conversation_id, "The last", { sentAt: "2027-04-20T09:00:00Z" })
      const { text } = yield* getPage(cookie, page)
      assert.deepStrictEqual([wordsIn(text)[0], wordsIn(text).at(-1)], ["Word 2", "The last"])
      const earlier = decodeEntities(/href="([^"]*before=[^"]*)"/.exec(text)?.[1] ?? "")
      const before = yield* getPage(cookie, earlier)
      assert.deepStrictEqual(wordsIn(before.text), ["Word 1"])
      assert.isEmpty(findForms(before, "send"))
      assert.notInclude(before.text, "<script")
      assert.include(before.text, "Newest messages")
      assert.strictEqual((yield* getPage(cookie, `${page}&before=none`)).status, 404)
    })
  )

  it.effect("that there is not is a page that says so", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      for (const id of ["none", "", "<x>"]) {
        const { status, text } = yield* getPage(cookie, conversationPath(id))
        assert.strictEqual(status, 404)
        assert.include(text, "Conversation not found")
      }
    })
  )

  it.effect("of a while ago is still answered", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, conversation_id } = yield* prepareHostConversation()
      yield* insertMessages(conversation_id, "Hello")
      yield* TestClock.adjust("60 days")
      assert.strictEqual((yield* getPage(cookie, page)).status, 200)
    })
  )
})
