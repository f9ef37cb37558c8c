import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { formatWebhookId } from "../../../src/domain/webhooks/deliveries/delivery-message.ts"
import { makeDeliveryPolls } from "../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { webhookUrl } from "../../../src/transports/console/access/webhooks/webhook-parts.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { ACCESS_PATH } from "../../../src/transports/console/host/urls.ts"
import { FORM_KEY_FIELD } from "../../../src/transports/console/visit.ts"
import {
  createSubscription,
  deliverAllDue,
  makeRepeatedEvents,
  recordEvents
} from "../../support/domain/webhooks/deliveries/delivery-service.ts"
import { respondWith } from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator } from "../../support/harness.ts"
import { findForms } from "../../support/transports/console/signed-in-pages.ts"
import {
  getWebhookPage,
  layerWebhookPages,
  sendWebhookForm,
  signInVisitor
} from "../../support/transports/console/webhook-pages.ts"

const { tokens: TOKENS, webhooks: WEBHOOKS } = TEXTS.access

/** Sends a form of a page twice at the same time. Returns both pages. */
const sendTwice = Effect.fnUntraced(function* (
  cookie: string,
  path: string,
  act: string,
  fields: Readonly<Record<string, string>> = {}
) {
  const [form] = findForms((yield* getWebhookPage(cookie, path)).text, act)
  const key = form?.get(FORM_KEY_FIELD) ?? assert.fail(`the form ${act} has no key`)
  const send = sendWebhookForm(cookie, path, act, { ...fields, [FORM_KEY_FIELD]: key })
  return yield* Effect.all([send, send], { concurrency: 2 })
})

const secretsIn = (pages: ReadonlyArray<{ readonly text: string }>) =>
  pages.flatMap(({ text }) => text.match(/(?:lk_[\w-]{43}|whsec_[A-Za-z0-9+/]+=*)(?=<\/code>)/g) ?? [])

layer(layerWebhookPages, { excludeTestServices: true })("a form of the access page that is sent twice", (it) => {
  it.effect("creates one token and shows it once; another form creates another token", () =>
    Effect.gen(function* () {
      const [operator, sql] = [yield* createOperator(), yield* SqlClient.SqlClient]
      const cookie = signInVisitor(operator)
      const count = Effect.map(
        sql<{ count: number }>`
          SELECT count(*)::int AS count FROM access_tokens WHERE operator_id = ${operator.operatorId} AND name = 'Robot'`,
        ([row]) => row?.count
      )
      const pages = yield* sendTwice(cookie, ACCESS_PATH, "make_token", { name: "Robot", scope: "writable" })
      assert.deepStrictEqual(
        pages.map(({ status }) => status),
        [200, 200]
      )
      assert.strictEqual(pages.filter(({ text }) => text.includes(TOKENS.repeatedToken)).length, 1)
      assert.strictEqual(new Set(secretsIn(pages)).size, 1)
      assert.strictEqual(yield* count, 1)
      yield* sendTwice(cookie, ACCESS_PATH, "make_token", { name: "Robot", scope: "writable" })
      assert.strictEqual(yield* count, 2)
    })
  )

  it.effect("adds one webhook, and creates one new secret", () =>
    Effect.gen(function* () {
      const [operator, sql] = [yield* createOperator(), yield* SqlClient.SqlClient]
      const cookie = signInVisitor(operator)
      const subscriptions = sql<{ id: number; secret: string; former_secret: string | null }>`
        SELECT id, secret, former_secret FROM webhook_subscriptions WHERE operator_id = ${operator.operatorId}`
      const fields = { url: "http://127.0.0.1:1/hooks", events: "message_created" }
      const added = yield* sendTwice(cookie, ACCESS_PATH, "add_webhook", fields)
      const [made, ...more] = yield* subscriptions
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(secretsIn(added), [made?.secret])
      assert.strictEqual(added.filter(({ text }) => text.includes(WEBHOOKS.repeatedSecret)).length, 1)
      const rotated = yield* sendTwice(cookie, webhookUrl(made?.id ?? 0), "rotate_webhook_secret")
      const [after] = yield* subscriptions
      assert.deepStrictEqual(secretsIn(rotated), [after?.secret])
      // The previous secret still signs for a day.
      assert.strictEqual(after?.former_secret, made?.secret)
    })
  )

  it.effect("says of an old form that is sent again that nothing has changed", () =>
    Effect.gen(function* () {
      const { operator, id } = yield* createSubscription(1)
      const [cookie, page] = [signInVisitor(operator), webhookUrl(id)]
      const [form] = findForms((yield* getWebhookPage(cookie, page)).text, "pause_webhook")
      const key = form?.get(FORM_KEY_FIELD) ?? assert.fail("the form has no key")
      const pause = Effect.flatMap(
        sendWebhookForm(cookie, page, "pause_webhook", { [FORM_KEY_FIELD]: key }),
        ({ headers }) => getWebhookPage(cookie, String(headers["location"]))
      )
      assert.include((yield* pause).text, TEXTS.access.done.webhook_paused)
      yield* sendWebhookForm(cookie, page, "resume_webhook")
      const { text } = yield* pause
      assert.include(text, TEXTS.access.done.already_done)
      assert.notInclude(text, TEXTS.access.done.webhook_paused)
    })
  )

  it.effect("replays a delivery once", () =>
    Effect.gen(function* () {
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(200))
      const { operator, id } = yield* createSubscription(server.port)
      const [event_id = 0] = yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* deliverAllDue(polls)
      const [cookie, page] = [signInVisitor(operator), webhookUrl(id)]
      const [form] = findForms((yield* getWebhookPage(cookie, page)).text, "replay_delivery")
      const fields = {
        delivery: formatWebhookId({ event_id, subscription_id: id }),
        [FORM_KEY_FIELD]: form?.get(FORM_KEY_FIELD) ?? assert.fail("the form has no key")
      }
      for (const _ of [1, 2]) {
        assert.strictEqual((yield* sendWebhookForm(cookie, page, "replay_delivery", fields)).status, 303)
        yield* deliverAllDue(polls)
      }
      assert.strictEqual(yield* Queue.size(server.requests), 2)
    })
  )
})
