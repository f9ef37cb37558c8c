import { it } from "@effect/vitest"
import { Effect } from "effect"
import { canOverlap, withEmbeddedNote, withServerNote } from "../support/overlapping-transactions.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { assertHeld } from "./figures.ts"
import { embeddedTestGround, serverGround } from "./grounds.ts"
import { messageKills } from "./message-kills.ts"

const BUDGET = { rounds: 1, threads: 4, each: 3, lateMs: 100, goneMs: 60_000 } as const

it.live.skipIf(canOverlap)(
  withEmbeddedNote(
    "killed while messages are on their way, on the embedded database, the service sends each once or says that it cannot know"
  ),
  () =>
    Effect.gen(function* () {
      assertHeld(yield* messageKills(yield* embeddedTestGround, BUDGET))
    }),
  PROCESSES_MS
)

const server = process.env.DATABASE_URL ?? ""
it.live.skipIf(server === "")(
  withServerNote(
    "killed while messages are on their way, on a server, the service sends each once or says that it cannot know"
  ),
  () =>
    Effect.gen(function* () {
      assertHeld(yield* messageKills(yield* serverGround(server), BUDGET))
    }),
  PROCESSES_MS
)
