import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import { BaseUrl, layerHttpServer } from "../support/http-server.ts"
import { REQUESTS_MS } from "../support/time-limits.ts"
import { creations } from "./creations.ts"
import { assertHeld, onRunsDatabase } from "./figures.ts"
import { layerQuiet } from "./grounds.ts"
import { connections } from "./wire.ts"

vi.setConfig({ testTimeout: REQUESTS_MS })

const CREATIONS = 500

layer(Layer.provideMerge(layerHttpServer(), layerQuiet), { excludeTestServices: true })(
  "500 creations at once",
  (it) => {
    it.effect("of one night make one order, and so do 500 under one channel_id", () =>
      Effect.gen(function* () {
        const target = { base: yield* BaseUrl, agent: connections(CREATIONS) }
        assertHeld(yield* creations(target, { on: onRunsDatabase, creations: CREATIONS }))
      })
    )
  }
)
