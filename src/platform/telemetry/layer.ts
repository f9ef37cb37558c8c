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

export const EXPORT_TIMEOUT_MS = 3_000
export const EXPORT_SHUTDOWN_MS = 2_000

interface TelemetrySettings {
  readonly logFormat: "pretty" | "json"
  readonly logLevel: LogLevel
  /** Base URL of an OpenTelemetry collector. If undefined, nothing is exported. */
  readonly otlpEndpoint: string | undefined
  readonly otlpHeaders?: CollectorHeaders | undefined
  readonly serviceName?: string | undefined
  readonly resourceAttributes?: ResourceAttributes | undefined
  /** Failures of the service are exported even if the sampler rejects their trace. */
  readonly sampler: NamedSampler
  readonly version: string
}

/**
 * Writes logs to `write`, and exports traces, metrics and logs to a collector if there is one. Tokens are redacted. A
 * failing collector loses telemetry but never affects requests.
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

/** Also samples root spans that the database client makes in background work. */
const layerSampledTracer = (sampler: Sampler): Layer.Layer<never> =>
  Layer.merge(
    Layer.succeed(CurrentSampler, sampler),
    Layer.effect(
      Tracer.Tracer,
      Effect.map(Tracer.Tracer, (tracer) => withSampler(tracer, sampler))
    )
  )

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

// All exported spans, metrics and logs pass here.
const toRedactedBody = (data: unknown) =>
  HttpBody.text(redactSecrets(JSON.stringify(data, nonFiniteToText)), "application/json")

const layerRedactedJson = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: (data) => toRedactedBody(redactErrorMessages(data)),
  metrics: toRedactedBody,
  logs: toRedactedBody
})

/** Stops waiting for a collector that does not respond, so that batches do not fill the memory. */
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
