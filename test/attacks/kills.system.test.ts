import { it } from "@effect/vitest"
import { Effect } from "effect"
import { canOverlap, withEmbeddedNote, withServerNote } from "../support/overlapping-transactions.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { assertHeld } from "./figures.ts"
import { embeddedTestGround, serverGround } from "./grounds.ts"
import { kills } from "./kills.ts"

const BUDGET = { writers: 8, writes: [50, 150], arriveMs: 60_000, leaseMs: 1_500 } as const

it.live.skipIf(canOverlap)(
  withEmbeddedNote(
    "killed twice under concurrent writes on the embedded database, the service loses no acknowledged write and no event"
  ),
  () =>
    Effect.gen(function* () {
      assertHeld(yield* kills(yield* embeddedTestGround, { ...BUDGET, rounds: 2 }))
    }),
  PROCESSES_MS
)

const server = process.env.DATABASE_URL ?? ""
it.live.skipIf(server === "")(
  withServerNote("killed under concurrent writes on a server, the service loses no acknowledged write and no event"),
  () =>
    Effect.gen(function* () {
      assertHeld(yield* kills(yield* serverGround(server), { ...BUDGET, rounds: 1 }))
    }),
  PROCESSES_MS
)
