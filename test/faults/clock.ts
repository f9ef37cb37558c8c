import { access, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { embeddedGround, type Ground, serverGround } from "../attacks/grounds.ts"
import { makeEmptyFolder } from "../support/tools/cli/latchkey-process.ts"
import { suffered } from "./causing.ts"
import type { Fault } from "./fault.ts"
import { server } from "./places-to-cause.ts"

// The clock of the machine is set by an hour, either way, under load. Its steady clock goes on, as it does when somebody
// sets the time. On the embedded database the database's clock is set with it; a server's is another machine's.

const LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"

const HOUR_S = 3_600

/** The ground of a process whose clock a file sets, in seconds from the true one. */
const withClock = Effect.fnUntraced(function* (ground: Ground) {
  const file = join(yield* makeEmptyFolder, "clock")
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? "" : "+"}${seconds}`)
  yield* Effect.promise(() => set(0))
  const env = {
    ...ground.env,
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1"
  }
  return { ground: { ...ground, env }, set }
})

/** Milliseconds that it stays so: longer than the library keeps what the file said. */
const LASTS_MS = 5_000

const moved = Effect.fnUntraced(function* (made: Ground) {
  const { ground, set } = yield* withClock(made)
  return yield* Effect.forEach([HOUR_S, -HOUR_S], (seconds) =>
    suffered(ground, {
      fault: `the clock is set ${seconds > 0 ? "forward" : "back"} by an hour, and right again`,
      times: 1,
      lastsMs: LASTS_MS,
      promised: [],
      // What was to be delivered while the clock was ahead is due at that time, which comes again.
      mayWait: true,
      begin: () => set(seconds),
      end: () => set(0)
    })
  )
})

export const clockFault: Fault = {
  name: "clock",
  skipped: Effect.promise(() =>
    access(LIBRARY).then(
      () => undefined,
      () => "no libfaketime (Debian: apt-get install faketime)"
    )
  ),
  run: Effect.gen(function* () {
    const embedded = yield* moved(yield* embeddedGround)
    return server === "" ? embedded : [...embedded, ...(yield* moved(yield* serverGround(server)))]
  })
}
