import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AllowedReceivers, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { EVENT_NAMES } from "../../../../src/jobs/events/event-statements.ts"
import { WEBHOOK_SUBSCRIPTION_LIMIT, WEBHOOK_URL_LENGTH } from "../../../../src/platform/limits.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, createOperator, layerTest, typedClient, withToken } from "../../../support/harness.ts"

const URL_IN = "https://hooks.example.com/in"

/** All that is kept about an operator's subscriptions, secrets included. */
const kept = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ id: number; secret: string; former_secret: string | null; secret_token: string }>`
    SELECT * FROM webhook_subscriptions WHERE operator_id = ${operatorId} ORDER BY id`
}, Effect.orDie)

const someone = Effect.gen(function* () {
  const operator = yield* createOperator()
  const api = yield* typedClient
  return { ...operator, api, as: withToken(operator.token) }
})

const pause = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE webhook_subscriptions SET paused_at = '2031-02-03T04:05:06.789Z', paused_reason = 'No delivery succeeded.',
      health = '{"state": "paused", "failures": 9, "failingSince": 0}' WHERE id = ${id}`
}, Effect.orDie)

const layerLocal = layerTest.pipe(
  Layer.provide(Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1"))))
)

layer(layerLocal)("webhook subscriptions", (it) => {
  it.effect("hear of all ten events unless they say otherwise, and show the signing secret once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2031-02-03T04:05:06.789Z"))
      const { api, as, operatorId } = yield* someone
      const { webhook, secret = "" } = yield* api.create_webhook({ url: URL_IN }).pipe(as)
      assert.deepStrictEqual(webhook, {
        id: webhook.id,
        url: URL_IN,
        events: EVENT_NAMES,
        manageable: true,
        status: "active",
        paused_at: null,
        paused_reason: null,
        created_at: "2031-02-03T04:05:06+00:00"
      })
      assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/)
      assert.isAtLeast(Buffer.from(secret.slice("whsec_".length), "base64").length, 24)
      const listed = yield* api.list_webhooks({}).pipe(as)
      assert.deepStrictEqual(listed, { webhooks: [webhook] })
      const [row] = yield* kept(operatorId)
      const shown = JSON.stringify(listed)
      assert.isFalse(shown.includes(secret) || shown.includes(row?.secret_token ?? ""))
    })
  )

  it.effect("name their events in any order, and are shown them in the specification's", () =>
    Effect.gen(function* () {
      const { api, as } = yield* someone
      const events = ["transaction_deleted", "message_created", "message_created"] as const
      const { webhook } = yield* api.create_webhook({ url: URL_IN, events }).pipe(as)
      assert.deepStrictEqual(webhook.events, ["message_created", "transaction_deleted"])
    })
  )

  it.effect("may be plain http to an allowed loopback address where the service itself is", () =>
    Effect.gen(function* () {
      const { api, as } = yield* someone
      const { webhook } = yield* api.create_webhook({ url: "http://127.0.0.1:9999/hooks" }).pipe(as)
      assert.strictEqual(webhook.url, "http://127.0.0.1:9999/hooks")
    })
  )

  const refused: ReadonlyArray<readonly [what: string, fields: unknown, code: number, message: RegExp]> = [
    ["no url", {}, 400, /^url: /],
    ["a url that is a number", { url: 7 }, 400, /^url: /],
    ["a url that is none", { url: "hooks" }, 422, /^url: /],
    ["a url without TLS", { url: "http://hooks.example.com/" }, 422, /^url: must begin with https/],
    ["a private url", { url: "https://10.0.0.8/" }, 422, /^url: must not point at a private address/],
    ["the cloud's metadata", { url: "https://169.254.169.254/" }, 422, /^url: must not point at/],
    [
      "a url that is too long",
      { url: `https://a.example/${"a".repeat(WEBHOOK_URL_LENGTH)}` },
      422,
      /^url: must be at most/
    ],
    ["events that are a text", { url: URL_IN, events: "message_created" }, 400, /^events: /],
    ["an event that is a number", { url: URL_IN, events: [1] }, 400, /^events\[0\]: /],
    ["an unknown event", { url: URL_IN, events: ["message_created", "fire"] }, 422, /^events\[1\]: /],
    ["no events", { url: URL_IN, events: [] }, 422, /^events: /]
  ]
  it.effect.each(refused)("are not made from %s", ([, fields, code, message]) =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* someone
      const envelope = yield* call(token, "create_webhook", fields)
      assert.strictEqual(envelope.error_code, code)
      assert.match(envelope.error_msg, message)
      assert.deepStrictEqual(yield* kept(operatorId), [])
    })
  )

  it.effect("change what is sent and nothing else, and not by what is refused", () =>
    Effect.gen(function* () {
      const { api, as, token, operatorId } = yield* someone
      const { webhook } = yield* api.create_webhook({ url: URL_IN, events: ["message_created"] }).pipe(as)
      const before = yield* kept(operatorId)
      for (const [, fields, code] of refused.filter(([what]) => what !== "no url")) {
        const given = { ...(fields as object), id: webhook.id }
        assert.strictEqual((yield* call(token, "update_webhook", given)).error_code, code)
      }
      assert.deepStrictEqual(yield* kept(operatorId), before)

      const moved = yield* api.update_webhook({ id: webhook.id, url: "https://hooks.example.com/out" }).pipe(as)
      assert.deepStrictEqual(moved, { webhook: { ...webhook, url: "https://hooks.example.com/out" } })
      const narrowed = yield* api.update_webhook({ id: webhook.id, events: ["review_created"] }).pipe(as)
      assert.deepStrictEqual(narrowed, { webhook: { ...moved.webhook, events: ["review_created"] } })
      assert.deepStrictEqual(yield* api.list_webhooks({}).pipe(as), { webhooks: [narrowed.webhook] })
      assert.strictEqual((yield* kept(operatorId))[0]?.secret, before[0]?.secret)
    })
  )

  it.effect("get a new secret on demand, shown once, beside which the former one goes on", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* someone
      const { webhook, secret } = yield* api.create_webhook({ url: URL_IN }).pipe(as)
      const rotated = yield* api.update_webhook({ id: webhook.id, rotate_secret: true }).pipe(as)
      assert.match(rotated.secret ?? "", /^whsec_/)
      assert.notStrictEqual(rotated.secret, secret)
      const [row] = yield* kept(operatorId)
      assert.deepInclude(row ?? {}, { secret: rotated.secret, former_secret: secret })
      const unrotated = yield* api.update_webhook({ id: webhook.id, rotate_secret: false }).pipe(as)
      assert.isUndefined(unrotated.secret)
      assert.deepInclude((yield* kept(operatorId))[0] ?? {}, { secret: rotated.secret, former_secret: secret })
    })
  )

  it.effect("say that they are paused, and any change resumes them", () =>
    Effect.gen(function* () {
      const { api, as } = yield* someone
      const { webhook } = yield* api.create_webhook({ url: URL_IN }).pipe(as)
      yield* pause(webhook.id)
      const { webhooks } = yield* api.list_webhooks({}).pipe(as)
      assert.deepInclude(webhooks[0], {
        status: "paused",
        paused_at: "2031-02-03T04:05:06+00:00",
        paused_reason: "No delivery succeeded."
      })
      assert.deepStrictEqual(yield* api.update_webhook({ id: webhook.id }).pipe(as), { webhook })
      assert.deepStrictEqual(yield* api.list_webhooks({}).pipe(as), { webhooks: [webhook] })
    })
  )

  it.effect("end when they are deleted", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* someone
      const { webhook } = yield* api.create_webhook({ url: URL_IN }).pipe(as)
      yield* api.delete_webhook({ id: webhook.id }).pipe(as)
      assert.deepStrictEqual(yield* api.list_webhooks({}).pipe(as), { webhooks: [] })
      for (const operation of ["update_webhook", "delete_webhook"] as const) {
        const envelope = yield* call(token, operation, { id: webhook.id })
        assert.deepStrictEqual([envelope.error_code, fieldOfError(envelope)], [404, "id"])
      }
    })
  )

  it.effect("keep nothing of a change that is refused", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* someone
      const sql = yield* SqlClient.SqlClient
      const envelope = yield* call(token, "update_webhook", { id: 4_000_000_000, url: URL_IN })
      assert.strictEqual(envelope.error_code, 404)
      assert.deepStrictEqual(yield* sql`SELECT * FROM webhook_receivers WHERE operator_id = ${operatorId}`, [])
    })
  )

  it.effect("share the text that receivers compare by URL and operator, for as long as that URL is used again", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* someone
      const other = yield* someone
      const first = yield* api.create_webhook({ url: URL_IN }).pipe(as)
      yield* api.create_webhook({ url: URL_IN }).pipe(as)
      yield* api.create_webhook({ url: "https://hooks.example.com/elsewhere" }).pipe(as)
      yield* other.api.create_webhook({ url: URL_IN }).pipe(other.as)
      const [one, two, elsewhere] = yield* kept(operatorId)
      assert.strictEqual(one?.secret_token, two?.secret_token)
      assert.notStrictEqual(one?.secret_token, elsewhere?.secret_token)
      assert.notStrictEqual(one?.secret_token, (yield* kept(other.operatorId))[0]?.secret_token)

      const moved = { id: first.webhook.id, url: "https://hooks.example.com/elsewhere" }
      yield* api.update_webhook(moved).pipe(as)
      assert.strictEqual((yield* kept(operatorId))[0]?.secret_token, elsewhere?.secret_token)
      yield* api.update_webhook({ ...moved, url: URL_IN }).pipe(as)
      yield* api.delete_webhook({ id: first.webhook.id }).pipe(as)
      yield* api.create_webhook({ url: URL_IN }).pipe(as)
      assert.strictEqual((yield* kept(operatorId)).at(-1)?.secret_token, one?.secret_token)
    })
  )

  it.effect(`are at most ${WEBHOOK_SUBSCRIPTION_LIMIT} an operator; a deleted one makes room`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { api, as, token, operatorId } = yield* someone
      const { webhook } = yield* api.create_webhook({ url: URL_IN }).pipe(as)
      yield* sql`
        INSERT INTO webhook_subscriptions (operator_id, url, secret_token, events, secret, older_events, created_at, updated_at)
        SELECT operator_id, url, secret_token, events, secret, older_events, created_at, updated_at
        FROM webhook_subscriptions, generate_series(3, ${WEBHOOK_SUBSCRIPTION_LIMIT}) WHERE operator_id = ${operatorId}`
      yield* api.create_webhook({ url: URL_IN }).pipe(as)
      assert.strictEqual((yield* api.list_webhooks({}).pipe(as)).webhooks.length, WEBHOOK_SUBSCRIPTION_LIMIT)
      const refusal = yield* call(token, "create_webhook", { url: URL_IN })
      assert.deepStrictEqual([refusal.error_code, fieldOfError(refusal)], [422, "webhook_limit"])
      assert.include(refusal.error_msg, `${WEBHOOK_SUBSCRIPTION_LIMIT}`)
      yield* api.delete_webhook({ id: webhook.id }).pipe(as)
      yield* api.create_webhook({ url: URL_IN }).pipe(as)
    })
  )

  it.effect("can be sent back whole, and refuse another value of what a change cannot set", () =>
    Effect.gen(function* () {
      const { api, as, token } = yield* someone
      const { webhook } = yield* api.create_webhook({ url: URL_IN }).pipe(as)
      assert.deepInclude(yield* call(token, "update_webhook", { ...webhook }), { error_code: 0 })
      for (const other of [
        { status: "paused" },
        { manageable: false },
        { paused_at: webhook.created_at },
        { created_at: "2020-01-01T00:00:00+00:00" }
      ]) {
        const [field] = Object.keys(other)
        const refused = yield* call(token, "update_webhook", { ...webhook, ...other })
        assert.deepStrictEqual([refused.error_code, fieldOfError(refused)], [422, field])
      }
      assert.deepStrictEqual((yield* api.list_webhooks({}).pipe(as)).webhooks, [webhook])
    })
  )

  it.effect("keep their number also when many are made at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { token, operatorId } = yield* someone
      yield* sql`UPDATE operators SET webhook_limit = 3 WHERE id = ${operatorId}`
      const envelopes = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => call(token, "create_webhook", { url: URL_IN }),
        { concurrency: "unbounded" }
      )
      const codes = envelopes.map((envelope) => envelope.error_code)
      assert.deepStrictEqual(codes.toSorted(), [0, 0, 0, 422, 422, 422, 422, 422])
      assert.strictEqual((yield* kept(operatorId)).length, 3)
    })
  )
})
