import { execFile } from "node:child_process"
import { cp, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ROOT } from "../../build/package.ts"
import { startScript, waitUntilUnreachable } from "../support/testing-script.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { findFreePort, makeEmptyFolder, startService } from "../support/tools/cli/latchkey-process.ts"
import { DEPENDENCY, UnpackedPackage } from "../support/unpacked-package.ts"

// The published package, packed and unpacked into a folder that has only its one dependency beside it.

/** The package with its dependencies, unpacked. */
const MAX_BYTES = 60 * 1000 * 1000

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

const run = promisify(execFile)

/** A program that imports the package without `effect`. */
const IMPORTING_PROGRAM = `import { createLatchkey, LatchkeyTestError, type SandboxOrder } from "latchkey/testing"
const { sandbox, advance, close } = await createLatchkey({ seed: ({ reset }) => reset(), port: undefined })
const stay = { check_in_date: "2027-02-01", check_out_date: "2027-02-04", guest_name: "Ada Moreau" }
const order: SandboxOrder = await sandbox.book({ listing_id: "1", ...stay })
// @ts-expect-error: a stay needs its dates.
await sandbox.book({ listing_id: "1" })
const later: Date = await advance("1d")
const { code }: { code: number } = new LatchkeyTestError(404, "order_id: no such order.")
await close()
export const facts = [order.status, later, code]
`

const STRICT_OPTIONS = [
  ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"],
  ...["--target", "es2022", "--module", "nodenext"]
]

/** Returns JSON of the properties that the token reads. */
const TESTING_PROGRAM = `import { createLatchkey } from "latchkey/testing"
const latchkey = await createLatchkey({ now: "2027-01-04T09:00:00Z" })
const headers = { "Service-Access-Token": latchkey.token }
const readProperties = async () => (await fetch(\`\${latchkey.url}/v3/properties\`, { headers })).json()
const before = await readProperties()
const after = await latchkey.advance("30d")
await latchkey.reset()
const { error_code, data } = await readProperties()
await latchkey.close()
console.log(JSON.stringify({ error_code, total: data.total, wasTotal: before.data.total, after }))
`

const STARTING_PROGRAM = `import { createLatchkey } from "latchkey/testing"
const { url } = await createLatchkey({ seed: "empty" })
console.log(url)
setInterval(() => {}, 1000)
`

/** The folder whose `node_modules` has the package. */
const projectFolder = Effect.map(UnpackedPackage, (folder) => join(folder, "../.."))

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
      assert.includeMembers(Object.keys(exports), [".", "./client", "./testing"])
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

  it.effect(
    "has code and types for tests that need no other package",
    () =>
      Effect.gen(function* () {
        const [unpacked, folder] = [yield* UnpackedPackage, yield* makeEmptyFolder]
        const code = yield* Effect.promise(() => readFile(join(unpacked, "dist/library/testing.js"), "utf8"))
        const imports = Array.from(code.matchAll(/ from "([^"]+)"/g), ([, specifier = ""]) => specifier)
        assert.isNotEmpty(imports)
        assert.deepStrictEqual(
          imports.filter((specifier) => !specifier.startsWith("node:")),
          []
        )
        yield* Effect.promise(async () => {
          await cp(unpacked, join(folder, "node_modules/latchkey"), { recursive: true })
          await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
          await writeFile(join(folder, "program.ts"), IMPORTING_PROGRAM)
          const compiler = join(ROOT, "node_modules/.bin/tsc")
          await run(compiler, [...STRICT_OPTIONS, "program.ts"], { cwd: folder }).catch(({ stdout }) => {
            assert.fail(stdout)
          })
        })
      }),
    PROCESSES_MS
  )

  it.effect(
    "starts a test server",
    () =>
      Effect.gen(function* () {
        const { line, exitCode } = yield* startScript(yield* projectFolder, TESTING_PROGRAM)
        assert.strictEqual(yield* Effect.promise(() => exitCode), 0)
        const { after, ...answers } = JSON.parse(line)
        assert.deepStrictEqual(answers, { error_code: 0, total: 8, wasTotal: 8 })
        assert.strictEqual(after.slice(0, 10), "2027-02-03")
      }),
    PROCESSES_MS
  )

  it.effect(
    "ends a test server with a program that is killed",
    () =>
      Effect.gen(function* () {
        const { line, exitCode, kill } = yield* startScript(yield* projectFolder, STARTING_PROGRAM)
        assert.strictEqual(yield* Effect.promise(() => fetch(line).then(({ ok }) => typeof ok)), "boolean")
        kill("SIGKILL")
        assert.isNull(yield* Effect.promise(() => exitCode))
        yield* waitUntilUnreachable(line)
      }),
    PROCESSES_MS
  )
})
