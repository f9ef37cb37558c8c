import { execFile } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"

/** Unpacks the snapshot of an embedded database into a data folder. Does nothing without a snapshot. */
export const unpackSnapshot = (snapshot: string | undefined, folder: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (snapshot === undefined) return
    const database = join(folder, "database")
    await mkdir(database, { mode: 0o700, recursive: true })
    await promisify(execFile)("tar", ["-xf", snapshot, "-C", database])
  })
