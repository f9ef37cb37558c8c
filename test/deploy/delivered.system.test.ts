import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { makeDatabaseEnvironment } from "../support/first-start.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { findFreePort, makeEmptyFolder, startService } from "../support/tools/cli/latchkey-process.ts"
import { lockedPackages, ROOT, textOf } from "./handed-over.ts"

// What is delivered is less than this checkout: no package for development, and of the folders only those that the image has.

const containerfile = textOf("deploy/Containerfile")

/** What the image has of the checkout beside its packages. */
const copied = Array.from(containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, from = ""]) =>
  from.split(" ")
).flat()

/** Links the files where the folder is on the same disk, copies them where it is not. */
const placed = (from: string, to: string) => {
  mkdirSync(dirname(to), { recursive: true })
  const linked = spawnSync("cp", ["-al", from, to])
  if (linked.status !== 0) assert.strictEqual(spawnSync("cp", ["-a", from, to]).status, 0, from)
}

/** The service as the image has it, in a folder from which no other package is found. */
const delivered = Effect.gen(function* () {
  const folder = yield* makeEmptyFolder
  for (const from of copied) placed(join(ROOT, from), join(folder, from))
  // The packages of one stand within it, and come with it.
  const packages = lockedPackages.filter(([place, { dev }]) => dev !== true && place.lastIndexOf("node_modules/") === 0)
  for (const [place] of packages) {
    // What is for another system is not there, and neither is what the image leaves out.
    if (existsSync(join(ROOT, place)) && !/\/node(-bin-setup)?$/.test(place))
      placed(join(ROOT, place), join(folder, place))
  }
  return folder
})

describe("what is delivered", () => {
  it("has one version of Node, to the last digit", () => {
    const bases = Array.from(containerfile.matchAll(/^FROM (\S+)/gm), ([, base]) => base)
    assert.deepStrictEqual(
      new Set(bases),
      new Set([`docker.io/library/node:${packageJson.dependencies.node}-bookworm-slim`])
    )
  })

  it("is what the build is given, and nothing else", () => {
    const given = textOf(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
    assert.sameMembers(
      given,
      copied.map((each) => `!${each}`)
    )
  })

  it.live(
    "serves without what develops it",
    () =>
      Effect.gen(function* () {
        const folder = yield* delivered
        assert.isFalse(existsSync(join(folder, "node_modules/vitest")))
        const PORT = yield* findFreePort
        const env = { ...(yield* makeDatabaseEnvironment), DEMO: "1", LOG_LEVEL: "warn", PORT }
        const { startupOutput: printed } = yield* startService(
          "The password is not shown",
          env,
          process.execPath,
          join(folder, "bin/latchkey.js")
        )
        const token = /Service-Access-Token: (\S+)"/.exec(printed)?.[1] ?? ""
        const base = `http://127.0.0.1:${PORT}`
        const asked = (path: string) =>
          Effect.promise(async () => {
            const response = await fetch(`${base}${path}`, { headers: { "Service-Access-Token": token } })
            return { status: response.status, told: await response.text() }
          })
        assert.deepStrictEqual(yield* asked("/health/ready"), { status: 200, told: "ready\n" })
        assert.deepInclude(JSON.parse((yield* asked("/v3/properties")).told), { error_code: 0 })
        for (const path of [
          "/docs",
          "/docs/reference/start-with-rest.html",
          "/console",
          "/v3/config.json",
          "/docs/try.html"
        ]) {
          assert.strictEqual((yield* asked(path)).status, 200, path)
        }
      }).pipe(Effect.scoped),
    PROCESSES_MS
  )
})
