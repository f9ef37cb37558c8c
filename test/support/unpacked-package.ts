import { execFile } from "node:child_process"
import { mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Context, Effect, Layer } from "effect"
import { ROOT, writePackage } from "../../build/package.ts"
import { makeEmptyFolder } from "./tools/cli/latchkey-process.ts"

const run = promisify(execFile)

/** The only dependency of the published package. */
export const DEPENDENCY = "@electric-sql/pglite"

/** The folder of the published package: packed, and unpacked below a `node_modules` that has little else. */
export class UnpackedPackage extends Context.Service<UnpackedPackage, string>()("latchkey/test/UnpackedPackage") {
  static readonly layer = Layer.effect(
    UnpackedPackage,
    Effect.flatMap(makeEmptyFolder, (folder) =>
      Effect.promise(async () => {
        const source = join(folder, "source")
        await writePackage(source)
        const { stdout } = await run("npm", ["pack", "--silent", source], { cwd: folder })
        const unpacked = join(folder, "node_modules/latchkey")
        await mkdir(unpacked, { recursive: true })
        await run("tar", ["-xzf", join(folder, stdout.trim()), "-C", unpacked, "--strip-components=1"])
        for (const name of [DEPENDENCY, "effect"]) await linkPackage(join(folder, "node_modules"), name)
        return unpacked
      })
    )
  )
}

/** Adds a package of the repository to another `node_modules`. */
export const linkPackage = async (nodeModules: string, name: string): Promise<void> => {
  const link = join(nodeModules, name)
  await mkdir(join(link, ".."), { recursive: true })
  await symlink(join(ROOT, "node_modules", name), link)
}
