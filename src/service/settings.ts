import { DATABASE_CONNECTIONS } from "../platform/database/postgres.ts"
import { DATABASE_CONNECTIONS_MAX, DATABASE_CONNECTIONS_MIN } from "../platform/limits.ts"
import { DEFAULT_SAMPLER } from "../platform/telemetry/sampling.ts"

// Declares every environment variable. The configuration, the command `doctor` and the settings reference are derived
// from it.

export const STATEMENT_SECONDS_MAX = 3_600
export const DRAIN_SECONDS_MAX = 300
export const IDENTITY_IMAGE_DAYS_MAX = 3_650
export const RETENTION_DAYS_MAX = 36_500

export interface DeclaredSetting {
  readonly name: string
  readonly group: string
  readonly default?: string
  /** Markdown, for a variable without a fixed default. */
  readonly defaultDescription?: string
  /** Markdown, with links relative to docs/reference. */
  readonly meaning: string
  /** Undefined means the whole value. */
  readonly printablePart?: "host" | "nothing"
  readonly commandLineOnly?: true
}

const CONNECTIONS = `${DATABASE_CONNECTIONS_MIN} to ${DATABASE_CONNECTIONS_MAX}`

export const SETTINGS = [
  {
    name: "PORT",
    group: "Addresses",
    default: "8080",
    meaning: "The port on which the service listens."
  },
  {
    name: "HOST",
    group: "Addresses",
    default: "127.0.0.1",
    meaning: "The address or host name on which the service listens."
  },
  {
    name: "PUBLIC_URL",
    group: "Addresses",
    defaultDescription: "`http://HOST:PORT`",
    meaning: "The address at which callers reach the service, http or https."
  },
  {
    name: "REQUIRE_HTTPS",
    group: "Addresses",
    defaultDescription: "`0` if `PUBLIC_URL` is http on loopback, else `1`",
    meaning: "`1`: the service refuses plain HTTP. `0`: it accepts plain HTTP."
  },
  {
    name: "TRUST_PROXY",
    group: "Addresses",
    default: "0",
    meaning:
      "`1`: the service trusts `X-Forwarded-Proto` and the last address of `X-Forwarded-For`. Use it only [behind a proxy](../operate/configure.md#put-a-proxy-in-front) that sets both."
  },
  {
    name: "DRAIN_SECONDS",
    group: "Addresses",
    default: "0",
    meaning: `Seconds after SIGTERM in which the service still accepts connections while \`/health/ready\` already fails (0 to ${DRAIN_SECONDS_MAX}). See [Stop and restart](../operate/configure.md#stop-and-restart).`
  },
  {
    name: "DATABASE_URL",
    group: "Database",
    defaultDescription: "the embedded database",
    printablePart: "host",
    meaning: "The address of a [PostgreSQL server](../operate/postgresql.md), version 15 or later."
  },
  {
    name: "DATABASE_PREPARED",
    group: "Database",
    default: "1",
    meaning:
      "`0`: no prepared statements, as [PgBouncer](../operate/postgresql.md#use-pgbouncer) in transaction mode needs. `1`: prepared statements."
  },
  {
    name: "DATABASE_DIRECT_URL",
    group: "Database",
    printablePart: "host",
    meaning:
      "The address of the same server without PgBouncer. Processes use it to [wake each other](../operate/postgresql.md#wake-other-processes)."
  },
  {
    name: "DATABASE_CONNECTIONS",
    group: "Database",
    default: String(DATABASE_CONNECTIONS),
    meaning: `The [connections](../operate/postgresql.md#connections) of a process to the server for requests (${CONNECTIONS}). A process handles two calls fewer than this number at the same time.`
  },
  {
    name: "STATEMENT_SECONDS",
    group: "Database",
    default: "10",
    meaning: `Seconds after which a PostgreSQL server cancels a statement of a request (1 to ${STATEMENT_SECONDS_MAX}).`
  },
  {
    name: "REDIS_URL",
    group: "Database",
    printablePart: "host",
    meaning: "The address of a Redis server. With it, several processes or machines count rate-limit windows together."
  },
  {
    name: "DATA_DIR",
    group: "Files and secrets",
    default: ".data",
    meaning: "The [folder](../operate/configure.md#choose-where-data-is-kept) of the embedded database and its images."
  },
  {
    name: "IMAGE_STORE",
    group: "Files and secrets",
    defaultDescription: "`DATA_DIR/images`, or the database of `DATABASE_URL`",
    meaning:
      "The absolute path of an existing folder for [images](../operate/configure.md#store-images-in-a-folder). The service must be able to write to it."
  },
  {
    name: "SECRET_KEY",
    group: "Files and secrets",
    printablePart: "nothing",
    meaning:
      "The keys that encrypt [secrets in the database](../operate/security.md#encrypt-secrets-in-the-database), separated by commas. The first key encrypts, and every key decrypts."
  },
  {
    name: "DEPLOYMENT",
    group: "Features",
    default: "international",
    meaning:
      "`international` or `regional`. It decides which custom channels exist and which mobile numbers of staff are valid."
  },
  {
    name: "PUBLIC_CLIENT",
    group: "Features",
    default: "1",
    meaning:
      "`1`: users of MCP clients can connect through [the public client](oauth.md#public-clients). `0`: they cannot."
  },
  {
    name: "WEBHOOK_ALLOWED_HOSTS",
    group: "Features",
    meaning:
      "Private host names and IP addresses, separated by commas, to which webhooks, connectors and imported calendars may connect."
  },
  {
    name: "SMTP_URL",
    group: "Features",
    printablePart: "host",
    meaning:
      "The mail server for [notifications and password resets](../operate/mail.md): `smtp://user:password@host:587` or `smtps://…:465`. The connection to another machine must be encrypted, unless a server without a password has `?tls=optional`. Without it, the service sends no mail."
  },
  {
    name: "MAIL_FROM",
    group: "Features",
    meaning: "The sender of mails, such as `Latchkey <no-reply@example.com>`. `SMTP_URL` requires it."
  },
  {
    name: "DEMO",
    group: "Features",
    defaultDescription: "`1` with the embedded database, else `0`",
    meaning: "`1`: the first start adds a demo operator to an empty database. `0`: it does not."
  },
  {
    name: "SANDBOX",
    group: "Features",
    defaultDescription:
      "`1` if the demo operator exists, `HOST` is loopback and `PUBLIC_URL` is http on loopback, else `0`",
    meaning:
      "`1` turns the [sandbox marketplace](../guides/test-against-the-sandbox.md) on, `0` off. Its page `/sandbox` exists only if `PUBLIC_URL` is http on loopback."
  },
  {
    name: "IDENTITY_IMAGE_DAYS",
    group: "Retention",
    default: "30",
    meaning: `Days after check-out until photos of [identity documents](../operate/security.md#delete-old-data-automatically) are deleted (1 to ${IDENTITY_IMAGE_DAYS_MAX}).`
  },
  {
    name: "MESSAGE_DAYS",
    group: "Retention",
    defaultDescription: "kept for good",
    meaning: `Days after a message was sent until its text and photos are [erased](../operate/security.md#delete-old-data-automatically) (1 to ${RETENTION_DAYS_MAX}).`
  },
  {
    name: "IMAGE_DAYS",
    group: "Retention",
    defaultDescription: "kept for good",
    meaning: `Days after a message was sent until its photos are [erased](../operate/security.md#delete-old-data-automatically) (1 to ${RETENTION_DAYS_MAX}).`
  },
  {
    name: "ORDER_DAYS",
    group: "Retention",
    defaultDescription: "kept for good",
    meaning: `Days after the last check-out of an order until its guest is [erased](../operate/security.md#delete-old-data-automatically) (1 to ${RETENTION_DAYS_MAX}). The same number applies to guests of conversations that led to no order.`
  },
  {
    name: "LOG_FORMAT",
    group: "Logs, metrics and traces",
    defaultDescription: "`pretty` in a terminal, else `json`",
    meaning: "The format of log lines on standard output: `pretty` or `json`."
  },
  {
    name: "LOG_LEVEL",
    group: "Logs, metrics and traces",
    default: "info",
    meaning:
      "The least severe log lines that are printed: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `none`."
  },
  {
    name: "METRICS_PORT",
    group: "Logs, metrics and traces",
    defaultDescription: "no metrics endpoint",
    meaning:
      "Serves [Prometheus metrics](../operate/monitor.md) at `http://HOST:METRICS_PORT/metrics` without a token. Keep the port inside your network."
  },
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    group: "Logs, metrics and traces",
    defaultDescription: "nothing is exported",
    printablePart: "host",
    meaning: "The base address of an OpenTelemetry collector for traces, metrics and logs."
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    group: "Logs, metrics and traces",
    printablePart: "nothing",
    meaning:
      "Headers of every request to the collector: `name=value`, separated by commas, with percent-encoded values. The service never shows them."
  },
  {
    name: "OTEL_SERVICE_NAME",
    group: "Logs, metrics and traces",
    defaultDescription: "`latchkey`",
    meaning: "The name under which the collector shows this service."
  },
  {
    name: "OTEL_RESOURCE_ATTRIBUTES",
    group: "Logs, metrics and traces",
    meaning:
      "Attributes that the collector shows beside the name: `name=value`, separated by commas, such as `deployment.environment=prod`."
  },
  {
    name: "OTEL_TRACES_SAMPLER",
    group: "Logs, metrics and traces",
    default: DEFAULT_SAMPLER.name,
    meaning:
      "Which traces are exported: `always_on`, `always_off` or `traceidratio`, each also with `parentbased_` before it. Traces of a failure of the service are always exported."
  },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    group: "Logs, metrics and traces",
    default: String(DEFAULT_SAMPLER.ratio),
    meaning: "The share of traces that `traceidratio` exports, from 0 to 1."
  },
  {
    name: "LATCHKEY_PASSWORD",
    group: "Command line",
    printablePart: "nothing",
    commandLineOnly: true,
    meaning: "The password of an account that a command creates or changes."
  }
] as const satisfies ReadonlyArray<DeclaredSetting>

type AnySetting = (typeof SETTINGS)[number]

export type SettingName = AnySetting["name"]
export type SettingWithDefault = Extract<AnySetting, { readonly default: string }>["name"]

const DEFAULTS: ReadonlyMap<string, string> = new Map(
  SETTINGS.flatMap((setting) => ("default" in setting ? [[setting.name, setting.default]] : []))
)

export const defaultOf = (name: SettingWithDefault): string => DEFAULTS.get(name) ?? ""

export const SERVICE_SETTINGS: ReadonlyArray<DeclaredSetting> = SETTINGS.filter(
  (setting: DeclaredSetting) => setting.commandLineOnly === undefined
)
