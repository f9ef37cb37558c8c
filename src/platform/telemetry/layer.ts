import { Effect, Layer, Logger, Redacted, References, Tracer } from "effect"
import { FetchHttpClient, Headers, HttpBody, HttpClient, HttpClientError } from "effect/http"
import type { LogLevel } from "effect/LogLevel"
import { Otlp, OtlpSerialization } from "effect/observability"
import type { CollectorHeaders, ResourceAttributes } from "./collector-settings.ts"
import { redactErrorMessages } from "./error-message-redaction.ts"
import { type LogLineWriter, makeLineWriter } from "./line-writer.ts"
import { formatJsonLine, formatPrettyLine } from "./log-format.ts"
import {
  CurrentSampler,
  makeSampler,
  type NamedSampler,
  RECORD_NOTHING,
  type Sampler,
  withSampler
} from "./sampling.ts"
import { redactSecrets } from "./secret-redaction.ts"

/** Milliseconds a collector has to answer one batch, and those the last batches get when the process ends. */
export const EXPORT_TIMEOUT_MS = 3_000
export const EXPORT_SHUTDOWN_MS = 2_000

interface TelemetrySettings {
  readonly logFormat: "pretty" | "json"
  readonly logLevel: LogLevel
  /** Base address of an OpenTelemetry collector; undefined: nothing is exported. */
  readonly otlpEndpoint: string | undefined
  /** What goes with everything sent there. */
  readonly otlpHeaders?: CollectorHeaders | undefined
  /** What the collector shows of this service; its name is `latchkey` if nothing else is said. */
  readonly serviceName?: string | undefined
  readonly resourceAttributes?: ResourceAttributes | undefined
  /** Which traces are exported, beside those of what failed on our side. */
  readonly sampler: NamedSampler
  /** The release, as the collector shall show it. */
  readonly version: string
}

/**
 * How this process is watched: a log line an entry to `write` (standard output if not said), and traces, metrics and
 * logs to a collector if there is one. No token leaves by any of these ways. The exporter works in the background: a
 * collector that fails, hangs or is away costs telemetry, never a request.
 */
export const layerTelemetry = (
  settings: TelemetrySettings,
  write: LogLineWriter = makeLineWriter(process.stdout)
): Layer.Layer<never> => {
  const format = settings.logFormat === "json" ? formatJsonLine : formatPrettyLine
  const logger = Logger.layer([Logger.make((options) => write(format(options)))])
  const commonSettings = Layer.mergeAll(
    Layer.succeed(References.MinimumLogLevel, settings.logLevel),
    Layer.succeed(Headers.CurrentRedactedNames, REDACTED_HEADERS)
  )
  return settings.otlpEndpoint === undefined
    ? Layer.mergeAll(logger, commonSettings, Layer.succeed(CurrentSampler, RECORD_NOTHING))
    : layerSampledTracer(makeSampler(settings.sampler)).pipe(
        Layer.provideMerge(layerExport(settings.otlpEndpoint, settings)),
        Layer.provideMerge(logger),
        Layer.merge(commonSettings)
      )
}

/** Every root asks the sampler, also those of work in the background, which the database's client makes. */
const layerSampledTracer = (sampler: Sampler): Layer.Layer<never> =>
  Layer.merge(
    Layer.succeed(CurrentSampler, sampler),
    Layer.effect(
      Tracer.Tracer,
      Effect.map(Tracer.Tracer, (tracer) => withSampler(tracer, sampler))
    )
  )

/** Headers whose values never reach a span. */
const REDACTED_HEADERS = [
  "service-access-token",
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key"
]

const SERVICE_NAME = "latchkey"

const layerExport = (
  endpoint: string,
  { version, otlpHeaders, serviceName, resourceAttributes = {} }: TelemetrySettings
): Layer.Layer<never> =>
  Otlp.layer({
    baseUrl: endpoint,
    headers: otlpHeaders === undefined ? undefined : Redacted.value(otlpHeaders),
    resource: {
      serviceName: serviceName ?? resourceAttributes["service.name"] ?? SERVICE_NAME,
      serviceVersion: version,
      attributes: resourceAttributes
    },
    shutdownTimeout: EXPORT_SHUTDOWN_MS
  }).pipe(Layer.provide(layerRedactedJson), Layer.provide(layerTimeoutClient))

const nonFiniteToText = (_key: string, value: unknown) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value

// The one place every span, metric and log record passes on its way out.
const toRedactedBody = (data: unknown) =>
  HttpBody.text(redactSecrets(JSON.stringify(data, nonFiniteToText)), "application/json")

const layerRedactedJson = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: (data) => toRedactedBody(redactErrorMessages(data)),
  metrics: toRedactedBody,
  logs: toRedactedBody
})

/** Gives up on a collector that does not answer, so that batches waiting for it do not pile up in memory. */
const layerTimeoutClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.transform(client, (response, request) =>
      Effect.timeoutOrElse(response, {
        duration: EXPORT_TIMEOUT_MS,
        orElse: () =>
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, description: "no answer in time" })
          })
      })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))
