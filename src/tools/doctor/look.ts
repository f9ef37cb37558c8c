import { statfs } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { Cause, Clock, DateTime, Effect, Option, Predicate, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BACKGROUND_CONNECTIONS, PROBE_CONNECTIONS } from "../../platform/database/choose.ts"
import type { Migration } from "../../platform/database/migration.ts"
import type { Moved } from "../../platform/database/moving.ts"
import { reasonOf } from "../../platform/database/reason.ts"
import { onlyRowOf, rowsOf } from "../../platform/database/rows.ts"
import { noKeys } from "../../platform/sealing/keys.ts"
import { keptOtherwise, missingIn, standing } from "../../platform/sealing/standing.ts"
import { withoutSecrets } from "../../platform/telemetry/secrets.ts"
import { makeBacklogLooks } from "../../service/backlog.ts"
import { isDemoAlone, type Settings } from "../../service/configuration.ts"
import { type Finding, fine, unsure, wrong } from "./finding.ts"
import {
  clockFinding,
  connectionsFinding,
  deadLettersFinding,
  diskFinding,
  pausedFinding,
  postgresFinding,
  queueFinding,
  schemaFinding,
  secretsFinding
} from "./rules.ts"

// What is asked of the database, Redis, the collector, the own address and the disks. Each answers in time or is away.

/** Milliseconds that each of them has. */
export const DOCTOR_WAIT_MS = 5_000
/** Dead letters and paused receivers that are counted. */
export const DOCTOR_COUNTED = 10_000

/** Why something failed, as far as it can be told without an address or a secret. */
const codeOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  if (inner instanceof Error && "code" in inner && typeof inner.code === "string") return inner.code
  return inner instanceof Error ? inner.name : "no answer"
}

/** Of what answers in time; else one finding that says why not. */
export const inTime = <E>(
  asked: Effect.Effect<ReadonlyArray<Finding>, E>,
  away: (why: string) => Finding
): Effect.Effect<ReadonlyArray<Finding>> =>
  asked.pipe(
    Effect.timeoutOrElse({
      duration: DOCTOR_WAIT_MS,
      orElse: () => Effect.succeed([away(`no answer in ${DOCTOR_WAIT_MS / 1000} s`)])
    }),
    Effect.catch((error) => Effect.succeed([away(codeOf(error))]))
  )

const asked = (url: string, init: RequestInit) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const answer = yield* Effect.tryPromise({
      try: (signal) => fetch(url, { ...init, redirect: "manual", signal }),
      catch: (cause) => cause
    })
    yield* Effect.promise(() => answer.body?.cancel() ?? Promise.resolve())
    return { answer, before, after: yield* Clock.currentTimeMillis }
  })

/** A `Date` header says whole seconds. */
const SECOND_MS = 1_000

/** Whether callers reach the service under the address it tells them. */
export const ownAddress = ({ publicUrl }: Pick<Settings, "publicUrl">) => {
  const check = "PUBLIC_URL"
  const { host } = new URL(publicUrl)
  const advice = "check that the service runs, and that DNS and the proxy match PUBLIC_URL"
  return inTime(
    Effect.map(asked(`${publicUrl}/health/live`, {}), ({ answer, before, after }) => {
      if (answer.status !== 200) return [wrong(check, `${host} answers ${answer.status} to /health/live`, advice)]
      const theirs = Date.parse(answer.headers.get("date") ?? "")
      const clock = Number.isNaN(theirs) ? [] : [clockFinding(check, { before, after, theirs, precision: SECOND_MS })]
      return [fine(check, `${host} answers`), ...clock]
    }),
    (why) => wrong(check, `${host} cannot be reached: ${why}`, advice)
  )
}

/** Whether the collector takes what is sent to it. */
export const collector = ({ otlpEndpoint, otlpHeaders }: Pick<Settings, "otlpEndpoint" | "otlpHeaders">) => {
  const check = "collector"
  if (otlpEndpoint === undefined) return Effect.succeed([fine(check, "none is set")])
  const { host } = new URL(otlpEndpoint)
  const headers = {
    "content-type": "application/json",
    ...(otlpHeaders === undefined ? {} : Redacted.value(otlpHeaders))
  }
  return inTime(
    Effect.map(
      asked(`${otlpEndpoint}/v1/traces`, { method: "POST", headers, body: '{"resourceSpans":[]}' }),
      ({ answer: { status } }) => [
        status < 300
          ? fine(check, `${host} accepts traces`)
          : wrong(
              check,
              `${host} answers ${status} to traces`,
              "check OTEL_EXPORTER_OTLP_ENDPOINT, and OTEL_EXPORTER_OTLP_HEADERS if it needs a key"
            )
      ]
    ),
    (why) =>
      wrong(check, `${host} cannot be reached: ${why}`, "check OTEL_EXPORTER_OTLP_ENDPOINT, or start the collector")
  )
}

/** Redis: whether it is there, its release and its clock. */
export const redis = ({ redisUrl }: Pick<Settings, "redisUrl">) => {
  const check = "Redis"
  if (redisUrl === undefined)
    return Effect.succeed([fine(check, "none is set: each machine counts its own rate-limit windows")])
  const url = Redacted.value(redisUrl)
  const { host } = new URL(url)
  const client = Effect.acquireRelease(
    // Loaded for who has a Redis: it is 647 modules, and the help, which shows all commands, would load them too.
    Effect.promise(async () => {
      const { createClient } = await import("redis")
      const made = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: DOCTOR_WAIT_MS } })
      // Told by the command that fails.
      made.on("error", () => {})
      return made
    }),
    (made) => Effect.sync(() => (made.isOpen ? made.destroy() : undefined))
  )
  const answered = <A>(ask: () => Promise<A>) => Effect.tryPromise({ try: ask, catch: (cause) => cause })
  return inTime(
    Effect.scoped(
      Effect.gen(function* () {
        const made = yield* client
        yield* answered(() => made.connect())
        const before = yield* Clock.currentTimeMillis
        const [seconds = "0", micros = "0"] = yield* answered(() => made.sendCommand<Array<string>>(["TIME"]))
        const after = yield* Clock.currentTimeMillis
        const info = yield* answered(() => made.info("server"))
        const theirs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
        const release = /redis_version:(\S+)/.exec(info)?.[1] ?? "of unknown release"
        return [fine(check, `${host} answers, Redis ${release}`), clockFinding(check, { before, after, theirs })]
      })
    ),
    (why) =>
      wrong(
        check,
        `${host} cannot be reached: ${why}`,
        "start it or check REDIS_URL; meanwhile each process counts its own windows"
      )
  )
}

/** The free room of a folder. */
export const disk = (variable: string, folder: string) =>
  inTime(
    Effect.map(Effect.tryPromise({ try: () => statfs(folder), catch: (cause) => cause }), ({ bavail, bsize }) => [
      diskFinding(variable, bavail * bsize)
    ]),
    (why) => wrong(`disk of ${variable}`, `cannot read the folder: ${why}`, `create the folder, or correct ${variable}`)
  )

const readServer = onlyRowOf(
  Schema.Struct({ version: Schema.Int, now: Schema.Date, bytes: Schema.Int, most: Schema.Int })
)
const readIds = rowsOf(Schema.Struct({ id: Schema.Int }))
const readOnCall = onlyRowOf(Schema.Struct({ dead: Schema.Int, paused: Schema.Int }))

type OfDatabase = Pick<Settings, "databaseUrl" | "databaseConnections" | "secretKeys" | "demo" | "host" | "publicUrl">

/** The database: release, clock, size, connections, schema, and what waits in it. */
export const database = Effect.fnUntraced(function* (settings: OfDatabase, migrations: ReadonlyArray<Migration>) {
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
  const known = new Set(migrations.map(({ id }) => id))
  const pending = migrations.filter(({ id }) => !applied.has(id)).map(({ name }) => name)
  const isServer = databaseUrl !== undefined
  return [
    fine("database", `answers, ${Math.ceil(bytes / 1024 ** 2)} MiB`),
    postgresFinding(version),
    ...(isServer
      ? [
          clockFinding("the database", { before, after, theirs: now.getTime() }),
          connectionsFinding(
            most,
            availableParallelism(),
            databaseConnections + BACKGROUND_CONNECTIONS + PROBE_CONNECTIONS
          )
        ]
      : []),
    schemaFinding(pending, Array.from(applied).filter((id) => !known.has(id)).length),
    ...(pending.length === 0
      ? [...(yield* waiting), yield* secrets(settings)]
      : [unsure("queues", "the tables are not up to date")])
  ]
})

/** All of them are read; where that takes too long the rest is told all the same. */
const secrets = (settings: OfDatabase) =>
  Effect.map(Effect.timeoutOption(standing, DOCTOR_WAIT_MS), (counted) => {
    if (Option.isNone(counted))
      return unsure("SECRET_KEY", `counting the secrets takes longer than ${DOCTOR_WAIT_MS / 1000} s`)
    const { secretKeys } = settings
    const keys = secretKeys ?? noKeys
    return secretsFinding({
      isSet: secretKeys !== undefined,
      isDemo: isDemoAlone(settings),
      missing: missingIn(counted.value, keys),
      otherwise: keptOtherwise(counted.value, keys)
    })
  })

const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const looks = yield* makeBacklogLooks
  const queues = yield* Effect.forEach(looks, (look) => look)
  const now = yield* DateTime.nowAsDate
  const { dead, paused } = yield* readOnCall(sql`
    SELECT (SELECT count(*) FROM (
        SELECT FROM webhook_deliveries WHERE state = 'dead' AND settled_at > ${now}::timestamptz - interval '1 day'
        LIMIT ${DOCTOR_COUNTED}) recent) AS dead,
      (SELECT count(*) FROM (
        SELECT FROM webhook_subscriptions WHERE deleted_at IS NULL AND health->>'state' = 'paused'
        LIMIT ${DOCTOR_COUNTED}) still) AS paused`)
  return [...queues.map(queueFinding), deadLettersFinding(dead), pausedFinding(paused)]
})

/** The same, of a database that may be away; `on` gives the work its database. */
export const databaseInTime = <E, R>(looked: Effect.Effect<ReadonlyArray<Finding>, E, R>) =>
  Effect.map(
    Effect.timeoutOption(
      Effect.catchCause(looked, (cause) => Effect.succeed([unusable(cause)])),
      DOCTOR_WAIT_MS * 2
    ),
    Option.getOrElse(
      (): ReadonlyArray<Finding> => [
        wrong("database", `no answer in ${(DOCTOR_WAIT_MS * 2) / 1000} s`, DATABASE_ADVICE)
      ]
    )
  )

const isMoved = (error: unknown): error is Moved => Predicate.isTagged(error, "Moved")

const unusable = (cause: Cause.Cause<unknown>): Finding => {
  const error = Cause.squash(cause)
  return isMoved(error)
    ? wrong("database", error.matter, error.advice)
    : wrong("database", `cannot be used: ${saidOf(error)}`, DATABASE_ADVICE)
}

/** As commands say it, in one line. */
const saidOf = (error: unknown): string => withoutSecrets(reasonOf(error).replace(/\s*\n\s*/g, " "))

const DATABASE_ADVICE = "check DATABASE_URL or DATA_DIR, and that the server runs"
