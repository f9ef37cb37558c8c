import { execFile } from "node:child_process"
import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { ROOT, writePackage } from "../../build/package.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { findFreePort, makeEmptyFolder, startService } from "../support/tools/cli/latchkey-process.ts"

// The published package, packed and unpacked into a folder that has only its one dependency beside it.

const run = promisify(execFile)

/** The package with its dependencies, unpacked. */
const MAX_BYTES = 60 * 1000 * 1000
const DEPENDENCY = "@electric-sql/pglite"

/** The folder of the unpacked package. */
class UnpackedPackage extends Context.Service<UnpackedPackage, string>()("latchkey/test/build/UnpackedPackage") {
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
        for (const name of [DEPENDENCY, "effect"]) await linkPackage(folder, name)
        return unpacked
      })
    )
  )
}

const linkPackage = async (folder: string, name: string): Promise<void> => {
  const link = join(folder, "node_modules", name)
  await mkdir(join(link, ".."), { recursive: true })
  await symlink(join(ROOT, "node_modules", name), link)
}

/** Returns every file with its size and the time of its last change. */
const listFiles = async (
  folder: string
): Promise<ReadonlyArray<{ readonly file: string; readonly size: number; readonly mtimeMs: number }>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const file = join(parentPath, name)
        const { size, mtimeMs } = await stat(file)
        return { file, size, mtimeMs }
      })
  )
}

const sumSizes = async (folder: string): Promise<number> =>
  (await listFiles(folder)).reduce((sum, { size }) => sum + size, 0)

const Manifest = Schema.fromJsonString(
  Schema.Struct({
    dependencies: Schema.Record(Schema.String, Schema.String),
    exports: Schema.Record(
      Schema.String,
      Schema.Union([Schema.String, Schema.Struct({ types: Schema.String, default: Schema.String })])
    )
  })
)

const readPackedManifest = Effect.flatMap(UnpackedPackage, (folder) =>
  Effect.promise(async () => Schema.decodeUnknownSync(Manifest)(await readFile(join(folder, "package.json"), "utf8")))
)

/** A start from nothing, with the demo's token in the greeting. */
const TOKEN = /Service-Access-Token: (\S+)"/

layer(UnpackedPackage.layer, { timeout: PROCESSES_MS })("the packed package", (it) => {
  it.effect("depends on one package and is small with it", () =>
    Effect.gen(function* () {
      const folder = yield* UnpackedPackage
      const { dependencies } = yield* readPackedManifest
      assert.deepStrictEqual(Object.keys(dependencies), [DEPENDENCY])
      const sizes = [folder, join(ROOT, "node_modules", DEPENDENCY)].map((path) => Effect.promise(() => sumSizes(path)))
      const [own, dependency] = yield* Effect.all(sizes)
      assert.isBelow((own ?? 0) + (dependency ?? 0), MAX_BYTES)
    })
  )

  it.effect("has code and types for every entry", () =>
    Effect.gen(function* () {
      const folder = yield* UnpackedPackage
      const { exports } = yield* readPackedManifest
      assert.includeMembers(Object.keys(exports), [".", "./client"])
      for (const entry of Object.values(exports)) {
        if (typeof entry === "string") continue
        assert.include(yield* Effect.promise(() => readFile(join(folder, entry.types), "utf8")), "export")
        const names = Object.keys(yield* Effect.promise(() => import(pathToFileURL(join(folder, entry.default)).href)))
        assert.isNotEmpty(names)
      }
    })
  )

  it.effect(
    "serves requests and pages and writes nothing beside its code",
    () =>
      Effect.gen(function* () {
        const folder = yield* UnpackedPackage
        const before = yield* Effect.promise(() => listFiles(folder))
        const [PORT, DATA_DIR] = [yield* findFreePort, yield* makeEmptyFolder]
        const { startupOutput, stop } = yield* startService(
          "The password is not shown again",
          { PORT, DATA_DIR },
          process.execPath,
          join(folder, "dist/latchkey.js")
        )
        const get = (path: string, headers: Record<string, string> = {}) =>
          Effect.promise(async () => {
            const response = await fetch(`http://127.0.0.1:${PORT}${path}`, { headers })
            return { status: response.status, text: await response.text() }
          })
        const token = TOKEN.exec(startupOutput)?.[1] ?? ""
        const properties = yield* get("/v3/properties", { "service-access-token": token })
        assert.include(properties.text, '"error_code":0')
        for (const path of ["/docs/", "/docs/reference/changelog.html", "/docs/assets/swagger-ui.js", "/console"]) {
          assert.strictEqual((yield* get(path)).status, 200, path)
        }
        assert.strictEqual((yield* stop).code, 0)
        assert.deepStrictEqual(yield* Effect.promise(() => listFiles(folder)), before)
      }),
    PROCESSES_MS
  )
})
