import type { ServerResponse } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CONNECTOR_CACHE_TTL_MS } from "../../../src/connectors/http/ConnectorCache.ts"
import { toConnectorName } from "../../../src/connectors/http/connector-names.ts"
import { HttpConnectors } from "../../../src/connectors/http/HttpConnectors.ts"
import { Connectors, type RemoteAccount } from "../../../src/domain/channels/port/connector.ts"
import { hasValidSignature } from "../../../src/domain/webhooks/deliveries/signature.ts"
import {
  CONNECTOR_REQUEST_MS,
  CONNECTOR_RESPONSE_BYTES,
  RECORD_CODE_LENGTH,
  WEBHOOK_SECRET_OVERLAP_MS
} from "../../../src/platform/limits.ts"
import { createConnector, layerConnectorsOverHttp } from "../../support/connectors/http/http-connectors.ts"
import {
  neverRespond,
  respondWith,
  startRawReceiver
} from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import {
  type ReceivedRequest,
  type ReceiverHandler,
  startReceiver
} from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { collectLogLines } from "../../support/log-lines.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const NOW = Date.parse("2027-05-01T09:00:00Z")
const ACCOUNT: RemoteAccount = { operatorId: 1, accountId: 12, channelType: "houfy", originAccountId: "host-7" }
const ORDER = { reservationCode: "0-1-AAAA", channelId: "T-1" }
const LISTING = { listingId: "loft" }

let minutes = 0

/** A connector at an address, as the service speaks to it. */
const reached = Effect.fnUntraced(function* (url: string) {
  yield* TestClock.setTime(NOW + ++minutes * 60_000)
  const made = yield* createConnector(url)
  yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
  const connector = (yield* Connectors).find(toConnectorName(made.id))
  return connector === undefined ? yield* Effect.die(new Error("no connector")) : { ...made, connector }
})

/** The same with a receiver that answers so. */
const answered = Effect.fnUntraced(function* (answer: ReceiverHandler) {
  const there = yield* startReceiver(answer)
  return { ...there, ...(yield* reached(`http://127.0.0.1:${there.port}/there`)) }
})

const json = (status: number, body: unknown) => respondWith(status, JSON.stringify(body))

/** What an act comes to, in a word or two. */
const inWords = (error: { readonly _tag: string; readonly code?: number; readonly reason?: string }): string =>
  [error._tag, error.code, error.reason].filter((word) => word !== undefined).join(" ")

const messageOf = ({ headers, body }: ReceivedRequest) => ({
  id: String(headers["webhook-id"]),
  timestamp: Number(headers["webhook-timestamp"]),
  body
})

layer(Layer.provideMerge(layerConnectorsOverHttp, layerTestDatabase))("a connector elsewhere", (it) => {
  it.effect("is asked in signed JSON, each time under a new id", () =>
    Effect.gen(function* () {
      const { id, secret, connector, requests } = yield* answered(json(200, {}))
      yield* connector.approve(ACCOUNT, ORDER)
      yield* connector.approve(ACCOUNT, ORDER)
      const [first, second] = [yield* Queue.take(requests), yield* Queue.take(requests)]
      assert.deepStrictEqual(
        [first.method, first.path, first.headers["content-type"]],
        ["POST", "/there", "application/json"]
      )
      assert.deepStrictEqual(JSON.parse(first.body), {
        type: "approve",
        account: { channel_account_id: 12, channel_type: "houfy", origin_account_id: "host-7" },
        reservation_code: "0-1-AAAA",
        channel_id: "T-1"
      })
      assert.notStrictEqual(messageOf(first).id, messageOf(second).id)
      const now = NOW + minutes * 60_000 + CONNECTOR_CACHE_TTL_MS
      const fits = (received: ReceivedRequest, text: string, at = now) =>
        hasValidSignature(messageOf(received), String(received.headers["webhook-signature"]), Redacted.make(text), at)
      assert.isTrue(fits(first, secret))
      // Both secrets sign for a day after it was rotated.
      const connectors = yield* HttpConnectors.pipe(Effect.provide(HttpConnectors.layer))
      const rotated = yield* connectors.rotateSecret(id)
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      yield* connector.decline(ACCOUNT, ORDER)
      const third = yield* Queue.take(requests)
      assert.isTrue(fits(third, secret) && fits(third, rotated.secret))
      yield* TestClock.adjust(WEBHOOK_SECRET_OVERLAP_MS)
      yield* connector.decline(ACCOUNT, ORDER)
      const fourth = yield* Queue.take(requests)
      const later = now + WEBHOOK_SECRET_OVERLAP_MS + CONNECTOR_CACHE_TTL_MS
      assert.isTrue(fits(fourth, rotated.secret, later))
      assert.isFalse(fits(fourth, secret, later))
      yield* connectors.remove(id)
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      assert.strictEqual(inWords(yield* Effect.flip(connector.approve(ACCOUNT, ORDER))), "ChannelNotServed")
    })
  )

  for (const [what, answer, said] of [
    ["refuses", json(422, { reason: "it is over" }), "ChannelRefused it is over"],
    ["refuses, because of what is there", json(409, { reason: "it is over" }), "ChannelRefused it is over"],
    ["refuses without a word", respondWith(422, "<html>no</html>"), "ChannelUnavailable 502"],
    ["refuses with what is none", json(409, { reason: 7 }), "ChannelUnavailable 502"],
    ["refuses with what cannot be kept", json(409, { reason: "a\0b" }), "ChannelUnavailable 502"],
    ["does not know the account any more", json(410, {}), "ChannelDisconnected"],
    ["does not believe us", json(401, {}), "ChannelUnavailable 502"],
    ["is not there", json(404, {}), "ChannelUnavailable 502"],
    ["has enough", json(429, {}), "ChannelUnavailable 503"],
    ["breaks", json(500, {}), "ChannelUnavailable 502"],
    ["is away", json(503, {}), "ChannelUnavailable 503"],
    ["asks somebody who is late", json(504, {}), "ChannelUnavailable 504"],
    ["sends us elsewhere", respondWith(302, "", { location: "http://127.0.0.1/" }), "ChannelUnavailable 502"],
    ["answers a page", respondWith(200, "<html></html>"), "ChannelUnavailable 502"],
    ["answers nothing", respondWith(200), "ChannelUnavailable 502"],
    ["answers no text", respondWith(200, Buffer.from([0x7b, 0xff])), "ChannelUnavailable 502"],
    ["answers a list", json(200, []), "ChannelUnavailable 502"],
    ["answers with another success", json(202, {}), "ChannelUnavailable 502"],
    ["answers five mebibytes", respondWith(200, "x".repeat(5 * CONNECTOR_RESPONSE_BYTES)), "ChannelUnavailable 502"],
    ["answers brackets", respondWith(200, "[".repeat(1000)), "ChannelUnavailable 502"],
    ["hangs up", (response: ServerResponse) => response.destroy(), "ChannelUnavailable 502"]
  ] as const) {
    it.effect(`that ${what} is ${said}`, () =>
      Effect.gen(function* () {
        const { connector } = yield* answered(answer)
        assert.strictEqual(inWords(yield* Effect.flip(connector.approve(ACCOUNT, ORDER))), said)
      })
    )
  }

  it.effect("names the field that it refuses", () =>
    Effect.gen(function* () {
      const { connector } = yield* answered(
        json(422, { reason: "not eligible", field: "settings.cancellation_policy" })
      )
      const error = yield* Effect.flip(connector.writeVrboPriceAndRules(ACCOUNT, { ...LISTING, settings: {} }))
      assert.deepInclude(error, { _tag: "ChannelRefused", field: "settings.cancellation_policy" })
    })
  )

  it.effect("is waited for as long as an act may take", () =>
    Effect.gen(function* () {
      const { connector, requests } = yield* answered(neverRespond)
      const asked = yield* Effect.forkChild(Effect.flip(connector.approve(ACCOUNT, ORDER)))
      yield* Queue.take(requests)
      yield* TestClock.adjust(CONNECTOR_REQUEST_MS - 1)
      assert.isUndefined(asked.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(inWords(yield* Fiber.join(asked)), "ChannelUnavailable 504")
    })
  )

  it.effect("that cannot be reached is away", () =>
    Effect.gen(function* () {
      const { connector, id } = yield* reached("http://127.0.0.1:9/")
      assert.strictEqual(inWords(yield* Effect.flip(connector.approve(ACCOUNT, ORDER))), "ChannelUnavailable 503")
      // What was allowed once, and is not now.
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE connectors SET url = 'https://169.254.169.254/' WHERE id = ${id}`
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      assert.strictEqual(inWords(yield* Effect.flip(connector.approve(ACCOUNT, ORDER))), "ChannelUnavailable 503")
      const talk = yield* startRawReceiver((socket) => socket.end("SSH-2.0-OpenSSH\r\n"))
      const other = yield* reached(talk)
      assert.strictEqual(inWords(yield* Effect.flip(other.connector.approve(ACCOUNT, ORDER))), "ChannelUnavailable 502")
    })
  )

  it.effect("tells the days that were asked for, in order, and as much as may be", () =>
    Effect.gen(function* () {
      const day = (date: string) => ({ date, price: 100, inventory: 1 })
      const read = (days: unknown) =>
        Effect.gen(function* () {
          const { connector } = yield* answered(json(200, { days }))
          return yield* connector.readCalendar(ACCOUNT, { ...LISTING, start: "2027-05-30", end: "2027-06-01" })
        })
      const good = ["2027-05-30", "2027-05-31", "2027-06-01"].map(day)
      assert.deepStrictEqual(yield* read(good), good)
      const ahead = (characters: number) =>
        good.map((each) => ({ ...each, restrictions: { min_advance_reservation: "D".repeat(characters) } }))
      assert.deepStrictEqual(yield* read(ahead(100)), ahead(100))
      for (const bad of [
        [],
        good.slice(1),
        good.toReversed(),
        [...good, day("2027-06-02")],
        ahead(101),
        good.map((each) => ({ ...each, price: "100" })),
        good.map((each) => ({ ...each, inventory: 1.5 }))
      ]) {
        assert.strictEqual(inWords(yield* Effect.flip(read(bad))), "ChannelUnavailable 502")
      }
      for (const [bytes, said] of [
        [CONNECTOR_RESPONSE_BYTES, "done"],
        [CONNECTOR_RESPONSE_BYTES + 1, "ChannelUnavailable 502"]
      ] as const) {
        const { connector } = yield* answered(respondWith(200, "{}".padEnd(bytes, " ")))
        const became = Effect.match(connector.approve(ACCOUNT, ORDER), { onSuccess: () => "done", onFailure: inWords })
        assert.strictEqual(yield* became, said)
      }
    })
  )

  const message = { threadId: "H-1", messageId: "m-1", text: "Olá", imageUrl: null, again: true }
  const sent = (answer: unknown) =>
    Effect.flatMap(answered(json(200, answer)), ({ connector }) => connector.sendMessage(ACCOUNT, message))

  it.effect("says what became of a message, or that nobody can know; of anything else it may have got there", () =>
    Effect.gen(function* () {
      const name = "x".repeat(RECORD_CODE_LENGTH)
      assert.deepStrictEqual(yield* sent({ outcome: "sent", channel_message_id: name, more: 1 }), {
        outcome: "sent",
        channelMessageId: name
      })
      assert.deepStrictEqual(yield* sent({ outcome: "sent", channel_message_id: null }), {
        outcome: "sent",
        channelMessageId: null
      })
      assert.deepStrictEqual(yield* sent({ outcome: "unknown" }), { outcome: "unknown" })
      for (const bad of [
        {},
        { outcome: "sent" },
        { outcome: "sent", channel_message_id: 7 },
        { outcome: "sent", channel_message_id: `${name}x` },
        { outcome: "sent", channel_message_id: "a\0" },
        { outcome: "delivered", channel_message_id: name }
      ]) {
        assert.strictEqual(inWords(yield* Effect.flip(sent(bad))), "ChannelUnavailable 502", JSON.stringify(bad))
      }
    })
  )

  it.effect("says what it offered, whole", () =>
    Effect.gen(function* () {
      const offer = {
        threadId: "H-1",
        reference: "r-1",
        offerType: "preapproval",
        listingId: "loft",
        ratePlanId: null,
        checkInDate: "2027-05-01",
        checkOutDate: "2027-05-03",
        numberOfAdults: 2,
        numberOfChildren: 0,
        numberOfInfants: 0,
        numberOfPets: 0,
        price: null,
        currency: null
      } as const
      const offered = (answer: unknown) =>
        Effect.flatMap(answered(json(200, answer)), ({ connector }) => connector.sendOffer(ACCOUNT, offer))
      const times = { created_at: "2027-04-20T10:00:00Z", expires_at: "2027-04-21T10:00:00+01:00" }
      const good = { offer_id: "O-1", price: 200.5, currency: "EUR", ...times }
      assert.deepStrictEqual(yield* offered(good), {
        offerId: "O-1",
        price: 200.5,
        currency: "EUR",
        createdAt: times.created_at,
        expiresAt: times.expires_at
      })
      // The guest has it, whatever is said of its times.
      for (const [none, expiresAt] of [
        [{}, ""],
        [{ created_at: null, expires_at: 7 }, ""],
        [{ expires_at: "tomorrow" }, "tomorrow"]
      ] as const) {
        const { created_at: _created, expires_at: _expires, ...timeless } = good
        assert.deepInclude(yield* offered({ ...timeless, ...none }), { offerId: "O-1", createdAt: "", expiresAt })
      }
      const { currency: _, ...without } = good
      for (const bad of [
        without,
        { ...good, price: "200" },
        { ...good, price: -1 },
        { ...good, currency: "euro" },
        { ...good, offer_id: "x".repeat(RECORD_CODE_LENGTH + 1) }
      ]) {
        assert.strictEqual(inWords(yield* Effect.flip(offered(bad))), "ChannelUnavailable 502", JSON.stringify(bad))
      }
    })
  )

  it.effect("that answers what is none is in the log once a minute, without what it said and without its secret", () =>
    Effect.gen(function* () {
      const { connector, id, secret } = yield* answered(json(200, { days: [{ date: "Ana Reis", price: "x" }] }))
      const asked = Effect.exit(connector.readCalendar(ACCOUNT, { ...LISTING, start: "2027-05-30", end: "2027-06-01" }))
      const told = yield* collectLogLines(Effect.repeat(asked, { times: 4 }))
      assert.deepStrictEqual(
        told.map(({ level, fields }) => [level, fields["connector_id"], fields["type"]]),
        [["Warn", id, "read_calendar"]]
      )
      yield* TestClock.adjust("1 minute")
      const again = yield* collectLogLines(asked)
      assert.strictEqual(again[0]?.fields["untold"], 4)
      assert.notMatch(JSON.stringify([told, again]), /Ana Reis/)
      assert.notInclude(JSON.stringify([told, again]), secret.slice(6))
    })
  )
})
