import { mkdir } from "node:fs/promises"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { withServerNote } from "../support/overlapping-transactions.ts"
import { unpackEmptyDatabase, unpackTestDatabase } from "../support/test-database.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { rehearsed } from "./backup.ts"
import { emptyFolderPlace, emptyServerPlace, SERVER } from "./busy.ts"
import type { Suffered } from "./fault.ts"
import { moved } from "./move.ts"

const SMALL = { stays: 200, kills: 1 }

const assertHeld = ({ lost, fell, acknowledged }: Suffered) => {
  assert.deepStrictEqual(fell, [])
  assert.strictEqual(lost, 0)
  assert.isAbove(acknowledged, 0)
}

/** A place with a copy of one of the run's databases, which take seconds to make. */
const copiedFolderPlace = (unpack: (folder: string) => Effect.Effect<void>) =>
  Effect.tap(emptyFolderPlace, ({ env }) =>
    Effect.andThen(
      Effect.promise(() => mkdir(env["DATA_DIR"] ?? "", { recursive: true, mode: 0o700 })),
      unpack(env["DATA_DIR"] ?? "")
    )
  )

it.live(
  "what was acknowledged before a backup under writers began is restored, and kills leave nothing by half",
  () =>
    Effect.gen(function* () {
      const from = SERVER === "" ? yield* copiedFolderPlace(unpackTestDatabase) : yield* emptyServerPlace
      const to = SERVER === "" ? copiedFolderPlace(unpackEmptyDatabase) : emptyServerPlace
      for (const suffered of yield* rehearsed(from, to, SMALL)) assertHeld(suffered)
    }),
  PROCESSES_MS
)

it.live.skipIf(SERVER === "")(
  withServerNote("a move to a server under writers loses no acknowledged write, killed or not"),
  () => Effect.map(moved(SMALL), assertHeld),
  PROCESSES_MS
)
