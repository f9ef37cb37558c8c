import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { BaseUrl } from "../support/http-server.ts"
import { REQUESTS_MS } from "../support/time-limits.ts"
import { assertHeld, onRunsDatabase } from "./figures.ts"
import { layerOnOwnDatabase } from "./grounds.ts"
import { seedOfRun } from "./inputs.ts"
import { isolation } from "./isolation.ts"
import { connections } from "./wire.ts"

vi.setConfig({ testTimeout: REQUESTS_MS })

layer(layerOnOwnDatabase, { excludeTestServices: true })("isolation", (it) => {
  it.effect("an operator sees and changes nothing of another's, wherever he names it", () =>
    Effect.gen(function* () {
      const target = { base: yield* BaseUrl, agent: connections(4) }
      assertHeld(yield* isolation(target, { on: onRunsDatabase, probes: 700, seed: seedOfRun() }))
    })
  )
})
