// One process of several: tells that it is connected, waits for a line on stdin, makes its calls all at once, and prints
// how many were admitted. Its clock stands still, so that a window's end cannot fall between.
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { windowOf } from "../../../../src/admission/windows/rate-window.ts"

const [url = "", prefix = "", nowMillis = "0", callCount = "0"] = process.argv.slice(2)
const buckets = [
  { key: "{op:1}:user:1", scope: "user", window: windowOf("1m"), max: 1_000 },
  { key: "{op:1}:endpoint:1", scope: "endpoint", window: windowOf("1m"), max: 60 }
] as const

const awaitInputLine = Effect.callback<void>((resume) => {
  const input = createInterface({ input: process.stdin })
  input.once("line", () => {
    input.close()
    resume(Effect.void)
  })
})

const program = Effect.gen(function* () {
  yield* TestClock.setTime(Number(nowMillis))
  const windows = yield* RateWindows
  console.log("ready")
  yield* awaitInputLine
  const decisions = yield* Effect.forEach(Array(Number(callCount)), () => windows.admit(buckets, []), {
    concurrency: "unbounded"
  })
  console.log(decisions.filter((answer) => answer._tag === "Admitted").length)
})

await Effect.runPromise(
  program.pipe(Effect.provide(RateWindows.layerRedis(url, { prefix })), Effect.provide(TestClock.layer()))
)
