import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Schema } from "effect"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { startDemoService } from "../../support/first-start.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { findFreePort, runLatchkeyProcess, startService } from "../../support/tools/cli/latchkey-process.ts"
import { runLatchkeyInProcess } from "../../support/tools/cli/running-service.ts"

const Answer = Schema.Struct({ error_code: Schema.Int, data: Schema.Record(Schema.String, Schema.Unknown) })
const Webhooks = Schema.Struct({ webhooks: Schema.Array(Schema.Struct({ id: Schema.Int, url: Schema.String })) })

/** A call of a running service; answers its data. */
const asked = Effect.fnUntraced(function* (base: string, token: string, method: string, path: string, body?: object) {
  const headers = { "service-access-token": token, "content-type": "application/json" }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const text = yield* Effect.promise(() => fetch(`${base}/v3${path}`, init).then((response) => response.text()))
  const answer = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))(text)
  assert.strictEqual(answer.error_code, 0, text)
  return answer.data
})

const linesOf = (text: string): ReadonlyArray<unknown> =>
  text
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))

const ENTRY = { direction: "income", amount: 3, currency: "EUR", item_id: 11, payment_method_id: 197 }

it.live(
  "latchkey webhook listens, shows what was delivered and sends it again",
  () =>
    Effect.gen(function* () {
      const { baseUrl: base, token, env, service } = yield* startDemoService({ WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" })
      const ask = (method: string, path: string, body?: object) => asked(base, token, method, path, body)
      const subscriptions = Effect.flatMap(ask("GET", "/webhooks"), Schema.decodeUnknownEffect(Webhooks))

      // A developer listens, subscribed by the command itself.
      const port = yield* findFreePort
      const listen = ["webhook", "listen", "--json", "--port", port, "--token", token, "--count", "1"]
      const listening = yield* Effect.forkChild(runLatchkeyProcess(listen, { ...env, PORT: new URL(base).port }))
      while ((yield* subscriptions).webhooks.length === 0) yield* Effect.sleep(50)
      yield* ask("POST", "/transactions", ENTRY)
      const listened = yield* Fiber.join(listening)
      assert.strictEqual(listened.code, 0, listened.stderr)
      const [head, arrived] = linesOf(listened.stdout)
      assert.deepStrictEqual(head, { listening: `http://127.0.0.1:${port}/` })
      assert.deepInclude(arrived, { signature: "valid" })
      assert.deepStrictEqual(yield* subscriptions, { webhooks: [] })

      // Somebody subscribes.
      const server = yield* startReceiver((response) => response.end("thank you"))
      // Of the entry alone: the demo's calendars are told to its channels while the service is young.
      yield* ask("POST", "/webhooks", { url: `http://127.0.0.1:${server.port}/`, events: ["transaction_created"] })
      yield* ask("POST", "/transactions", ENTRY)
      const first = yield* Queue.take(server.requests)
      const id = String(first.headers["webhook-id"])
      let log: unknown
      do [log] = linesOf((yield* runLatchkeyInProcess(["webhook", "deliveries", "--json", "--limit", "1"], env)).stdout)
      while (JSON.stringify(log).includes('"state":"waiting"'))
      assert.nestedPropertyVal(log, "deliveries[0].id", id)
      assert.nestedPropertyVal(log, "deliveries[0].state", "delivered")
      assert.nestedPropertyVal(log, "deliveries[0].attempts[0].status", 200)
      assert.nestedPropertyVal(log, "deliveries[0].attempts[0].first_bytes", "thank you")
      const dead = yield* runLatchkeyInProcess(["webhook", "deliveries", "--json", "--dead"], env)
      assert.deepStrictEqual(linesOf(dead.stdout), [{ deliveries: [], oldest_waiting: null }])

      for (const [args, message] of [
        [[], /--dead\b.*--since\b/],
        [["evt_0"], /"id: .*\bevt_0\b/],
        [["evt_1_1"], /\bno delivery evt_1_1\b/]
      ] as const) {
        const refused = yield* runLatchkeyInProcess(["webhook", "replay", "--json", ...args], env)
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stdout, message)
      }
      // The running service is woken, and sends it.
      const replayed = yield* runLatchkeyProcess(["webhook", "replay", "--json", id], env)
      assert.deepStrictEqual(linesOf(replayed.stdout), [{ replayed: 1 }])
      assert.strictEqual((yield* Queue.take(server.requests)).headers["webhook-id"], id)

      // With the service stopped it waits for the next start.
      yield* service.stop
      yield* runLatchkeyInProcess(["webhook", "replay", id], env)
      const waits = yield* runLatchkeyInProcess(["webhook", "deliveries", "--json", "--limit", "1"], env)
      assert.nestedPropertyVal(linesOf(waits.stdout)[0], "oldest_waiting.id", id)
      const inWords = yield* runLatchkeyInProcess(["webhook", "deliveries", "--limit", "1"], env)
      assert.match(inWords.stdout, new RegExp(`\\b${id}\\b.*\\b\\d+ s\\b`))
      yield* startService("http", env)
      assert.strictEqual((yield* Queue.take(server.requests)).headers["webhook-id"], id)
    }).pipe(Effect.scoped),
  PROCESSES_MS
)
