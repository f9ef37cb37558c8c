import { it } from "@effect/vitest"
import { Effect } from "effect"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { assertHeld } from "./figures.ts"
import { embeddedTestGround, serverGround } from "./grounds.ts"
import { keyedKills } from "./keyed-kills.ts"

const server = process.env.DATABASE_URL ?? ""

it.live(
  "killed in the middle of keyed writes, the service does each once and says so again",
  () =>
    Effect.gen(function* () {
      const ground = server === "" ? yield* embeddedTestGround : yield* serverGround(server)
      assertHeld(yield* keyedKills(ground, { kills: 2, writers: 12, writes: [10, 60] }))
    }),
  PROCESSES_MS
)
