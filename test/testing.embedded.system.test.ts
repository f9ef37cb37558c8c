import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { createLatchkey, type LatchkeyOptions, LatchkeyTestError } from "../src/testing.ts"
import { startScript, waitUntilUnreachable } from "./support/testing-script.ts"
import { PROCESSES_MS } from "./support/time-limits.ts"
import { makeEmptyFolder } from "./support/tools/cli/latchkey-process.ts"

// The entry latchkey/testing, from the sources.

const START = "2027-01-04T09:00:00.000Z"

/** Returns the error of a promise that must reject. */
const catchError = (promise: Promise<unknown>): Effect.Effect<Error> =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("resolved"),
      (error: unknown) => (error instanceof Error ? error : assert.fail("not an Error"))
    )
  )

const readCode = (error: Error): number | undefined => (error instanceof LatchkeyTestError ? error.code : undefined)

/** A server that is closed with the scope. */
const startLatchkey = (options: LatchkeyOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => createLatchkey(options)),
    ({ close }) => Effect.promise(close)
  )

const listPropertyTitles = (url: string, token: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/v3/properties`, { headers: { "Service-Access-Token": token } })
    return Array.from((await response.text()).matchAll(/"title":"([^"]*)"/g), ([, title]) => title)
  })

describe("a wrong option", () => {
  const cases: ReadonlyArray<readonly [unknown, string]> = [
    [{ port: 65_536 }, "port: must be a whole number from 0 to 65535, not 65536."],
    [{ port: 1.5 }, "port: must be a whole number from 0 to 65535, not 1.5."],
    [{ port: "4000" }, "port: must be a whole number from 0 to 65535, not '4000'."],
    [{ now: new Date(Number.NaN) }, "now: must be a Date, or an ISO 8601 text"],
    [{ now: "2027-01-04T09:00" }, "now: must be a Date, or an ISO 8601 text"],
    [{ now: "2027-13-04" }, "now: must be a Date, or an ISO 8601 text"],
    [{ now: "1969-12-31T23:59:59Z" }, "now: must be a Date, or an ISO 8601 text"],
    [{ now: "9998-12-31T00:00:01Z" }, "now: must be a Date, or an ISO 8601 text"],
    [{ now: 1_800_000_000_000 }, "now: must be a Date, or an ISO 8601 text"],
    [{ seed: "large" }, `seed: must be "demo", "empty" or a function, not 'large'.`],
    [{ sed: "demo" }, "sed: is not an option. Use seed, now or port."],
    [null, "options: must be an object, not null."]
  ]
  for (const [options, message] of cases) {
    it.effect(`is named: ${message}`, () =>
      Effect.gen(function* () {
        // Called as from JavaScript, without types.
        const error = yield* catchError(Reflect.apply(createLatchkey, undefined, [options]))
        assert.instanceOf(error, TypeError)
        assert.include(error.message, message)
      })
    )
  }
})

describe("a test server", () => {
  afterEach(() => vi.useRealTimers())

  it.live(
    "goes back to the data of its seed function, moves its clock, and ends once",
    () =>
      Effect.gen(function* () {
        let listingId = ""
        let token = ""
        const latchkey = yield* startLatchkey({
          now: START,
          seed: async ({ operator }) => {
            const created = await operator({ properties: [{ title: "Harbour flat", channel_type: "booking.com" }] })
            token = created.token
            listingId = created.properties[0]?.listing_id ?? ""
          }
        })
        const { url, sandbox, advance, reset, deliveries, receiverUrl, close } = latchkey
        assert.deepStrictEqual(
          { mcpUrl: latchkey.mcpUrl, receiverUrl },
          { mcpUrl: `${url}/mcp`, receiverUrl: `${url}/test/receiver` }
        )
        assert.deepStrictEqual(yield* listPropertyTitles(url, token), ["Harbour flat"])
        vi.useFakeTimers()
        const booking = {
          listing_id: listingId,
          check_in_date: "2027-02-01",
          check_out_date: "2027-02-04",
          guest_name: "Ada Moreau"
        }
        const order = yield* Effect.promise(() => sandbox.book(booking))
        assert.include(order, { status: "accepted", guest_name: "Ada Moreau" })
        assert.isString(order.reservation_code)
        // The nights are taken until the reset.
        assert.strictEqual(readCode(yield* catchError(sandbox.book(booking))), 409)
        const later = yield* Effect.promise(() => advance("14d"))
        assert.strictEqual(later.toISOString().slice(0, 10), "2027-01-18")
        yield* Effect.promise(reset)
        assert.strictEqual((yield* Effect.promise(() => sandbox.book(booking))).status, "accepted")
        assert.strictEqual((yield* Effect.promise(() => advance(0))).toISOString().slice(0, 10), START.slice(0, 10))
        assert.deepStrictEqual(yield* Effect.promise(deliveries), [])
        assert.strictEqual(readCode(yield* catchError(advance("2 weeks"))), 422)
        yield* Effect.promise(() => Promise.all([close(), close()]))
        assert.strictEqual((yield* catchError(reset())).message, "The test server is closed.")
      }).pipe(Effect.scoped),
    PROCESSES_MS
  )

  it.live(
    "acts as the guests of the demo operator",
    () =>
      Effect.gen(function* () {
        const { url, token, readOnlyToken, operatorId, operator, sandbox, deliveries, receiverUrl, advance } =
          yield* startLatchkey({ now: new Date(START) })
        assert.lengthOf(yield* listPropertyTitles(url, token), 8)
        assert.lengthOf(yield* listPropertyTitles(url, readOnlyToken), 8)
        assert.isAbove(operatorId, 0)
        const host = yield* Effect.promise(() =>
          operator({
            name: "Harbour Homes",
            currency: "GBP",
            properties: [
              { title: "Flat", base_price: 80 },
              { title: "Cottage", channel_type: "booking.com" }
            ]
          })
        )
        const [flat, cottage] = host.properties
        assert.include(flat, { title: "Flat", channel_type: "airbnb" })
        assert.include(cottage, { title: "Cottage", channel_type: "booking.com" })
        const headers = { "Service-Access-Token": host.token, "Content-Type": "application/json" }
        const webhook = { method: "POST", headers, body: JSON.stringify({ url: receiverUrl }) }
        yield* Effect.promise(() => fetch(`${url}/v3/webhooks`, webhook))
        const range = { start_date: "2027-01-05", end_date: "2027-01-06", price: 95 }
        const prices = {
          method: "POST",
          headers,
          body: JSON.stringify({ property_id: flat?.property_id, ranges: [range] })
        }
        const pushes = yield* Effect.promise(async () => (await fetch(`${url}/v3/base_prices`, prices)).text())
        assert.include(pushes, `"pushed":[{"channel_type":"airbnb","listing_id":"${flat?.listing_id}"}],"skipped":[]`)
        const stay = { check_in_date: "2027-01-05", check_out_date: "2027-01-06", guest_name: "Ada Moreau" }
        const listing_id = flat?.listing_id ?? ""
        const inquiry = { ...stay, listing_id, text: "Is there a lift?" }
        assert.isString((yield* Effect.promise(() => sandbox.writeMessage(inquiry))).thread_id)
        const { order_id, currency, status } = yield* Effect.promise(() => sandbox.book({ ...stay, listing_id }))
        assert.deepStrictEqual({ currency, status }, { currency: "GBP", status: "wait_accept" })
        const received = yield* Effect.promise(deliveries)
        assert.isNotEmpty(received)
        assert.deepStrictEqual(new Set(received.map(({ status }) => status)), new Set([200]))
        assert.include(received[0]?.headers["content-type"], "application/json")
        const bodies = received.map(({ body }) => body).join()
        for (const event of ["message_created", "reservation_created"]) assert.include(bodies, event)
        assert.isString((yield* Effect.promise(() => sandbox.writeMessage({ order_id, text: "Hi" }))).message_id)
        const failure = yield* Effect.promise(() => sandbox.failNext())
        assert.deepStrictEqual(
          { ...failure, reason: "" },
          { failure: "503", reason: "", channel_type: null, operator_id: null }
        )
        assert.strictEqual((yield* Effect.promise(() => sandbox.cancel({ order_id }))).status, "cancelled")
        assert.isDefined(readCode(yield* catchError(sandbox.pay({ order_id }))))
        const stayed = yield* Effect.promise(() => sandbox.book({ ...stay, listing_id: cottage?.listing_id ?? "" }))
        const payment = { order_id: stayed.order_id, amount: 10 }
        assert.strictEqual((yield* Effect.promise(() => sandbox.pay(payment))).paid, 10)
        yield* Effect.promise(() => advance("3d"))
        const review = { order_id: stayed.order_id, score: 4.5, text: "Lovely" }
        assert.strictEqual((yield* Effect.promise(() => sandbox.writeReview(review))).score, 4.5)
      }).pipe(Effect.scoped),
    PROCESSES_MS
  )

  it.live(
    "rejects with its error output if it cannot start",
    () =>
      Effect.gen(function* () {
        const occupied = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const server = createServer().listen(0, "127.0.0.1")
            await once(server, "listening")
            return server
          }),
          (server) => Effect.sync(() => server.close())
        )
        const address = occupied.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        const { message } = yield* catchError(createLatchkey({ port }))
        assert.match(message, /^The test server ended \(exit code 1\)\. Its error output:\n.*PORT: cannot listen/s)
      }).pipe(Effect.scoped),
    PROCESSES_MS
  )

  it.live(
    "ends if its seed function fails, with the error of the function",
    () =>
      Effect.gen(function* () {
        const failure = new Error("no data today")
        let url = ""
        const error = yield* catchError(
          createLatchkey({
            seed: (latchkey) => {
              url = latchkey.url
              return Promise.reject(failure)
            }
          })
        )
        assert.strictEqual(error, failure)
        assert.isString((yield* catchError(fetch(url))).message)
      }),
    PROCESSES_MS
  )

  it.live(
    "ends with a program that does not close it",
    () =>
      Effect.gen(function* () {
        const folder = yield* makeEmptyFolder
        const entry = JSON.stringify(join(import.meta.dirname, "../src/testing.ts"))
        const { line, exitCode } = yield* startScript(
          folder,
          `import { createLatchkey } from ${entry}
          const { url, advance } = await createLatchkey({ seed: "empty" })
          await advance("1d")
          console.log(url)`
        )
        assert.strictEqual(yield* Effect.promise(() => exitCode), 0)
        yield* waitUntilUnreachable(line)
      }).pipe(Effect.scoped),
    PROCESSES_MS
  )
})
