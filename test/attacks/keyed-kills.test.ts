import { it } from "@effect/vitest"
import { Effect } from "effect"
import { orSkipped } from "../overlap.ts"
import { assertHeld } from "./figures.ts"
import { embeddedTestGround, serverGround } from "./grounds.ts"
import { keyedKills } from "./keyed-kills.ts"

const BUDGET = { kills: 2, writers: 12, writes: [10, 60] } as const

it.live(
  "killed in the middle of keyed writes on the embedded database, the service does each once and says so again",
  () =>
    Effect.gen(function* () {
      assertHeld(yield* keyedKills(yield* embeddedTestGround, BUDGET))
    }),
  180_000
)

const server = process.env.DATABASE_URL ?? ""
it.live.skipIf(server === "")(
  orSkipped("killed in the middle of keyed writes on a server, the service does each once and says so again"),
  () =>
    Effect.gen(function* () {
      assertHeld(yield* keyedKills(yield* serverGround(server), BUDGET))
    }),
  180_000
)
