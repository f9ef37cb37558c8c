import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { formatWebhookId } from "../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { makeDeliveryPolls } from "../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { hasValidSignature } from "../../../src/domain/webhooks/deliveries/signature.ts"
import { PAUSED_BY_HOST } from "../../../src/domain/webhooks/deliveries/subscription-statements.ts"
import { EVENT_NAMES } from "../../../src/jobs/events/event-statements.ts"
import { jsonParameter } from "../../../src/platform/database/parameters.ts"
import { WEBHOOK_DELIVERIES_SHOWN, WEBHOOK_TESTS_A_MINUTE } from "../../../src/platform/limits.ts"
import { explainResult, isAccepted } from "../../../src/transports/console/access/webhooks/response-explanations.ts"
import { WEBHOOK_PATH, webhookUrl } from "../../../src/transports/console/access/webhooks/webhook-parts.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { ACCESS_PATH } from "../../../src/transports/console/host/urls.ts"
import { deriveFormToken } from "../../../src/transports/console/visit.ts"
import { loadAuditLinesWithActor } from "../../support/changes/audit-lines.ts"
import {
  createSubscription,
  deliverAllDue,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents
} from "../../support/domain/webhooks/deliveries/delivery-service.ts"
import { makeSwitchableHandler, respondWith } from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { connectClient, createPartner } from "../../support/domain/webhooks/subscriptions/connected-client.ts"
import { createAccessToken, createOperator, insertAccount, type TestOperator } from "../../support/harness.ts"
import {
  getWebhookPage,
  layerWebhookPages,
  sendWebhookForm,
  signInVisitor,
  type WebhookPageResponse
} from "../../support/transports/console/webhook-pages.ts"

const WORDS = TEXTS.access.webhooks

/** Nothing that a page shows of others may be more than text. */
const MARKUP = `<script>alert("x")</script>'"&`
const ESCAPED = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&quot;&amp;"

const escaped = (words: string) => words.replaceAll("'", "&#39;")

const says = ({ text }: WebhookPageResponse, words: string) => assert.include(text, escaped(words))
const saysNot = ({ text }: WebhookPageResponse, words: string) => assert.notInclude(text, escaped(words))

/** Of a form that was taken: the page it leads to. */
const followed = Effect.fnUntraced(function* (cookie: string, { status, headers }: WebhookPageResponse) {
  assert.strictEqual(status, 303)
  return yield* getWebhookPage(cookie, String(headers["location"]))
})

const kept = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    id: number
    url: string
    account_id: number | null
    secret: string
    former_secret: string | null
    health: object
    paused_at: Date | null
    paused_reason: string | null
  }>`
    SELECT * FROM webhook_subscriptions WHERE operator_id = ${operatorId} ORDER BY id`
}, Effect.orDie)

/** The events that are checked. */
const chosenIn = ({ text }: WebhookPageResponse) =>
  Array.from(text.matchAll(/name="events" value="(\w+)" checked/g), ([, name]) => name)

const shownSecret = ({ text }: WebhookPageResponse) => /whsec_[A-Za-z0-9+/]+=*/.exec(text)?.[0] ?? ""

/** A webhook of a new operator, and its host at its page. */
const hosted = Effect.fnUntraced(function* (port: number, operator?: TestOperator) {
  const webhook = yield* createSubscription(port, operator === undefined ? {} : { operator })
  return { ...webhook, cookie: signInVisitor(webhook.operator), page: webhookUrl(webhook.id) }
})

/** As many test events as an operator may send, of two webhooks, and one more; and whether all were sent within one minute of the clock. */
const sentInAMinute = Effect.gen(function* () {
  const server = yield* startReceiver(respondWith(200))
  const one = yield* hosted(server.port)
  const two = yield* hosted(server.port, one.operator)
  const minute = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 60_000))
  const began = yield* minute
  for (let at = 0; at < WEBHOOK_TESTS_A_MINUTE; at += 1) {
    const { status } = yield* sendWebhookForm(one.cookie, at % 2 === 0 ? one.page : two.page, "test_webhook")
    assert.strictEqual(status, 200)
  }
  const refused = yield* sendWebhookForm(one.cookie, two.page, "test_webhook")
  return { server, refused, isOne: (yield* minute) === began }
})

describe("why a receiver has not an event", () => {
  it("is said of every status, and that it has it of 2xx alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
        const why = explainResult({ status, reason: null })
        assert.isNotEmpty(why)
        assert.strictEqual(isAccepted({ status, reason: null }), status >= 200 && status < 300)
        assert.strictEqual(why === WORDS.statusExplanations["2xx"], isAccepted({ status, reason: null }))
      })
    )
  })

  it("is said in words of its own for every reason, and in some for one that nobody knows", () => {
    const words = Object.keys(WORDS.failureReasons).map((reason) => explainResult({ status: null, reason }))
    assert.strictEqual(new Set(words).size, 8)
    assert.isNotEmpty(explainResult({ status: null, reason: "toString" }))
    assert.isNotEmpty(explainResult({ status: null, reason: null }))
  })
})

layer(layerWebhookPages, { excludeTestServices: true })("the pages of webhooks", (it) => {
  it.effect("say what a webhook is where there is none, and make one whose secret is shown this once", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const cookie = signInVisitor(operator)
      const empty = yield* getWebhookPage(cookie, ACCESS_PATH)
      says(empty, WORDS.none)
      assert.strictEqual(
        empty.text.match(/type="checkbox" name="events" value="\w+" checked/g)?.length,
        EVENT_NAMES.length
      )
      const url = "http://127.0.0.1:1/hooks"
      const made = yield* sendWebhookForm(cookie, ACCESS_PATH, "add_webhook", { url, events: [...EVENT_NAMES] })
      assert.strictEqual(made.status, 200)
      for (const words of [WORDS.reloadWarning, `<a href="${ACCESS_PATH}">${WORDS.continueLink}</a>`]) says(made, words)
      const [row] = yield* kept(operator.operatorId)
      assert.deepInclude(row, { url, account_id: operator.accountId, secret: shownSecret(made) })
      for (const path of [ACCESS_PATH, webhookUrl(row?.id ?? 0)]) {
        const page = yield* getWebhookPage(cookie, path)
        says(page, url)
        assert.strictEqual(shownSecret(page), "")
      }
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operator.operatorId), [
        `${operator.accountId} console: create_webhook webhook:${row?.id}`
      ])
    })
  )

  it.effect("refuse what the API refuses, in the host's words and with a true status", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const cookie = signInVisitor(operator)
      for (const [fields, words] of [
        [{ url: "https://10.0.0.8/", events: ["message_created"] }, "must not point at a private address."],
        [{ url: "http://hooks.example.com/", events: ["message_created"] }, "must begin with https://."],
        [{ url: MARKUP, events: ["message_created"] }, "must be an absolute https address"],
        [{ events: ["message_created"] }, "ddress"],
        [{ url: "https://hooks.example.com/" }, "vents"],
        [{ url: "https://hooks.example.com/", events: ["fire"] }, "vents"]
      ] as const) {
        const page = yield* sendWebhookForm(cookie, ACCESS_PATH, "add_webhook", fields)
        assert.strictEqual(page.status, 422)
        says(page, words)
        assert.notInclude(page.text, "<script>")
      }
      assert.deepStrictEqual(yield* kept(operator.operatorId), [])
    })
  )

  it.effect("change, rotate and delete as the API does, and the trail says who", () =>
    Effect.gen(function* () {
      const { operator, id, cookie, page, secret } = yield* hosted(1)
      const changed = { url: "http://127.0.0.1:2/it's", events: ["message_created", "review_created"] }
      const after = yield* followed(cookie, yield* sendWebhookForm(cookie, page, "change_webhook", changed))
      says(after, TEXTS.access.done.webhook_changed)
      says(after, changed.url)
      assert.deepStrictEqual(chosenIn(after), changed.events)
      const rotated = yield* sendWebhookForm(cookie, page, "rotate_webhook_secret")
      assert.deepStrictEqual(
        [rotated.status, shownSecret(rotated)],
        [200, (yield* kept(operator.operatorId))[0]?.secret]
      )
      assert.notStrictEqual(shownSecret(rotated), secret)
      for (const words of [WORDS.reloadWarning, `<a href="${page}">${WORDS.continueLink}</a>`]) says(rotated, words)
      const unsure = yield* sendWebhookForm(cookie, page, "delete_webhook")
      assert.strictEqual(unsure.status, 422)
      says(unsure, WORDS.removalNotConfirmed)
      const deleted = yield* followed(cookie, yield* sendWebhookForm(cookie, page, "delete_webhook", { sure: "yes" }))
      says(deleted, TEXTS.access.done.webhook_deleted)
      says(deleted, WORDS.none)
      assert.strictEqual((yield* getWebhookPage(cookie, page)).status, 404)
      const by = `${operator.accountId} console:`
      assert.deepStrictEqual((yield* loadAuditLinesWithActor(operator.operatorId)).slice(1), [
        `${by} update_webhook webhook:${id} (events, url)`,
        `${by} rotate_webhook_secret webhook:${id} (secret)`,
        `${by} delete_webhook webhook:${id}`
      ])
    })
  )

  it.effect("pause and resume: meanwhile nothing is sent, and afterwards what happened", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator, id, cookie, page } = yield* hosted(server.port)
      const paused = yield* followed(cookie, yield* sendWebhookForm(cookie, page, "pause_webhook"))
      says(paused, TEXTS.access.done.webhook_paused)
      says(paused, PAUSED_BY_HOST)
      assert.strictEqual((yield* sendWebhookForm(cookie, page, "pause_webhook")).status, 409)
      yield* recordEvents(operator, makeRepeatedEvents(2))
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      says(yield* getWebhookPage(cookie, page), WORDS.notAttempted)
      const resumed = yield* followed(cookie, yield* sendWebhookForm(cookie, page, "resume_webhook"))
      says(resumed, TEXTS.access.done.webhook_resumed)
      saysNot(resumed, PAUSED_BY_HOST)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 2)
      const by = `${operator.accountId} console:`
      assert.deepStrictEqual((yield* loadAuditLinesWithActor(operator.operatorId)).slice(1), [
        `${by} pause_webhook webhook:${id} (status)`,
        `${by} update_webhook webhook:${id} (status)`
      ])
    })
  )

  it.effect("give a paused webhook a new secret, and resume nothing", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator, cookie, page, secret } = yield* hosted(server.port)
      yield* sendWebhookForm(cookie, page, "pause_webhook")
      const [before] = yield* kept(operator.operatorId)
      yield* recordEvents(operator, makeRepeatedEvents(1))
      const rotated = yield* sendWebhookForm(cookie, page, "rotate_webhook_secret")
      says(rotated, PAUSED_BY_HOST)
      const [after] = yield* kept(operator.operatorId)
      assert.notStrictEqual(after?.secret, secret)
      assert.deepStrictEqual([after?.secret, after?.former_secret], [shownSecret(rotated), secret])
      for (const column of ["health", "paused_at", "paused_reason"] as const) {
        assert.deepStrictEqual(after?.[column], before?.[column])
      }
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      // What it waited for is signed with both.
      yield* sendWebhookForm(cookie, page, "resume_webhook")
      yield* deliverAllDue(polls)
      const [request] = yield* Queue.clear(server.requests)
      assert.lengthOf(String(request?.headers["webhook-signature"]).split(" "), 2)
    })
  )

  it.effect("send again when a pause or a rest is over, and say so", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator, id, cookie, page } = yield* hosted(server.port)
      const [event_id = 0] = yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      const fields = { delivery: formatWebhookId({ event_id, subscription_id: id }) }
      yield* sendWebhookForm(cookie, page, "pause_webhook")
      const paused = yield* followed(cookie, yield* sendWebhookForm(cookie, page, "replay_delivery", fields))
      says(paused, TEXTS.access.done.delivery_waits_for_resume)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 1)
      yield* sendWebhookForm(cookie, page, "resume_webhook")
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 2)
      const sql = yield* SqlClient.SqlClient
      const until = Date.now() + 600_000
      const rest = { state: "resting", failures: 20, failingSince: Date.now(), rests: 1, until }
      yield* sql`UPDATE webhook_subscriptions SET health = ${jsonParameter(rest)}::jsonb WHERE id = ${id}`
      const resting = yield* followed(cookie, yield* sendWebhookForm(cookie, page, "replay_delivery", fields))
      says(resting, TEXTS.access.done.delivery_waits_for_rest)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 2)
    })
  )

  it.effect("keep what was filled in where it is not taken", () =>
    Effect.gen(function* () {
      const { cookie, page, url } = yield* hosted(1)
      const typed = { url: "http://typed.example.com/it's", events: ["message_created", "review_created"] }
      const field = `name="url" value="${escaped(typed.url)}"`
      for (const [path, act] of [
        [ACCESS_PATH, "add_webhook"],
        [page, "change_webhook"]
      ] as const) {
        const refused = yield* sendWebhookForm(cookie, path, act, typed)
        assert.strictEqual(refused.status, 422)
        assert.include(refused.text, field)
        assert.deepStrictEqual(chosenIn(refused), typed.events)
        assert.strictEqual(refused.text.includes("<details open>"), path === ACCESS_PATH)
      }
      // Of another form nothing is kept: it may have fields of the same names.
      const other = yield* sendWebhookForm(cookie, page, "delete_webhook", typed)
      assert.strictEqual(other.status, 422)
      assert.include(other.text, `name="url" value="${url}"`)
      const token = yield* sendWebhookForm(cookie, ACCESS_PATH, "make_token", {
        ...typed,
        name: "",
        scope: "read-only"
      })
      assert.strictEqual(token.status, 422)
      assert.notInclude(token.text, field)
      assert.notInclude(token.text, "<details open>")
    })
  )

  it.effect("tell why a delivery failed, with what the receiver said, and send it again", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const server = yield* startReceiver(answer)
      const { operator, id, cookie, page } = yield* hosted(server.port)
      mood.respond = respondWith(404, MARKUP)
      const [event_id = 0] = yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      const failed = yield* getWebhookPage(cookie, page)
      for (const words of [WORDS.statusExplanations["404"], WORDS.states.failing, WORDS.deliveryStates.waiting])
        says(failed, words)
      assert.include(failed.text, `<pre>${ESCAPED}</pre>`)
      assert.notInclude(failed.text, "<script>")
      const delivery = formatWebhookId({ event_id, subscription_id: id })
      // It waits for its next try and goes by itself.
      assert.notInclude(failed.text, `value="${delivery}"`)
      assert.strictEqual((yield* sendWebhookForm(cookie, page, "replay_delivery", { delivery })).status, 409)
      mood.respond = respondWith(204)
      yield* followed(cookie, yield* sendWebhookForm(cookie, page, "resume_webhook"))
      yield* deliverAllDue(polls)
      const gone = yield* getWebhookPage(cookie, page)
      for (const words of [WORDS.statusExplanations["2xx"], WORDS.deliveryStates.delivered, WORDS.earlierAttempts])
        says(gone, words)
      assert.include(gone.text, `value="${delivery}"`)
      yield* Queue.clear(server.requests)
      const again = yield* followed(cookie, yield* sendWebhookForm(cookie, page, "replay_delivery", { delivery }))
      says(again, TEXTS.access.done.delivery_sent_again)
      yield* deliverAllDue(polls)
      const requests = yield* Queue.clear(server.requests)
      assert.deepStrictEqual(
        requests.map(({ headers }) => headers["webhook-id"]),
        [delivery]
      )
      assert.include(
        (yield* loadAuditLinesWithActor(operator.operatorId)).at(-1) ?? "",
        `console: replay_webhook_delivery webhook:${id}`
      )
    })
  )

  it.effect("show a page of deliveries and lead to the older ones", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const { operator, cookie, page, id } = yield* hosted((yield* startReceiver(respondWith(200))).port)
      const shown = ({ text }: WebhookPageResponse) =>
        Array.from(text.matchAll(/name="delivery" value="evt_(\d+)_\d+"/g), ([, event]) => Number(event))
      const ids = yield* recordEvents(operator, makeRepeatedEvents(WEBHOOK_DELIVERIES_SHOWN))
      yield* deliverAllDue(polls)
      const all = yield* getWebhookPage(cookie, page)
      assert.deepStrictEqual(shown(all), ids.toReversed())
      saysNot(all, WORDS.older)
      const [last = 0] = yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      const first = yield* getWebhookPage(cookie, page)
      assert.deepStrictEqual(shown(first), [last, ...ids.slice(1).toReversed()])
      const older = new RegExp(`href="([^"]+)">${WORDS.older}`).exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
      const second = yield* getWebhookPage(cookie, older.split("#")[0] ?? "")
      assert.deepStrictEqual(shown(second), ids.slice(0, 1))
      says(second, WORDS.newest)
      for (const before of ["0", "x", "-1", "1.5", "9".repeat(30)]) {
        assert.strictEqual((yield* getWebhookPage(cookie, `${webhookUrl(id)}&before=${before}`)).status, 200)
      }
    })
  )

  it.effect("name who made a webhook, whatever they are called", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const one = yield* connectClient(operator, yield* createPartner(), MARKUP)
      const { id } = yield* createSubscription(1, { operator: { ...operator, token: one.token } })
      for (const path of [ACCESS_PATH, webhookUrl(id)]) {
        const page = yield* getWebhookPage(signInVisitor(operator), path)
        assert.include(page.text, `${ESCAPED} (Owner)`)
        assert.notInclude(page.text, "<script>")
      }
    })
  )

  const acts: ReadonlyArray<readonly [act: string, fields: Readonly<Record<string, string>>]> = [
    ["change_webhook", { url: "http://127.0.0.1:3/", events: "message_created" }],
    ["pause_webhook", {}],
    ["resume_webhook", {}],
    ["rotate_webhook_secret", {}],
    ["delete_webhook", { sure: "yes" }],
    ["test_webhook", {}],
    ["replay_delivery", {}]
  ]

  it.effect("take no form that is not their own", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200))
      const { operator, cookie, page } = yield* hosted(server.port)
      const before = yield* kept(operator.operatorId)
      const stranger = signInVisitor(operator)
      for (const token of ["", "x", deriveFormToken(stranger)]) {
        for (const [act, fields] of acts) {
          assert.strictEqual((yield* sendWebhookForm(cookie, page, act, fields, token)).status, 403, act)
        }
        const fields = { url: "http://127.0.0.1:3/", events: "message_created" }
        assert.strictEqual((yield* sendWebhookForm(cookie, ACCESS_PATH, "add_webhook", fields, token)).status, 403)
      }
      assert.deepStrictEqual(yield* kept(operator.operatorId), before)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
    })
  )

  it.effect("show a sub-account its own webhooks, and find no other by any form", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const owner = yield* createOperator()
      const accountId = yield* insertAccount(owner.operatorId, "sub", "Sub")
      const account = { operatorId: owner.operatorId, accountId }
      const sub = signInVisitor(account, "sub")
      const own = yield* createSubscription(server.port, {
        operator: { ...owner, token: yield* createAccessToken(account, "writable") },
        path: "/own"
      })
      const another = yield* createSubscription(server.port, { operator: owner, path: "/owners" })
      const foreign = yield* createSubscription(server.port, { path: "/foreign" })
      const list = yield* getWebhookPage(sub, ACCESS_PATH)
      says(list, own.url)
      saysNot(list, another.url)
      says(yield* getWebhookPage(signInVisitor(owner), ACCESS_PATH), another.url)
      assert.strictEqual((yield* getWebhookPage(sub, webhookUrl(own.id))).status, 200)
      const [event = 0] = yield* recordEvents(owner, makeRepeatedEvents(1))
      const [theirs = 0] = yield* recordEvents(foreign.operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      yield* Queue.clear(server.requests)
      const before = [yield* kept(owner.operatorId), yield* kept(foreign.operator.operatorId)]
      for (const { id } of [another, foreign]) {
        const page = yield* getWebhookPage(sub, webhookUrl(id))
        assert.strictEqual(page.status, 404)
        says(page, WORDS.noSuch)
        for (const [act, fields] of acts) {
          const delivery = formatWebhookId({ event_id: id === another.id ? event : theirs, subscription_id: id })
          const given = { ...fields, delivery, id: String(own.id) }
          assert.strictEqual((yield* sendWebhookForm(sub, webhookUrl(id), act, given)).status, 404, act)
          // By the page of its own, with another's ids in the fields.
          if (act === "replay_delivery") {
            assert.strictEqual(
              (yield* sendWebhookForm(sub, webhookUrl(own.id), act, { delivery, id: String(id) })).status,
              404
            )
          }
        }
      }
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      assert.deepStrictEqual([yield* kept(owner.operatorId), yield* kept(foreign.operator.operatorId)], before)
      for (const id of ["", "0", "-1", "1e3", "x", "9".repeat(30), `${own.id} `, MARKUP]) {
        const page = yield* getWebhookPage(sub, `${WEBHOOK_PATH}?${new URLSearchParams({ id }).toString()}`)
        assert.strictEqual(page.status, 404)
        assert.notInclude(page.text, "<script>")
      }
      assert.strictEqual((yield* getWebhookPage(sub, WEBHOOK_PATH)).headers["location"], ACCESS_PATH)
    })
  )

  it.effect("of an account that may do nothing say why, and let it pause all the same", () =>
    Effect.gen(function* () {
      const server = yield* startReceiver(respondWith(200))
      const { operator, page } = yield* hosted(server.port)
      const lapsed = signInVisitor(operator, "main", { status: "banned" })
      const before = yield* kept(operator.operatorId)
      for (const [act, fields] of acts.filter(([act]) => act !== "pause_webhook")) {
        const refused = yield* sendWebhookForm(lapsed, page, act, { ...fields, delivery: "evt_1_1" })
        assert.strictEqual(refused.status, 403, act)
        says(refused, "Account banned")
      }
      assert.deepStrictEqual(yield* kept(operator.operatorId), before)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      says(yield* followed(lapsed, yield* sendWebhookForm(lapsed, page, "pause_webhook")), PAUSED_BY_HOST)
    })
  )
})

layer(layerWebhookPages, { excludeTestServices: true })("a test event", (it) => {
  it.effect("is sent once, signed as any other, and its answer is shown", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const server = yield* startReceiver(answer)
      const { operator, id, cookie, page, secret, url } = yield* hosted(server.port)
      mood.respond = respondWith(202, MARKUP)
      const before = yield* kept(operator.operatorId)
      const shown = yield* sendWebhookForm(cookie, page, "test_webhook")
      assert.strictEqual(shown.status, 200)
      for (const words of [WORDS.testAccepted, "<strong>202</strong>", url]) says(shown, words)
      assert.match(shown.text, /<strong>202<\/strong> · \d+ ms/)
      assert.include(shown.text, `<pre>${ESCAPED}</pre>`)
      mood.respond = respondWith(500, "no")
      const failed = yield* sendWebhookForm(cookie, page, "test_webhook")
      for (const words of [WORDS.testNotAccepted, WORDS.statusExplanations["5xx"]]) says(failed, words)
      yield* deliverAllDue(polls)
      const requests = yield* Queue.clear(server.requests)
      assert.strictEqual(requests.length, 2)
      const [first] = requests
      const { headers, body = "" } = first ?? {}
      const { timestamp, ...told } = JSON.parse(body)
      assert.deepStrictEqual(told, { event: "webhook_test", webhook_id: id })
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const known = String(headers?.["webhook-id"])
      assert.match(known, new RegExp(`^test_${id}_\\d+$`))
      const message = { id: known, timestamp: Number(headers?.["webhook-timestamp"]), body }
      assert.isTrue(
        hasValidSignature(message, String(headers?.["webhook-signature"]), Redacted.make(secret), Date.now())
      )
      assert.isString(headers?.["service-webhook-secret-token"])
      assert.deepStrictEqual(yield* kept(operator.operatorId), before)
      assert.deepStrictEqual(yield* loadDeliveries({ operator, id, url, secret }), [])
    })
  )

  it.effect("reaches a paused webhook and leaves it so, and says what kept it from a receiver that is not there", () =>
    Effect.gen(function* () {
      const { operator, cookie, page } = yield* hosted(1)
      yield* sendWebhookForm(cookie, page, "pause_webhook")
      const before = yield* kept(operator.operatorId)
      const shown = yield* sendWebhookForm(cookie, page, "test_webhook")
      says(shown, WORDS.failureReasons.connect)
      says(shown, PAUSED_BY_HOST)
      assert.deepStrictEqual(yield* kept(operator.operatorId), before)
      const sql = yield* SqlClient.SqlClient
      // Allowed when it was made, and not any more.
      yield* sql`
        WITH moved AS (
          INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at)
          VALUES (${operator.operatorId}, 'https://127.0.0.2/', 'x', now()) RETURNING url)
        UPDATE webhook_subscriptions SET url = moved.url FROM moved WHERE operator_id = ${operator.operatorId}`
      says(yield* sendWebhookForm(cookie, page, "test_webhook"), WORDS.failureReasons.refused_address)
    })
  )

  it.effect(`may be sent ${WEBHOOK_TESTS_A_MINUTE} times a minute by an operator, whichever webhook it is of`, () =>
    Effect.gen(function* () {
      const other = yield* hosted(1)
      // At the end of a minute a new window begins: what reaches across one says nothing and is done anew, by another operator.
      const { server, refused } = yield* Effect.repeat(sentInAMinute, { times: 1, until: ({ isOne }) => isOne })
      assert.strictEqual(refused.status, 429)
      says(refused, WORDS.testTooMany)
      assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_TESTS_A_MINUTE)
      assert.strictEqual((yield* sendWebhookForm(other.cookie, other.page, "test_webhook")).status, 200)
    })
  )
})
