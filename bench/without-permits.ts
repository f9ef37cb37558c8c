import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ConcurrencyLimiter } from "../src/admission/concurrency/ConcurrencyLimiter.ts"
import { serveWith } from "../src/main.ts"

// Serves without a concurrency limit: every call runs at once.

NodeRuntime.runMain(serveWith({ permits: () => ConcurrencyLimiter.layerUnbounded }))
