import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BODY_BYTES, RECORD_CODE_LENGTH } from "../../../src/platform/limits.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { createOperator, insertProperty } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"

const Body = Schema.fromJsonString(
  Schema.Struct({
    request_id: Schema.String,
    error_code: Schema.Int,
    error_msg: Schema.String,
    data: Schema.Record(Schema.String, Schema.Unknown)
  })
)
const decodeBody = Schema.decodeUnknownSync(Body)

/** One request as a client makes it; every answer has status 200 and the envelope. */
const request = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}${path}`, init)
    const text = await response.text()
    const body = decodeBody(text)
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("x-request-id"), body.request_id)
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
    return { ...body, headers: response.headers, text }
  })
})

const json = (token: string, method: string, body: unknown): RequestInit => ({
  method,
  headers: { "Service-Access-Token": token, "Content-Type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

const entry = { direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197 }

layer(layerHttpServer())("the REST door", (it) => {
  it.effect("creates, reads, edits and deletes", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator()
      const property_id = yield* insertProperty(operatorId, "Harbour 1")
      const created = yield* request("/v3/transactions", json(token, "POST", { ...entry, property_id }))
      assert.strictEqual(created.error_msg, "")
      const id = created.data["transaction_id"]
      const read = yield* request(`/v3/transactions?id=${id}`, { headers: { Authorization: `Bearer ${token}` } })
      assert.strictEqual(read.data["total"], 1)
      const edited = yield* request(`/v3/transactions/${id}`, json(token, "PATCH", { note: "two" }))
      assert.deepStrictEqual(edited.data, {})
      const deleted = yield* request(`/v3/transactions/${id}`, {
        method: "DELETE",
        headers: { "Service-Access-Token": token }
      })
      assert.strictEqual(deleted.error_code, 0)
      assert.strictEqual(
        (yield* request(`/v3/transactions?id=${id}`, { headers: { "Service-Access-Token": token } })).data["total"],
        0
      )
    })
  )

  it.effect("gives every answer an id of its own", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* request("/v3/income_items"), yield* request("/v3/income_items")]
      assert.match(one.request_id, /^RT\d{14}[0-9A-Z]{8}$/)
      assert.notStrictEqual(one.request_id, other.request_id)
    })
  )

  it.effect("reads its own token header before the bearer token", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const answerTo = (headers: Record<string, string>) =>
        Effect.map(request("/v3/income_items", { headers }), (answer) => answer.error_code)
      assert.strictEqual(yield* answerTo({ "Service-Access-Token": token, Authorization: "Bearer wrong" }), 0)
      assert.strictEqual(yield* answerTo({ "Service-Access-Token": "wrong", Authorization: `Bearer ${token}` }), 401)
      assert.strictEqual(yield* answerTo({ "Service-Access-Token": "", Authorization: `bearer ${token}` }), 0)
      assert.strictEqual(yield* answerTo({ Service_Access_Token: token }), 401)
      assert.strictEqual(yield* answerTo({ Authorization: `Basic ${token}` }), 401)
    })
  )

  const JSON_TYPE = { "Content-Type": "application/json" }
  const bodies: ReadonlyArray<readonly [string, RequestInit["body"], Record<string, string>, number, RegExp]> = [
    ["unreadable JSON", "{", { "Content-Type": "application/json" }, 400, /not valid JSON/],
    [
      "what is not UTF-8",
      new Uint8Array([...Buffer.from('{"note":"Caf'), 0xe9, 0x22, 0x7d]),
      JSON_TYPE,
      400,
      /not UTF-8/
    ],
    ["too deep a JSON", `{"x":${"[".repeat(40)}${"]".repeat(40)}}`, JSON_TYPE, 400, /nested deeper than 32 levels/],
    ["too many fields", `{"x":[${"0,".repeat(20_000)}0]}`, JSON_TYPE, 400, /more than 20000 fields and elements/],
    ["a list", "[]", { "Content-Type": "application/json" }, 400, /must be a JSON object/],
    [
      "a form",
      "amount=5",
      { "Content-Type": "application/x-www-form-urlencoded" },
      400,
      /Content-Type: application\/json/
    ],
    ["another text type", "{}", { "Content-Type": "text/plain" }, 400, /Content-Type: application\/json/],
    ["nothing", "", { "Content-Type": "application/json" }, 400, /direction: is required/],
    ["JSON with a charset", "{}", { "Content-Type": "application/json; charset=utf-8" }, 400, /direction: is required/]
  ]
  for (const [what, body, headers, code, message] of bodies) {
    it.effect(`answers ${what} as a body clearly`, () =>
      Effect.gen(function* () {
        const { token } = yield* createOperator()
        const answer = yield* request("/v3/transactions", {
          method: "POST",
          headers: { ...headers, "Service-Access-Token": token },
          body: body ?? null
        })
        assert.strictEqual(answer.error_code, code)
        assert.match(answer.error_msg, message)
      })
    )
  }

  it.effect("reads a body of exactly the largest size and refuses one byte more", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const bodyOf = (bytes: number) => {
        const frame = JSON.stringify({ ...entry, note: "" }).length
        return JSON.stringify({ ...entry, note: "n".repeat(bytes - frame) })
      }
      const atLimit = yield* request("/v3/transactions", json(token, "POST", bodyOf(BODY_BYTES)))
      assert.match(atLimit.error_msg, /^note: .*\b500 characters/)
      const above = yield* request("/v3/transactions", json(token, "POST", bodyOf(BODY_BYTES + 1)))
      assert.strictEqual(above.error_code, 400)
      assert.include(above.error_msg, `${BODY_BYTES} bytes`)
    })
  )

  it.effect("answers a huge body that is still being sent, and the next request on the connection", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const base = new URL(yield* BaseUrl)
      const answer = yield* Effect.promise(
        () =>
          new Promise<string>((resolve, reject) => {
            const socket = connect(Number(base.port), base.hostname)
            let seen = ""
            socket.on("data", (chunk) => {
              seen += chunk.toString()
              if (seen.includes('"error_code":400')) {
                socket.destroy()
                resolve(seen)
              }
            })
            socket.on("error", reject)
            socket.write(
              `POST /v3/transactions HTTP/1.1\r\nHost: x\r\nService-Access-Token: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${3 * BODY_BYTES}\r\n\r\n`
            )
            socket.write("x".repeat(2 * BODY_BYTES))
          })
      )
      assert.match(answer, /^HTTP\/1\.1 200 OK/)
    })
  )

  it.effect("knows no other paths and methods", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      for (const [method, path] of [
        ["GET", "/v3/nothing"],
        ["GET", "/v3"],
        ["GET", "/v3/"],
        ["PUT", "/v3/transactions"],
        ["DELETE", "/v3/income_items"],
        ["POST", "/v3/transactions/5"],
        ["GET", "/v3/transactions/5/6"],
        ["GET", "/v3/%zz"]
      ] as const) {
        const answer = yield* request(path, { method, headers: { "Service-Access-Token": token } })
        assert.strictEqual(answer.error_code, 404, `${method} ${path}`)
        assert.deepStrictEqual(answer.data, {})
      }
    })
  )

  it.effect("names the field of a path parameter that is too long", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const approve = (length: number) =>
        request(`/v3/reservations/${"A".repeat(length)}/check_in/approve`, {
          method: "POST",
          headers: { "Service-Access-Token": token }
        })
      for (const [length, code] of [
        [RECORD_CODE_LENGTH, 404],
        [RECORD_CODE_LENGTH + 1, 422]
      ] as const) {
        const { error_code, error_msg } = yield* approve(length)
        assert.strictEqual(error_code, code)
        assert.match(error_msg, /^stay_code: /)
      }
    })
  )

  it.effect("says of a path that has other methods which", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const message = (method: string, path: string) =>
        Effect.map(request(path, { method, headers: { "Service-Access-Token": token } }), ({ error_msg }) => error_msg)
      assert.match(yield* message("PUT", "/v3/transactions"), /: PUT \/v3\/transactions;.* GET and POST$/)
      assert.match(
        yield* message("PUT", "/v3/conversations/x/note?a=1"),
        /: PUT \/v3\/conversations\/x\/note;.* PATCH$/
      )
      assert.match(yield* message("GET", "/v3/nothing"), /: GET \/v3\/nothing$/)
    })
  )

  it.effect("refuses a query key given twice", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const answer = yield* request("/v3/transactions?id=1&id=2", { headers: { "Service-Access-Token": token } })
      assert.deepStrictEqual([answer.error_code, fieldOfError(answer)], [400, "id"])
      const odd = yield* request("/v3/transactions?%00=1&%00=2", { headers: { "Service-Access-Token": token } })
      assert.deepStrictEqual([odd.error_code, fieldOfError(odd)], [400, "\ufffd"])
    })
  )

  it.effect("refuses a query whose bytes are no text, and takes the replacement character as one", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const asked = (keyword: string) =>
        request(`/v3/reservation_tags?keyword=${keyword}`, { headers: { "Service-Access-Token": token } })
      for (const keyword of ["%FF", "%ED%A0%80", "a%C3"]) {
        const refused = { error_code: 422, error_msg: "keyword: must not contain half of a surrogate pair." }
        assert.deepInclude(yield* asked(keyword), refused, keyword)
      }
      for (const keyword of ["%EF%BF%BD", "%C3%BC"])
        assert.deepInclude(yield* asked(keyword), { error_code: 0 }, keyword)
    })
  )

  it.effect("does not parse a body that nobody may send", () =>
    Effect.gen(function* () {
      const { readOnlyToken } = yield* createOperator()
      assert.strictEqual((yield* request("/v3/transactions", json("nobody", "POST", "{"))).error_code, 401)
      assert.strictEqual((yield* request("/v3/transactions", json(readOnlyToken, "POST", "{"))).error_code, 401)
    })
  )

  it.effect("says on every answer what is left of the tightest window", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const { headers } = yield* request("/v3/income_items", { headers: { "Service-Access-Token": token } })
      assert.strictEqual(headers.get("ratelimit-policy"), '"endpoint-1m";q=600;w=60')
      assert.match(headers.get("ratelimit") ?? "", /^"endpoint-1m";r=599;t=\d+$/)
    })
  )

  it.effect("changes nothing on a refused request", () =>
    Effect.gen(function* () {
      const { token, operatorId } = yield* createOperator()
      yield* request("/v3/transactions", json(token, "POST", { ...entry, amount: -5 }))
      yield* request("/v3/transactions", json(token, "POST", "{"))
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT FROM transactions WHERE operator_id = ${operatorId}`
      const events = yield* sql`SELECT FROM events WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual([rows.length, events.length], [0, 0])
    })
  )

  it.effect("tells a load balancer that it lives and is ready", () =>
    Effect.gen(function* () {
      const base = yield* BaseUrl
      const texts = yield* Effect.promise(() =>
        Promise.all(["live", "ready"].map(async (what) => (await fetch(`${base}/health/${what}`)).text()))
      )
      assert.deepStrictEqual(texts, ["live\n", "ready\n"])
    })
  )
})

layer(layerHttpServer({ requireHttps: true }))("where HTTPS is required", (it) => {
  it.effect("plain HTTP is refused, whatever the request says about itself", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const answer = yield* request("/v3/income_items", {
        headers: { "Service-Access-Token": token, "X-Forwarded-Proto": "https" }
      })
      assert.strictEqual(answer.error_code, 400)
      assert.match(answer.error_msg, /HTTPS/)
    })
  )
})

layer(layerHttpServer({ requireHttps: true, trustProxy: true }))("behind a trusted proxy", (it) => {
  it.effect("the proxy's word decides", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const answerTo = (proto: Record<string, string>) =>
        Effect.map(
          request("/v3/income_items", { headers: { "Service-Access-Token": token, ...proto } }),
          (answer) => answer.error_code
        )
      assert.strictEqual(yield* answerTo({ "X-Forwarded-Proto": "https" }), 0)
      assert.strictEqual(yield* answerTo({ "X-Forwarded-Proto": "http" }), 400)
      assert.strictEqual(yield* answerTo({}), 400)
    })
  )
})
