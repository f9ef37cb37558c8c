import { execFile } from "node:child_process"
import { copyFile, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Predicate } from "effect"
import { rolldown } from "rolldown"
import { writeClient } from "../../client/build.ts"
import { isChange } from "../../src/contract/operation.ts"
import { ERROR_TABLE } from "../../src/transports/docs/error-table.ts"
import { BaseUrl, layerHttpServer } from "../support/http-server.ts"
import {
  anonymousOperations,
  COMPANION_FIELDS,
  makeSampleFields,
  tokenOperations
} from "../support/operation-samples.ts"
import { makeSampleWorld, type SampleWorld } from "../support/sample-world.ts"
import { readCodeBlocks } from "../support/transports/docs/site/code-blocks.ts"

// The client as who installs it has it: packed, and unpacked into a project that has nothing else.

const run = promisify(execFile)

/** Bytes the client may be, minified. */
const MINIFIED = 12 * 1024

const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
const TYPES = dirname(dirname(createRequire(import.meta.url).resolve("@types/node/package.json")))

/** A folder with an empty project into which the packed client is installed, without a network. */
class Project extends Context.Service<Project, string>()("latchkey/test/client/Project") {
  static readonly layer = Layer.effect(
    Project,
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = await mkdtemp(join(tmpdir(), "latchkey-client-"))
        await writeClient(join(folder, "client"))
        const { stdout } = await run("npm", ["pack", "--silent", join(folder, "client")], { cwd: folder })
        await writeFile(join(folder, "package.json"), '{"name":"empty","private":true,"type":"module"}')
        const options = ["--offline", "--no-audit", "--no-fund", "--silent"]
        await run("npm", ["install", ...options, join(folder, stdout.trim())], { cwd: folder })
        return folder
      }),
      (folder) => Effect.promise(() => rm(folder, { recursive: true }))
    )
  )
}

/** What reads needs no records of its own. */
class Ground extends Context.Service<Ground, SampleWorld>()("latchkey/test/client/Ground") {
  static readonly layer = Layer.effect(Ground, makeSampleWorld)
}

const installed = (folder: string, file: string): string => join(folder, "node_modules/latchkey-client", file)

const clientOf = Effect.fnUntraced(function* (token: string) {
  const [folder, baseUrl] = [yield* Project, yield* BaseUrl]
  const { createClient } = yield* Effect.promise(() => import(pathToFileURL(installed(folder, "index.js")).href))
  return createClient({ baseUrl, token, retries: 0 })
})

const CODES = new Set(ERROR_TABLE.map(({ code }) => code))

/** Calls that the sample world has no record for, and the error code of each. */
const REFUSED: Readonly<Record<string, number>> = {
  create_oauth_authorization: 401,
  revoke_oauth_authorization: 401
}

layer(Layer.mergeAll(Ground.layer, Project.layer).pipe(Layer.provideMerge(layerHttpServer())))(
  "the packed client",
  (it) => {
    it.effect("has types by which a program compiles under strict, and runs", () =>
      Effect.gen(function* () {
        const [folder, base, world] = [yield* Project, yield* BaseUrl, yield* makeSampleWorld]
        const said = yield* Effect.promise(async () => {
          await copyFile(join(import.meta.dirname, "sample.ts.txt"), join(folder, "sample.ts"))
          // What its page shows, one box after the other.
          const boxes = readCodeBlocks("reference/client.md").filter(({ language }) => language === "js")
          assert.lengthOf(boxes, 2)
          await writeFile(join(folder, "page.ts"), boxes.map(({ text }) => text).join("\n"))
          const lib = [
            "--target",
            "es2024",
            "--module",
            "nodenext",
            "--lib",
            "es2024,dom,dom.iterable,dom.asynciterable"
          ]
          const options = ["--ignoreConfig", "--strict", "--noEmit", "--types", "node", "--typeRoots", TYPES, ...lib]
          await run(process.execPath, [TSC, ...options, "sample.ts", "page.ts"], { cwd: folder }).catch(({ stdout }) =>
            assert.fail(stdout)
          )
          return run(process.execPath, ["sample.ts", base, world.token], { cwd: folder })
        })
        assert.strictEqual(said.stdout, "404 get_knowledge_base\nstring\nHarbour 1 2 true 3\n")
      })
    )

    it.effect(`needs nothing else, and is at most ${MINIFIED} bytes minified`, () =>
      Effect.gen(function* () {
        const folder = yield* Project
        const size = yield* Effect.promise(async () => {
          const bundle = await rolldown({ input: installed(folder, "index.js"), external: () => false })
          const { output } = await bundle.generate({ format: "esm", minify: true })
          assert.lengthOf(output, 1)
          assert.deepStrictEqual(output[0].imports, [])
          return Buffer.byteLength(output[0].code)
        })
        console.log(`latchkey-client: ${size} bytes minified`)
        assert.isAtMost(size, MINIFIED)
        const files = yield* Effect.promise(() =>
          Promise.all(["index.js", "index.d.ts", "routes.js", "README.md"].map((file) => stat(installed(folder, file))))
        )
        assert.lengthOf(files, 4)
      })
    )

    for (const operation of [...tokenOperations, ...anonymousOperations]) {
      it.effect(`calls ${operation._tag}`, () =>
        Effect.gen(function* () {
          const world = isChange(operation) ? yield* makeSampleWorld : yield* Ground
          const fields = { ...makeSampleFields(operation, world, COMPANION_FIELDS), ...world.edits[operation._tag] }
          const client = yield* clientOf(world.token)
          const outcome = yield* Effect.promise(() =>
            client[operation._tag](fields).then(
              (data: unknown) => (Predicate.isObject(data) ? "data" : assert.fail("no data")),
              (error: { readonly code: number; readonly requestId: string }) => {
                assert.isTrue(CODES.has(error.code), String(error))
                assert.match(error.requestId, /^RT/)
                return error.code
              }
            )
          )
          assert.strictEqual(outcome, REFUSED[operation._tag] ?? "data")
        })
      )
    }
  }
)
