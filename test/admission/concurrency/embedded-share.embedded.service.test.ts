import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { EMBEDDED_PERMITS } from "../../../src/platform/limits.ts"
import { layerTestDatabaseInMemory } from "../../support/test-database.ts"

// The one session of the embedded database runs statements in the order in which they were sent. So only the limit of concurrent calls
// leaves a part of the session to background work.

const CALLERS = 16
const STATEMENTS = 30

describe("the one session of the embedded database", () => {
  layer(Layer.merge(layerTestDatabaseInMemory, ConcurrencyLimiter.layer(EMBEDDED_PERMITS)))((it) => {
    it.effect(`runs at most ${EMBEDDED_PERMITS} statements of calls between two statements of a background loop`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const limiter = yield* ConcurrencyLimiter
        const ran: Array<"call" | "background"> = []
        const calling = Effect.forever(
          limiter.withPermit(
            1,
            Effect.map(sql`SELECT 1 AS called`, () => ran.push("call"))
          )
        )
        const callers = yield* Effect.forEach(Array.from({ length: CALLERS }), () => Effect.forkChild(calling))
        const working = Effect.map(sql`SELECT 2 AS worked`, () => ran.push("background"))
        yield* Effect.repeat(working, { times: STATEMENTS - 1 })
        yield* Fiber.interruptAll(callers)

        const between = ran
          .slice(ran.indexOf("background"), ran.lastIndexOf("background"))
          .join(" ")
          .split("background")
          .slice(1)
          .map((calls) => calls.split("call").length - 1)
        assert.strictEqual(between.length, STATEMENTS - 1)
        assert.isAtMost(Math.max(...between), EMBEDDED_PERMITS)
        // The calls are not blocked either.
        assert.isAbove(Math.max(...between), 0)
      })
    )
  })
})
