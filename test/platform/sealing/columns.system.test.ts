import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CONNECTOR_CACHE_TTL_MS } from "../../../src/connectors/http/ConnectorCache.ts"
import { toConnectorName } from "../../../src/connectors/http/connector-names.ts"
import { HttpConnectors } from "../../../src/connectors/http/HttpConnectors.ts"
import { ImportedCalendars } from "../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { PropertyFeeds } from "../../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { makeDeliveryPolls } from "../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { hasValidSignature, parseSigningSecret } from "../../../src/domain/webhooks/deliveries/signature.ts"
import { SEALED_COLUMNS, toColumnLabel } from "../../../src/platform/sealing/sealed-columns.ts"
import { CalendarsElsewhere } from "../../../src/transports/console/queries/CalendarsElsewhere.ts"
import { createConnector } from "../../support/connectors/http/http-connectors.ts"
import { sendConnectorMessage } from "../../support/connectors/http/signed-messages.ts"
import { asCaller } from "../../support/console-caller.ts"
import { getOrCreateFeedAddress, renewFeedAddress } from "../../support/domain/calendars/feed-addresses.ts"
import {
  addImportedCalendar,
  fetchAllDue,
  loadCalendarState,
  makeCalendarImportWorker,
  startCalendarSource,
  toBusyCalendar
} from "../../support/domain/calendars/imported-calendars/import-service.ts"
import {
  createSubscription,
  deliverAllDue,
  recordEvents
} from "../../support/domain/webhooks/deliveries/delivery-service.ts"
import { respondWith } from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import {
  asSystemActor,
  callForResponse,
  createOperator,
  dataOf,
  insertProperty,
  typedClient,
  withToken
} from "../../support/harness.ts"
import { BaseUrl } from "../../support/http-server.ts"
import { insertChannelAccount } from "../../support/listings.ts"
import {
  FIRST_KEY,
  findTablesWithTexts,
  layerSealedService,
  loadSealableTexts,
  parseKeys
} from "../../support/platform/sealing/sealed-service.ts"

/** The tables show none of the texts, and something else in their place. */
const hidden = Effect.fnUntraced(function* (...texts: ReadonlyArray<string>) {
  for (const text of texts) assert.isAbove(text.length, 8)
  assert.deepStrictEqual(yield* findTablesWithTexts(texts), [])
})

const now = Effect.andThen(TestClock.setTime(Date.now()), Effect.void)

layer(layerSealedService(parseKeys(FIRST_KEY)))("with a key", (it) => {
  it.effect("webhooks are signed as ever, with both secrets while one is replaced, and no table shows either", () =>
    Effect.gen(function* () {
      yield* now
      const [api, polls] = [yield* typedClient, yield* makeDeliveryPolls]
      const server = yield* startReceiver(respondWith(200))
      const one = yield* createSubscription(server.port)
      const { secret = "" } = yield* api
        .update_webhook({ id: one.id, rotate_secret: true })
        .pipe(withToken(one.operator.token))
      yield* recordEvents(one.operator, [{}])
      yield* deliverAllDue(polls)
      const { headers, body } = yield* Queue.take(server.requests)
      const timestamp = Number(headers["webhook-timestamp"])
      const message = { id: String(headers["webhook-id"]), timestamp, body }
      for (const text of [one.secret, secret]) {
        const known = yield* Effect.fromResult(parseSigningSecret(text))
        assert.isTrue(hasValidSignature(message, String(headers["webhook-signature"]), known, timestamp * 1000))
      }
      yield* hidden(one.secret, secret, String(headers["service-webhook-secret-token"]))
    })
  )

  it.effect("a receiver keeps its secret token, whoever subscribes it and wherever a subscription goes", () =>
    Effect.gen(function* () {
      yield* now
      const [api, polls] = [yield* typedClient, yield* makeDeliveryPolls]
      const server = yield* startReceiver(respondWith(200))
      const one = yield* createSubscription(server.port)
      const other = yield* createSubscription(server.port, { operator: one.operator, path: "/other" })
      yield* api.update_webhook({ id: other.id, url: one.url }).pipe(withToken(one.operator.token))
      yield* recordEvents(one.operator, [{}])
      yield* deliverAllDue(polls)
      const [first, second] = [yield* Queue.take(server.requests), yield* Queue.take(server.requests)]
      const tokens = [first, second].map(({ headers }) => String(headers["service-webhook-secret-token"]))
      assert.strictEqual(tokens[0], tokens[1])
      yield* hidden(...tokens)
    })
  )

  it.effect("a delivery whose secret is another row's is not made, and is in the way of no other", () =>
    Effect.gen(function* () {
      yield* now
      const [sql, polls] = [yield* SqlClient.SqlClient, yield* makeDeliveryPolls]
      const [wrong, right] = [yield* startReceiver(respondWith(200)), yield* startReceiver(respondWith(200))]
      const [one, other] = [yield* createSubscription(wrong.port), yield* createSubscription(right.port)]
      yield* sql`
        UPDATE webhook_subscriptions SET secret = (SELECT secret FROM webhook_subscriptions WHERE id = ${other.id})
        WHERE id = ${one.id}`
      yield* recordEvents(one.operator, [{}])
      yield* recordEvents(other.operator, [{}])
      yield* polls.dispatchEvents
      yield* polls.claimDue
      yield* polls.awaitIdle
      assert.strictEqual(yield* Queue.size(right.requests), 1)
      assert.strictEqual(yield* Queue.size(wrong.requests), 0)
    })
  )

  it.effect("a connector's messages are accepted, with both secrets while one is replaced", () =>
    Effect.gen(function* () {
      yield* now
      const { id, secret } = yield* createConnector("http://127.0.0.1:9/in")
      const rotated = yield* HttpConnectors.use((connectors) => connectors.rotateSecret(id)).pipe(
        Effect.provide(HttpConnectors.layer)
      )
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      const { operatorId } = yield* createOperator()
      const account = yield* insertChannelAccount(operatorId, { channelType: "houfy", connector: toConnectorName(id) })
      const body = JSON.stringify({
        account: { channel_account_id: account },
        said: { type: "account", version: 1, username: "harbour", auth_status: "active" }
      })
      const url = `${yield* BaseUrl}/connectors/${id}`
      for (const each of [secret, rotated.secret]) {
        assert.strictEqual((yield* sendConnectorMessage(url, { secrets: [each], body })).status, 200)
      }
      assert.strictEqual(
        (yield* sendConnectorMessage(url, { secrets: [`whsec_${"A".repeat(43)}=`], body })).status,
        401
      )
      yield* hidden(secret, rotated.secret)
    })
  )

  it.effect("a calendar is fetched, is the same when it is added again, and shows its ending to its host", () =>
    Effect.gen(function* () {
      yield* now
      const [calendars, desk, importing] = [
        yield* ImportedCalendars,
        yield* CalendarsElsewhere,
        yield* makeCalendarImportWorker
      ]
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const elsewhere = yield* startCalendarSource
      elsewhere.serveCalendar(toBusyCalendar("2027-05-01/2027-05-03"))
      const url = elsewhere.makeUrl(`/calendar.ics?s=${"SECRET".repeat(300)}-end`)
      const id = yield* addImportedCalendar(property, url)
      assert.strictEqual(yield* addImportedCalendar(property, url), id)
      yield* fetchAllDue(importing)
      assert.strictEqual((yield* loadCalendarState(id))?.state, "ok")
      const [listed] = yield* calendars.list({ operatorId, propertyId: property }, 1)
      assert.strictEqual(listed?.url, url)
      const shown = yield* desk.of("2027-04-20", 0).pipe(asCaller({ operatorId }))
      assert.deepInclude(shown.calendars[0], { id, ending: "-end" })
      yield* hidden(url, "SECRETSECRET")
    })
  )

  it.effect("feeds open, are renewed, and are not followed by their own property", () =>
    Effect.gen(function* () {
      const [feeds, calendars] = [yield* PropertyFeeds, yield* ImportedCalendars]
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const tokenOf = ({ url }: { readonly url: string }) => /lkfeed_[0-9a-z]+/.exec(url)?.[0] ?? ""
      const made = yield* getOrCreateFeedAddress(operatorId, property)
      assert.strictEqual((yield* getOrCreateFeedAddress(operatorId, property)).url, made.url)
      const renewed = yield* renewFeedAddress(operatorId, property)
      assert.strictEqual((yield* feeds.open(tokenOf(made)))._tag, "None")
      assert.strictEqual((yield* feeds.open(tokenOf(renewed)))._tag, "Some")
      const own = yield* Effect.flip(
        calendars.add(operatorId, property, `https://pms.example/feeds/${tokenOf(renewed)}.ics`).pipe(asSystemActor)
      )
      assert.include(own.message, "own feed")
      yield* hidden(tokenOf(made), tokenOf(renewed))
    })
  )

  it.effect("links to calendars are shown as they were made, also to who repeats the call under its key", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const links: Array<string> = []
      for (const fields of [{ scope: "entire" }, { scope: "partial", property_ids: [property] }]) {
        const make = (key: string) =>
          Effect.flatMap(callForResponse(token, "create_calendar_share_link", fields, key), ({ envelope }) =>
            dataOf(envelope)
          )
        const made = JSON.stringify(yield* make(`one-${fields.scope}`))
        assert.strictEqual(JSON.stringify(yield* make(`one-${fields.scope}`)), made)
        // The link to everything is there already: its key is kept by a statement of its own.
        if (fields.scope === "entire") {
          assert.strictEqual(JSON.stringify(yield* make("another")), made)
          assert.strictEqual(JSON.stringify(yield* make("another")), made)
        }
        links.push(/lkcal_[0-9a-z]+/.exec(made)?.[0] ?? "")
      }
      const found = JSON.stringify((yield* callForResponse(token, "search_calendar_share_links")).envelope.data)
      for (const link of links) assert.include(found, link)
      yield* hidden(...links)
    })
  )

  it.effect("every column that may be sealed is, and was exercised", () =>
    Effect.gen(function* () {
      for (const [name, texts] of yield* loadSealableTexts()) {
        assert.isAbove(texts.length, 0, name)
        for (const text of texts) assert.match(text, /^sealed:1:/, name)
      }
    })
  )

  it.effect("there is no other column whose name says that it has a secret", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = yield* sql<{ name: string }>`
        SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type IN ('text', 'json', 'jsonb')
          AND column_name ~ 'secret|token|password|credential|api_key'`
      const sealed = new Set(SEALED_COLUMNS.map(toColumnLabel))
      assert.sameMembers(
        columns.map(({ name }) => name).filter((name) => !sealed.has(name)),
        // A hash, and capabilities that docs/operate/security.md says are not sealed.
        ["accounts.password_hash", "stays.guide_token", "images.token"]
      )
    })
  )
})

layer(layerSealedService(parseKeys("clear", FIRST_KEY)))("with the word clear", (it) => {
  it.effect("secrets are written as they are", () =>
    Effect.gen(function* () {
      yield* now
      const one = yield* createSubscription(9)
      assert.deepStrictEqual(yield* findTablesWithTexts([one.secret]), ["webhook_subscriptions"])
    })
  )
})
