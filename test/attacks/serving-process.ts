// The service as `latchkey serve` runs it, but a worker has what it takes for LEASE_MS milliseconds: who kills it need not
// wait as long as the real lease.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { LeaseDuration } from "../../src/jobs/lease.ts"
import { serve } from "../../src/main.ts"

NodeRuntime.runMain(Effect.provideService(serve, LeaseDuration, Number(process.env.LEASE_MS)))
