import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { allowsHost } from "../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { generateKey } from "../../src/platform/sealing/secret-keys.ts"
import { MAX_OTEL_ENTRIES } from "../../src/platform/telemetry/collector-settings.ts"
import { isPlainLoopback, readSettings } from "../../src/service/configuration.ts"
import { fieldOfError } from "../support/error-messages.ts"

const KEY = generateKey()

const settings = (env: Record<string, string>, terminal = false) =>
  readSettings(terminal).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

describe("configuration", () => {
  it.effect("needs nothing: an empty environment starts an embedded service on loopback", () =>
    Effect.gen(function* () {
      const { webhookAllowedHosts, ...rest } = yield* settings({})
      assert.deepStrictEqual(rest, {
        port: 8080,
        host: "127.0.0.1",
        publicUrl: "http://127.0.0.1:8080",
        databaseUrl: undefined,
        databasePrepared: true,
        databaseConnections: 14,
        databaseDirectUrl: undefined,
        dataDir: ".data",
        statementSeconds: 10,
        redisUrl: undefined,
        secretKeys: undefined,
        deployment: "international",
        requireHttps: false,
        trustProxy: false,
        otlpEndpoint: undefined,
        metricsPort: undefined,
        otlpHeaders: undefined,
        serviceName: undefined,
        resourceAttributes: {},
        sampler: { name: "parentbased_always_on", ratio: 1 },
        logFormat: "json",
        logLevel: "Info",
        demo: true,
        sandbox: "with demo",
        imageStore: undefined,
        drainSeconds: 0,
        identityImageDays: 30,
        retentionDays: { messages: undefined, images: undefined, orders: undefined },
        publicClientEnabled: true,
        mail: undefined
      })
      assert.isFalse(allowsHost(webhookAllowedHosts, "127.0.0.1"))
    })
  )

  it.effect("reads every variable", () =>
    Effect.gen(function* () {
      const { databaseUrl, databaseDirectUrl, redisUrl, webhookAllowedHosts, otlpHeaders, secretKeys, ...rest } =
        yield* settings({
          PORT: "9000",
          HOST: "0.0.0.0",
          PUBLIC_URL: "https://api.example.com/pms/",
          DATABASE_URL: "postgres://latchkey:secret@db:5432/latchkey",
          DATABASE_PREPARED: "0",
          DATABASE_CONNECTIONS: "8",
          DATABASE_DIRECT_URL: "postgresql://latchkey:secret@server:5432/latchkey?sslmode=require",
          DATA_DIR: "/var/lib/latchkey",
          STATEMENT_SECONDS: "45",
          REDIS_URL: "rediss://:secret@cache:6379",
          SECRET_KEY: KEY,
          DEPLOYMENT: "regional",
          REQUIRE_HTTPS: "0",
          TRUST_PROXY: "1",
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
          METRICS_PORT: "9464",
          OTEL_EXPORTER_OTLP_HEADERS: "X-Api-Key=col%20lect%2Cor,tenant=a",
          OTEL_SERVICE_NAME: "bookings",
          OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=prod, team=caf%C3%A9",
          OTEL_TRACES_SAMPLER: "ParentBased_TraceIdRatio",
          OTEL_TRACES_SAMPLER_ARG: "0.25",
          LOG_FORMAT: "pretty",
          LOG_LEVEL: "debug",
          DEMO: "1",
          SANDBOX: "1",
          IMAGE_STORE: "/mnt/latchkey/images",
          DRAIN_SECONDS: "300",
          IDENTITY_IMAGE_DAYS: "3650",
          MESSAGE_DAYS: "36500",
          IMAGE_DAYS: "1",
          ORDER_DAYS: "730",
          PUBLIC_CLIENT: "0",
          WEBHOOK_ALLOWED_HOSTS: "127.0.0.1, hooks.internal"
        })
      assert.deepStrictEqual(rest, {
        port: 9000,
        host: "0.0.0.0",
        publicUrl: "https://api.example.com/pms",
        databasePrepared: false,
        databaseConnections: 8,
        dataDir: "/var/lib/latchkey",
        statementSeconds: 45,
        deployment: "regional",
        requireHttps: false,
        trustProxy: true,
        otlpEndpoint: "http://collector:4318",
        metricsPort: 9464,
        serviceName: "bookings",
        resourceAttributes: { "deployment.environment": "prod", team: "café" },
        sampler: { name: "parentbased_traceidratio", ratio: 0.25 },
        logFormat: "pretty",
        logLevel: "Debug",
        demo: true,
        sandbox: "always",
        imageStore: "/mnt/latchkey/images",
        drainSeconds: 300,
        identityImageDays: 3650,
        retentionDays: { messages: 36_500, images: 1, orders: 730 },
        publicClientEnabled: false,
        mail: undefined
      })
      assert.deepStrictEqual(otlpHeaders && Redacted.value(otlpHeaders), { "x-api-key": "col lect,or", tenant: "a" })
      assert.strictEqual(databaseUrl && Redacted.value(databaseUrl), "postgres://latchkey:secret@db:5432/latchkey")
      assert.strictEqual(
        databaseDirectUrl && Redacted.value(databaseDirectUrl),
        "postgresql://latchkey:secret@server:5432/latchkey?sslmode=require"
      )
      assert.strictEqual(redisUrl && Redacted.value(redisUrl), "rediss://:secret@cache:6379")
      assert.strictEqual(secretKeys?.byId.size, 1)
      assert.deepStrictEqual(
        ["127.0.0.1", "hooks.internal", "10.0.0.1"].map((host) => allowsHost(webhookAllowedHosts, host)),
        [true, true, false]
      )
    })
  )

  it.effect("takes headers of the collector that are none for what they are, and shows nothing of them", () =>
    Effect.gen(function* () {
      const many = (count: number) => Array.from({ length: count }, (_, at) => `h${at}=v`).join(",")
      assert.isDefined((yield* settings({ OTEL_EXPORTER_OTLP_HEADERS: many(MAX_OTEL_ENTRIES) })).otlpHeaders)
      for (const text of ["hidden", "=hidden", "a b=hidden", "a=%0ahidden", "a=%zz", many(MAX_OTEL_ENTRIES + 1)]) {
        const { message } = yield* Effect.flip(settings({ OTEL_EXPORTER_OTLP_HEADERS: text }))
        assert.match(message, /^OTEL_EXPORTER_OTLP_HEADERS: .*\bname=value\b/)
        assert.notInclude(message, "hidden")
      }
      const { message } = yield* Effect.flip(settings({ OTEL_RESOURCE_ATTRIBUTES: "prod" }))
      assert.match(message, /^OTEL_RESOURCE_ATTRIBUTES: .*\bname=value\b/)
    })
  )

  it.effect("takes an empty variable for an unset one, and is not misled by longer names", () =>
    Effect.gen(function* () {
      const read = yield* settings({ PORT: "", DATABASE_URL: "", HOST_NAME: "box", DEMO_1: "x", PORT_8080: "open" })
      assert.strictEqual(read.port, 8080)
      assert.strictEqual(read.host, "127.0.0.1")
      assert.isTrue(read.demo)
    })
  )

  it.effect("takes a share of traces in any form of number from 0 to 1, and no other", () =>
    Effect.gen(function* () {
      for (const [text, ratio] of Object.entries({ "0": 0, "1": 1, "1.0": 1, ".5": 0.5, "1e-3": 0.001 })) {
        assert.strictEqual((yield* settings({ OTEL_TRACES_SAMPLER_ARG: text })).sampler.ratio, ratio)
      }
      for (const text of ["1.01", "-0.1", ".", "e", "half", "0x1", "Infinity"]) {
        const error = yield* Effect.flip(settings({ OTEL_TRACES_SAMPLER_ARG: text }))
        assert.match(error.message, /^OTEL_TRACES_SAMPLER_ARG: .*\b0 to 1\b/)
      }
      const error = yield* Effect.flip(settings({ OTEL_TRACES_SAMPLER: "sometimes" }))
      assert.match(error.message, /^OTEL_TRACES_SAMPLER: .*\balways_on, always_off, traceidratio\b/)
    })
  )

  it.effect("gives a statement from a second to an hour", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* settings({ STATEMENT_SECONDS: "1" })).statementSeconds, 1)
      assert.strictEqual((yield* settings({ STATEMENT_SECONDS: "3600" })).statementSeconds, 3600)
    })
  )

  it.effect("has from four connections of a process to a server to a hundred", () =>
    Effect.gen(function* () {
      const DATABASE_URL = "postgresql://127.0.0.1/latchkey"
      for (const [text, count] of [
        ["4", 4],
        ["100", 100]
      ] as const) {
        assert.strictEqual((yield* settings({ DATABASE_URL, DATABASE_CONNECTIONS: text })).databaseConnections, count)
      }
      for (const text of ["3", "101"]) {
        const { message } = yield* Effect.flip(settings({ DATABASE_URL, DATABASE_CONNECTIONS: text }))
        assert.match(message, new RegExp(`^DATABASE_CONNECTIONS: .*\\b4 to 100\\b.*"${text}"`))
      }
    })
  )

  it.effect("says in one line what is wrong with an address of a server, and never shows it", () =>
    Effect.gen(function* () {
      const secret = "postgres://user:secret@host/database"
      for (const [variable, more] of [
        ["DATABASE_URL", {}],
        ["DATABASE_DIRECT_URL", { DATABASE_URL: secret }]
      ] as const) {
        const { message } = yield* Effect.flip(settings({ ...more, [variable]: `${secret}?sslmode=prefer` }))
        assert.match(
          message,
          new RegExp(`^${variable}: .*\\bsslmode\\b.*\\bdisable, require, verify-ca, verify-full\\b.*\\.$`)
        )
        assert.notInclude(message, "secret@")
      }
      // Else it would be the database of the user's name, which nobody meant.
      for (const url of [
        "postgres://user:secret@host:5432",
        "postgres://user:secret@host:5432/",
        "http://host/database"
      ]) {
        const { message } = yield* Effect.flip(settings({ DATABASE_URL: url }))
        assert.match(message, /^DATABASE_URL: .*\bpostgres:\/\/user@host:5432\/database\b/)
        assert.notInclude(message, "secret@")
      }
      const { message } = yield* Effect.flip(settings({ DATABASE_DIRECT_URL: secret }))
      assert.match(message, /^DATABASE_DIRECT_URL: .*\bDATABASE_URL\b/)
    })
  )

  it.effect("sends mail only with a mail server and a sender, and shows nothing of the password", () =>
    Effect.gen(function* () {
      const [SMTP_URL, MAIL_FROM] = ["smtp://me:hunter2@mail.example.com", "Harbour <no-reply@example.com>"]
      const { mail } = yield* settings({ SMTP_URL, MAIL_FROM })
      assert.deepStrictEqual(mail?.sender, { name: "Harbour", address: "no-reply@example.com" })
      assert.strictEqual(mail && Redacted.value(mail.server).host, "mail.example.com")
      assert.notInclude(String(mail?.server), "hunter2")
      assert.isUndefined((yield* settings({ MAIL_FROM })).mail)
      for (const [env, variable] of [
        [{ SMTP_URL }, "MAIL_FROM"],
        [{ SMTP_URL, MAIL_FROM: "Harbour" }, "MAIL_FROM"],
        [{ SMTP_URL: "http://me:hunter2@mail.example.com", MAIL_FROM }, "SMTP_URL"],
        [{ SMTP_URL: "smtp://me:hunter2@mail.example.com?pool=true", MAIL_FROM }, "SMTP_URL"]
      ] as const) {
        const { message } = yield* Effect.flip(settings(env))
        assert.strictEqual(fieldOfError({ error_msg: message }), variable)
        assert.notInclude(message, "hunter2")
        assert.notInclude(message, "\n")
      }
    })
  )

  it.effect("listens on an IPv6 address and names itself by it", () =>
    Effect.gen(function* () {
      for (const HOST of ["::1", "[::1]"]) {
        const read = yield* settings({ HOST })
        assert.strictEqual(read.host, "::1")
        assert.strictEqual(read.publicUrl, "http://[::1]:8080")
        assert.isFalse(read.requireHttps)
      }
    })
  )

  it.effect("writes a pretty log in a terminal, unless told otherwise", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* settings({}, true)).logFormat, "pretty")
      assert.strictEqual((yield* settings({ LOG_FORMAT: "json" }, true)).logFormat, "json")
    })
  )

  it.effect("seeds no demo operator into a server's database, unless told to", () =>
    Effect.gen(function* () {
      const DATABASE_URL = "postgresql://127.0.0.1/latchkey"
      assert.isFalse((yield* settings({ DATABASE_URL })).demo)
      assert.isTrue((yield* settings({ DATABASE_URL, DEMO: "1" })).demo)
      assert.isFalse((yield* settings({ DEMO: "0" })).demo)
    })
  )

  it.effect("has the sandbox where nobody else can reach it, and elsewhere when it is told to", () =>
    Effect.gen(function* () {
      const sandbox = (environment: Readonly<Record<string, string>>) =>
        Effect.map(settings(environment), (read) => read.sandbox)
      assert.strictEqual(yield* sandbox({ HOST: "::1" }), "with demo")
      assert.strictEqual(yield* sandbox({ PUBLIC_URL: "http://localhost:9000" }), "with demo")
      const open = [
        { HOST: "0.0.0.0" },
        { HOST: "0.0.0.0", PUBLIC_URL: "http://127.0.0.1:8080" },
        { HOST: "10.0.0.1" },
        { PUBLIC_URL: "https://127.0.0.1" },
        { PUBLIC_URL: "https://api.example.com" },
        { PUBLIC_URL: "http://api.example.com" }
      ]
      for (const environment of open) {
        assert.strictEqual(yield* sandbox(environment), "never")
        assert.strictEqual(yield* sandbox({ ...environment, SANDBOX: "1" }), "always")
      }
      assert.strictEqual(yield* sandbox({ SANDBOX: "0" }), "never")
      assert.strictEqual((yield* Effect.flip(settings({ SANDBOX: "yes" }))).variable, "SANDBOX")
    })
  )

  it.effect.each([
    ["http://127.0.0.1:8080", false],
    ["http://127.9.9.9", false],
    ["http://localhost:3000", false],
    ["http://api.localhost", false],
    ["http://[::1]:8080", false],
    ["https://127.0.0.1", true],
    ["http://api.example.com", true],
    ["http://localhost.example.com", true],
    ["http://0.0.0.0:8080", true],
    ["https://api.example.com", true]
  ] as const)("with PUBLIC_URL %s HTTPS is required: %s", ([PUBLIC_URL, required]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* settings({ PUBLIC_URL })).requireHttps, required)
      assert.strictEqual(isPlainLoopback(PUBLIC_URL), !required)
      assert.isTrue((yield* settings({ PUBLIC_URL, REQUIRE_HTTPS: "1" })).requireHttps)
    })
  )

  it.effect.each([
    ["PORT", "0", "1 to 65535"],
    ["METRICS_PORT", "0", " PORT"],
    ["METRICS_PORT", "8080", " PORT"],
    ["METRICS_PORT", "65536", " PORT"],
    ["PORT", "65536", "1 to 65535"],
    ["PORT", "80a", "1 to 65535"],
    ["HOST", "a b", "host name"],
    ["HOST", "999.1.1.1", "host name"],
    ["STATEMENT_SECONDS", "0", "seconds from 1 to 3600"],
    ["STATEMENT_SECONDS", "3601", "seconds from 1 to 3600"],
    ["STATEMENT_SECONDS", "1.5", "seconds from 1 to 3600"],
    ["PUBLIC_URL", "example.com", "http or https"],
    ["PUBLIC_URL", "https://example.com/?a=1", "http or https"],
    ["DEPLOYMENT", "cn", "international, regional"],
    ["REQUIRE_HTTPS", "true", "1 or 0"],
    ["TRUST_PROXY", "yes", "1 or 0"],
    ["DEMO", "2", "1 or 0"],
    ["DRAIN_SECONDS", "301", "seconds from 0 to 300"],
    ["DRAIN_SECONDS", "-1", "seconds from 0 to 300"],
    ["DRAIN_SECONDS", "1.5", "seconds from 0 to 300"],
    ["PUBLIC_CLIENT", "yes", "1 or 0"],
    ["IDENTITY_IMAGE_DAYS", "0", "days from 1 to 3650"],
    ["IDENTITY_IMAGE_DAYS", "3651", "days from 1 to 3650"],
    ["IDENTITY_IMAGE_DAYS", "a month", "days from 1 to 3650"],
    ...["MESSAGE_DAYS", "IMAGE_DAYS", "ORDER_DAYS"].flatMap((name) =>
      ["0", "36501", "forever"].map((text) => [name, text, "days from 1 to 36500"] as const)
    ),
    ["LOG_FORMAT", "xml", "pretty, json"],
    ["LOG_LEVEL", "loud", "trace, debug, info, warn, error, fatal, none"],
    ["WEBHOOK_ALLOWED_HOSTS", "a.example:80", "host names"],
    ["IMAGE_STORE", "images", "absolute path"],
    ["IMAGE_STORE", "s3://bucket/images", "absolute path"]
  ] as const)("stops at %s=%s with one line that names it", ([variable, given, expected]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(settings({ [variable]: given }))
      assert.strictEqual(error._tag, "WrongSetting")
      assert.strictEqual(error.variable, variable)
      assert.strictEqual(fieldOfError({ error_msg: error.message }), variable)
      assert.include(error.message, expected)
      assert.include(error.message, `not "${given}"`)
      assert.notInclude(error.message, "\n")
    })
  )

  it.effect.each([
    ["DATABASE_URL", "mysql://root:hunter2@db/latchkey"],
    ["REDIS_URL", "http://:hunter2@cache"],
    ["SECRET_KEY", "lksecret_hunter2"],
    ["SECRET_KEY", `${KEY},hunter2`],
    ["SECRET_KEY", `clear,${KEY},clear-hunter2`],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector/?key=hunter2"],
    ["PUBLIC_URL", "https://admin:hunter2@example.com"],
    // A secret in the wrong place is one all the same.
    ["PORT", "postgres://root:hunter2@db/latchkey"]
  ] as const)("never shows a secret of %s", ([variable, given]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(settings({ [variable]: given }))
      assert.strictEqual(error.variable, variable)
      assert.notInclude(`${error.message} ${JSON.stringify(error)} ${String(error)}`, "hunter2")
    })
  )

  it.effect("a wrong value with line breaks is still told in one line", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(settings({ PORT: `80\n${"9".repeat(500)}` }))
      assert.notInclude(error.message, "\n")
      assert.isBelow(error.message.length, 200)
    })
  )
})
