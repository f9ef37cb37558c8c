import { assert, describe, it } from "@effect/vitest"
import { Conflict, createClient, LatchkeyError, NoAnswer, NotFound, RateLimited } from "../../client/latchkey-client.ts"

// The client by itself: what it sends, when it repeats, and how long it waits, over a network and a clock that the test says.

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

type Answer = { readonly code: number; readonly data?: unknown; readonly retryAfter?: number } | "down" | "no envelope"

const responseOf = (answer: Exclude<Answer, "down">): Response => {
  if (answer === "no envelope") return new Response("<h1>Bad gateway</h1>", { status: 502 })
  const { code, data = {}, retryAfter } = answer
  const headers = {
    "x-ratelimit-scope": "user",
    ...(retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` })
  }
  const envelope = { request_id: "RT1", error_code: code, error_msg: code === 0 ? "" : "no", data }
  return new Response(JSON.stringify(envelope), { headers })
}

/** A client whose calls are answered so, the last answer again and again. */
const over = (answers: ReadonlyArray<Answer>, random = 0.5, more: object = {}) => {
  const sent: Array<Sent> = []
  const waits: Array<number> = []
  const client = createClient({
    baseUrl: "https://api.example.com/",
    token: async () => "lk_token",
    random: () => random,
    sleep: async (ms: number) => void waits.push(ms),
    fetch: async (url: string | URL | Request, init: RequestInit = {}) => {
      const headers = Object.fromEntries(new Headers(init.headers))
      sent.push({ url: String(url), method: init.method ?? "GET", headers, body: init.body?.toString() })
      const answer = answers[Math.min(sent.length, answers.length) - 1]
      if (answer === undefined || answer === "down") throw new TypeError("fetch failed")
      return responseOf(answer)
    },
    ...more
  })
  const call = (name: string, fields?: object, options?: object): Promise<unknown> => client.call(name, fields, options)
  return { client, call, sent, waits }
}

const failing = async (promise: Promise<unknown>): Promise<LatchkeyError> => {
  const error = await promise.then(
    () => undefined,
    (why: unknown) => why
  )
  return error instanceof LatchkeyError ? error : assert.fail(`not refused: ${error}`)
}

describe("what the client sends", () => {
  it("has each field in its place, and the token", async () => {
    const { call, sent } = over([{ code: 0 }])
    await call("get_property_availability", { property_ids: [1, 2], start_date: "2027-01-01", end_date: "2027-01-02" })
    await call("cancel_reservation", { reservation_code: "5-A/B" })
    await call("update_task", { id: 7, status: "completed" })
    assert.deepStrictEqual(
      sent.map(({ method, url, body }) => [method, url, body]),
      [
        [
          "GET",
          "https://api.example.com/v3/availabilities?property_ids=1%2C2&start_date=2027-01-01&end_date=2027-01-02",
          undefined
        ],
        ["DELETE", "https://api.example.com/v3/reservations/5-A%2FB", undefined],
        ["PATCH", "https://api.example.com/v3/tasks/7", '{"status":"completed"}']
      ]
    )
    assert.isTrue(sent.every(({ headers }) => headers["authorization"] === "Bearer lk_token"))
  })

  it("has a key of its own for each change, and none for what reads or needs no token", async () => {
    const { call, sent } = over([{ code: 0 }])
    await call("create_property", { title: "A" })
    await call("create_property", { title: "A" })
    await call("create_property", { title: "A" }, { idempotencyKey: "mine" })
    await call("search_listing_calendars", {})
    await call("search_properties")
    await call("revoke_oauth_authorization", { token: "x" })
    const [first, second, third, ...none] = sent.map(({ headers }) => headers["idempotency-key"])
    assert.match(first ?? "", /^[0-9a-f-]{36}$/)
    assert.notStrictEqual(first, second)
    assert.strictEqual(third, "mine")
    assert.deepStrictEqual(none, [undefined, undefined, undefined])
    assert.isUndefined(sent.at(-1)?.headers["authorization"])
  })
})

describe("a repeat", () => {
  it.each([429, 500, 502, 503, 504].map((code) => ({ code })))(
    "comes after $code, under the same key",
    async ({ code }) => {
      const { call, sent, waits } = over([{ code }, { code: 0, data: { property_id: 1 } }])
      assert.deepStrictEqual(await call("create_property", { title: "A" }), { property_id: 1 })
      assert.lengthOf(sent, 2)
      assert.strictEqual(sent[0]?.headers["idempotency-key"], sent[1]?.headers["idempotency-key"])
      assert.deepStrictEqual(waits, [500])
    }
  )

  it("comes where the network fails, or something answers that is not the service", async () => {
    const { call, sent } = over(["down", "no envelope", { code: 0 }])
    await call("search_properties")
    assert.lengthOf(sent, 3)
  })

  it("comes four times and no more; then it is told why", async () => {
    const { call, sent, waits } = over(["down"])
    assert.instanceOf(await failing(call("search_properties")), NoAnswer)
    assert.lengthOf(sent, 5)
    assert.deepStrictEqual(waits, [500, 1000, 2000, 4000])
  })

  it.each([400, 401, 403, 404, 409, 420, 422, 501].map((code) => ({ code })))(
    "never comes after $code",
    async ({ code }) => {
      const { call, sent } = over([{ code }])
      assert.strictEqual((await failing(call("create_property", { title: "A" }))).code, code)
      assert.lengthOf(sent, 1)
    }
  )

  it("comes after a 409 that asks for it", async () => {
    const { call, sent, waits } = over([{ code: 409, retryAfter: 1 }, { code: 0 }])
    await call("create_property", { title: "A" })
    assert.deepStrictEqual([sent.length, waits], [2, [1125]])
  })

  it("never comes of what gives tokens out", async () => {
    const { call, sent } = over([{ code: 500 }])
    await failing(call("create_oauth_authorization", { grant_type: "refresh_token" }))
    assert.lengthOf(sent, 1)
  })

  it("waits as long as it is asked to or a little longer, and else a quarter more or less", async () => {
    const asked = [0, 1].map(async (random) => {
      const { call, waits } = over([{ code: 429, retryAfter: 8 }, { code: 500 }, { code: 0 }], random)
      await call("search_properties")
      return waits
    })
    assert.deepStrictEqual(await Promise.all(asked), [
      [8000, 750],
      [10_000, 1250]
    ])
  })

  it("does not come where it would be waited for longer than the caller will", async () => {
    const { call, sent } = over([{ code: 429, retryAfter: 3600 }])
    const error = await failing(call("search_properties"))
    assert.instanceOf(error, RateLimited)
    assert.deepStrictEqual([error.retryAfter, error.scope, error.requestId, sent.length], [3600, "user", "RT1", 1])
  })
})

describe("an error", () => {
  it("is of the class of its code", async () => {
    assert.instanceOf(await failing(over([{ code: 404 }]).call("search_properties")), NotFound)
    const conflict = await failing(over([{ code: 409 }]).call("create_property", { title: "A" }))
    assert.instanceOf(conflict, Conflict)
    assert.deepStrictEqual([conflict.name, conflict.operation, conflict.message], ["Conflict", "create_property", "no"])
    assert.strictEqual((await failing(over([{ code: 418 }]).call("search_properties"))).code, 418)
  })

  it("is the caller's own reason where the caller ends it, before, during and between tries", async () => {
    const why = new Error("enough")
    const ended = AbortSignal.abort(why)
    const { client, sent } = over(["down"], 0.5, {
      sleep: async (_: number, signal: AbortSignal) => signal.throwIfAborted()
    })
    assert.strictEqual(
      await client.call("search_properties", {}, { signal: ended }).catch((error: unknown) => error),
      why
    )
    assert.isAtMost(sent.length, 1)
  })
})

describe("pages", () => {
  const rowsOf = async (total: number, limit: number, saysTotal = true) => {
    const { client, sent } = over([], 0.5, {
      fetch: async (url: string) => {
        const query = new URL(url).searchParams
        const [offset, most] = [Number(query.get("offset")), Number(query.get("limit"))]
        sent.push({ url, method: "GET", headers: {}, body: undefined })
        const properties = Array.from({ length: Math.max(0, Math.min(most, total - offset)) }, (_, at) => ({
          id: offset + at
        }))
        return responseOf({ code: 0, data: { properties, ...(saysTotal ? { total } : {}) } })
      }
    })
    const ids: Array<number> = []
    for await (const { id } of client.pages("search_properties", { limit })) ids.push(id)
    return { ids, asked: sent.length }
  }

  it("are read one after the other until there is no more, also at the end of a page", async () => {
    for (const [total, asked] of [
      [0, 1],
      [1, 1],
      [9, 1],
      [10, 1],
      [11, 2],
      [20, 2],
      [21, 3]
    ] as const) {
      const read = await rowsOf(total, 10)
      assert.deepStrictEqual(read, { ids: Array.from({ length: total }, (_, at) => at), asked })
    }
    assert.strictEqual((await rowsOf(10, 10, false)).asked, 2)
  })

  it("are none of what has no list", async () => {
    const rows = over([{ code: 0 }]).client.pages("get_conversation", { id: "x" })
    assert.instanceOf(await rows.next().catch((error: unknown) => error), TypeError)
  })
})

it.each(["", ".", "..", null])("a path field of %j, which leads to another operation, is not sent", async (id) => {
  const { client, sent } = over([{ code: 0 }])
  const error = await client.call("get_conversation", { id }).catch((each: unknown) => each)
  assert.instanceOf(error, TypeError)
  assert.include(String(error), "get_conversation: id must not be")
  assert.lengthOf(sent, 0)
})

describe("the feed", () => {
  it("goes on from the last cursor, and acknowledges what was read when the next is asked for", async () => {
    const event = (at: number) => ({ event_id: `evt_${at}`, cursor: `c${at}`, payload: { event: "unheard_of", at } })
    const { client, sent } = over([
      {
        code: 0,
        data: {
          event_consumers: [
            { name: "other", cursor: "c9" },
            { name: "ledger", cursor: "c0" }
          ]
        }
      },
      { code: 0, data: { events: [event(1), event(2)], next_cursor: "c2", has_more: false } },
      { code: 0 },
      { code: 0 },
      { code: 0, data: { events: [], next_cursor: "c3", has_more: false } },
      { code: 0, data: { events: [event(4)], next_cursor: "c4", has_more: false } }
    ])
    const read: Array<unknown> = []
    for await (const { payload } of client.events({ consumer: "ledger", types: "unheard_of" })) {
      read.push(payload.at)
      if (read.length === 3) break
    }
    assert.deepStrictEqual(read, [1, 2, 4])
    assert.deepStrictEqual(
      sent.map(({ method, url, body }) =>
        `${method} ${url.slice("https://api.example.com/v3".length)} ${body ?? ""}`.trim()
      ),
      [
        "GET /event_consumers",
        "GET /events?wait=20&types=unheard_of&after=c0",
        'PUT /event_consumers/ledger {"cursor":"c1"}',
        'PUT /event_consumers/ledger {"cursor":"c2"}',
        "GET /events?wait=20&types=unheard_of&after=c2",
        "GET /events?wait=20&types=unheard_of&after=c3"
      ]
    )
  })
})
