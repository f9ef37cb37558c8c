import { NodeRuntime } from "@effect/platform-node"
import { RateWindows } from "../src/admission/windows/RateWindows.ts"
import { serveWith } from "../src/main.ts"

// The service with its windows off, to see what they cost.

NodeRuntime.runMain(serveWith({ rateWindows: () => RateWindows.layerUnbounded }))
