import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { SERVE_FLAGS } from "../../../../bin/flags.js"
import {
  computeHeapUtilization,
  computeYoungGenerationBytes
} from "../../../../src/platform/telemetry/metrics/heap-utilization.ts"

const MB = 2 ** 20

describe("how full the heap is", () => {
  it("is told of what lives long, by what is left beside the room of what dies young", () => {
    const spaces = [
      { space_name: "new_space", space_used_size: 30 * MB },
      { space_name: "new_large_object_space", space_used_size: 10 * MB },
      { space_name: "old_space", space_used_size: 50 * MB },
      { space_name: "large_object_space", space_used_size: 36 * MB }
    ]
    assert.strictEqual(computeHeapUtilization(spaces, 100 * MB), 0.86)
    assert.strictEqual(computeHeapUtilization(spaces, 86 * MB), 1)
    assert.strictEqual(computeHeapUtilization(spaces, -MB), 1)
  })

  it("knows that room from the flags of the process, the last of them, or from V8's own", () => {
    assert.strictEqual(computeYoungGenerationBytes(SERVE_FLAGS), 96 * MB)
    assert.strictEqual(computeYoungGenerationBytes(["--max-semi-space-size=16", "--max_semi_space_size=8"]), 24 * MB)
    assert.strictEqual(computeYoungGenerationBytes(["--min-semi-space-size=32"]), 192 * MB)
    assert.strictEqual(computeYoungGenerationBytes(["--max-semi-space-size=20"]), 96 * MB)
    assert.strictEqual(computeYoungGenerationBytes(["--max-semi-space-size=0"]), 192 * MB)
  })

  it.each([
    { name: "begun as the service is", flags: SERVE_FLAGS },
    { name: "begun without a flag", flags: [] },
    { name: "begun with a size that is no power of two", flags: ["--max-semi-space-size=20"] }
  ])("is nearly 1 at the end of a small process, $name, that its heap ends", ({ flags }) => {
    const module = join(import.meta.dirname, "../../../../src/platform/telemetry/metrics/heap-utilization.ts")
    const program = `
      const { computeHeapUtilization, computeYoungGenerationBytes } = await import(${JSON.stringify(module)})
      const { getHeapSpaceStatistics, getHeapStatistics } = await import("node:v8")
      const { writeSync } = await import("node:fs")
      const held = []
      setInterval(() => {
        const most = getHeapStatistics().heap_size_limit - computeYoungGenerationBytes(process.execArgv)
        writeSync(1, computeHeapUtilization(getHeapSpaceStatistics(), most) + "\\n")
        for (let nth = 0; nth < 4; nth++) held.push(new Array(2 ** 17).fill(0.5))
      }, 1)`
    const args = [...flags, "--max-old-space-size=128", "--input-type=module", "-e", program]
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" })
    assert.notStrictEqual(status, 0)
    const last = Number(stdout.trim().split("\n").at(-1))
    assert.isAbove(last, 0.9)
    assert.isAtMost(last, 1)
  })
})
