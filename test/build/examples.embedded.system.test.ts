import { execFile, spawnSync } from "node:child_process"
import { chmod, cp, mkdir, symlink } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ROOT } from "../../build/package.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { linkPackage, UnpackedPackage } from "../support/unpacked-package.ts"

// The examples of docs/guides/test-your-integration.md as their reader runs them, on the packed package.

/** A folder with a copy of each example, and the installed packages in each copy. */
class Examples extends Context.Service<Examples, string>()("latchkey/test/build/Examples") {
  static readonly layer = Layer.effect(
    Examples,
    Effect.flatMap(UnpackedPackage, (unpacked) =>
      Effect.promise(async () => {
        const nodeModules = dirname(unpacked)
        for (const name of ["vitest", "@types/node"]) await linkPackage(nodeModules, name)
        await mkdir(join(nodeModules, ".bin"))
        const program = join(unpacked, "dist/latchkey.js")
        await chmod(program, 0o755)
        await symlink(program, join(nodeModules, ".bin/latchkey"))
        const folder = join(nodeModules, "../examples")
        await cp(join(ROOT, "docs/examples/testing"), folder, { recursive: true })
        for (const name of ["vitest", "node-test", "pytest"]) {
          await symlink(nodeModules, join(folder, name, "node_modules"))
        }
        return folder
      })
    )
  ).pipe(Layer.provide(UnpackedPackage.layer))
}

/** Returns the output of a successful command. The command has a home folder of its own, for caches. */
const runInExample = (name: string, program: string, args: ReadonlyArray<string>) =>
  Effect.flatMap(Examples, (folder) =>
    Effect.callback<string>((resume) => {
      const env = {
        HOME: join(folder, "home"),
        PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
        NO_COLOR: "1",
        PYTHONDONTWRITEBYTECODE: "1"
      }
      execFile(program, args, { cwd: join(folder, name), env }, (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`
        resume(error === null ? Effect.succeed(output) : Effect.die(new Error(`${error.message}\n${output}`)))
      })
    })
  )

const COMPILER_OPTIONS = [
  ...["--noEmit", "--strict", "--allowImportingTsExtensions", "--skipLibCheck"],
  ...["--target", "es2024", "--module", "nodenext", "--types", "node"]
]

const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0

layer(Examples.layer, { timeout: PROCESSES_MS, excludeTestServices: true })("the examples of tests", (it) => {
  it.effect(
    "run with Vitest",
    () =>
      Effect.gen(function* () {
        const vitest = join(ROOT, "node_modules/vitest/vitest.mjs")
        assert.match(yield* runInExample("vitest", process.execPath, [vitest, "run"]), /Tests.* 4 passed/)
      }),
    PROCESSES_MS
  )

  it.effect(
    "compile with the types of the package",
    () => runInExample("vitest", join(ROOT, "node_modules/.bin/tsc"), [...COMPILER_OPTIONS, "notify-cleaner.test.ts"]),
    PROCESSES_MS
  )

  it.effect(
    "run with node:test",
    () =>
      Effect.gen(function* () {
        assert.match(yield* runInExample("node-test", process.execPath, ["--test"]), /^\S* pass 5$/m)
      }),
    PROCESSES_MS
  )

  it.effect.skipIf(!hasPytest)(
    `run with pytest${hasPytest ? "" : " (skipped: python3 has no pytest)"}`,
    () =>
      Effect.gen(function* () {
        const args = ["-m", "pytest", "-p", "no:cacheprovider"]
        assert.match(yield* runInExample("pytest", "python3", args), / 5 passed/)
      }),
    PROCESSES_MS
  )
})
