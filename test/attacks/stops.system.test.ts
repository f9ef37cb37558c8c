import { it } from "@effect/vitest"
import { Effect } from "effect"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { assertHeld } from "./figures.ts"
import { embeddedTestGround, serverGround } from "./grounds.ts"
import { stops } from "./stops.ts"

const server = process.env.DATABASE_URL ?? ""

it.live(
  "a stop under load answers every call that was carried out, and ends by itself",
  () =>
    Effect.gen(function* () {
      const ground = server === "" ? yield* embeddedTestGround : yield* serverGround(server)
      assertHeld(yield* stops(ground, { rounds: 1, callers: 8, loadMs: 500 }))
    }),
  PROCESSES_MS
)
