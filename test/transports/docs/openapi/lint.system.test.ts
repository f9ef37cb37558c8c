import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import type { DeploymentName } from "../../../../src/platform/installation.ts"
import { openApiDocument } from "../../../../src/transports/docs/openapi/openapi-document.ts"

const ROOT = join(import.meta.dirname, "../../../..")
const COMMAND = join(dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")), "bin/cli.js")

/** What the linter finds with the rules of redocly.yaml, and how it ended. */
const linted = (document: object) =>
  new Promise<{ readonly code: number; readonly said: string }>((resolve, reject) => {
    const run = async () => {
      const folder = await mkdtemp(join(tmpdir(), "latchkey-lint-"))
      const file = join(folder, "openapi.json")
      await writeFile(file, JSON.stringify(document))
      const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" }
      const options = ["lint", file, "--config", join(ROOT, "redocly.yaml"), "--format", "json", "--max-problems", "20"]
      execFile(process.execPath, [COMMAND, ...options], { env, cwd: folder, maxBuffer: 1 << 24 }, (error, said) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1
        rm(folder, { recursive: true }).then(() => resolve({ code, said }), reject)
      })
    }
    run().catch(reject)
  })

const problemsIn = (said: string): ReadonlyArray<unknown> => {
  const { problems } = JSON.parse(said.slice(said.indexOf("{")))
  return Array.isArray(problems) ? problems : assert.fail(said)
}

it.each<readonly [DeploymentName, string | undefined]>([
  ["international", "https://stays.example.org"],
  ["regional", "https://stays.example.org"],
  ["regional", undefined]
])(
  "the linter of OpenAPI documents finds nothing in that of the %s deployment at %s",
  async (deployment, publicUrl) => {
    const { code, said } = await linted(openApiDocument(deployment, publicUrl))
    assert.deepStrictEqual(problemsIn(said), [])
    assert.strictEqual(code, 0)
  }
)

it("and finds what is wrong", async () => {
  const { operationId: _, ...broken } = { operationId: "x", responses: {} }
  const document = openApiDocument("international", "https://stays.example.org")
  const { code, said } = await linted({ ...document, paths: { "/broken": { get: broken } } })
  assert.isNotEmpty(problemsIn(said))
  assert.strictEqual(code, 1)
})
