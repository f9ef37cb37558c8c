import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { DatabaseMoved } from "../../../src/platform/database/database-move.ts"
import {
  checkCollector,
  checkDisk,
  checkPublicUrl,
  checkRedis,
  runDatabaseCheckWithTimeout
} from "../../../src/tools/doctor/checks.ts"
import type { Finding } from "../../../src/tools/doctor/finding.ts"
import {
  clockFinding,
  connectionsFinding,
  DISK_FULL_BYTES,
  DISK_LOW_BYTES,
  deadLettersFinding,
  diskFinding,
  MAX_CLOCK_DIFFERENCE_MS,
  nodeFinding,
  pausedWebhooksFinding,
  postgresFinding,
  QUEUE_SLOW_SECONDS,
  QUEUE_STUCK_SECONDS,
  queueFinding,
  schemaFinding,
  secretsFinding
} from "../../../src/tools/doctor/finding-rules.ts"
import { listSettings } from "../../../src/tools/doctor/setting-views.ts"
import { checkSettings } from "../../../src/tools/doctor/settings-check.ts"

const LOCAL = {
  host: "127.0.0.1",
  publicUrl: "http://127.0.0.1:8080",
  requireHttps: false,
  trustProxy: false,
  demo: true,
  databaseUrl: undefined
}
const PUBLIC = { ...LOCAL, publicUrl: "https://api.example.com", requireHttps: true, trustProxy: true, demo: false }

describe("settings together", () => {
  it("are fine on a laptop, and behind a proxy", () => {
    for (const settings of [LOCAL, PUBLIC]) {
      assert.deepStrictEqual(
        checkSettings(settings).map(({ is }) => is),
        ["fine"]
      )
    }
  })

  it("are told where they are dangerous", () => {
    const cases: ReadonlyArray<readonly [Partial<typeof LOCAL>, Finding["is"], RegExp, RegExp]> = [
      [{ trustProxy: false }, "wrong", /^REQUIRE_HTTPS=1 .*\bTRUST_PROXY=1\b/, /\bTRUST_PROXY=1$/],
      [{ requireHttps: false }, "wrong", /^REQUIRE_HTTPS=0\b/, /^unset REQUIRE_HTTPS\b/],
      [{ publicUrl: "http://api.example.com" }, "warning", /^PUBLIC_URL\b.*\bhttp\b/, /\bPUBLIC_URL\b.*\bhttps\b/],
      [{ host: "0.0.0.0" }, "warning", /^TRUST_PROXY=1\b.*\bHOST=0\.0\.0\.0\b/, /\b127\.0\.0\.1\b/],
      [{ demo: true }, "warning", /^DEMO\b/, /\bDEMO=0$/]
    ]
    for (const [change, is, matter, cure] of cases) {
      const [finding, ...more] = checkSettings({ ...PUBLIC, ...change })
      assert.deepStrictEqual([finding?.is, more], [is, []])
      assert.match(finding?.found ?? "", matter)
      assert.match(finding?.advice ?? "", cure)
    }
  })

  it("are shown without a secret, each with where it comes from", () => {
    const shown = listSettings({
      DATABASE_URL: "postgres://u:hunter2@db:5432/x?password=hunter2",
      OTEL_EXPORTER_OTLP_HEADERS: "key=hunter2",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/hunter2",
      PORT: "9000",
      HOST: "",
      SECRET_KEY: "lksecret_hunter2"
    })
    assert.notInclude(JSON.stringify(shown), "hunter2")
    const of = (name: string) => shown.find(({ variable }) => variable === name)
    assert.deepStrictEqual(of("DATABASE_URL"), { variable: "DATABASE_URL", value: "postgres://db:5432", from: "set" })
    assert.deepStrictEqual(of("PORT"), { variable: "PORT", value: "9000", from: "set" })
    assert.deepStrictEqual(of("HOST"), { variable: "HOST", value: "", from: "default" })
  })
})

describe("secrets", () => {
  it("want a key but in the demo, the keys they are sealed with, and the one that is first now", () => {
    const well = { isSet: true, isDemo: false, missingKeyIds: [], outdatedCount: 0 }
    const of = (found: Partial<Parameters<typeof secretsFinding>[0]>) => secretsFinding({ ...well, ...found })
    assert.strictEqual(of({}).is, "fine")
    assert.strictEqual(of({ isSet: false, isDemo: true, outdatedCount: 0 }).is, "fine")
    assert.match(of({ isSet: false }).advice ?? "", /\bsecret new\b/)
    assert.strictEqual(of({ outdatedCount: 3 }).is, "warning")
    assert.match(of({ outdatedCount: 3 }).advice ?? "", /\bsecret rotate$/)
    assert.deepInclude(of({ missingKeyIds: ["0123456789ab"], isSet: false, isDemo: true }), { is: "wrong" })
    assert.include(of({ missingKeyIds: ["0123456789ab"] }).found, "0123456789ab")
  })
})

describe("numbers", () => {
  it("of clocks may differ by two seconds, and what the question took", () => {
    const at = (theirs: number) => clockFinding("x", { before: 10_000, after: 10_500, remote: theirs }).is
    assert.deepStrictEqual(
      [
        at(10_000 - MAX_CLOCK_DIFFERENCE_MS),
        at(10_000 - MAX_CLOCK_DIFFERENCE_MS - 1),
        at(10_500 + MAX_CLOCK_DIFFERENCE_MS),
        at(10_500 + MAX_CLOCK_DIFFERENCE_MS + 1)
      ],
      ["fine", "warning", "fine", "warning"]
    )
  })

  it("of disks, queues, connections and releases have their bounds", () => {
    const disks = [DISK_LOW_BYTES, DISK_LOW_BYTES - 1, DISK_FULL_BYTES, DISK_FULL_BYTES - 1]
    assert.deepStrictEqual(
      disks.map((bytes) => diskFinding("DATA_DIR", bytes).is),
      ["fine", "warning", "warning", "wrong"]
    )
    const ages = [null, QUEUE_SLOW_SECONDS - 1, QUEUE_SLOW_SECONDS, QUEUE_STUCK_SECONDS - 1, QUEUE_STUCK_SECONDS]
    assert.deepStrictEqual(
      ages.map((oldestSeconds) => queueFinding({ kind: "events", due: 1, oldestSeconds }).is),
      ["fine", "fine", "warning", "warning", "wrong"]
    )
    assert.deepStrictEqual([connectionsFinding(41, 2, 19).is, connectionsFinding(40, 2, 19).is], ["fine", "warning"])
    assert.deepStrictEqual([postgresFinding(150_004).is, postgresFinding(140_010).is], ["fine", "wrong"])
    assert.deepStrictEqual([nodeFinding("v24.0.0").is, nodeFinding("v22.9.0").is], ["fine", "wrong"])
    assert.deepStrictEqual(
      [schemaFinding([], 0), schemaFinding(["0063_traces"], 0), schemaFinding([], 1)].map(({ is }) => is),
      ["fine", "wrong", "warning"]
    )
    assert.deepStrictEqual([deadLettersFinding(0).is, deadLettersFinding(1).is], ["fine", "warning"])
    assert.deepStrictEqual([pausedWebhooksFinding(0).is, pausedWebhooksFinding(1).is], ["fine", "warning"])
  })
})

/** A server that answers everything with a status and a date. */
const answering = (status: number, date: Date) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((_request, response) => {
        response.writeHead(status, { date: date.toUTCString() }).end()
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.sync(() => ({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            close: () => server.close()
          }))
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )

const NOWHERE = "http://127.0.0.1:9"

describe("what is asked", () => {
  it.live("of the own address is whether it answers, and its clock", () =>
    Effect.gen(function* () {
      const is = (publicUrl: string) =>
        Effect.map(checkPublicUrl({ publicUrl }), (found) => found.map((each) => each.is))
      assert.deepStrictEqual(yield* is((yield* answering(200, new Date())).url), ["fine", "fine"])
      assert.deepStrictEqual(yield* is((yield* answering(200, new Date(Date.now() - 60_000))).url), ["fine", "warning"])
      assert.deepStrictEqual(yield* is((yield* answering(502, new Date())).url), ["wrong"])
      assert.deepStrictEqual(yield* is(NOWHERE), ["wrong"])
    })
  )

  it.live("of the collector is whether it takes traces, with its key, which is never told", () =>
    Effect.gen(function* () {
      const otlpHeaders = Redacted.make({ "x-key": "hunter2" })
      const asked = (otlpEndpoint: string | undefined) => checkCollector({ otlpEndpoint, otlpHeaders })
      const is = (found: ReadonlyArray<{ readonly is: string }>) => found.map((each) => each.is)
      assert.deepStrictEqual(is(yield* asked(undefined)), ["fine"])
      assert.deepStrictEqual(is(yield* asked((yield* answering(200, new Date())).url)), ["fine"])
      const refused = yield* asked((yield* answering(401, new Date())).url)
      assert.deepStrictEqual(is(refused), ["wrong"])
      assert.notInclude(JSON.stringify([...refused, ...(yield* asked(NOWHERE))]), "hunter2")
      assert.deepStrictEqual(is(yield* asked(NOWHERE)), ["wrong"])
    })
  )

  it.effect("of a database that was moved is where it is, and what to do; of any other failure no address", () =>
    Effect.gen(function* () {
      const move = { state: "moved", to: "db.example/latchkey", since: "2026-11-26T03:00:00.000Z" } as const
      const moved = new DatabaseMoved({ dataDir: "data", move })
      const [finding, ...more] = yield* runDatabaseCheckWithTimeout(Effect.fail(moved))
      assert.deepStrictEqual([finding?.check, finding?.is, more], ["database", "wrong", []])
      assert.match(finding?.found ?? "", /\bdata\b.*\bdb\.example\/latchkey\b.*\b2026-11-26T03:00:00\.000Z\b/)
      assert.match(finding?.advice ?? "", /\bDATABASE_URL\b.*\bmove --abort$/)
      const other = yield* runDatabaseCheckWithTimeout(Effect.die(new Error("postgres://u:hunter2@db is away")))
      assert.strictEqual(other[0]?.is, "wrong")
      assert.match(other[0]?.found ?? "", /: postgres:\/\/u:<redacted>@db is away$/)
      assert.notInclude(JSON.stringify(other), "hunter2")
    })
  )

  it.live("of Redis that is away, and of a folder that is none, is told without a secret", () =>
    Effect.gen(function* () {
      const away = yield* checkRedis({ redisUrl: Redacted.make("redis://:hunter2@127.0.0.1:9") })
      assert.deepStrictEqual(
        away.map(({ is }) => is),
        ["wrong"]
      )
      assert.notInclude(JSON.stringify(away), "hunter2")
      assert.deepStrictEqual(
        (yield* checkRedis({ redisUrl: undefined })).map(({ is }) => is),
        ["fine"]
      )
      assert.deepStrictEqual(
        (yield* checkDisk("IMAGE_STORE", "/no/such/folder")).map(({ is }) => is),
        ["wrong"]
      )
    })
  )
})
