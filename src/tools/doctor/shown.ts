import { withoutSecrets } from "../../platform/telemetry/secrets.ts"

// The settings as somebody may read them aloud: which are set, and to what, unless that may be a secret.

/** Every variable that the service reads (README, Settings). */
export const VARIABLES = [
  "PORT",
  "HOST",
  "PUBLIC_URL",
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_PREPARED",
  "DATABASE_CONNECTIONS",
  "METRICS_PORT",
  "DATA_DIR",
  "STATEMENT_SECONDS",
  "REDIS_URL",
  "SECRET_KEY",
  "DEPLOYMENT",
  "REQUIRE_HTTPS",
  "TRUST_PROXY",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_RESOURCE_ATTRIBUTES",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "LOG_FORMAT",
  "LOG_LEVEL",
  "DEMO",
  "SANDBOX",
  "IMAGE_STORE",
  "DRAIN_SECONDS",
  "IDENTITY_IMAGE_DAYS",
  "IMAGE_DAYS",
  "MESSAGE_DAYS",
  "ORDER_DAYS",
  "PUBLIC_CLIENT",
  "WEBHOOK_ALLOWED_HOSTS"
] as const

/** Addresses are shown by their host alone: the rest may be a password or a key. */
const ADDRESSES: ReadonlySet<string> = new Set([
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "REDIS_URL",
  "OTEL_EXPORTER_OTLP_ENDPOINT"
])
/** These are not shown at all. */
const SECRETS: ReadonlySet<string> = new Set(["OTEL_EXPORTER_OTLP_HEADERS", "SECRET_KEY"])

export interface Shown {
  readonly variable: string
  readonly value: string
  /** Whether the environment says it, or the service. */
  readonly from: "set" | "default"
}

const shownValue = (variable: string, text: string): string => {
  if (SECRETS.has(variable)) return "<hidden>"
  if (!ADDRESSES.has(variable)) return withoutSecrets(text)
  const url = URL.parse(text)
  return url === null ? "<hidden>" : `${url.protocol}//${url.host}`
}

/** What an empty variable says is the default, as one that is not there. */
export const settingsShown = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<Shown> =>
  VARIABLES.map((variable) => {
    const text = env[variable] ?? ""
    return text === ""
      ? { variable, value: "", from: "default" }
      : { variable, value: shownValue(variable, text), from: "set" }
  })
