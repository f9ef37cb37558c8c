import { Clock, Data, Deferred, Effect } from "effect"
import { createClient } from "redis"
import { REDIS_CONNECT, REDIS_PATIENCE, REDIS_PROBE, REDIS_WARNING } from "../../limits.ts"
import { type Counting, countingScript } from "./counting-script.ts"

/** Redis refused the connection, dropped it, answered with an error, or did not answer in time. */
class RedisAway extends Data.TaggedError("RedisAway")<{ readonly cause: unknown }> {}

interface Connection {
  readonly client: ReturnType<typeof newClient>
  /** Fails once the connection is of no use any more. */
  readonly lost: Deferred.Deferred<never, RedisAway>
}

export interface RedisLink {
  /**
   * The counts before this call, or undefined while Redis is away. Never fails; waits REDIS_PATIENCE once when Redis stops
   * answering and not at all after that, until a probe in the background has counted something again.
   */
  readonly run: (counting: Counting) => Effect.Effect<ReadonlyArray<number> | undefined>
}

/**
 * Keeps one connection to Redis. node-redis reconnects by itself, but then a command waits in its queue while Redis is
 * away, and a server that accepts and stays silent looks connected; so a connection here lives once, and any failure ends
 * it for all calls at once. Building waits for the first attempt, successful or not.
 */
export const makeRedisLink = Effect.fnUntraced(function* (url: string, probe: (nowMillis: number) => Counting) {
  const address = yield* addressOf(url)
  const attempted = yield* Deferred.make<void>()
  let connection: Connection | undefined
  let warnedAt = Number.NEGATIVE_INFINITY
  let awayAnnounced = false

  const announceAway = Effect.fnUntraced(function* (away: RedisAway) {
    const now = yield* Clock.currentTimeMillis
    if (now - warnedAt < REDIS_WARNING) return
    warnedAt = now
    awayAnnounced = true
    yield* Effect.logWarning(
      `Redis at ${address} is away: each process counts its own rate windows until it is back`,
      away
    )
  })

  const announceBack = Effect.suspend(() => {
    if (!awayAnnounced) return Effect.void
    awayAnnounced = false
    return Effect.logInfo(`Redis at ${address} is back: rate windows are shared again`)
  })

  const connect = Effect.gen(function* () {
    const lost = yield* Deferred.make<never, RedisAway>()
    const client = yield* newConnection(url, lost)
    yield* attempt(() => client.connect())
    const now = yield* Clock.currentTimeMillis
    // A connection is not enough: a replica, a full or a loading server accepts it and counts nothing.
    yield* attempt(() => client.count(probe(now)))
    return { client, lost }
  }).pipe(
    Effect.timeoutOrElse({
      duration: REDIS_CONNECT,
      orElse: () => Effect.fail(new RedisAway({ cause: `no answer within ${REDIS_CONNECT} ms` }))
    })
  )

  const session = Effect.gen(function* () {
    const made = yield* connect
    connection = made
    yield* announceBack
    yield* Deferred.succeed(attempted, undefined)
    return yield* Deferred.await(made.lost)
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        connection = undefined
      })
    ),
    Effect.scoped
  )

  yield* session.pipe(
    Effect.catch(announceAway),
    Effect.andThen(Deferred.succeed(attempted, undefined)),
    Effect.andThen(Effect.sleep(REDIS_PROBE)),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Deferred.await(attempted)

  const run: RedisLink["run"] = (counting) =>
    Effect.suspend(() => {
      if (counting.keys.length === 0) return Effect.succeed([])
      const used = connection
      if (used === undefined) return Effect.succeed(undefined)
      return attempt(() => used.client.count(counting)).pipe(
        Effect.raceFirst(patience),
        Effect.catch((away) =>
          Effect.sync(() => {
            if (connection === used) connection = undefined
            Deferred.doneUnsafe(used.lost, Effect.fail(away))
            return undefined
          })
        )
      )
    })

  return { run } satisfies RedisLink
})

const newClient = (url: string) =>
  createClient({
    url,
    scripts: { count: countingScript },
    disableOfflineQueue: true,
    // node-redis would make an AbortSignal a command, which costs as much as the command; `patience` bounds the wait.
    commandOptions: { timeout: 0 },
    socket: { reconnectStrategy: false, connectTimeout: REDIS_CONNECT }
  })

const newConnection = (url: string, lost: Deferred.Deferred<never, RedisAway>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const client = newClient(url)
      client.on("error", (cause) => Deferred.doneUnsafe(lost, Effect.fail(new RedisAway({ cause }))))
      return client
    }),
    (client) =>
      Effect.sync(() => {
        // destroy() does not reach a socket that is still connecting: that one would come up later and stay.
        client.once("ready", () => client.destroy())
        client.destroy()
      })
  )

const attempt = <A>(ask: () => Promise<A>) =>
  Effect.tryPromise({ try: ask, catch: (cause) => new RedisAway({ cause }) })

/**
 * In four steps, so that a pause of this process (a garbage collection, a long computation) is one step late instead of
 * the whole wait gone before the answer could be read, or the question be sent.
 */
const patience = Effect.sleep(REDIS_PATIENCE / 4).pipe(
  Effect.repeat({ times: 3 }),
  Effect.andThen(Effect.fail(new RedisAway({ cause: `no answer within ${REDIS_PATIENCE} ms` })))
)

/** Host and port alone: the address may hold a password. */
const addressOf = (url: string): Effect.Effect<string> =>
  URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)
    ? Effect.succeed(new URL(url).host)
    : Effect.die("The address of Redis must look like redis://host:6379 or rediss://host:6379")
