import { statfs } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { Cause, Clock, DateTime, Effect, Option, Predicate, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BACKGROUND_CONNECTIONS, PROBE_CONNECTIONS } from "../../platform/database/database-layers.ts"
import type { DatabaseMoved } from "../../platform/database/database-move.ts"
import { toReason } from "../../platform/database/error-reason.ts"
import type { Migration } from "../../platform/database/migration.ts"
import { makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { verifySmtpServer } from "../../platform/mail/smtp-mailer.ts"
import { countOutdatedTexts, findMissingKeyIds, loadKeyUsage } from "../../platform/sealing/key-usage.ts"
import { noSecretKeys } from "../../platform/sealing/secret-keys.ts"
import { redactSecrets } from "../../platform/telemetry/secret-redaction.ts"
import { makeBacklogReaders } from "../../service/backlog.ts"
import { isLocalDemo, type Settings } from "../../service/configuration.ts"
import { errorFinding, type Finding, okFinding, unknownFinding } from "./finding.ts"
import {
  clockFinding,
  connectionsFinding,
  deadLettersFinding,
  diskFinding,
  pausedWebhooksFinding,
  postgresFinding,
  queueFinding,
  schemaFinding,
  secretsFinding
} from "./finding-rules.ts"

export const DOCTOR_TIMEOUT_MS = 5_000
const DOCTOR_COUNT_LIMIT = 10_000

/** Never returns addresses or secrets. */
const toErrorCode = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  if (inner instanceof Error && "code" in inner && typeof inner.code === "string") return inner.code
  return inner instanceof Error ? inner.name : "no answer"
}

export const runCheckWithTimeout = <E>(
  check: Effect.Effect<ReadonlyArray<Finding>, E>,
  toFailureFinding: (reason: string) => Finding
): Effect.Effect<ReadonlyArray<Finding>> =>
  check.pipe(
    Effect.timeoutOrElse({
      duration: DOCTOR_TIMEOUT_MS,
      orElse: () => Effect.succeed([toFailureFinding(`no answer in ${DOCTOR_TIMEOUT_MS / 1000} s`)])
    }),
    Effect.catch((error) => Effect.succeed([toFailureFinding(toErrorCode(error))]))
  )

const sendRequest = (url: string, init: RequestInit) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const response = yield* Effect.tryPromise({
      try: (signal) => fetch(url, { ...init, redirect: "manual", signal }),
      catch: (cause) => cause
    })
    yield* Effect.promise(() => response.body?.cancel() ?? Promise.resolve())
    return { answer: response, before, after: yield* Clock.currentTimeMillis }
  })

/** Precision of a `Date` header. */
const SECOND_MS = 1_000

export const checkPublicUrl = ({ publicUrl }: Pick<Settings, "publicUrl">) => {
  const check = "PUBLIC_URL"
  const { host } = new URL(publicUrl)
  const advice = "check that the service runs, and that DNS and the proxy match PUBLIC_URL"
  return runCheckWithTimeout(
    Effect.map(sendRequest(`${publicUrl}/health/live`, {}), ({ answer, before, after }) => {
      if (answer.status !== 200)
        return [errorFinding(check, `${host} answers ${answer.status} to /health/live`, advice)]
      const remote = Date.parse(answer.headers.get("date") ?? "")
      const clock = Number.isNaN(remote) ? [] : [clockFinding(check, { before, after, remote, precision: SECOND_MS })]
      return [okFinding(check, `${host} answers`), ...clock]
    }),
    (reason) => errorFinding(check, `${host} cannot be reached: ${reason}`, advice)
  )
}

export const checkCollector = ({ otlpEndpoint, otlpHeaders }: Pick<Settings, "otlpEndpoint" | "otlpHeaders">) => {
  const check = "collector"
  if (otlpEndpoint === undefined) return Effect.succeed([okFinding(check, "none is set")])
  const { host } = new URL(otlpEndpoint)
  const headers = {
    "content-type": "application/json",
    ...(otlpHeaders === undefined ? {} : Redacted.value(otlpHeaders))
  }
  return runCheckWithTimeout(
    Effect.map(
      sendRequest(`${otlpEndpoint}/v1/traces`, { method: "POST", headers, body: '{"resourceSpans":[]}' }),
      ({ answer: { status } }) => [
        status < 300
          ? okFinding(check, `${host} accepts traces`)
          : errorFinding(
              check,
              `${host} answers ${status} to traces`,
              "check OTEL_EXPORTER_OTLP_ENDPOINT, and OTEL_EXPORTER_OTLP_HEADERS if it needs a key"
            )
      ]
    ),
    (reason) =>
      errorFinding(
        check,
        `${host} cannot be reached: ${reason}`,
        "check OTEL_EXPORTER_OTLP_ENDPOINT, or start the collector"
      )
  )
}

export const checkRedis = ({ redisUrl }: Pick<Settings, "redisUrl">) => {
  const check = "Redis"
  if (redisUrl === undefined)
    return Effect.succeed([okFinding(check, "none is set: each machine counts its own rate-limit windows")])
  const url = Redacted.value(redisUrl)
  const { host } = new URL(url)
  const acquireClient = Effect.acquireRelease(
    // Imported on demand, because the module is large and `--help` loads all commands.
    Effect.promise(async () => {
      const { createClient } = await import("redis")
      const instance = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: DOCTOR_TIMEOUT_MS } })
      // The failing command reports the error. Without a listener, the event would end the process.
      instance.on("error", () => {})
      return instance
    }),
    (instance) => Effect.sync(() => (instance.isOpen ? instance.destroy() : undefined))
  )
  const tryCommand = <A>(command: () => Promise<A>) => Effect.tryPromise({ try: command, catch: (cause) => cause })
  return runCheckWithTimeout(
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* acquireClient
        yield* tryCommand(() => client.connect())
        const before = yield* Clock.currentTimeMillis
        const [seconds = "0", micros = "0"] = yield* tryCommand(() => client.sendCommand<Array<string>>(["TIME"]))
        const after = yield* Clock.currentTimeMillis
        const info = yield* tryCommand(() => client.info("server"))
        const remote = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
        const release = /redis_version:(\S+)/.exec(info)?.[1] ?? "of unknown release"
        return [okFinding(check, `${host} answers, Redis ${release}`), clockFinding(check, { before, after, remote })]
      })
    ),
    (reason) =>
      errorFinding(
        check,
        `${host} cannot be reached: ${reason}`,
        "start it or check REDIS_URL; meanwhile each process counts its own windows"
      )
  )
}

export const checkMail = ({ mail }: Pick<Settings, "mail">) => {
  const check = "mail server"
  if (mail === undefined) return Effect.succeed([okFinding(check, "none is set: no mail is sent")])
  const { host } = Redacted.value(mail.server)
  const toFailure = (reason: string) =>
    errorFinding(check, `${host} cannot be used: ${reason}`, "check SMTP_URL, and that the mail server runs")
  return runCheckWithTimeout(
    verifySmtpServer(mail.server).pipe(
      Effect.as([okFinding(check, `${host} accepts the connection and the password`)]),
      Effect.catch(({ reason }) => Effect.succeed([toFailure(reason)]))
    ),
    toFailure
  )
}

export const checkDisk = (variable: string, folder: string) =>
  runCheckWithTimeout(
    Effect.map(Effect.tryPromise({ try: () => statfs(folder), catch: (cause) => cause }), ({ bavail, bsize }) => [
      diskFinding(variable, bavail * bsize)
    ]),
    (reason) =>
      errorFinding(
        `disk of ${variable}`,
        `cannot read the folder: ${reason}`,
        `create the folder, or correct ${variable}`
      )
  )

const readServer = makeSingleRowReader(
  Schema.Struct({ version: Schema.Int, now: Schema.Date, bytes: Schema.Int, most: Schema.Int })
)
const readIds = makeRowsReader(Schema.Struct({ id: Schema.Int }))
const readWebhookHealth = makeSingleRowReader(Schema.Struct({ dead: Schema.Int, paused: Schema.Int }))

type DatabaseCheckSettings = Pick<
  Settings,
  "databaseUrl" | "databaseConnections" | "secretKeys" | "demo" | "host" | "publicUrl"
>

export const checkDatabase = Effect.fnUntraced(function* (
  settings: DatabaseCheckSettings,
  migrations: ReadonlyArray<Migration>
) {
  const { databaseUrl, databaseConnections } = settings
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const { version, now, bytes, most } = yield* readServer(sql`
    SELECT current_setting('server_version_num')::integer AS version, clock_timestamp() AS now,
      pg_database_size(current_database()) AS bytes, current_setting('max_connections')::integer AS most`)
  const after = yield* Clock.currentTimeMillis
  const [tables] = yield* Effect.orDie(
    sql<{ there: boolean }>`SELECT to_regclass('schema_migrations') IS NOT NULL AS there`
  )
  const applied = new Set(
    tables?.there === true ? (yield* readIds(sql`SELECT id FROM schema_migrations`)).map(({ id }) => id) : []
  )
  const knownIds = new Set(migrations.map(({ id }) => id))
  const pending = migrations.filter(({ id }) => !applied.has(id)).map(({ name }) => name)
  const isServer = databaseUrl !== undefined
  return [
    okFinding("database", `answers, ${Math.ceil(bytes / 1024 ** 2)} MiB`),
    postgresFinding(version),
    ...(isServer
      ? [
          clockFinding("the database", { before, after, remote: now.getTime() }),
          connectionsFinding(
            most,
            availableParallelism(),
            databaseConnections + BACKGROUND_CONNECTIONS + PROBE_CONNECTIONS
          )
        ]
      : []),
    schemaFinding(pending, Array.from(applied).filter((id) => !knownIds.has(id)).length),
    ...(pending.length === 0
      ? [...(yield* checkQueues), yield* checkSecrets(settings)]
      : [unknownFinding("queues", "the tables are not up to date")])
  ]
})

/** A timeout here must not hide the other findings. */
const checkSecrets = (settings: DatabaseCheckSettings) =>
  Effect.map(Effect.timeoutOption(loadKeyUsage, DOCTOR_TIMEOUT_MS), (usage) => {
    if (Option.isNone(usage))
      return unknownFinding("SECRET_KEY", `counting the secrets takes longer than ${DOCTOR_TIMEOUT_MS / 1000} s`)
    const { secretKeys } = settings
    const keys = secretKeys ?? noSecretKeys
    return secretsFinding({
      isSet: secretKeys !== undefined,
      isDemo: isLocalDemo(settings),
      missingKeyIds: findMissingKeyIds(usage.value, keys),
      outdatedCount: countOutdatedTexts(usage.value, keys)
    })
  })

const checkQueues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const backlogReaders = yield* makeBacklogReaders
  const queues = yield* Effect.forEach(backlogReaders, (readStatus) => readStatus)
  const now = yield* DateTime.nowAsDate
  const { dead, paused } = yield* readWebhookHealth(sql`
    SELECT (SELECT count(*) FROM (
        SELECT FROM webhook_deliveries WHERE state = 'dead' AND settled_at > ${now}::timestamptz - interval '1 day'
        LIMIT ${DOCTOR_COUNT_LIMIT}) recent) AS dead,
      (SELECT count(*) FROM (
        SELECT FROM webhook_subscriptions WHERE deleted_at IS NULL AND health->>'state' = 'paused'
        LIMIT ${DOCTOR_COUNT_LIMIT}) still) AS paused`)
  return [...queues.map(queueFinding), deadLettersFinding(dead), pausedWebhooksFinding(paused)]
})

export const runDatabaseCheckWithTimeout = <E, R>(check: Effect.Effect<ReadonlyArray<Finding>, E, R>) =>
  Effect.map(
    Effect.timeoutOption(
      Effect.catchCause(check, (cause) => Effect.succeed([toUnusableFinding(cause)])),
      DOCTOR_TIMEOUT_MS * 2
    ),
    Option.getOrElse(
      (): ReadonlyArray<Finding> => [
        errorFinding("database", `no answer in ${(DOCTOR_TIMEOUT_MS * 2) / 1000} s`, DATABASE_ADVICE)
      ]
    )
  )

const isMoved = (error: unknown): error is DatabaseMoved => Predicate.isTagged(error, "DatabaseMoved")

const toUnusableFinding = (cause: Cause.Cause<unknown>): Finding => {
  const error = Cause.squash(cause)
  return isMoved(error)
    ? errorFinding("database", error.problem, error.advice)
    : errorFinding("database", `cannot be used: ${toErrorText(error)}`, DATABASE_ADVICE)
}

const toErrorText = (error: unknown): string => redactSecrets(toReason(error).replace(/\s*\n\s*/g, " "))

const DATABASE_ADVICE = "check DATABASE_URL or DATA_DIR, and that the server runs"
