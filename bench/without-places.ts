import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Places } from "../src/admission/concurrency/Places.ts"
import { serveWith } from "../src/main.ts"

// The service in which everybody works at once, first come, first served.

NodeRuntime.runMain(serveWith({ permits: () => Places.layerUnbounded }))
