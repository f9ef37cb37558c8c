import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import { EVENT_NAMES } from "../src/jobs/events/event-statements.ts"
import { PROPERTY_RUNS } from "./support/property-runs.ts"
import { PROCESSES_MS } from "./support/time-limits.ts"
import { findFreePort, startService } from "./support/tools/cli/latchkey-process.ts"

// Moving the clock of a test server in steps gives what one move gives.

/** Each run moves a whole service by days, so `npm test` tries few. */
const RUNS = Math.max(3, Math.floor(PROPERTY_RUNS / 50))
const HOUR_MS = 60 * 60 * 1000
const TOTAL_MS = 4 * 24 * HOUR_MS
/** Steps are longer than the real time that passes between them. */
const STEP_MIN_MS = 60 * 1000
const PAGE = 100

const call = (url: string, init?: RequestInit) =>
  Effect.promise(async (): Promise<unknown> => (await fetch(url, init)).json())

const post = (url: string, body: unknown, token = "") =>
  call(url, {
    method: "POST",
    headers: { "content-type": "application/json", "service-access-token": token },
    body: JSON.stringify(body)
  })

const decodeAccess = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ token: Schema.String }) }))
const decodeData = Schema.decodeUnknownSync(Schema.Struct({ error_code: Schema.Literal(0), data: Schema.Json }))
const decodeEventPage = Schema.decodeUnknownSync(
  Schema.Struct({
    events: Schema.Array(Schema.Json),
    next_cursor: Schema.NullOr(Schema.String),
    has_more: Schema.Boolean
  })
)
const decodeConversations = Schema.decodeUnknownSync(
  Schema.Struct({ conversations: Schema.Array(Schema.Struct({ id: Schema.Union([Schema.Int, Schema.String]) })) })
)
const decodeDeliveries = Schema.decodeUnknownSync(
  Schema.Struct({
    deliveries: Schema.Array(
      Schema.Struct({
        received_at: Schema.String,
        status: Schema.Int,
        headers: Schema.Struct({ "webhook-id": Schema.String }),
        body: Schema.String
      })
    )
  })
)

/** Real time passes between steps, so times are compared without seconds. Cursors contain times, message ids are random. */
const withoutSeconds = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?/g, "$1")
    .replaceAll(/"cursor":"[^"]*",/g, "")
    .replaceAll(/"message_id\\?":\\?"\w+/g, "")
    .replaceAll(/\{"id":"\w+","sender/g, '{"sender')
    .split(/(?=\{"event_id")/)

const loadState = Effect.fnUntraced(function* (url: string, token: string) {
  const get = (path: string) =>
    Effect.map(
      call(`${url}${path}`, { headers: { "service-access-token": token } }),
      (answer) => decodeData(answer).data
    )
  const deliveries = decodeDeliveries(yield* get("/test/deliveries")).deliveries.map((delivery) =>
    JSON.stringify(delivery)
  )
  const events: Array<Schema.Json> = []
  for (let after = ""; ; ) {
    const page = decodeEventPage(yield* get(`/v3/events?limit=${PAGE}${after}`))
    events.push(...page.events)
    if (!page.has_more) break
    after = `&after=${page.next_cursor}`
  }
  const { conversations } = decodeConversations(yield* get(`/v3/conversations?limit=${PAGE}`))
  const messages = yield* Effect.forEach(conversations, ({ id }) => get(`/v3/conversations/${id}`))
  return {
    deliveries: deliveries.flatMap(withoutSeconds),
    events: withoutSeconds(JSON.stringify(events)),
    messages: messages.flatMap((each) => withoutSeconds(JSON.stringify(each)))
  }
})

/** Cuts {@link TOTAL_MS} into steps. */
const steps = fc
  .array(fc.integer({ min: STEP_MIN_MS, max: TOTAL_MS / 2 }), { minLength: 1, maxLength: 8 })
  .map((lengths) => {
    let left = TOTAL_MS
    const cut = lengths.map((length) => {
      const step = Math.min(length, left)
      left -= step
      return step
    })
    return [...cut, left].filter((step) => step > 0)
  })

it.live(
  "moving the clock in steps gives the events, messages and deliveries of one move",
  () =>
    Effect.gen(function* () {
      const PORT = yield* findFreePort
      yield* startService("Latchkey is running", { PORT, LOG_LEVEL: "warn" }, undefined, undefined, [
        "serve",
        "--test",
        "--now",
        "2027-03-01T09:00:00Z"
      ])
      const url = `http://127.0.0.1:${PORT}`
      const { token } = decodeAccess(yield* post(`${url}/test/reset`, {})).data
      const done = (path: string, body: unknown) =>
        Effect.map(post(`${url}${path}`, body, token), (answer) => decodeData(answer))
      for (const status of [200, 503])
        yield* done("/v3/webhooks", { url: `${url}/test/receiver?status=${status}`, events: EVENT_NAMES.slice(0, 8) })
      yield* done("/test/sandbox/bookings", {
        listing_id: "314006",
        check_in_date: "2027-06-10",
        check_out_date: "2027-06-14",
        guest_name: "Ann Lee"
      })
      yield* done("/test/template", {})
      const run = Effect.fnUntraced(function* (parts: ReadonlyArray<number>) {
        yield* done("/test/reset", {})
        for (const advance of parts) yield* done("/test/clock", { advance })
        return yield* loadState(url, token)
      })
      const expected = yield* run([TOTAL_MS])
      assert.isAtLeast(expected.deliveries.length, 10)
      assert.isAtLeast(expected.messages.length, 5)
      const services = yield* Effect.context()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(steps, async (parts) => {
            const actual = await Effect.runPromise(Effect.provide(run(parts), services))
            assert.deepStrictEqual(actual, expected)
          }),
          // Shrinking would run into the time limit and hide the difference.
          { numRuns: RUNS, endOnFailure: true }
        )
      )
    }).pipe(Effect.scoped),
  PROCESSES_MS + RUNS * 20_000
)
