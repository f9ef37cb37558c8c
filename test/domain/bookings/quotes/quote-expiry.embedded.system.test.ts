import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { QUOTE_LIFETIME_MS, QUOTE_RETENTION_MS } from "../../../../src/platform/limits.ts"
import { createLatchkey } from "../../../../src/testing.ts"
import { PROCESSES_MS } from "../../../support/time-limits.ts"

const STAY = { check_in_date: "2027-03-10", check_out_date: "2027-03-11" }

it.live(
  "a quote is deleted when the clock of a running service passes the end of its retention",
  () =>
    Effect.gen(function* () {
      const latchkey = yield* Effect.acquireRelease(
        Effect.promise(() => createLatchkey({ seed: "demo", now: "2027-01-04T09:00:00Z" })),
        ({ close }) => Effect.promise(close)
      )
      const post = (path: string, body: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${latchkey.url}/v3${path}`, {
            method: "POST",
            headers: { "service-access-token": latchkey.token, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
          const { error_code, error_msg, data } = JSON.parse(await response.text())
          return { code: error_code, message: error_msg, data }
        })
      const quote = yield* post("/quotes", { property_id: 1, ...STAY, number_of_guests: 1 })
      assert.strictEqual(quote.code, 0, quote.message)
      const book = post("/reservations", {
        ...{ quote_id: quote.data.quote_id, property_id: 1, ...STAY, custom_channel_id: 30 },
        ...{ guest_name: "Ada Lovelace", received_amount: 0, income_method_id: 197 }
      })
      yield* Effect.promise(() => latchkey.advance(QUOTE_LIFETIME_MS))
      assert.strictEqual((yield* book).code, 409)
      yield* Effect.promise(() => latchkey.advance(QUOTE_RETENTION_MS))
      const { code, message } = yield* book
      assert.deepStrictEqual([code, message], [404, "quote_id: no such quote."])
    }).pipe(Effect.scoped),
  PROCESSES_MS
)
