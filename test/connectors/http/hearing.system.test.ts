import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { windowOf } from "../../../src/admission/windows/rate-window.ts"
import { CONNECTOR_CACHE_TTL_MS } from "../../../src/connectors/http/ConnectorCache.ts"
import { toConnectorName } from "../../../src/connectors/http/connector-names.ts"
import { HttpConnectors } from "../../../src/connectors/http/HttpConnectors.ts"
import { layerConnectorMessageRetention } from "../../../src/connectors/http/message-log.ts"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { RETENTION_INTERVAL_MS } from "../../../src/jobs/retention.ts"
import {
  BODY_BYTES,
  CONCURRENT_CONNECTOR_BODIES_MAX,
  CONNECTOR_BODY_MS,
  CONNECTOR_BODY_PROTECTED_MS,
  CONNECTOR_MESSAGE_ID_LENGTH,
  CONNECTOR_MESSAGE_RETENTION_MS,
  CONNECTOR_MESSAGES_A_MINUTE,
  JSON_DEPTH_MAX,
  WEBHOOK_SECRET_OVERLAP_MS,
  WEBHOOK_SIGNATURE_SECONDS
} from "../../../src/platform/limits.ts"
import { createConnector, layerConnectorEndpointWithReceiver } from "../../support/connectors/http/http-connectors.ts"
import {
  type ConnectorMessageInput,
  makeMessageHeaders,
  sendConnectorMessage
} from "../../support/connectors/http/signed-messages.ts"
import { createOperator, layerTest } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer, layerHttpServerOf } from "../../support/http-server.ts"
import { insertChannelAccount } from "../../support/listings.ts"
import { RawClient } from "../../support/transports/http-server/raw-client.ts"

/** What was logged, by anybody. */
const lines: Array<string> = []
const layerLog = Logger.layer([
  Logger.make(({ logLevel, message, fiber }) => {
    lines.push(JSON.stringify([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)]))
  })
])

const layerHeard = layerHttpServerOf(
  Layer.provideMerge(
    Layer.provideMerge(Layer.provide(layerConnectorEndpointWithReceiver, Ingest.layer), layerTest),
    layerLog
  )
)

const NOW = Date.parse("2027-05-01T09:00:00Z")

let minutes = 0

/** A connector with one account, and a way to say something at its address. */
const speaking = Effect.fnUntraced(function* () {
  yield* TestClock.setTime(NOW + ++minutes * 60_000)
  // A process does not know a connector at once that another made.
  const { id, secret } = yield* createConnector(`http://127.0.0.1:9/${Math.random()}`)
  yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
  const { operatorId } = yield* createOperator()
  const connector = toConnectorName(id)
  const accountId = yield* insertChannelAccount(operatorId, { channelType: "houfy", connector })
  const url = `${yield* BaseUrl}/connectors/${id}`
  const said = (word: object, account = accountId) =>
    JSON.stringify({ account: { channel_account_id: account }, said: word })
  const say = (sent: Partial<ConnectorMessageInput> = {}) =>
    sendConnectorMessage(url, { secrets: [secret], body: said(named(1)), ...sent })
  return { id, secret, operatorId, accountId, url, said, say }
})

/** The account says what it is called. */
const named = (version: number, username = "harbour") => ({
  type: "account",
  version,
  username,
  auth_status: "active"
})

/** What the service knows of an account. */
const known = Effect.fnUntraced(function* (accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ username: string; version: number }>`
    SELECT username, version::int AS version FROM channel_accounts WHERE id = ${accountId}`
  return row
}, Effect.orDie)

const count = Effect.fnUntraced(function* (connectorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT 1 AS one FROM connector_messages WHERE connector_id = ${connectorId}`
  return rows.length
}, Effect.orDie)

layer(layerHeard)("what a connector says", (it) => {
  it.effect("is heard, answered the same when it is sent again, and refused when it is copied", () =>
    Effect.gen(function* () {
      const { id, accountId, said, say } = yield* speaking()
      const sent = { id: "one", body: said(named(3, "Ana")) }
      for (const off of [0, 1, 3]) {
        const { status, body } = yield* say({ ...sent, off })
        assert.deepStrictEqual([status, body], [200, { outcome: "applied" }])
      }
      // The last copied, one before it copied, and one that was never heard and is older.
      for (const off of [3, 1, 2]) {
        const { status, body } = yield* say({ ...sent, off })
        assert.strictEqual(status, 409)
        assert.match(String(body["reason"]), /^webhook-timestamp: /)
      }
      assert.deepStrictEqual(yield* known(accountId), { username: "Ana", version: 3 })
      assert.strictEqual(yield* count(id), 1)
      // A new message that says the same is another thing.
      assert.deepStrictEqual((yield* say({ body: sent.body })).body, { outcome: "known" })
      assert.deepStrictEqual((yield* say({ body: said(named(2, "Old")) })).body, { outcome: "late" })
      const other = yield* say({ id: "one", body: said(named(4, "Eve")) })
      assert.strictEqual(other.status, 409)
      assert.deepStrictEqual(yield* known(accountId), { username: "Ana", version: 3 })
    })
  )

  it.effect("is heard once by two that hear it at once", () =>
    Effect.gen(function* () {
      const { id, said, say } = yield* speaking()
      const twice = yield* Effect.all(
        [1, 2].map((off) => say({ id: "one", body: said(named(3)), off })),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(
        twice.map(({ status }) => status),
        [200, 200]
      )
      assert.include(
        twice.map(({ body }) => body["outcome"]),
        "applied"
      )
      assert.strictEqual(yield* count(id), 1)
    })
  )

  it.effect("changes nothing more where a process ended before it wrote down that it had heard", () =>
    Effect.gen(function* () {
      const { id, accountId, said, say } = yield* speaking()
      const sent = { id: "one", body: said(named(3, "Ana")) }
      yield* say(sent)
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM connector_messages WHERE connector_id = ${id}`
      const trail = sql`SELECT id FROM trail WHERE record = ${`channel_account:${accountId}`}`
      const before = yield* trail
      assert.lengthOf(before, 1)
      assert.deepStrictEqual((yield* say(sent)).body, { outcome: "known" })
      assert.deepStrictEqual(yield* known(accountId), { username: "Ana", version: 3 })
      assert.deepStrictEqual(yield* trail, before)
    })
  )

  it.effect("is refused with a reason, logged once, and not again when it comes again", () =>
    Effect.gen(function* () {
      const { accountId, said, say } = yield* speaking()
      const before = yield* known(accountId)
      for (const [word, reason] of [
        [{ type: "weather", version: 1 }, /^type: .*unknown/],
        [{ ...named(1), username: 7 }, /^username: .*a text/]
      ] as const) {
        const told = () =>
          lines.filter(
            (line) => line.includes(`"channel_account_id":${accountId}`) && line.includes(`"kind":"${word.type}"`)
          )
        const earlier = told().length
        const sent = { id: `refused ${word.type}`, body: said(word) }
        for (const off of [1, 2]) {
          const { status, body } = yield* say({ ...sent, off })
          assert.deepStrictEqual([status, body["outcome"]], [422, "refused"])
          assert.match(String(body["reason"]), reason)
        }
        assert.strictEqual(told().length, earlier + 1)
      }
      assert.deepStrictEqual(yield* known(accountId), before)
    })
  )

  it.effect("is of its own accounts alone", () =>
    Effect.gen(function* () {
      const one = yield* speaking()
      const other = yield* speaking()
      const sandboxed = yield* insertChannelAccount(one.operatorId, { channelType: "vrbo" })
      for (const account of [other.accountId, sandboxed, 2 ** 50]) {
        const before = yield* known(account)
        const { status, body } = yield* one.say({ body: one.said(named(9, "Eve"), account) })
        assert.strictEqual(status, 403)
        assert.match(String(body["reason"]), /^account\.channel_account_id: /)
        assert.deepStrictEqual(yield* known(account), before)
      }
      assert.strictEqual(yield* count(one.id), 0)
    })
  )

  it.effect("is believed by its signature, of the last five minutes, and is not told what is wrong with it", () =>
    Effect.gen(function* () {
      const { id, secret, accountId, url, said, say } = yield* speaking()
      const stranger = yield* speaking()
      const before = yield* known(accountId)
      const body = said(named(9, "Eve"))
      const unsigned = yield* Effect.promise(() =>
        fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } })
      )
      const refusals = [
        yield* say({ secrets: [stranger.secret], body }),
        yield* say({ off: WEBHOOK_SIGNATURE_SECONDS + 1, body }),
        yield* say({ off: -WEBHOOK_SIGNATURE_SECONDS - 1, body }),
        yield* say({ body, headers: { "webhook-signature": "" } }),
        yield* say({ body, headers: { "webhook-timestamp": "now" } }),
        yield* say({ body, headers: { "webhook-id": "another" } }),
        yield* sendConnectorMessage(url.replace(/\d+$/, "999999999"), { secrets: [secret], body }),
        yield* sendConnectorMessage(stranger.url, { secrets: [secret], body })
      ]
      for (const { status, body } of refusals) {
        assert.deepStrictEqual([status, body], [401, { reason: refusals[0]?.body["reason"] }])
      }
      assert.strictEqual(unsigned.status, 401)
      assert.deepStrictEqual(yield* known(accountId), before)
      assert.strictEqual(yield* count(id), 0)
      for (const off of [WEBHOOK_SIGNATURE_SECONDS, -WEBHOOK_SIGNATURE_SECONDS]) {
        assert.strictEqual((yield* say({ off })).status, 200)
      }
      // One of several that fits is enough.
      assert.strictEqual((yield* say({ secrets: [stranger.secret, secret] })).status, 200)
    })
  )

  it.effect("is signed by a new secret, and by the one before for a day", () =>
    Effect.gen(function* () {
      const { id, secret, say } = yield* speaking()
      const connectors = yield* HttpConnectors.pipe(Effect.provide(HttpConnectors.layer))
      const rotated = yield* connectors.rotateSecret(id)
      assert.notStrictEqual(rotated.secret, secret)
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      assert.strictEqual((yield* say({ secrets: [rotated.secret] })).status, 200)
      yield* TestClock.adjust(WEBHOOK_SECRET_OVERLAP_MS - 2 * CONNECTOR_CACHE_TTL_MS)
      assert.strictEqual((yield* say()).status, 200)
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      assert.strictEqual((yield* say()).status, 401)
      assert.strictEqual((yield* say({ secrets: [rotated.secret] })).status, 200)
      yield* connectors.remove(id)
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      assert.strictEqual((yield* say({ secrets: [rotated.secret] })).status, 401)
    })
  )

  it.effect("is of a size that can be read, said beforehand or not", () =>
    Effect.gen(function* () {
      const { said, say, accountId } = yield* speaking()
      const padded = (bytes: number, version: number) => said(named(version)).padEnd(bytes, " ")
      assert.strictEqual((yield* say({ body: padded(BODY_BYTES, 1) })).status, 200)
      assert.strictEqual((yield* say({ body: padded(BODY_BYTES, 2), isChunked: true })).status, 200)
      for (const bytes of [BODY_BYTES + 1, 5 * BODY_BYTES]) {
        for (const chunked of [{}, { isChunked: true }] as const) {
          const { status, body } = yield* say({ body: padded(bytes, 9), ...chunked })
          assert.strictEqual(status, 413)
          assert.include(String(body["reason"]), `${BODY_BYTES}`)
        }
      }
      assert.strictEqual((yield* known(accountId))?.version, 2)
    })
  )

  it.effect("is JSON, in a form that can be read", () =>
    Effect.gen(function* () {
      const { accountId, say } = yield* speaking()
      const nested = (levels: number) =>
        `{"account":{"channel_account_id":${accountId}},"said":{"type":"x","deep":${"[".repeat(levels)}${"]".repeat(levels)}}}`
      for (const [sent, status, reason] of [
        [{ body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, /UTF-8/],
        [{ body: "<html></html>" }, 400, /JSON/],
        [{ body: "" }, 400, /JSON/],
        [{ body: "{}" }, 400, /^account: .* said: /],
        [{ body: nested(JSON_DEPTH_MAX) }, 400, new RegExp(`${JSON_DEPTH_MAX}`)],
        [{ body: nested(JSON_DEPTH_MAX - 2) }, 422, /^type: .*unknown/],
        [{ headers: { "content-type": "text/plain" } }, 415, /application\/json/],
        [{ id: "i".repeat(CONNECTOR_MESSAGE_ID_LENGTH) }, 200, /^undefined$/],
        [
          { id: "i".repeat(CONNECTOR_MESSAGE_ID_LENGTH + 1) },
          422,
          new RegExp(`^webhook-id: .*${CONNECTOR_MESSAGE_ID_LENGTH}`)
        ]
      ] as const) {
        const answer = yield* say(sent)
        assert.strictEqual(answer.status, status)
        assert.match(String(answer.body["reason"]), reason)
      }
    })
  )

  it.effect("is counted by the minute", () =>
    Effect.gen(function* () {
      const other = yield* speaking()
      const { id, say } = yield* speaking()
      const windows = yield* RateWindows
      const bucket = { key: `{connector:${id}}`, scope: "connector", window: windowOf("1m"), max: 1 } as const
      yield* Effect.repeat(windows.count([bucket]), { times: CONNECTOR_MESSAGES_A_MINUTE - 2 })
      assert.strictEqual((yield* say()).status, 200)
      const refused = yield* say()
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "59")
      // Another connector is none the worse.
      assert.strictEqual((yield* other.say()).status, 200)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* say()).status, 200)
    })
  )

  it.effect("does not arrive for ever, nor from everybody at once", () =>
    Effect.gen(function* () {
      const { said, say, secret, url } = yield* speaking()
      const base = yield* BaseUrl
      const sent = { secrets: [secret], body: said(named(1)) } as const
      const headers = Object.entries({ ...(yield* makeMessageHeaders(sent)), host: "x", "content-length": "50" })
      const begun = `POST ${new URL(url).pathname} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n{`
      const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const stalled = (many: number) => Array.from({ length: many }, () => new RawClient(base).send(begun))
      const all = stalled(CONCURRENT_CONNECTOR_BODIES_MAX - 1)
      assert.strictEqual((yield* say()).status, 200)
      all.push(...stalled(1))
      let last = yield* say()
      while (last.status !== 503) last = yield* say()
      assert.strictEqual(last.headers.get("retry-after"), "1")
      const open = () => all.filter(({ socket }) => !socket.closed).length
      yield* TestClock.adjust(CONNECTOR_BODY_MS - 1)
      yield* turn
      assert.strictEqual(open(), CONCURRENT_CONNECTOR_BODIES_MAX)
      yield* TestClock.adjust(1)
      // Their connections are closed: nothing else ends a body that does not come.
      while (open() > 0) yield* turn
      while (last.status !== 200) last = yield* say()
    })
  )

  /** Opens connections that send the beginning of an unsigned message and then nothing more. */
  const openStalledConnections = Effect.fnUntraced(function* (
    connectorId: number,
    count: number,
    localAddress?: string
  ) {
    const base = yield* BaseUrl
    const headers = yield* makeMessageHeaders({
      secrets: ["whsec_AAAA"],
      body: "",
      headers: { "webhook-signature": "v1,AAAA" }
    })
    const lines = Object.entries({ ...headers, host: "x", "content-length": String(BODY_BYTES) })
    const requestHead = `POST /connectors/${connectorId} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n{`
    const connections = Array.from({ length: count }, () => new RawClient(base, localAddress).send(requestHead))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const { socket } of connections) socket.destroy()
      })
    )
    return connections
  })

  const STALLED = 80
  const SIGNED = 5

  /** Waits until stalled connections hold all permits, which shows when the service rejects the others. */
  const untilFull = (connections: ReadonlyArray<RawClient>) =>
    Effect.repeat(
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
      {
        until: () =>
          connections.filter(({ received: heard }) => heard.startsWith("HTTP/1.1 503")).length ===
          STALLED - CONCURRENT_CONNECTOR_BODIES_MAX
      }
    )

  it.effect("is handled while another network holds all permits with stalled connections", () =>
    Effect.gen(function* () {
      const { id, say } = yield* speaking()
      yield* untilFull(yield* openStalledConnections(id, STALLED, "127.0.0.2"))
      const answers = yield* Effect.replicateEffect(say(), SIGNED, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        Array.from({ length: SIGNED }, () => 200)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is handled while its network holds all permits with stalled connections to another connector", () =>
    Effect.gen(function* () {
      const [attacked, other] = [yield* speaking(), yield* speaking()]
      yield* untilFull(yield* openStalledConnections(attacked.id, STALLED))
      for (const _ of Array.from({ length: SIGNED })) assert.strictEqual((yield* other.say()).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect(`evicts stalled connections of its network to its connector after ${CONNECTOR_BODY_PROTECTED_MS} ms`, () =>
    Effect.gen(function* () {
      const { id, say } = yield* speaking()
      yield* untilFull(yield* openStalledConnections(id, STALLED))
      yield* TestClock.adjust(CONNECTOR_BODY_PROTECTED_MS)
      assert.strictEqual((yield* say()).status, 503)
      yield* TestClock.adjust(1)
      for (const _ of Array.from({ length: SIGNED })) assert.strictEqual((yield* say()).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("is rejected before its body arrives if its path names no connector", () =>
    Effect.gen(function* () {
      const { say } = yield* speaking()
      const connections = yield* openStalledConnections(999_999_999, STALLED)
      for (const connection of connections) yield* Effect.promise(() => connection.awaitText(/^HTTP\/1.1 401/))
      assert.strictEqual((yield* say()).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("is forgotten after an hour", () =>
    Effect.gen(function* () {
      const { id, say } = yield* speaking()
      yield* Effect.gen(function* () {
        yield* say()
        yield* TestClock.adjust(CONNECTOR_MESSAGE_RETENTION_MS - 1)
        assert.strictEqual(yield* count(id), 1)
        // A round that is still under way sleeps from when it ends.
        while ((yield* count(id)) > 0) yield* TestClock.adjust(RETENTION_INTERVAL_MS + 1)
      }).pipe(Effect.provide(layerConnectorMessageRetention))
    })
  )

  it.effect("leaves no secret in the log, and a line a minute of what anybody may send", () =>
    Effect.gen(function* () {
      const { secret, say } = yield* speaking()
      yield* TestClock.setTime(NOW + 7 * 86_400_000)
      const before = lines.length
      for (const _ of [1, 2, 3]) yield* say({ headers: { "webhook-signature": "v1,AAAA" } })
      assert.strictEqual(lines.slice(before).length, 1)
      yield* TestClock.adjust("1 minute")
      yield* say({ headers: { "webhook-signature": "v1,AAAA" } })
      assert.include(lines.at(-1), '"untold":2')
      assert.notInclude(lines.join(), secret.slice(6))
    })
  )
})

layer(
  layerHttpServerOf(Layer.provideMerge(Layer.provide(layerConnectorEndpointWithReceiver, Ingest.layer), layerTest), {
    requireHttps: true
  })
)("over plain HTTP", (it) => {
  it.effect("nothing is heard where HTTPS is required", () =>
    Effect.gen(function* () {
      const { say } = yield* speaking()
      const { status, body } = yield* say()
      assert.strictEqual(status, 400)
      assert.match(String(body["reason"]), /^Use HTTPS/)
    })
  )
})

layer(layerHttpServer())("a process without connectors", (it) => {
  it.effect("has nothing at their addresses, nor any process at others", () =>
    Effect.gen(function* () {
      const { say } = yield* speaking()
      assert.strictEqual((yield* say()).status, 404)
    })
  )
})
