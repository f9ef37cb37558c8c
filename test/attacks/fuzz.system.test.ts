import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { BaseUrl } from "../support/http-server.ts"
import { REQUESTS_MS } from "../support/time-limits.ts"
import { assertHeld, onRunsDatabase } from "./figures.ts"
import { fuzz } from "./fuzz.ts"
import { layerOnOwnDatabase } from "./grounds.ts"
import { seedOfRun } from "./inputs.ts"
import { connections } from "./wire.ts"

// On the real clock: sockets and limits of time are part of what is attacked.

layer(layerOnOwnDatabase, { excludeTestServices: true })("fuzz", (it) => {
  it.effect(
    "of every operation over both doors finds no 500, no change by a refused call, no door that differs",
    () =>
      Effect.gen(function* () {
        const target = { base: yield* BaseUrl, agent: connections(4) }
        assertHeld(yield* fuzz(target, { on: onRunsDatabase, calls: 800, seed: seedOfRun() }))
      }),
    REQUESTS_MS
  )
})
