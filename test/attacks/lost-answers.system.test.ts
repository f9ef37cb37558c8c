import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { BaseUrl } from "../support/http-server.ts"
import { REQUESTS_MS } from "../support/time-limits.ts"
import { assertHeld, onRunsDatabase } from "./figures.ts"
import { layerOnOwnDatabase } from "./grounds.ts"
import { lostAnswers } from "./lost-answers.ts"
import { connections } from "./wire.ts"

vi.setConfig({ testTimeout: REQUESTS_MS })

const CALLERS = 16

layer(layerOnOwnDatabase, { excludeTestServices: true })("a client that loses every second answer", (it) => {
  it.effect("and repeats each call under its key has a hundred tasks, entries and orders, and each once", () =>
    Effect.gen(function* () {
      const target = { base: yield* BaseUrl, agent: connections(CALLERS) }
      assertHeld(yield* lostAnswers(target, { on: onRunsDatabase, each: 100, callers: CALLERS }))
    })
  )
})
