import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Places } from "../../../src/admission/concurrency/Places.ts"
import { CONCURRENCY_PERMITS, QUEUED_CALLS_MAX } from "../../../src/platform/limits.ts"
import { createOperator } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import { decodeEnvelope, parseResponses, RawClient } from "../../support/transports/http-server/raw-client.ts"

/** As many calls of the operator as may be worked on and wait, none of which ends. */
const crowd = (operatorId: number) =>
  Effect.gen(function* () {
    const places = yield* Places
    const all = Array.from({ length: CONCURRENCY_PERMITS + QUEUED_CALLS_MAX }, () =>
      Effect.ignore(places.within(operatorId, Effect.never))
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

describe("a call that finds no room", () => {
  it.live(
    "is refused before its body is read, the next with its token before anything is asked, and none is counted",
    () =>
      Effect.gen(function* () {
        const base = yield* BaseUrl
        const busy = yield* createOperator()
        const before = left(heardHeaders(yield* get(base, busy.token)))
        const crowded = yield* crowd(busy.operatorId)

        for (let nth = 0; nth < 3; nth++) {
          const client = new RawClient(base).send(head(busy.token, 10))
          yield* Effect.promise(() => client.awaitText(/"data"/))
          const [answer] = parseResponses(client.received)
          assert.strictEqual(answer?.status, "HTTP/1.1 200 OK")
          assert.strictEqual(decodeEnvelope(answer?.body).error_code, 500)
          assert.strictEqual(decodeEnvelope(answer?.body).request_id, answer?.headers.get("x-request-id"))
          assert.isAbove(Number(answer?.headers.get("retry-after")), 0)
          // The connection takes the next request once this one's body has come. A refused token needs no permit.
          client.received = ""
          client.send(`0123456789${head("lk_unknown", 2)}{}`)
          yield* Effect.promise(() => client.awaitText(/"data"/))
          assert.strictEqual(decodeEnvelope(parseResponses(client.received)[0]?.body).error_code, 401)
          client.socket.destroy()
        }

        yield* Fiber.interrupt(crowded)
        const after = yield* get(base, busy.token)
        assert.strictEqual(left(heardHeaders(after)), before - 1)
      }).pipe(Effect.provide(layerHttpServer()))
  )
})

const heardHeaders = ({ headers }: Response): ReadonlyMap<string, string> => new Map(headers)
