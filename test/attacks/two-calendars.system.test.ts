import { it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { layerOwnDatabase } from "../support/own-database.ts"
import { REQUESTS_MS } from "../support/time-limits.ts"
import { assertHeld, onRunsDatabase } from "./figures.ts"
import { seedOfRun } from "./inputs.ts"
import { twoCalendars } from "./two-calendars.ts"

vi.setConfig({ testTimeout: REQUESTS_MS })

it.live.each(["counter-feeds", "own feeds"] as const)(
  "two services that import each other's calendar, %s, sell no night twice of which they could know",
  (addresses) =>
    Effect.gen(function* () {
      const budget = { on: onRunsDatabase, addresses, days: 1, actsADay: 200, seed: seedOfRun() }
      assertHeld(yield* twoCalendars([layerOwnDatabase, layerOwnDatabase], budget))
    }).pipe(Effect.scoped)
)
