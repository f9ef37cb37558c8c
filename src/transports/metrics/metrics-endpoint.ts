import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Data, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Readiness } from "../../platform/database/Readiness.ts"
import { mergeSnapshots } from "../../platform/telemetry/metrics/metrics-snapshot.ts"
import { formatPrometheus } from "../../platform/telemetry/metrics/prometheus-format.ts"
import { Snapshots } from "../../platform/telemetry/metrics/Snapshots.ts"
import { NO_STORE } from "../http/caching.ts"
import { LIVE_PATH, READY_PATH, requestPath } from "../http/paths.ts"
import { DEFAULT_TIMEOUTS, makeNodeServer } from "../http-server/node-server.ts"

const METRICS_PATH = "/metrics"

/** Further connections are closed at once. */
export const METRICS_CONNECTIONS_MAX = 16
const SHUTDOWN_GRACE_MS = 1_000

export class MetricsPortUnavailable extends Data.TaggedError("MetricsPortUnavailable")<{ readonly cause: unknown }> {}

const textResponse = (message: string, status = 200) => HttpServerResponse.text(message, { status, headers: NO_STORE })

const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/**
 * Serves metrics and health checks without authentication, for the internal network. Metrics contain no secrets and no
 * caller data.
 */
const metricsApp = Effect.gen(function* () {
  const snapshots = yield* Snapshots
  const database = yield* Readiness
  const metricsResponse = Effect.map(snapshots.all, (all) =>
    HttpServerResponse.text(formatPrometheus(mergeSnapshots(all)), { contentType: EXPOSITION_TYPE, headers: NO_STORE })
  )
  const readyResponse = Effect.map(database.isReady, (isReady) =>
    isReady ? textResponse("ready\n") : textResponse("the database does not answer\n", 503)
  )
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    switch (requestPath(request)) {
      case METRICS_PATH:
        return metricsResponse
      case LIVE_PATH:
        return Effect.succeed(textResponse("live\n"))
      case READY_PATH:
        return readyResponse
      default:
        return Effect.succeed(textResponse(`No such page: the metrics are at ${METRICS_PATH}.\n`, 404))
    }
  })
})

export const layerMetricsPort = ({ port, host }: { readonly port: number; readonly host: string }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const app = yield* metricsApp
      const server = makeNodeServer(DEFAULT_TIMEOUTS)
      server.maxConnections = METRICS_CONNECTIONS_MAX
      const listener = yield* NodeHttpServer.make(() => server, {
        port,
        host,
        gracefulShutdownTimeout: SHUTDOWN_GRACE_MS
      })
      yield* listener.serve(app)
    }).pipe(Effect.mapError((cause) => new MetricsPortUnavailable({ cause })))
  )
