import { readdir } from "node:fs/promises"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { BODY_BYTES } from "../src/platform/limits.ts"
import { DEMO_GREETING_END, parseDemoAccess } from "./support/demo-snapshot.ts"
import { PROCESSES_MS } from "./support/time-limits.ts"
import {
  findFreePort,
  makeEmptyFolder,
  runLatchkeyProcess,
  startService
} from "./support/tools/cli/latchkey-process.ts"
import { readCodeBlocks } from "./support/transports/docs/site/code-blocks.ts"
import { listErrorCodes, runCommand } from "./support/transports/docs/site/command-process.ts"

const decodeClock = Schema.decodeUnknownSync(
  Schema.Struct({ error_code: Schema.Literal(0), data: Schema.Struct({ now: Schema.DateFromString }) })
)
const decodeEnvelope = Schema.decodeUnknownSync(Schema.Struct({ error_code: Schema.Int, error_msg: Schema.String }))

const send = (url: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async (): Promise<unknown> => {
    const post = { method: "POST", headers: { "content-type": "application/json", ...headers } }
    const init = body === undefined ? { headers } : { ...post, body: JSON.stringify(body) }
    return (await fetch(url, init)).json()
  })

it.live(
  "a test server moves its clock, times out what waits, and leaves the data folder alone",
  () =>
    Effect.gen(function* () {
      const [PORT, DATA_DIR] = [yield* findFreePort, yield* makeEmptyFolder]
      const { startupOutput } = yield* startService(
        DEMO_GREETING_END,
        { PORT, DATA_DIR, LOG_LEVEL: "warn" },
        undefined,
        undefined,
        ["serve", "--test"]
      )
      const url = `http://127.0.0.1:${PORT}`
      const { token } = parseDemoAccess(startupOutput)
      const countWaiting = Effect.map(
        send(`${url}/v3/reservations?status=wait_accept&limit=100`, undefined, { "Service-Access-Token": token }),
        (answer) => JSON.stringify(answer).split('"wait_accept"').length - 1
      )
      assert.isAtLeast(yield* countWaiting, 2)
      const before = decodeClock(yield* send(`${url}/test/clock`, { advance: 0 })).data.now
      const after = decodeClock(yield* send(`${url}/test/clock`, { advance: "3d" })).data.now
      const moved = after.getTime() - before.getTime() - 3 * 24 * 60 * 60 * 1000
      assert.isAtLeast(moved, 0)
      assert.isAtMost(moved, PROCESSES_MS)
      assert.strictEqual(yield* countWaiting, 0)
      assert.include(decodeEnvelope(yield* send(`${url}/test/clock`, { advance: "3x" })), { error_code: 422 })
      assert.include(decodeEnvelope(yield* send(`${url}/test/nothing`, {})), { error_code: 404 })
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(DATA_DIR)), [])
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

const decodeAnswer = Schema.decodeUnknownSync(
  Schema.Struct({ error_code: Schema.Int, error_msg: Schema.String, data: Schema.Record(Schema.String, Schema.Json) })
)

const NOW = "2027-03-01T09:00:00.000Z"

const startTestServer = Effect.fnUntraced(function* (now: string = NOW) {
  const PORT = yield* findFreePort
  yield* startService("Docs", { PORT, LOG_LEVEL: "warn" }, undefined, undefined, [
    "serve",
    "--test",
    "--seed",
    "empty",
    "--now",
    now
  ])
  const url = `http://127.0.0.1:${PORT}`
  const post = (path: string, body: unknown, token = "") =>
    Effect.map(send(`${url}${path}`, body, { "Service-Access-Token": token }), decodeAnswer)
  const get = (path: string, token = "") =>
    Effect.map(send(`${url}${path}`, undefined, { "Service-Access-Token": token }), decodeAnswer)
  return { url, post, get }
})

const decodeOperator = Schema.decodeUnknownSync(
  Schema.Struct({
    operator_id: Schema.Int,
    token: Schema.String,
    read_only_token: Schema.String,
    properties: Schema.Array(Schema.Struct({ property_id: Schema.Int, listing_id: Schema.String }))
  })
)

it.live(
  "a test server creates operators, acts as guest and channel, and goes back to its template",
  () =>
    Effect.gen(function* () {
      const { url, post, get } = yield* startTestServer()
      const { data: start } = yield* post("/test/reset", {})
      assert.strictEqual(start["now"], NOW)
      const makeProperties = (count: number) => ({
        properties: Array.from({ length: count }, (_, index) => ({ title: `Flat ${index}` }))
      })
      assert.include(yield* post("/test/operators", makeProperties(21)), { error_code: 422 })
      const [title, accented] = [{ title: "Casa Sao" }, { title: "CASA SAO" }]
      assert.include(yield* post("/test/operators", { properties: [title, { title: "Flat" }, accented] }), {
        error_code: 422,
        error_msg: "properties[2].title: another property has the same title."
      })
      assert.lengthOf(decodeOperator((yield* post("/test/operators", makeProperties(20))).data).properties, 20)
      // The second property is wrong, so not even the operator is there.
      const wrong = { properties: [{ title: "Flat" }, { title: "Loft", base_price: 10.001 }] }
      assert.include(yield* post("/test/operators", wrong), {
        error_code: 422,
        error_msg: "properties[1].base_price: has more decimals than EUR has."
      })
      const operator = decodeOperator((yield* post("/test/operators", makeProperties(1))).data)
      const [property] = operator.properties
      assert.isDefined(property)
      assert.include(yield* get("/v3/properties", operator.read_only_token), { error_code: 0 })
      const webhook = { url: `${url}/test/receiver?status=503`, events: ["reservation_created"] }
      assert.include(yield* post("/v3/webhooks", webhook, operator.read_only_token), { error_code: 401 })
      assert.include(yield* post("/v3/webhooks", webhook, operator.token), { error_code: 0 })
      assert.include(yield* post("/test/template", {}), { error_code: 0 })

      const booking = {
        listing_id: property?.listing_id,
        check_in_date: "2027-04-10",
        check_out_date: "2027-04-12",
        guest_name: "Ann Lee"
      }
      const { data: order } = yield* post("/test/sandbox/bookings", booking)
      assert.include(order, { status: "wait_accept", ingest_result: "applied" })
      const approve = post(`/v3/reservations/${order["reservation_code"]}/approve`, {}, operator.token)
      assert.include((yield* post("/test/sandbox/failures", { failure: "503" })).data, { failure: "503" })
      assert.notStrictEqual((yield* approve).error_code, 0)
      assert.include(yield* approve, { error_code: 0 })
      assert.include((yield* post("/test/sandbox/payments", { order_id: order["order_id"] })).data, {
        ingest_result: "applied"
      })
      const countDeliveries = Effect.map(get("/test/deliveries"), ({ data }) => Array(data["deliveries"]).flat().length)
      assert.strictEqual(yield* countDeliveries, 1)
      assert.include(yield* post("/test/clock", { advance: "1h" }), { error_code: 0 })
      assert.isAtLeast(yield* countDeliveries, 3)

      assert.include(yield* post("/test/reset", {}), { error_code: 0 })
      assert.strictEqual(yield* countDeliveries, 0)
      const { data: reservations } = yield* get("/v3/reservations", operator.token)
      assert.deepStrictEqual(reservations["reservations"], [])
      const { data: again } = yield* post("/test/sandbox/bookings", booking)
      assert.include(again, { status: "wait_accept" })
      assert.strictEqual(yield* countDeliveries, 1)
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

it.live(
  "a reset clears what the process remembers: tokens, rate-limit windows and failures",
  () =>
    Effect.gen(function* () {
      const { post, get } = yield* startTestServer()
      const first = decodeOperator((yield* post("/test/operators", {})).data)
      yield* post("/test/sandbox/failures", {})
      yield* Effect.repeat(get("/v3/properties", first.token), {
        while: ({ error_code }) => error_code === 0,
        times: 1_000
      })
      assert.include(yield* get("/v3/properties", first.token), { error_code: 429 })
      yield* post("/test/reset", {})
      assert.include(yield* get("/v3/properties", first.token), { error_code: 401 })
      const second = decodeOperator((yield* post("/test/operators", { properties: [{ title: "Flat" }] })).data)
      assert.strictEqual(second.operator_id, first.operator_id)
      assert.include(yield* get("/v3/properties", second.token), { error_code: 0 })
      const booking = { check_in_date: "2027-04-10", check_out_date: "2027-04-12", guest_name: "Ann Lee" }
      const listing_id = second.properties[0]?.listing_id
      const { data: order } = yield* post("/test/sandbox/bookings", { ...booking, listing_id })
      assert.include(yield* post(`/v3/reservations/${order["reservation_code"]}/approve`, {}, second.token), {
        error_code: 0
      })
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

it.live(
  "a test server refuses a body that is too large, and a time that is none",
  () =>
    Effect.gen(function* () {
      const { url, post } = yield* startTestServer()
      const fits = { name: "a".repeat(BODY_BYTES - JSON.stringify({ name: "" }).length) }
      assert.include(yield* post("/test/operators", fits), { error_code: 422 })
      assert.include(yield* post("/test/operators", { name: `${fits.name}a` }), { error_code: 400 })
      for (const [query, body] of [
        ["", "a".repeat(BODY_BYTES + 1)],
        ["?status=ok", ""]
      ] as const) {
        const sent = fetch(`${url}/test/receiver${query}`, { method: "POST", body })
        assert.strictEqual((yield* Effect.promise(() => sent)).status, 400)
      }
      assert.include(decodeEnvelope(yield* send(`${url}/test/clock`)), { error_code: 404 })
      for (const [now, message] of [
        ["1969-12-31T23:59:59Z", "latchkey: --now: must be from 1970-01-01 to 9998-12-31\n"],
        ["9998-12-31T00:00:01Z", "latchkey: --now: must be from 1970-01-01 to 9998-12-31\n"]
      ]) {
        const { code, stderr } = yield* runLatchkeyProcess(["serve", "--test", "--now", now ?? ""], {})
        assert.deepStrictEqual([code, stderr], [1, message])
      }
      const wrongTime = yield* runLatchkeyProcess(["serve", "--test", "--now", "tomorrow"], {})
      assert.strictEqual(wrongTime.code, 1)
      assert.include(wrongTime.stderr, "a time such as")
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

it.live(
  "the commands of the guide work on a test server",
  () =>
    Effect.gen(function* () {
      const { url } = yield* startTestServer("2027-01-04T09:00:00Z")
      const blocks = readCodeBlocks("guides/test-your-integration.md").filter(({ language }) => language === "sh")
      assert.lengthOf(blocks, 1)
      for (const { text } of blocks) {
        const script = text.replaceAll("http://127.0.0.1:4000", url)
        const { code, stdout, stderr } = yield* runCommand(["bash", "-euc", script], {})
        assert.strictEqual(code, 0, stderr)
        assert.deepStrictEqual(listErrorCodes(stdout), [0, 0, 0, 0, 0])
      }
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

it.live(
  "the clock of a test server does not pass the year 9999",
  () =>
    Effect.gen(function* () {
      const { post } = yield* startTestServer("9998-12-31T00:00:00Z")
      yield* post("/test/operators", { properties: [{ title: "Flat" }] })
      assert.include(yield* post("/test/clock", { advance: "1d" }), { error_code: 0 })
      assert.include(yield* post("/test/clock", { advance: "365d" }), {
        error_code: 422,
        error_msg: "advance: the clock does not pass 9999-12-31T00:00:00.000Z."
      })
    }).pipe(Effect.scoped),
  PROCESSES_MS
)

it.live(
  "a test server refuses more than one process, and a service refuses the flags of a test server",
  () =>
    Effect.gen(function* () {
      const PORT = yield* findFreePort
      for (const flags of [
        ["--role", "api"],
        ["--workers", "2"]
      ]) {
        const { code, stderr } = yield* runLatchkeyProcess(["serve", "--test", ...flags], { PORT })
        assert.strictEqual(code, 1)
        assert.match(stderr, /^latchkey: --test: needs one process/)
      }
      for (const flags of [
        ["--seed", "empty"],
        ["--now", NOW]
      ]) {
        const { code, stderr } = yield* runLatchkeyProcess(["serve", ...flags], { PORT })
        assert.strictEqual(code, 1)
        assert.strictEqual(stderr, `latchkey: ${flags[0]}: needs --test\n`)
      }
    }).pipe(Effect.scoped),
  PROCESSES_MS
)
