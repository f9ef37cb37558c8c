import { Clock, Data, Deferred, Effect } from "effect"
import { createClient } from "redis"
import { redisUp } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { registerGauge } from "../../platform/telemetry/metrics/metric-family.ts"
import { withChildSpan } from "../../platform/telemetry/spans.ts"
import { type CounterScriptInput, counterScript } from "./redis-counter-script.ts"

export const REDIS_TIMEOUT_MS = 200
export const REDIS_CONNECT_TIMEOUT_MS = 1_000
export const REDIS_RETRY_INTERVAL_MS = 1_000
export const REDIS_WARNING_INTERVAL_MS = 60_000

class RedisUnavailable extends Data.TaggedError("RedisUnavailable")<{ readonly cause: unknown }> {}

interface Connection {
  readonly client: ReturnType<typeof newClient>
  readonly lost: Deferred.Deferred<never, RedisUnavailable>
}

interface RedisLink {
  /**
   * Returns the counts before this call, or undefined while Redis is unavailable. After one timeout, calls do not wait
   * again until a probe in the background has succeeded.
   */
  readonly run: (input: CounterScriptInput) => Effect.Effect<ReadonlyArray<number> | undefined>
}

/**
 * Keeps one connection to Redis. Any failure ends it for all calls at once. The reconnect of node-redis is off, because
 * it would queue commands and would trust a server that does not respond.
 */
export const makeRedisLink = Effect.fnUntraced(function* (
  url: string,
  probe: (nowMillis: number) => CounterScriptInput
) {
  const { logAway, logBack } = makeStatusLog(yield* addressOf(url))
  const firstAttempt = yield* Deferred.make<void>()
  let connection: Connection | undefined
  yield* registerGauge(redisUp.withLabels({}), () => (connection === undefined ? 0 : 1))

  const session = Effect.gen(function* () {
    const opened = yield* openConnection(url, probe)
    connection = opened
    yield* logBack
    yield* Deferred.succeed(firstAttempt, undefined)
    return yield* Deferred.await(opened.lost)
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        connection = undefined
      })
    ),
    Effect.scoped
  )

  yield* session.pipe(
    Effect.catch(logAway),
    Effect.andThen(Deferred.succeed(firstAttempt, undefined)),
    Effect.andThen(Effect.sleep(REDIS_RETRY_INTERVAL_MS)),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Deferred.await(firstAttempt)

  const run: RedisLink["run"] = (input) =>
    Effect.suspend(() => {
      if (input.keys.length === 0) return Effect.succeed([])
      const current = connection
      if (current === undefined) return Effect.succeed(undefined)
      return attempt(() => current.client.count(input)).pipe(
        withChildSpan("windows", { "db.system.name": "redis" }, "client"),
        Effect.raceFirst(failAfterTimeout),
        Effect.catch((lost) =>
          Effect.sync(() => {
            if (connection === current) connection = undefined
            Deferred.doneUnsafe(current.lost, Effect.fail(lost))
            return undefined
          })
        )
      )
    })

  return { run } satisfies RedisLink
})

/**
 * The probe counts something, because a server that is a replica, full or loading accepts connections but cannot count.
 */
const openConnection = (url: string, probe: (nowMillis: number) => CounterScriptInput) =>
  Effect.gen(function* () {
    const lost = yield* Deferred.make<never, RedisUnavailable>()
    const client = yield* newConnection(url, lost)
    yield* attempt(() => client.connect())
    const now = yield* Clock.currentTimeMillis
    yield* attempt(() => client.count(probe(now)))
    return { client, lost }
  }).pipe(
    Effect.timeoutOrElse({
      duration: REDIS_CONNECT_TIMEOUT_MS,
      orElse: () => Effect.fail(new RedisUnavailable({ cause: `no answer within ${REDIS_CONNECT_TIMEOUT_MS} ms` }))
    })
  )

const makeStatusLog = (address: string) => {
  let warnedAt = Number.NEGATIVE_INFINITY
  let isAwayLogged = false
  return {
    logAway: Effect.fnUntraced(function* (error: RedisUnavailable) {
      const now = yield* Clock.currentTimeMillis
      if (now - warnedAt < REDIS_WARNING_INTERVAL_MS) return
      warnedAt = now
      isAwayLogged = true
      yield* Effect.logWarning(
        `Redis at ${address} is unreachable: each process counts its own rate-limit windows until Redis is back`,
        error
      )
    }),
    logBack: Effect.suspend(() => {
      if (!isAwayLogged) return Effect.void
      isAwayLogged = false
      return Effect.logInfo(`Redis at ${address} is back: all processes share their rate-limit windows again`)
    })
  }
}

const newClient = (url: string) =>
  createClient({
    url,
    scripts: { count: counterScript },
    disableOfflineQueue: true,
    // The timeout of node-redis would create an AbortSignal per command. REDIS_TIMEOUT_MS bounds the wait.
    commandOptions: { timeout: 0 },
    socket: { reconnectStrategy: false, connectTimeout: REDIS_CONNECT_TIMEOUT_MS }
  })

const newConnection = (url: string, lost: Deferred.Deferred<never, RedisUnavailable>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const client = newClient(url)
      client.on("error", (cause) => Deferred.doneUnsafe(lost, Effect.fail(new RedisUnavailable({ cause }))))
      return client
    }),
    (client) =>
      Effect.sync(() => {
        // destroy() does not reach a socket that is still connecting.
        client.once("ready", () => client.destroy())
        client.destroy()
      })
  )

const attempt = <A>(call: () => Promise<A>) =>
  Effect.tryPromise({ try: call, catch: (cause) => new RedisUnavailable({ cause }) })

/** Four steps, so that a pause of this process does not use up the whole wait. */
const failAfterTimeout = Effect.sleep(REDIS_TIMEOUT_MS / 4).pipe(
  Effect.repeat({ times: 3 }),
  Effect.andThen(Effect.fail(new RedisUnavailable({ cause: `no answer within ${REDIS_TIMEOUT_MS} ms` })))
)

/** Host and port only, because the address may contain a password. */
const addressOf = (url: string): Effect.Effect<string> =>
  URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)
    ? Effect.succeed(new URL(url).host)
    : Effect.die("REDIS_URL must be a redis:// or rediss:// address, such as redis://host:6379")
