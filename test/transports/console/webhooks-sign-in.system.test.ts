import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PasswordCost } from "../../../src/domain/access/operators/password.ts"
import { SUDO_MS } from "../../../src/domain/access/sign-in/Sessions.ts"
import { SESSION_IDLE_MS } from "../../../src/platform/limits.ts"
import { webhookUrl } from "../../../src/transports/console/access/webhooks/webhook-parts.ts"
import { TEXTS } from "../../../src/transports/console/console-texts.ts"
import { ACCESS_PATH } from "../../../src/transports/console/host/urls.ts"
import {
  CHEAP_PASSWORD_COST,
  createSignInAccount,
  PASSWORD
} from "../../support/domain/access/sign-in/sign-in-accounts.ts"
import { layerHttpServer } from "../../support/http-server.ts"
import { findAlert, findFormToken, newFormBrowser } from "../../support/transports/console/form-browser.ts"

// The page of a webhook, with sessions as they are.

const layerDoor = Layer.provideMerge(
  layerHttpServer({ trustProxy: true }),
  Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST)
)

const EVENTS = { events: "message_created" }

/** A host who signs in at that time and makes a webhook. */
const hosted = Effect.fnUntraced(function* (time: string) {
  yield* TestClock.setTime(Date.parse(time))
  const [sql, browser] = [yield* SqlClient.SqlClient, yield* newFormBrowser]
  const { email, operatorId } = yield* createSignInAccount()
  yield* browser.signIn(email, PASSWORD)
  const form_token = findFormToken((yield* browser.request(ACCESS_PATH)).text)
  const send = (path: string, act: string, fields: Readonly<Record<string, string>> = {}) =>
    browser.postForm(path, { form_token, act, ...fields })
  const made = yield* send(ACCESS_PATH, "add_webhook", { ...EVENTS, url: "https://hooks.example.com/" })
  assert.strictEqual(made.status, 200)
  const subscription = Effect.map(
    sql<{ id: number; secret: string }>`SELECT id, secret FROM webhook_subscriptions WHERE operator_id = ${operatorId}`,
    ([row]) => row ?? { id: 0, secret: "" }
  )
  const urls = Effect.map(
    sql<{ url: string }>`SELECT url FROM webhook_subscriptions WHERE operator_id = ${operatorId} ORDER BY id`,
    (rows) => rows.map(({ url }) => url)
  )
  return { browser, email, send, subscription, urls, page: webhookUrl((yield* subscription).id) }
})

layer(layerDoor, { excludeTestServices: false })("a webhook and who is signed in", (it) => {
  it.effect("gets a new secret without the password within fifteen minutes, and with it afterwards", () =>
    Effect.gen(function* () {
      const { browser, send, subscription, page } = yield* hosted("2027-05-01T10:00:00Z")
      const rotate = (fields: Readonly<Record<string, string>> = {}) => send(page, "rotate_webhook_secret", fields)
      const first = yield* subscription
      yield* TestClock.adjust(SUDO_MS)
      assert.notInclude((yield* browser.request(page)).text, `type="password"`)
      assert.strictEqual((yield* rotate()).status, 200)
      const second = yield* subscription
      assert.notStrictEqual(second.secret, first.secret)
      yield* TestClock.adjust(1)
      assert.include((yield* browser.request(page)).text, `type="password"`)
      const missing = yield* rotate()
      assert.deepStrictEqual([missing.status, findAlert(missing.text)], [403, TEXTS.sudo.missingPassword])
      const wrong = yield* rotate({ password: "wrong" })
      assert.deepStrictEqual([wrong.status, findAlert(wrong.text)], [401, TEXTS.sudo.wrongPassword])
      for (const { text } of [missing, wrong]) assert.notInclude(text, "whsec_")
      assert.deepStrictEqual(yield* subscription, second)
      const right = yield* rotate({ password: PASSWORD })
      const third = yield* subscription
      assert.strictEqual(right.status, 200)
      assert.notStrictEqual(third.secret, second.secret)
      assert.include(right.text, third.secret)
      // The password was just given.
      assert.strictEqual((yield* rotate()).status, 200)
    })
  )

  it.effect("is added and changed without the password within fifteen minutes, and only with it afterwards", () =>
    Effect.gen(function* () {
      const { browser, send, page, urls } = yield* hosted("2027-05-03T10:00:00Z")
      const url = (path: string) => `https://hooks.example.com/${path}`
      yield* TestClock.adjust(SUDO_MS)
      assert.strictEqual((yield* send(page, "change_webhook", { ...EVENTS, url: url("changed") })).status, 303)
      yield* TestClock.adjust(1)
      for (const [path, act] of [
        [ACCESS_PATH, "add_webhook"],
        [page, "change_webhook"]
      ] as const) {
        assert.include((yield* browser.request(path)).text, `type="password"`)
        const missing = yield* send(path, act, { ...EVENTS, url: url("late") })
        assert.deepStrictEqual([missing.status, findAlert(missing.text)], [403, TEXTS.sudo.missingPassword])
        assert.include(missing.text, url("late"))
        assert.strictEqual((yield* send(path, act, { ...EVENTS, url: url("late"), password: "wrong" })).status, 401)
      }
      assert.deepStrictEqual(yield* urls, [url("changed")])
      yield* send(ACCESS_PATH, "add_webhook", { ...EVENTS, url: url("late"), password: PASSWORD })
      assert.deepStrictEqual(yield* urls, [url("changed"), url("late")])
    })
  )

  it.effect("is where one comes back to whose session ended over its form", () =>
    Effect.gen(function* () {
      const { browser, email, send, page } = yield* hosted("2027-05-02T10:00:00Z")
      yield* TestClock.adjust(SESSION_IDLE_MS)
      const late = yield* send(page, "change_webhook", { ...EVENTS, url: "https://hooks.example.com/late" })
      const location = late.headers.get("location") ?? ""
      assert.deepStrictEqual([late.status, location], [303, `/console?${new URLSearchParams({ next: page })}`])
      const back = yield* browser.signIn(email, PASSWORD, location)
      assert.deepStrictEqual([back.status, back.headers.get("location")], [303, page])
      assert.strictEqual((yield* browser.request(page)).status, 200)
    })
  )
})
