import { Context, Effect, Layer, Ref, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { RateWindows } from "../../src/admission/windows/RateWindows.ts"
import { AllowedReceivers, parseAllowedHosts } from "../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import type { HttpFailure, HttpResponse } from "../../src/domain/webhooks/deliveries/http-call.ts"
import { type DeliveryResult, OutboundHttp } from "../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { PublicUrl } from "../../src/platform/installation.ts"
import { layerQuiet } from "../attacks/grounds.ts"
import { layerLocalOutbound } from "./domain/webhooks/deliveries/outbound-requests.ts"
import { layerServiceWithOutbound, type layerTest } from "./harness.ts"
import { BaseUrl, layerHttpServerOf } from "./http-server.ts"
import { layerOwnDatabase } from "./own-database.ts"
import { findFreePort } from "./tools/cli/latchkey-process.ts"

// Two services that know nothing of each other but addresses: each has a database of its own and a real door, and asks the
// other through its guard. They have one clock, the test's.

/** What a service of the two has inside, beside what a test gives it. */
type TestServices = BaseUrl | OutboundHttp | Layer.Success<typeof layerTest>

export interface LinkedService<More> {
  /** Where it listens, without a final slash. */
  readonly url: string
  /** Does something inside it. */
  readonly runInside: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, TestServices | More>>
  /** Cuts its way to others, or mends it: what it asks and posts fails meanwhile as where nobody listens. */
  readonly setDisconnected: (isDisconnected: boolean) => Effect.Effect<void>
}

const CONNECTION_FAILURE: HttpFailure = { outcome: "failed", reason: "connect", detail: "the line is cut" }
const failedRequest: Effect.Effect<HttpResponse | HttpFailure> = Effect.succeed(CONNECTION_FAILURE)
const failedDelivery: Effect.Effect<DeliveryResult> = Effect.succeed({ ...CONNECTION_FAILURE, durationMs: 0 })

/** They are on this machine. */
const layerLoopbackAllowed = Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1")))

/** The way to others, for as long as it is not cut. */
const layerBreakableOutbound = (isDisconnected: Ref.Ref<boolean>) =>
  Layer.effect(
    OutboundHttp,
    Effect.map(OutboundHttp, ({ request, post }) =>
      OutboundHttp.of({
        request: (outgoing) =>
          Effect.flatMap(Ref.get(isDisconnected), (disconnected) => (disconnected ? failedRequest : request(outgoing))),
        post: (outgoing) =>
          Effect.flatMap(Ref.get(isDisconnected), (disconnected) => (disconnected ? failedDelivery : post(outgoing)))
      })
    )
  ).pipe(Layer.provide(layerLocalOutbound))

export type DatabaseLayer = Layer.Layer<SqlClient.SqlClient, unknown>

const startLinkedService = Effect.fnUntraced(function* <More, E>(
  extraLayer: Layer.Layer<More, E, TestServices>,
  database: DatabaseLayer
) {
  const isDisconnected = yield* Ref.make(false)
  const port = Number(yield* findFreePort)
  const publicUrl = `http://127.0.0.1:${port}`
  // The database is embedded and in memory, or one of its own on the server: anew for each of the two.
  const layerServing = layerHttpServerOf(
    Layer.provideMerge(
      layerServiceWithOutbound(Layer.fresh(database), RateWindows.layerUnbounded),
      layerBreakableOutbound(isDisconnected)
    ),
    { port, publicUrl }
  )
  const layerInside = extraLayer.pipe(
    Layer.provideMerge(layerServing),
    Layer.provideMerge(Layer.mergeAll(layerQuiet, layerLoopbackAllowed, Layer.succeed(PublicUrl, publicUrl)))
  )
  const context = yield* Layer.build(Layer.fresh(layerInside))
  const linked: LinkedService<More> = {
    url: Context.get(context, BaseUrl),
    runInside: (work) => Effect.provide(work, context),
    setDisconnected: (disconnected) => Ref.set(isDisconnected, disconnected)
  }
  return linked
})

/** The two, for as long as the scope lasts, each with `more` of its own inside. */
export const startTwoServices = <More = never, E = never>(
  extraLayer: Layer.Layer<More, E, TestServices>,
  [firstDatabase, secondDatabase]: readonly [DatabaseLayer, DatabaseLayer] = [layerOwnDatabase, layerOwnDatabase]
) => Effect.all([startLinkedService(extraLayer, firstDatabase), startLinkedService(extraLayer, secondDatabase)])
