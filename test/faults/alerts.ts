import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../migrations/index.ts"
import { toConnectorName } from "../../src/connectors/http/connector-names.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { type Life, lives } from "../attacks/service-process.ts"
import { subscribe } from "../attacks/subscribing.ts"
import { WIDE_LIMITS } from "../attacks/worlds.ts"
import { insertConversation } from "../support/conversations.ts"
import { createOperator, insertProperty } from "../support/harness.ts"
import { insertChannelAccount, insertListing } from "../support/listings.ts"
import { findFreePort } from "../support/tools/cli/latchkey-process.ts"
import type { Fault, Suffered } from "./fault.ts"

// Every alert of deploy/prometheus/alerts.yml is caused once, and seen by a Prometheus that scrapes a service with a PostgreSQL
// and a Redis of its own. The rules are those files' with shorter times: a `for` is 1 s, a range 15 s, and the five minutes of a
// backlog 5 s (ALERTS=LatchkeyDown,… causes only some). What they take for too much is what it is, and test/platform/telemetry/metrics has it at the threshold.

const POSTGRES = "/usr/lib/postgresql/15/bin"
const ALERTS = join(import.meta.dirname, "../../deploy/prometheus/alerts.yml")

/** Milliseconds that an alert has to be seen in, and then to be over. */
const SEEN_MS = 240_000
const OVER_MS = 90_000

const isThere = (command: string, ...args: ReadonlyArray<string>): boolean => spawnSync(command, args).status === 0

const missing = (): string | undefined => {
  if (process.getuid?.() !== 0) return "it starts a PostgreSQL of its own as another user, for which it must be root"
  if (!isThere("prometheus", "--version")) return "there is no prometheus (Debian: apt-get install prometheus)"
  if (!isThere("redis-server", "--version")) return "there is no redis-server"
  if (!isThere(join(POSTGRES, "initdb"), "--version")) return `there is no ${POSTGRES}/initdb`
  return undefined
}

/** The rules with shorter times. */
export const hastened = (rules: string): string =>
  rules
    .replace(/^( +for: ).*$/gm, "$11s")
    .replace(/\[\d+m\]/g, "[15s]")
    .replace("latchkey_backlog_oldest_age_seconds) > 300", "latchkey_backlog_oldest_age_seconds) > 5")

const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const made = mkdtempSync(join(tmpdir(), "latchkey-alerts-"))
    chmodSync(made, 0o755)
    return made
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** A process that runs until the scope closes, and may be ended and begun in between. */
const running = (command: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let child: ChildProcess | undefined
      const begin = () => {
        child = spawn(command, args, { stdio: "ignore" })
      }
      const end = async () => {
        const ended = child
        child = undefined
        if (ended === undefined || ended.exitCode !== null) return
        const over = new Promise((resolve) => ended.once("close", resolve))
        ended.kill("SIGTERM")
        await over
      }
      begin()
      return { begin, end }
    }),
    ({ end }) => Effect.promise(end)
  )

/** A PostgreSQL of its own: what is done to it is done to nobody else. */
const postgres = Effect.fnUntraced(function* (at: string, port: string) {
  const data = join(at, "pg")
  const asPostgres = (...command: ReadonlyArray<string>) => {
    const { status, stderr } = spawnSync("runuser", ["-u", "postgres", "--", ...command], {
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"]
    })
    if (status !== 0) throw new Error(`${command[0]}: ${stderr}`)
  }
  mkdirSync(data)
  spawnSync("chown", ["postgres", data])
  asPostgres(join(POSTGRES, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  const begin = () =>
    asPostgres(join(POSTGRES, "pg_ctl"), "-D", data, "-w", "-l", join(data, "log"), "-o", options, "start")
  const end = () => asPostgres(join(POSTGRES, "pg_ctl"), "-D", data, "-w", "-m", "immediate", "stop")
  begin()
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.try(end)))
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, begin, end }
})

/** Prometheus, looking every second. */
const prometheus = Effect.fnUntraced(function* (at: string, port: string, scraped: string) {
  writeFileSync(join(at, "alerts.yml"), hastened(readFileSync(ALERTS, "utf8")))
  writeFileSync(
    join(at, "prometheus.yml"),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs: [{ job_name: latchkey, static_configs: [{ targets: ["127.0.0.1:${scraped}"] }] }]
`
  )
  const config = `--config.file=${join(at, "prometheus.yml")}`
  yield* running("prometheus", [
    config,
    `--storage.tsdb.path=${join(at, "tsdb")}`,
    `--web.listen-address=127.0.0.1:${port}`
  ])
  const firing = async (): Promise<ReadonlySet<string>> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).then(
      (response) => response.text(),
      () => ""
    )
    return new Set(Array.from(answer.matchAll(/"alertname":"(\w+)"[^[\]]*?"state":"firing"/g), ([, name = ""]) => name))
  }
  return { firing }
})

/** Nothing but failures, for webhooks, connectors and calendars; answers its address. */
const failing = Effect.gen(function* () {
  const port = yield* findFreePort
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((request, response) => {
        request.resume()
        response.writeHead(500).end()
      }).listen(Number(port), "127.0.0.1")
    ),
    (server) => Effect.sync(() => server.closeAllConnections())
  ).pipe(Effect.tap((server) => Effect.addFinalizer(() => Effect.sync(() => server.close()))))
  return `http://127.0.0.1:${port}`
})

/** How one alert is caused. What it starts goes on until `isOver`. */
interface Cause {
  readonly alert: string
  readonly caused: string
  readonly begin: (isOver: () => boolean) => Promise<unknown>
  readonly end?: () => Promise<unknown> | unknown
}

/** A session of somebody else that holds a lock until it is ended: the server itself does not notice that its client is gone. */
const holder = (url: string, statement: string) => {
  const child = spawn("psql", [url, "-q", "-c", `BEGIN; ${statement}; SELECT pg_sleep(600)`], { stdio: "ignore" })
  return () => {
    child.kill("SIGKILL")
    saying(url, SLEEPERS_END)
  }
}

const SLEEPERS_END = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`

/** Megabytes of the heap that is filled, beside what dies young; the service has room in the rest of it. */
const HEAP_MB = 400
const FULL_HEAP = join(import.meta.dirname, "full-heap.ts")

const repeatedly = async (isOver: () => boolean, everyMs: number, work: () => Promise<unknown> | unknown) => {
  while (!isOver()) {
    await work()
    await sleep(everyMs)
  }
}

const inhabited = Effect.fnUntraced(function* (bad: string) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId, token } = yield* createOperator({ rateLimits: WIDE_LIMITS, timeZone: "UTC" })
  const eager = yield* createOperator({ timeZone: "UTC" })
  const property = yield* insertProperty(operatorId, "Harbour")
  const [connector] = yield* sql<{ id: number }>`
    INSERT INTO connectors (name, url, secret, created_at) VALUES ('failing', ${bad}, 'whsec_c2VjcmV0c2VjcmV0', now())
    RETURNING id`
  const account = yield* insertChannelAccount(operatorId, { connector: toConnectorName(connector?.id ?? 0) })
  const listings = yield* Effect.forEach(Array.from({ length: 40 }), () => insertListing(operatorId, account))
  const { code } = yield* insertConversation({ operatorId, accountId: account, channelType: "airbnb" })
  return { operatorId, token, eagerToken: eager.token, property, listings, code }
}, Effect.orDie)

type Inhabited = Effect.Success<ReturnType<typeof inhabited>>

const TODAY = new Date().toISOString().slice(0, 10)

/** Milliseconds that a call may take: longer than it may wait for a place. */
const CALL_MS = 45_000

/** Calls that the causes make, as any caller. */
const callerOf = (base: string, { token, property, code }: Inhabited) => {
  const call = (path: string, body?: object, by = token) =>
    fetch(`${base}/v3${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "service-access-token": by, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS)
    }).then(
      (response) => response.text(),
      () => ""
    )
  return {
    call,
    entry: () =>
      call("/transactions", {
        direction: "income",
        amount: 1,
        currency: "EUR",
        item_id: 11,
        payment_method_id: 197,
        property_id: property
      }),
    message: () => call(`/conversations/${code}`, { message: "Hello" }),
    price: (listing_id: string) =>
      call("/listings/prices", {
        channel_type: "airbnb",
        listing_id,
        prices: [{ start_date: TODAY, end_date: TODAY, price: 100 }]
      })
  }
}

const saying = (url: string, text: string) => {
  const { status, stderr } = spawnSync("psql", [url, "-q", "-c", text], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

interface Ground {
  readonly url: string
  readonly database: { readonly begin: () => void; readonly end: () => void }
  readonly redis: { readonly begin: () => void; readonly end: () => Promise<void> }
  readonly held: Inhabited
  readonly bad: string
  readonly life: () => Life
  /** Kills it and begins anew, with these options of Node.js. */
  readonly restart: (options?: string) => Promise<void>
}

/** In an order in which none leaves behind what is another's. */
const causesOf = ({ url, database, redis, held, bad, life, restart }: Ground): ReadonlyArray<Cause> => {
  const { call, entry, message, price } = callerOf(life().base, held)
  const { operatorId, property } = held
  let release = () => {}
  return [
    {
      alert: "LatchkeyUnknownCallers",
      caused: "40 calls a second with tokens that never were",
      begin: (isOver) =>
        repeatedly(isOver, 250, () =>
          Promise.all(
            Array.from({ length: 10 }, (_, nth) => call("/properties", undefined, `lk_never${nth}${Date.now()}`))
          )
        )
    },
    {
      alert: "LatchkeyWindowsFull",
      caused: "one operator calls on without regard to its windows",
      begin: (isOver) =>
        repeatedly(isOver, 20, () =>
          Promise.all(Array.from({ length: 20 }, () => call("/properties", undefined, held.eagerToken)))
        )
    },
    {
      alert: "LatchkeyWebhooksFailing",
      caused: "the receiver answers 500",
      begin: async (isOver) => {
        await Effect.runPromise(subscribe(life().base, held.token, bad))
        await repeatedly(isOver, 200, entry)
      },
      end: () => saying(url, "UPDATE webhook_subscriptions SET deleted_at = now(); DELETE FROM webhook_deliveries")
    },
    {
      alert: "LatchkeyDeadLetters",
      caused: "the last try of a delivery fails",
      // A new subscription each time: one whose receiver fails rests.
      begin: (isOver) =>
        repeatedly(isOver, 2_000, async () => {
          await Effect.runPromise(subscribe(life().base, held.token, `${bad}/${Date.now()}`))
          await entry()
          await sleep(500)
          saying(url, "UPDATE webhook_deliveries SET failures = 100, due_at = now() WHERE state = 'waiting'")
        }),
      end: () => saying(url, "UPDATE webhook_subscriptions SET deleted_at = now(); DELETE FROM webhook_deliveries")
    },
    {
      alert: "LatchkeyPushesFailing",
      caused: "the connector answers 500",
      begin: async (isOver) => {
        for (const listing of held.listings) if (!isOver()) await price(listing)
        await repeatedly(isOver, 1_000, () => saying(url, "UPDATE listing_lanes SET due_at = now() WHERE waiting > 0"))
      },
      end: () => saying(url, "UPDATE listing_lanes SET due_at = now() + interval '1 day'")
    },
    {
      alert: "LatchkeyMessagesFailing",
      caused: "the connector answers 500",
      begin: async (isOver) => {
        await message()
        await repeatedly(isOver, 1_000, () => saying(url, "UPDATE message_lanes SET due_at = now() WHERE waiting > 0"))
      },
      end: () => saying(url, "UPDATE message_lanes SET due_at = now() + interval '1 day'")
    },
    {
      alert: "LatchkeyCalendarsFailing",
      caused: "the calendar of elsewhere answers 500",
      begin: async (isOver) => {
        saying(
          url,
          `INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
           VALUES (${operatorId}, ${property}, '${bad}/1.ics', '127.0.0.1', now(), now())`
        )
        await repeatedly(isOver, 1_000, () => saying(url, "UPDATE imported_calendars SET due_at = now()"))
      },
      end: () => saying(url, "DELETE FROM imported_calendars")
    },
    {
      alert: "LatchkeyConsumersLag",
      caused: "a consumer of the feed has read nothing for an hour",
      begin: async () => {
        await entry()
        await sleep(1_000)
        saying(
          url,
          `UPDATE events SET queued_at = now() - interval '1 hour';
           INSERT INTO event_consumers (operator_id, name, position, created_at) VALUES (${operatorId}, 'slow', 0, now())`
        )
      },
      end: () => saying(url, "DELETE FROM event_consumers")
    },
    {
      alert: "LatchkeyBacklog",
      caused: "a session holds the turn in which events are handed out",
      begin: async () => {
        release = holder(url, "SELECT pg_advisory_xact_lock(7012027)")
        await sleep(1_000)
        await entry()
      },
      end: () => release()
    },
    {
      alert: "LatchkeySlow",
      caused: "a session locks a table for three seconds at a time",
      begin: (isOver) =>
        repeatedly(isOver, 100, async () => {
          const letGo = holder(url, "LOCK TABLE properties")
          await sleep(300)
          const calls = Promise.all(Array.from({ length: 20 }, () => call("/properties")))
          await sleep(3_000)
          letGo()
          await calls
        })
    },
    {
      alert: "LatchkeyNoPermit",
      caused: "a session locks a table until calls have waited for a place for 30 s",
      begin: async (isOver) => {
        release = holder(url, "LOCK TABLE properties")
        await sleep(300)
        await repeatedly(isOver, 1_000, () => {
          for (let nth = 0; nth < 10; nth++) void call("/properties")
        })
      },
      end: () => release()
    },
    {
      alert: "LatchkeyConnectionsWaitedFor",
      caused: "a session locks the table of tokens, and 200 calls with different ones come",
      begin: async () => {
        release = holder(url, "LOCK TABLE access_tokens")
        await sleep(300)
        for (let nth = 0; nth < 200; nth++) void call("/properties", undefined, `lk_other${nth}${Date.now()}`)
      },
      end: () => release()
    },
    {
      alert: "LatchkeyEventLoopLate",
      caused: "the process gets 50 ms of the processor, then none for 400 ms",
      begin: (isOver) =>
        repeatedly(isOver, 50, async () => {
          life().pause()
          await sleep(400)
          life().resume()
        })
    },
    { alert: "LatchkeyRedisDown", caused: "Redis is stopped", begin: redis.end, end: redis.begin },
    {
      alert: "LatchkeyFailing",
      caused: "a table is gone",
      begin: (isOver) => {
        saying(url, "ALTER TABLE property_tags RENAME TO property_tags_gone")
        return repeatedly(isOver, 100, () => call("/tags"))
      },
      end: () => saying(url, "ALTER TABLE property_tags_gone RENAME TO property_tags")
    },
    {
      alert: "LatchkeyBackgroundFailing",
      caused: "a table of the background is gone",
      begin: async () => saying(url, "ALTER TABLE message_lanes RENAME TO message_lanes_gone"),
      end: () => saying(url, "ALTER TABLE message_lanes_gone RENAME TO message_lanes")
    },
    {
      alert: "LatchkeyDatabaseDown",
      caused: "PostgreSQL is stopped",
      begin: async () => database.end(),
      end: database.begin
    },
    {
      alert: "LatchkeyDown",
      caused: "the process is killed",
      begin: async () => life().signal("SIGKILL"),
      end: () => restart()
    },
    {
      alert: "LatchkeyMemory",
      caused: "something in the process keeps 88 of 100 of its heap",
      begin: () => restart(`--max-old-space-size=${HEAP_MB} --import=${FULL_HEAP}`),
      end: () => restart()
    },
    {
      alert: "LatchkeyRestarting",
      caused: "the process is killed three times",
      begin: async () => {
        for (let nth = 0; nth < 3; nth++) {
          await sleep(2_000)
          life().signal("SIGKILL")
          await restart()
        }
      }
    }
  ]
}

/** Whether it came within so many milliseconds, looking four times a second. */
const came = async (patienceMs: number, is: () => Promise<boolean>): Promise<number | undefined> => {
  const since = performance.now()
  while (performance.now() - since < patienceMs) {
    if (await is()) return performance.now() - since
    await sleep(250)
  }
  return undefined
}

/** Causes one, waits until it is seen, undoes it and waits until it is over; what was wrong with that, if anything. */
const caused = async ({ alert, begin, end }: Cause, firing: () => Promise<ReadonlySet<string>>) => {
  const isFiring = async () => (await firing()).has(alert)
  if ((await came(OVER_MS, async () => !(await isFiring()))) === undefined)
    return { fell: `${alert} fired before it was caused` }
  let over = false
  const going = begin(() => over).catch((error: unknown) => console.log(`${alert}: ${String(error)}`))
  const seenMs = await came(SEEN_MS, isFiring)
  over = true
  await going
  await end?.()
  if (seenMs === undefined) return { fell: `${alert} was not seen` }
  const goneMs = await came(OVER_MS, async () => !(await isFiring()))
  return goneMs === undefined ? { fell: `${alert} did not end` } : { seenMs, goneMs }
}

/** Ports, servers, Prometheus, and a service with what its causes need. */
const ground = Effect.gen(function* () {
  const at = yield* folder
  const [pgPort, redisPort, prometheusPort, metricsPort] = yield* Effect.all([
    findFreePort,
    findFreePort,
    findFreePort,
    findFreePort
  ])
  const database = yield* postgres(at, pgPort)
  const redis = yield* running("redis-server", ["--port", redisPort, "--save", "", "--bind", "127.0.0.1"])
  const layer = layerPostgres({ url: Redacted.make(database.url), maxConnections: 2 })
  yield* Effect.provide(migrate(migrations), layer)
  const bad = yield* failing
  const held = yield* Effect.provide(inhabited(bad), layer)
  const env: Record<string, string> = {
    DATABASE_URL: database.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    METRICS_PORT: metricsPort
  }
  const service = yield* lives({ on: "PostgreSQL", env, layer: Layer.orDie(layer) })
  let life = yield* service.begin
  const { firing } = yield* prometheus(at, prometheusPort, metricsPort)
  const restart = async (options?: string) => {
    if (options === undefined) delete env["NODE_OPTIONS"]
    else env["NODE_OPTIONS"] = options
    life.signal("SIGKILL")
    await life.ended
    life = await Effect.runPromise(service.begin)
  }
  return { firing, url: database.url, database, redis, held, bad, life: () => life, restart }
}).pipe(Effect.orDie)

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const run = Effect.gen(function* () {
  const held = yield* ground
  const suffered: Array<Suffered> = []
  const chosen = process.env["ALERTS"]?.split(",")
  for (const cause of causesOf(held)) {
    if (chosen !== undefined && !chosen.includes(cause.alert)) continue
    const said = yield* Effect.promise(() => caused(cause, held.firing))
    const row =
      "fell" in said
        ? `fell: ${said.fell}`
        : `${seconds(said.seenMs)} until it was seen, over after ${seconds(said.goneMs)}`
    console.log(`${cause.alert}: ${row}`)
    suffered.push({
      fault: cause.caused,
      on: "PostgreSQL, Redis",
      times: 1,
      acknowledged: 0,
      lost: 0,
      fell: "fell" in said ? [String(said.fell)] : [],
      recoveredMs: said.goneMs,
      seen: `${cause.alert}${said.seenMs === undefined ? " not seen" : `, seen after ${seconds(said.seenMs)}`}`
    })
  }
  return suffered
})

export const alerts: Fault = { name: "alerts", skipped: Effect.sync(missing), run }
