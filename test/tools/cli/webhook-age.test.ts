import { assert, it } from "@effect/vitest"
import { formatAge } from "../../../src/tools/cli/webhook-deliveries-command.ts"

it("an age is told in the unit that shows it best", () => {
  const HOUR = 3600
  const DAY = 24 * HOUR
  assert.deepStrictEqual([0, 119, 120, 2 * HOUR - 1, 2 * HOUR, 2 * DAY - 1, 2 * DAY, 30 * DAY].map(formatAge), [
    "0 s",
    "119 s",
    "2 min",
    "119 min",
    "2 h",
    "47 h",
    "2 days",
    "30 days"
  ])
})
