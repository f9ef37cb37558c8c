import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { CONCURRENCY_PERMITS, QUEUED_CALLS_MAX } from "../../../src/platform/limits.ts"
import { createOperator } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import { decodeEnvelope, parseResponses, RawClient } from "../../support/transports/http-server/raw-client.ts"

/** Fills all permits and the whole queue of an operator with calls that never end. */
const fillQueue = (operatorId: number) =>
  Effect.gen(function* () {
    const limiter = yield* ConcurrencyLimiter
    const all = Array.from({ length: CONCURRENCY_PERMITS + QUEUED_CALLS_MAX }, () =>
      Effect.ignore(limiter.withPermit(operatorId, Effect.never))
    )
    return yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" }), { startImmediately: true })
  })

/** The head of a request; its body is still to come. */
const head = (token: string, length: number): string =>
  `POST /v3/transactions HTTP/1.1\r\nHost: x\r\nService-Access-Token: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

const left = (headers: ReadonlyMap<string, string>): number =>
  Number(/;r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])

const get = (base: string, token: string) =>
  Effect.promise(() => fetch(`${base}/v3/income_items`, { headers: { "service-access-token": token } }))

describe("a call of an operator with a full queue", () => {
  it.live(
    "is rejected before its body is read, the next one of its token at once, and none counts in a rate-limit window",
    () =>
      Effect.gen(function* () {
        const base = yield* BaseUrl
        const busy = yield* createOperator()
        const before = left(heardHeaders(yield* get(base, busy.token)))
        const queuedCalls = yield* fillQueue(busy.operatorId)

        for (let nth = 0; nth < 3; nth++) {
          const client = new RawClient(base).send(head(busy.token, 10))
          yield* Effect.promise(() => client.awaitText(/"data"/))
          const [response] = parseResponses(client.received)
          assert.strictEqual(response?.status, "HTTP/1.1 200 OK")
          assert.strictEqual(decodeEnvelope(response?.body).error_code, 500)
          assert.strictEqual(decodeEnvelope(response?.body).request_id, response?.headers.get("x-request-id"))
          assert.isAbove(Number(response?.headers.get("retry-after")), 0)
          // The connection accepts the next request once this body has arrived. An unknown token needs no permit.
          client.received = ""
          client.send(`0123456789${head("lk_unknown", 2)}{}`)
          yield* Effect.promise(() => client.awaitText(/"data"/))
          assert.strictEqual(decodeEnvelope(parseResponses(client.received)[0]?.body).error_code, 401)
          client.socket.destroy()
        }

        yield* Fiber.interrupt(queuedCalls)
        const after = yield* get(base, busy.token)
        assert.strictEqual(left(heardHeaders(after)), before - 1)
      }).pipe(Effect.provide(layerHttpServer()))
  )
})

const heardHeaders = ({ headers }: Response): ReadonlyMap<string, string> => new Map(headers)
