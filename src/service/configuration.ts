import { isAbsolute } from "node:path"
import { Config, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import type { LogLevel } from "effect/LogLevel"
import { NetAddress } from "effect/net"
import {
  type AllowedHosts,
  NO_ALLOWED_HOSTS,
  parseAllowedHosts,
  parseLiteralAddress
} from "../domain/webhooks/deliveries/allowed-hosts.ts"
import { parseConnectionEncryption } from "../platform/database/connection-encryption.ts"
import { DatabaseSettings } from "../platform/database/database-layers.ts"
import { DATABASE_URL_DESCRIPTION, isDatabaseUrl } from "../platform/database/database-url.ts"
import type { DeploymentName, RetentionDays } from "../platform/installation.ts"
import { DATABASE_CONNECTIONS_MAX, DATABASE_CONNECTIONS_MIN } from "../platform/limits.ts"
import { parseMailSender } from "../platform/mail/mail-header.ts"
import type { MailSettings } from "../platform/mail/smtp-mailer.ts"
import { parseSmtpUrl, SMTP_URL_DESCRIPTION } from "../platform/mail/smtp-url.ts"
import { parseSecretKeys, SECRET_KEY_DESCRIPTION, type SecretKeys } from "../platform/sealing/secret-keys.ts"
import {
  type CollectorHeaders,
  parseCollectorHeaders,
  parseResourceAttributes,
  type ResourceAttributes
} from "../platform/telemetry/collector-settings.ts"
import { type NamedSampler, parseSamplerName, SAMPLER_NAMES, type SamplerName } from "../platform/telemetry/sampling.ts"
import {
  DRAIN_SECONDS_MAX,
  defaultOf,
  IDENTITY_IMAGE_DAYS_MAX,
  RETENTION_DAYS_MAX,
  type SettingName,
  type SettingWithDefault,
  STATEMENT_SECONDS_MAX
} from "./settings.ts"

/** The message is one line and never shows a secret. */
export class WrongSetting extends Schema.TaggedError<WrongSetting>()("WrongSetting", {
  variable: Schema.String,
  /** Completes the sentence "must be …". */
  expected: Schema.String,
  given: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const given =
      this.given === undefined ? " (the value may be secret and is not shown)" : `, not ${quoteValue(this.given)}`
    return `${this.variable}: must be ${this.expected}${given}.`
  }
}

const QUOTED_CHARACTERS = 80
const quoteValue = (text: string): string =>
  JSON.stringify(text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text)

export interface Settings {
  readonly port: number
  readonly host: string
  /** http or https, without a final slash. */
  readonly publicUrl: string
  /** Undefined means the embedded database. */
  readonly databaseUrl: Redacted.Redacted | undefined
  /** Some poolers do not support prepared statements. */
  readonly databasePrepared: boolean
  readonly databaseConnections: number
  /** Address of the same server without the connection pooler. */
  readonly databaseDirectUrl: Redacted.Redacted | undefined
  readonly dataDir: string
  readonly statementSeconds: number
  readonly redisUrl: Redacted.Redacted | undefined
  /** Undefined means that secrets are stored in clear text. */
  readonly secretKeys: SecretKeys | undefined
  readonly deployment: DeploymentName
  readonly requireHttps: boolean
  /** Whether `X-Forwarded-Proto` and `X-Forwarded-For` are trusted. */
  readonly trustProxy: boolean
  readonly otlpEndpoint: string | undefined
  /** Port for Prometheus on `host`. */
  readonly metricsPort: number | undefined
  readonly otlpHeaders: CollectorHeaders | undefined
  readonly serviceName: string | undefined
  readonly resourceAttributes: ResourceAttributes
  readonly sampler: NamedSampler
  readonly logFormat: "pretty" | "json"
  readonly logLevel: LogLevel
  readonly demo: boolean
  /** `with demo`: only if the demo operator exists. */
  readonly sandbox: "always" | "never" | "with demo"
  /** Private hosts that webhooks, connectors and imported calendars may use. */
  readonly webhookAllowedHosts: AllowedHosts
  /** Absolute path. Undefined if images are in the data folder, or in the database of a server. */
  readonly imageStore: string | undefined
  /** How long new connections are accepted after the request to stop. */
  readonly drainSeconds: number
  /** Days after check-out until photos of identity documents are deleted. */
  readonly identityImageDays: number
  readonly retentionDays: RetentionDays
  readonly publicClientEnabled: boolean
  /** Undefined means that no mail is sent. */
  readonly mail: MailSettings | undefined
}

/** An empty variable counts as unset, because compose files write `NAME=`. */
const readVariable = (variable: SettingName) =>
  // A string Config fails only if the environment cannot be read.
  Effect.orDie(Config.option(Config.String(variable)))

interface Setting<A> {
  readonly expected: string
  readonly read: (text: string) => A | undefined
  readonly secret?: true
}

const parse = <A>(variable: SettingName, { expected, read, secret }: Setting<A>, text: string) => {
  const value = read(text)
  if (value !== undefined) return Effect.succeed(value)
  // An address with `@` may contain a password, in any variable.
  const isPrintable = secret !== true && !text.includes("@")
  return Effect.fail(new WrongSetting({ variable, expected, ...(isPrintable ? { given: text } : {}) }))
}

const readSetting = Effect.fnUntraced(function* <A>(variable: SettingName, type: Setting<A>) {
  const text = yield* readVariable(variable)
  return Option.isNone(text) ? undefined : yield* parse(variable, type, text.value)
})

const settingOrDefault = Effect.fnUntraced(function* <A>(variable: SettingWithDefault, type: Setting<A>) {
  const text = yield* readVariable(variable)
  return yield* parse(
    variable,
    type,
    Option.getOrElse(text, () => defaultOf(variable))
  )
})

const oneOfText = (choices: ReadonlyArray<string>): string => `one of ${choices.join(", ")}`

const choiceSetting = <const Choice extends string>(choices: ReadonlyArray<Choice>): Setting<Choice> => ({
  expected: oneOfText(choices),
  read: (text) => choices.find((choice) => choice === text)
})

const textSetting: Setting<string> = { expected: "a text", read: (text) => text }

const booleanSetting: Setting<boolean> = {
  expected: "1 or 0",
  read: (text) => (text === "1" ? true : text === "0" ? false : undefined)
}

export const IMAGE_STORE_DESCRIPTION = "the absolute path of a folder that exists and can be written to"

const imageStoreSetting: Setting<string> = {
  expected: IMAGE_STORE_DESCRIPTION,
  read: (text) => (isAbsolute(text) ? text : undefined)
}

const portSetting: Setting<number> = {
  expected: "a port from 1 to 65535",
  read: (text) => (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? Number(text) : undefined)
}

const portOtherThan = (otherPort: number): Setting<number> => ({
  expected: "a port from 1 to 65535 other than PORT",
  read: (text) => {
    const portNumber = portSetting.read(text)
    return portNumber === otherPort ? undefined : portNumber
  }
})

const wholeNumber = (unit: "seconds" | "days" | "connections", min: number, max: number): Setting<number> => ({
  expected: `a whole number of ${unit} from ${min} to ${max}`,
  read: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined)
})

const wholeSeconds = (min: number, max: number): Setting<number> => wholeNumber("seconds", min, max)

const hostSetting: Setting<string> = {
  expected: "a host name or an IP address to listen on",
  read: (text) => {
    const name = text.replace(/^\[(.*)\]$/, "$1")
    // Rejects hosts that no URL accepts, such as 999.1.1.1. A URL has no zone (fe80::1%eth0).
    return /^[A-Za-z0-9.:_%[\]-]+$/.test(text) && URL.canParse(`http://${hostInUrl(name.replace(/%.*/, ""))}`)
      ? name
      : undefined
  }
}

/** Paths are appended, so the address has no query, fragment, user or final slash. */
const baseAddress = (expected: string): Setting<string> => ({
  expected,
  read: (text) => {
    const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
    return url === null || `${url.search}${url.hash}${url.username}${url.password}` !== ""
      ? undefined
      : url.href.replace(/\/+$/, "")
  }
})

const serverAddress = (expected: string, isAddress: (text: string) => boolean): Setting<Redacted.Redacted> => ({
  expected,
  secret: true,
  read: (text) => (isAddress(text) ? Redacted.make(text) : undefined)
})

const readPostgresUrl = Effect.fnUntraced(function* (variable: SettingName) {
  const url = yield* readSetting(variable, serverAddress(DATABASE_URL_DESCRIPTION, isDatabaseUrl))
  if (url === undefined) return undefined
  const encryption = parseConnectionEncryption(Redacted.value(url))
  if (Result.isSuccess(encryption)) return url
  return yield* new WrongSetting({ variable, expected: `an address ${encryption.failure}` })
})

const LOG_LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ["trace", "Trace"],
  ["debug", "Debug"],
  ["info", "Info"],
  ["warn", "Warn"],
  ["error", "Error"],
  ["fatal", "Fatal"],
  ["none", "None"]
])

const logLevelSetting: Setting<LogLevel> = {
  expected: oneOfText(Array.from(LOG_LEVELS.keys())),
  read: (text) => LOG_LEVELS.get(text.toLowerCase())
}

const samplerSetting: Setting<SamplerName> = { expected: oneOfText(SAMPLER_NAMES), read: parseSamplerName }

const ratioSetting: Setting<number> = {
  expected: "a number from 0 to 1, such as 0.1",
  read: (text) => (/^(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(text) && Number(text) <= 1 ? Number(text) : undefined)
}

const allowedHostsSetting: Setting<AllowedHosts> = {
  expected: "host names and IP addresses separated by commas, without ports",
  read: (text) => Result.getOrElse(parseAllowedHosts(text), () => undefined)
}

export const isPlainLoopback = (address: string): boolean => {
  const url = URL.parse(address)
  if (url === null || url.protocol !== "http:") return false
  return Result.match(parseLiteralAddress(url.hostname), {
    onFailure: () => /(^|\.)localhost\.?$/i.test(url.hostname),
    onSuccess: NetAddress.isLoopback
  })
}

/** By default, the sandbox exists only where no other machine can reach it. */
const sandboxAvailability = (
  requested: boolean | undefined,
  listenHost: string,
  publicUrl: string
): Settings["sandbox"] => {
  if (requested !== undefined) return requested ? "always" : "never"
  return isLocalOnly({ host: listenHost, publicUrl }) ? "with demo" : "never"
}

export const isLocalOnly = ({ host, publicUrl }: Pick<Settings, "host" | "publicUrl">): boolean =>
  isPlainLoopback(`http://${hostInUrl(host)}`) && isPlainLoopback(publicUrl)

/** The data of a local demo is made up, so it needs no secret key. */
export const isLocalDemo = (settings: Pick<Settings, "demo" | "host" | "publicUrl">): boolean =>
  settings.demo && isLocalOnly(settings)

export const isMissingSecretKey = (settings: Pick<Settings, "demo" | "host" | "publicUrl" | "secretKeys">): boolean =>
  settings.secretKeys === undefined && !isLocalDemo(settings)

const hostInUrl = (name: string): string => (name.includes(":") ? `[${name}]` : name)

const wholeDays = wholeNumber("days", 1, RETENTION_DAYS_MAX)

const readRetentionDays = Effect.all({
  messages: readSetting("MESSAGE_DAYS", wholeDays),
  images: readSetting("IMAGE_DAYS", wholeDays),
  orders: readSetting("ORDER_DAYS", wholeDays)
})

const publicUrlSetting = baseAddress("an http or https address without a query, such as https://api.example.com")

const resourceAttributesSetting = {
  expected: "attributes as name=value, separated by commas, values percent-encoded",
  read: parseResourceAttributes
}

/** `MAIL_FROM` alone sends nothing. */
const readMailSettings = Effect.gen(function* () {
  const server = yield* readSetting("SMTP_URL", {
    expected: SMTP_URL_DESCRIPTION,
    secret: true,
    read: (text) => {
      const smtpServer = parseSmtpUrl(text)
      return smtpServer === undefined ? undefined : Redacted.make(smtpServer, { label: "SMTP_URL" })
    }
  })
  const sender = yield* readSetting("MAIL_FROM", {
    expected: "an e-mail address, such as no-reply@example.com or Latchkey <no-reply@example.com>",
    read: parseMailSender
  })
  if (server === undefined) return undefined
  if (sender === undefined) {
    return yield* new WrongSetting({ variable: "MAIL_FROM", expected: "set if SMTP_URL is set", given: "" })
  }
  return { server, sender }
})

/** `isTerminal` decides the default log format. */
export const readSettings = Effect.fnUntraced(function* (
  isTerminal: boolean
): Effect.fn.Return<Settings, WrongSetting> {
  const listenPort = yield* settingOrDefault("PORT", portSetting)
  const listenHost = yield* settingOrDefault("HOST", hostSetting)
  const ownAddress = `http://${hostInUrl(listenHost)}:${listenPort}`
  const publicUrl = (yield* readSetting("PUBLIC_URL", publicUrlSetting)) ?? ownAddress
  const databaseUrl = yield* readPostgresUrl("DATABASE_URL")
  const databaseDirectUrl = yield* readPostgresUrl("DATABASE_DIRECT_URL")
  if (databaseUrl === undefined && databaseDirectUrl !== undefined) {
    return yield* new WrongSetting({ variable: "DATABASE_DIRECT_URL", expected: "unset if DATABASE_URL is unset" })
  }
  return {
    port: listenPort,
    host: listenHost,
    publicUrl,
    databaseUrl,
    databasePrepared: yield* settingOrDefault("DATABASE_PREPARED", booleanSetting),
    databaseConnections: yield* settingOrDefault(
      "DATABASE_CONNECTIONS",
      wholeNumber("connections", DATABASE_CONNECTIONS_MIN, DATABASE_CONNECTIONS_MAX)
    ),
    databaseDirectUrl,
    dataDir: yield* settingOrDefault("DATA_DIR", textSetting),
    statementSeconds: yield* settingOrDefault("STATEMENT_SECONDS", wholeSeconds(1, STATEMENT_SECONDS_MAX)),
    redisUrl: yield* readSetting(
      "REDIS_URL",
      serverAddress("a redis:// or rediss:// address, such as redis://host:6379", (text) =>
        ["redis:", "rediss:"].includes(URL.parse(text)?.protocol ?? "")
      )
    ),
    secretKeys: yield* readSetting("SECRET_KEY", {
      expected: SECRET_KEY_DESCRIPTION,
      secret: true,
      read: parseSecretKeys
    }),
    deployment: yield* settingOrDefault("DEPLOYMENT", choiceSetting(["international", "regional"])),
    requireHttps: (yield* readSetting("REQUIRE_HTTPS", booleanSetting)) ?? !isPlainLoopback(publicUrl),
    trustProxy: yield* settingOrDefault("TRUST_PROXY", booleanSetting),
    otlpEndpoint: yield* readSetting(
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      // The query of a collector's address may contain its key.
      { ...baseAddress("an http or https address of a collector, such as http://localhost:4318"), secret: true }
    ),
    metricsPort: yield* readSetting("METRICS_PORT", portOtherThan(listenPort)),
    otlpHeaders: yield* readSetting("OTEL_EXPORTER_OTLP_HEADERS", {
      expected: "headers as name=value, separated by commas, values percent-encoded",
      secret: true,
      read: parseCollectorHeaders
    }),
    serviceName: yield* readSetting("OTEL_SERVICE_NAME", textSetting),
    resourceAttributes: (yield* readSetting("OTEL_RESOURCE_ATTRIBUTES", resourceAttributesSetting)) ?? {},
    sampler: {
      name: yield* settingOrDefault("OTEL_TRACES_SAMPLER", samplerSetting),
      ratio: yield* settingOrDefault("OTEL_TRACES_SAMPLER_ARG", ratioSetting)
    },
    logFormat:
      (yield* readSetting("LOG_FORMAT", choiceSetting(["pretty", "json"]))) ?? (isTerminal ? "pretty" : "json"),
    logLevel: yield* settingOrDefault("LOG_LEVEL", logLevelSetting),
    demo: (yield* readSetting("DEMO", booleanSetting)) ?? databaseUrl === undefined,
    sandbox: sandboxAvailability(yield* readSetting("SANDBOX", booleanSetting), listenHost, publicUrl),
    webhookAllowedHosts: (yield* readSetting("WEBHOOK_ALLOWED_HOSTS", allowedHostsSetting)) ?? NO_ALLOWED_HOSTS,
    imageStore: yield* readSetting("IMAGE_STORE", imageStoreSetting),
    drainSeconds: yield* settingOrDefault("DRAIN_SECONDS", wholeSeconds(0, DRAIN_SECONDS_MAX)),
    identityImageDays: yield* settingOrDefault("IDENTITY_IMAGE_DAYS", wholeNumber("days", 1, IDENTITY_IMAGE_DAYS_MAX)),
    retentionDays: yield* readRetentionDays,
    publicClientEnabled: yield* settingOrDefault("PUBLIC_CLIENT", booleanSetting),
    mail: yield* readMailSettings
  }
})

export class Configuration extends Context.Service<Configuration, Settings>()("latchkey/service/Configuration") {
  static readonly layer: Layer.Layer<Configuration | DatabaseSettings, WrongSetting> = Layer.effect(
    DatabaseSettings,
    Configuration
  ).pipe(
    Layer.provideMerge(
      Layer.effect(
        Configuration,
        Effect.suspend(() => readSettings(process.stdout.isTTY === true))
      )
    )
  )
}
