import { it } from "@effect/vitest"
import { Effect } from "effect"
import { withServerNote } from "../support/overlapping-transactions.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { assertHeld } from "./figures.ts"
import { serverGround } from "./grounds.ts"
import { planKills } from "./plan-kills.ts"

const BUDGET = {
  rounds: 1,
  processes: 3,
  stays: 3,
  left: 1,
  lateMs: 100,
  killedWithinMs: 2_000,
  goneMs: 60_000
} as const

// On the embedded database what a killed process had in hand waits for its lease, which lasts 45 s: that is the long form's.
const server = process.env.DATABASE_URL ?? ""
it.live.skipIf(server === "")(
  withServerNote("killed while rules do what is due, on a server, the service does each plan once"),
  () =>
    Effect.gen(function* () {
      assertHeld(yield* planKills(yield* serverGround(server), BUDGET))
    }),
  PROCESSES_MS
)
