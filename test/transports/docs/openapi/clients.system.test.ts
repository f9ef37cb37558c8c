import { execFile } from "node:child_process"
import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { openApiDocument } from "../../../../src/transports/docs/openapi/openapi-document.ts"
import { createOperator, insertProperty } from "../../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../../support/http-server.ts"

// Clients that public generators make of the document compile under `strict` and make a booking.

const run = promisify(execFile)

const ROOT = join(import.meta.dirname, "../../../..")
const GENERATORS = join(ROOT, "test/generators")

const packageOf = (name: string, from: string): string =>
  dirname(createRequire(join(from, "package.json")).resolve(`${name}/package.json`))

/** Runs a program; fails with all it said. */
const node = (...words: ReadonlyArray<string>) =>
  run(process.execPath, words).catch(({ stdout, stderr }) => assert.fail(`${words.join(" ")}\n${stdout}${stderr}`))

/** A folder of its own, with the document in it, that finds the packages of the project. */
const folder = Effect.acquireRelease(
  Effect.promise(async () => {
    const made = await mkdtemp(join(tmpdir(), "latchkey-clients-"))
    await writeFile(join(made, "package.json"), '{"type":"module"}')
    await symlink(join(ROOT, "node_modules"), join(made, "node_modules"))
    await writeFile(
      join(made, "openapi.json"),
      JSON.stringify(openApiDocument("international", "http://localhost:8080"))
    )
    return made
  }),
  (made) => Effect.promise(() => rm(made, { recursive: true }))
)

const compiled = (at: string, file: string) =>
  node(
    join(packageOf("typescript", ROOT), "bin/tsc"),
    ...["--ignoreConfig", "--strict", "--noEmit", "--skipLibCheck", "--types", "node", "--allowImportingTsExtensions"],
    ...["--target", "es2024", "--module", "nodenext", "--lib", "es2024,dom,dom.iterable"],
    join(at, file)
  )

const CLIENTS = [
  {
    name: "openapi-typescript",
    program: "booking-by-types.ts",
    generate: (at: string) =>
      node(
        join(packageOf("openapi-typescript", GENERATORS), "bin/cli.js"),
        join(at, "openapi.json"),
        ...["-o", join(at, "types.ts")]
      )
  },
  {
    name: "@hey-api/openapi-ts",
    program: "booking-by-sdk.ts",
    generate: async (at: string) => {
      const output = { path: join(at, "sdk"), module: { extension: ".ts" } }
      const config = { input: join(at, "openapi.json"), output, logs: { file: false } }
      await writeFile(join(at, "config.mjs"), `export default ${JSON.stringify(config)}`)
      const older = ["--import", join(GENERATORS, "older-typescript.mjs")]
      const command = join(packageOf("@hey-api/openapi-ts", GENERATORS), "dist/run.mjs")
      return node(...older, command, "-f", join(at, "config.mjs"))
    }
  }
]

layer(layerHttpServer(), { excludeTestServices: true })("a client made by", (it) => {
  it.effect.each(CLIENTS)("$name compiles under strict, and books", ({ program, generate }) =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      yield* insertProperty(operatorId, "Harbour 1")
      const [at, base] = [yield* folder, yield* BaseUrl]
      const { stdout } = yield* Effect.promise(async () => {
        await generate(at)
        await copyFile(join(GENERATORS, program), join(at, program))
        await compiled(at, program)
        const [checkIn = "", checkOut = ""] = [30, 32].map((days) =>
          new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
        )
        return node(join(at, program), base, token, checkIn, checkOut)
      })
      assert.match(stdout, /^booked and cancelled 5-\w+\n$/)
    })
  )
})
