import { it } from "@effect/vitest"
import { Effect } from "effect"
import { withServerNote } from "../support/overlapping-transactions.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { backends } from "./backends.ts"
import { assertHeld } from "./figures.ts"
import { serverGround } from "./grounds.ts"

const BUDGET = { rounds: 4, writers: 8, pauseMs: 400, recoverMs: 60_000, arriveMs: 60_000 }

const server = process.env.DATABASE_URL ?? ""
it.live.skipIf(server === "")(
  withServerNote(
    "while the server ends its connections, calls succeed or answer 500, and nothing acknowledged is lost"
  ),
  () =>
    Effect.gen(function* () {
      assertHeld(yield* backends(yield* serverGround(server), BUDGET))
    }),
  PROCESSES_MS
)
