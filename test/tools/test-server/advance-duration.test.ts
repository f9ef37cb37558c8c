import { assert, it } from "@effect/vitest"
import { ADVANCE_MAX_MS } from "../../../src/jobs/OrderedWork.ts"
import { parseAdvance } from "../../../src/tools/test-server/advance-duration.ts"

it("a duration is a text with a unit or a number of milliseconds", () => {
  assert.deepStrictEqual(
    ["14d", "3h", "5m", "90s", 1_500, 0].map(parseAdvance),
    [1_209_600_000, 10_800_000, 300_000, 90_000, 1_500, 0]
  )
  for (const wrong of ["14", "d", "-1d", "1.5h", "3 h", "1w", "", -1, 0.5, Number.NaN, null, true, {}, ["3h"]]) {
    assert.isUndefined(parseAdvance(wrong), JSON.stringify(wrong))
  }
})

it("a duration is at most 400 days", () => {
  assert.strictEqual(parseAdvance("400d"), ADVANCE_MAX_MS)
  assert.strictEqual(parseAdvance(ADVANCE_MAX_MS), ADVANCE_MAX_MS)
  assert.isUndefined(parseAdvance("401d"))
  assert.isUndefined(parseAdvance(ADVANCE_MAX_MS + 1))
})
