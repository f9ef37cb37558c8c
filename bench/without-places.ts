import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { serveWith } from "../src/main.ts"
import { Places } from "../src/places/Places.ts"

// The service in which everybody works at once, first come, first served.

NodeRuntime.runMain(serveWith({ places: () => Places.layerUnbounded }))
