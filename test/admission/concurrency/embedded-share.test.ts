import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Places } from "../../../src/admission/concurrency/Places.ts"
import { EMBEDDED_PERMITS } from "../../../src/platform/limits.ts"
import { layerTestDatabaseInMemory } from "../../support/test-database.ts"

// The one session of the embedded database runs statements in the order they were asked for. So it is the places of calls
// that leave a part of it to whoever works in the background, and the places alone.

const CALLERS = 16
const STATEMENTS = 30

describe("the one session of the embedded database", () => {
  layer(Layer.merge(layerTestDatabaseInMemory, Places.layer(EMBEDDED_PERMITS)))((it) => {
    it.effect(`runs at most ${EMBEDDED_PERMITS} statements of calls between two of a loop in the background`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const places = yield* Places
        const ran: Array<"call" | "background"> = []
        const calling = Effect.forever(
          places.within(
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
        // And the calls go on meanwhile.
        assert.isAbove(Math.max(...between), 0)
      })
    )
  })
})
