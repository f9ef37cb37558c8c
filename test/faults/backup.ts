import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { makeEmptyFolder, runLatchkeyProcess } from "../support/tools/cli/latchkey-process.ts"
import {
  acknowledgedIn,
  busyAt,
  emptyFolderPlace,
  emptyServerPlace,
  FULL,
  failureOf,
  killedWithin,
  missingAt,
  type Place,
  prepared,
  type Rehearsal,
  SERVER,
  upToNow
} from "./busy.ts"
import type { Fault, Suffered } from "./fault.ts"

// A backup under writers, and killed at any moment; what was acknowledged before it began is in it, and restored whole.
// Then the restore is killed at any moment: what it leaves is as empty as it was.

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const value = yield* work
    return { value, ms: performance.now() - startedAt }
  })

export const rehearsed = Effect.fnUntraced(function* (
  from: Place,
  emptied: Effect.Effect<Place, never, Scope.Scope>,
  { stays, kills }: Rehearsal
): Effect.fn.Return<ReadonlyArray<Suffered>, never, Scope.Scope> {
  const folder = yield* makeEmptyFolder
  const file = join(folder, "a.latchkey")
  const held = yield* prepared(from, stays)
  const busy = yield* busyAt(from, held)
  const before = upToNow(busy.kept)
  busy.longestWait()
  const made = yield* timed(runLatchkeyProcess(["backup", file], { ...from.env }))
  const waited = busy.longestWait()
  const during = acknowledgedIn(busy.kept) - acknowledgedIn(before)
  const fell = [...failureOf("backup", made.value)]

  for (let nth = 0; nth < kills; nth++) {
    yield* killedWithin(["backup", join(folder, "killed.latchkey")], { ...from.env }, made.ms)
  }
  const left = yield* Effect.promise(() => readdir(folder))
  // One that came to its end before it was killed is as good as any.
  if (left.includes("killed.latchkey")) {
    const place = yield* emptied
    fell.push(
      ...failureOf(
        "restoring what a killed backup left",
        yield* runLatchkeyProcess(["restore", join(folder, "killed.latchkey")], { ...place.env })
      )
    )
  }
  yield* busy.stop
  fell.push(...(yield* missingAt(from, held, busy.kept)))

  const to = yield* emptied
  const back = yield* timed(runLatchkeyProcess(["restore", file], { ...to.env }))
  fell.push(...failureOf("restore", back.value))
  const lost = yield* missingAt(to, held, before)

  const again = yield* emptied
  for (let nth = 0; nth < kills; nth++) {
    const ended = yield* killedWithin(["restore", file], { ...again.env }, back.ms * 0.8)
    if (ended._tag === "Some") break
  }
  const last = yield* runLatchkeyProcess(["restore", file], { ...again.env })
  const isThere = last.code !== 0 && last.stderr.includes("must be an empty database")
  if (!isThere) fell.push(...failureOf("restore after kills", last))
  const lostAgain = yield* missingAt(again, held, before)

  return [
    {
      fault: `a backup of ${stays} stays under writers, then ${kills} killed`,
      on: from.on,
      times: 1 + kills,
      acknowledged: acknowledgedIn(before),
      lost: lost.length,
      fell: [...fell, ...lost.slice(0, 5)],
      recoveredMs: undefined,
      seen: `backup ${seconds(made.ms)}, callers waited ${waited} ms at most, ${during} writes went on meanwhile`
    },
    {
      fault: `a restore of ${stays} stays, then ${kills} killed and one more`,
      on: to.on,
      times: 2 + kills,
      acknowledged: acknowledgedIn(before),
      lost: lostAgain.length,
      fell: lostAgain.slice(0, 5),
      recoveredMs: undefined,
      seen: `restore ${seconds(back.ms)}`
    }
  ]
})

export const backup: Fault = {
  name: "backup",
  skipped: Effect.succeed(undefined),
  run: Effect.gen(function* () {
    const embedded = yield* rehearsed(yield* emptyFolderPlace, emptyFolderPlace, FULL)
    if (SERVER === "") {
      console.log("skipped: backup on PostgreSQL: DATABASE_URL not set")
      return embedded
    }
    return [...embedded, ...(yield* rehearsed(yield* emptyServerPlace, emptyServerPlace, FULL))]
  })
}
