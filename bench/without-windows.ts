import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { RateWindows } from "../src/gate/windows/RateWindows.ts"
import { serveWith } from "../src/main.ts"

// The service with its windows off, to see what they cost.

const layerOff = Layer.succeed(RateWindows, {
  admit: () => Effect.succeed({ _tag: "Admitted", remaining: [] } as const),
  count: () => Effect.void
})

NodeRuntime.runMain(serveWith({ windows: () => layerOff }))
