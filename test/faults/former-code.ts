import { execFile } from "node:child_process"
import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { makeEmptyFolder } from "../support/tools/cli/latchkey-process.ts"

// The code of the release before this one, as Git has it, beside the dependencies of today.

const HERE = join(import.meta.dirname, "../..")

/** The last commit of the release before. */
export const FORMER = "9c774ab"

const run = promisify(execFile)

/** Returns why the code of a commit is not available; undefined: it is. */
export const explainMissingCode = (commit: string): Effect.Effect<string | undefined> =>
  Effect.promise(() =>
    run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: HERE }).then(
      () => undefined,
      () => `this checkout has no commit ${commit}: a whole clone has`
    )
  )

/** Makes a folder with the code of a commit, deleted with the scope. */
export const extractCode = (commit: string) =>
  Effect.tap(makeEmptyFolder, (folder) =>
    Effect.promise(async () => {
      await run("sh", ["-c", `git archive ${commit} | tar -x -C "$0"`, folder], { cwd: HERE })
      await symlink(join(HERE, "node_modules"), join(folder, "node_modules"))
    })
  )

/** Why the code of before cannot be had; undefined: it can. */
export const noFormerCode = explainMissingCode(FORMER)

/** A folder with that code, gone with the scope. */
export const formerCode = extractCode(FORMER)
