import { Effect } from "effect"
import { runLatchkeyProcess } from "../support/tools/cli/latchkey-process.ts"
import {
  acknowledgedIn,
  busyAt,
  emptyFolderPlace,
  emptyServerPlace,
  FULL,
  failureOf,
  killedWithin,
  missingAt,
  prepared,
  type Rehearsal,
  SERVER
} from "./busy.ts"
import type { Fault, Suffered } from "./fault.ts"

// The embedded database moves to a server under writers. Killed at any moment, the command leaves a service that goes on as
// before, or one that only reads; done again it comes to its end, and then nobody writes to the embedded one any more.

/** Milliseconds after a kill in which a service that may go on does. */
const HEALING_MS = 5_000

export const moved = Effect.fnUntraced(function* ({ stays, kills }: Rehearsal) {
  const from = yield* emptyFolderPlace
  const held = yield* prepared(from, stays)
  const busy = yield* busyAt(from, held)
  const fell: Array<string> = []
  let [wrote, resting] = [0, 0]
  const to = yield* emptyServerPlace
  const args = ["move", "--to", to.env["DATABASE_URL"] ?? ""]
  let done = false
  let longest = 10_000
  for (let nth = 0; nth < kills && !done; nth++) {
    const startedAt = performance.now()
    const ended = yield* killedWithin(args, { ...from.env }, longest)
    if (ended._tag === "Some") {
      // Too late to be killed: that was the move.
      fell.push(...failureOf("move", ended.value))
      done = ended.value.code === 0
      longest = performance.now() - startedAt
      continue
    }
    const before = acknowledgedIn(busy.kept)
    yield* Effect.sleep(HEALING_MS)
    if (acknowledgedIn(busy.kept) > before) wrote++
    else resting++
  }
  const startedAt = performance.now()
  if (!done) fell.push(...failureOf("the last move", yield* runLatchkeyProcess(args, { ...from.env })))
  const ms = performance.now() - startedAt
  const after = acknowledgedIn(busy.kept)
  yield* Effect.sleep(1_000)
  if (acknowledgedIn(busy.kept) > after) fell.push("the embedded database is written to after it was moved")
  if ((busy.kept.answers.get(500) ?? 0) === 0) fell.push("no writer was refused")
  yield* busy.stop
  const start = yield* runLatchkeyProcess(["serve"], { ...from.env, PORT: "18999" })
  if (start.code !== 1 || !start.stderr.includes("was moved to")) fell.push(`the old service starts: ${start.stderr}`)
  const lost = yield* missingAt(to, held, busy.kept)
  const suffered: Suffered = {
    fault: `a move of ${stays} stays under writers, killed ${wrote + resting} times and done`,
    on: "embedded to PostgreSQL",
    times: wrote + resting + 1,
    acknowledged: after,
    lost: lost.length,
    fell: [...fell, ...lost.slice(0, 5)],
    recoveredMs: undefined,
    seen: `${wrote} times it went on as before, ${resting} times it only read; the last took ${(ms / 1_000).toFixed(1)} s, ${busy.kept.answers.get(500) ?? 0} writes were refused`
  }
  return suffered
})

export const move: Fault = {
  name: "move",
  skipped: Effect.succeed(SERVER === "" ? "DATABASE_URL not set" : undefined),
  run: Effect.map(moved(FULL), (suffered) => [suffered])
}
