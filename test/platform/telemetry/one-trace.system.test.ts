import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { toConnectorName } from "../../../src/connectors/http/connector-names.ts"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { layerPushJobsWithPrices } from "../../../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { ChannelGateway } from "../../../src/domain/channels/port/ChannelGateway.ts"
import { layerMessageJobs } from "../../../src/domain/guests/conversations/sending/message-jobs.ts"
import { AllowedReceivers } from "../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { layerDeliveries } from "../../../src/domain/webhooks/deliveries/layer.ts"
import { WakeUp } from "../../../src/jobs/WakeUp.ts"
import { layerTelemetry } from "../../../src/platform/telemetry/layer.ts"
import { DEFAULT_SAMPLER, type NamedSampler } from "../../../src/platform/telemetry/sampling.ts"
import {
  LOOPBACK_HOSTS,
  layerConnectorEndpointWithReceiver,
  layerConnectorsOverHttp,
  startExampleConnector
} from "../../support/connectors/http/http-connectors.ts"
import { layerLocalOutbound, respondWith } from "../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import {
  call,
  callForResponse,
  createOperator,
  insertProperty,
  layerService,
  typedClient,
  withToken
} from "../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../support/http-server.ts"
import { insertChannelAccount } from "../../support/listings.ts"
import { changeOperations, makeSampleChange, tokenOperations } from "../../support/operation-samples.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import { makeSampleWorld } from "../../support/sample-world.ts"
import { ScriptedChannel } from "../../support/scripted-channel.ts"
import { type CollectedSpan, startCollector } from "../../support/trace-collector.ts"

// The whole service with its workers, a receiver, a connector that runs elsewhere, and a collector that is sent what they did.

const layerBelow = Layer.merge(layerOwnDatabase, WakeUp.layerProcess)

const layerGateway = Layer.provide(ChannelGateway.layer, [
  Layer.provide(layerConnectorsOverHttp, layerOwnDatabase),
  layerOwnDatabase
]).pipe(Layer.orDie)

const layerWhole = layerHttpServerOf(
  Layer.mergeAll(
    Layer.provide(layerConnectorEndpointWithReceiver, Layer.provide(Ingest.layer, layerBelow)),
    Layer.provide(layerPushJobsWithPrices, [layerGateway, layerBelow]),
    Layer.provide(layerMessageJobs, [layerGateway, layerBelow]),
    Layer.provide(layerDeliveries, [layerBelow, layerLocalOutbound])
  ).pipe(
    Layer.provideMerge(
      layerService(
        layerOwnDatabase,
        RateWindows.layerMemory,
        Layer.merge(ScriptedChannel.layer, layerGateway),
        WakeUp.layerProcess
      )
    )
  )
).pipe(Layer.provideMerge(Layer.succeed(AllowedReceivers, LOOPBACK_HOSTS)))

/** Runs it on the whole service, and answers all that a collector was sent once the service has ended. */
const collected = Effect.fnUntraced(function* <A, E>(
  work: Effect.Effect<A, E, Layer.Success<typeof layerWhole> | Scope.Scope>,
  sampler: NamedSampler = DEFAULT_SAMPLER
) {
  const collector = yield* startCollector
  const telemetry = layerTelemetry(
    { logFormat: "json", logLevel: "Info", otlpEndpoint: collector.url(), sampler, version: "0" },
    () => {}
  )
  const came = yield* Effect.scoped(
    Effect.provide(work, layerWhole.pipe(Layer.provideMerge(telemetry)), { local: true })
  )
  return { ...collector, came }
})

const until = Effect.fnUntraced(function* (rows: Effect.Effect<ReadonlyArray<unknown>, unknown, SqlClient.SqlClient>) {
  while ((yield* rows).length > 0) yield* Effect.sleep(20)
})

/** From the root of a trace, or of what came with one, down to the span: their names. */
const wayTo = (spans: ReadonlyArray<CollectedSpan>, span: CollectedSpan | undefined): ReadonlyArray<string> => {
  if (span === undefined) return []
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [...wayTo(spans, parent), span.name]
}

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const CALLER = "b7ad6b7169203331"

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** A host with a listing at a connector elsewhere, a guest who has asked there, and a receiver of webhooks. */
const makeHost = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tiny = yield* startExampleConnector(yield* BaseUrl)
  const { requests, port } = yield* startReceiver(respondWith(200))
  const operator = yield* createOperator()
  const { operatorId, token } = operator
  const account = yield* insertChannelAccount(operatorId, { channelType: "houfy", connector: toConnectorName(tiny.id) })
  const property = yield* insertProperty(operatorId, "Harbour view")
  const there = { channel_account_id: account, channel_type: "houfy" }
  tiny.open(there, "loft")
  yield* Effect.promise(tiny.told)
  yield* sql`UPDATE listings SET property_id = ${property} WHERE operator_id = ${operatorId} AND listing_id = 'loft'`
  tiny.request(there, "loft", inDays(30), inDays(32))
  yield* Effect.promise(tiny.told)
  const api = yield* typedClient
  const { secret = "" } = yield* api
    .create_webhook({ url: `http://127.0.0.1:${port}/secret-path-of-a-receiver` })
    .pipe(withToken(token))
  const conversations = yield* api.query_conversations({}).pipe(withToken(token))
  const conversation = conversations.conversations[0]?.id ?? ""
  return { tiny, operator, token, secret, conversation, requests, api }
})

/** Nothing of the host's waits for a worker. */
const settled = (operatorId: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    until(sql`
      SELECT 1 FROM events WHERE operator_id = ${operatorId} AND fanned_out_at IS NULL
      UNION ALL SELECT 1 FROM webhook_deliveries WHERE operator_id = ${operatorId} AND state = 'waiting'
      UNION ALL SELECT 1 FROM listing_lanes WHERE operator_id = ${operatorId} AND waiting > 0
      UNION ALL SELECT 1 FROM message_lanes WHERE operator_id = ${operatorId} AND waiting > 0`)
  )

const MESSAGE = "Canary: the key is under the blue pot"

describe("one trace", () => {
  it.live(
    "goes from the caller through door, gate, handler, statement and queue to receiver and channel, and back in",
    () =>
      Effect.gen(function* () {
        const { spans, came } = yield* collected(
          Effect.gen(function* () {
            const host = yield* makeHost
            const { token, tiny, conversation } = host
            yield* settled(host.operator.operatorId)
            const base = yield* BaseUrl
            const post = (path: string, body: object) =>
              Effect.promise(() =>
                fetch(`${base}/v3${path}`, {
                  method: "POST",
                  headers: {
                    "service-access-token": token,
                    "content-type": "application/json",
                    traceparent: `00-${TRACE}-${CALLER}-01`
                  },
                  body: JSON.stringify(body)
                }).then((answer) => answer.json())
              )
            yield* post(`/conversations/${conversation}`, { message: MESSAGE })
            const days = { start_date: inDays(40), end_date: inDays(41) }
            yield* post("/listings/prices", {
              channel_type: "houfy",
              listing_id: "loft",
              prices: [{ ...days, price: 170 }]
            })
            yield* settled(host.operator.operatorId)
            yield* Effect.promise(tiny.told)
            yield* settled(host.operator.operatorId)
            return host.secret
          })
        )
        assert.match(came, /^whsec_/)
        const own = spans().filter(({ traceId }) => traceId === TRACE)
        const ways = new Set(own.map((span) => wayTo(own, span).join(" > ")))
        for (const way of [
          "request > gate",
          "request > handler",
          "request > handler > webhook > POST",
          "request > handler > push > POST",
          "request > handler > send > POST > connector message > Ingest.ingest"
        ]) {
          assert.isTrue(ways.has(way), `${way} is none of\n${Array.from(ways).join("\n")}`)
        }
        const statements = own.filter(({ attributes }) => attributes.some(({ key }) => key === "db.query.text"))
        assert.isTrue(statements.some((span) => wayTo(own, span).slice(0, 2).join(" > ") === "request > handler"))
        const roots = own.filter(({ parentSpanId }) => !own.some(({ spanId }) => spanId === parentSpanId))
        assert.deepStrictEqual(
          new Set(roots.map(({ name, parentSpanId }) => `${name} of ${parentSpanId}`)),
          new Set([`request of ${CALLER}`])
        )
      })
  )

  it.live("that is not recorded stays so behind a queue, and what fails there is told all the same", () =>
    Effect.gen(function* () {
      const { spans } = yield* collected(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { port } = yield* startReceiver(respondWith(500))
          const operator = yield* createOperator()
          const api = yield* typedClient
          yield* api.create_webhook({ url: `http://127.0.0.1:${port}/` }).pipe(withToken(operator.token))
          const base = yield* BaseUrl
          yield* Effect.promise(() =>
            fetch(`${base}/v3/transactions`, {
              method: "POST",
              headers: {
                "service-access-token": operator.token,
                "content-type": "application/json",
                traceparent: `00-${TRACE}-${CALLER}-00`
              },
              body: JSON.stringify({
                direction: "income",
                amount: 9,
                currency: "EUR",
                item_id: 11,
                payment_method_id: 197
              })
            })
          )
          yield* until(sql`SELECT 1 AS one WHERE NOT EXISTS (SELECT FROM webhook_attempts)`)
        }),
        { name: "parentbased_always_off", ratio: 1 }
      )
      const told = spans()
      assert.deepStrictEqual(
        told.map(({ name, traceId }) => `${name} ${traceId}`),
        [`webhook ${TRACE}`]
      )
      const type = told[0]?.attributes.find(({ key }) => key === "error.type")
      assert.strictEqual(type?.value.stringValue, "500")
    })
  )
})

describe("what a collector is sent", () => {
  it.live("has no token, no secret, no guest and no word of anybody's, whatever is called", () =>
    Effect.gen(function* () {
      const { bodies, came } = yield* collected(
        Effect.gen(function* () {
          const host = yield* makeHost
          const { token, api, conversation } = host
          const told = { name: "Canary Guestname", phone: "+49 151 0815 4711", email: "canary@guest.example" }
          yield* api.send_message({ id: conversation, message: MESSAGE }).pipe(withToken(token))
          const world = yield* makeSampleWorld
          for (const operation of changeOperations) {
            yield* call(world.token, operation._tag, {
              ...makeSampleChange(operation, world),
              ...told,
              remark: MESSAGE
            })
          }
          // What is wrong with a call is told to its caller, in the caller's own words.
          for (const operation of tokenOperations) {
            const wrong = Object.fromEntries(
              Object.keys(operation.payloadSchema.fields).map((field) => [field, `${told.name} ${told.phone}`])
            )
            yield* callForResponse(world.token, operation._tag, wrong)
          }
          const base = yield* BaseUrl
          for (const path of [
            "/guest/canary-of-a-page",
            "/calendars/lkcal_canarycanary.ics",
            "/feeds/lkfeed_canarycanary"
          ]) {
            yield* Effect.promise(() => fetch(`${base}${path}`))
          }
          yield* settled(host.operator.operatorId)
          return [
            token,
            world.token,
            host.secret,
            host.tiny.secret,
            MESSAGE,
            ...Object.values(told),
            "Told in confidence",
            "Ana Reis",
            "secret-path-of-a-receiver",
            "canary-of-a-page",
            "canarycanary"
          ]
        })
      )
      assert.isAbove(bodies.length, 0)
      for (const kind of ["/v1/traces", "/v1/logs", "/v1/metrics"]) {
        const text = bodies.flatMap(({ path, body }) => (path === kind ? [body] : [])).join("\n")
        for (const canary of came) {
          const at = text.indexOf(canary)
          assert.strictEqual(at, -1, `${kind}: …${text.slice(Math.max(at - 200, 0), at + 100)}`)
        }
      }
    })
  )
})
