import { spawn } from "node:child_process"
import http from "node:http"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createOperator } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"

// The public conformance suite of the protocol against the real service, on loopback. The files in conformance/ name what does
// not apply; whatever else fails, and whatever of it comes to pass, fails here.

const COMMAND = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js"
)

/** The newest revisions of either kind, and what must have passed in each for the run to mean something. */
const REVISIONS = [
  { revision: "2025-11-25", passed: ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"] },
  { revision: "2026-07-28", passed: ["tools-list", "http-header-validation", "dns-rebinding-protection"] }
]

/** The suite has no token to send: what it sends goes on with one, and is else untouched. */
const withToken = (base: string, token: string) =>
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer((asked, answer) => {
        const { url = "/", method = "GET", headers } = asked
        const on = http.request(`${base}${url}`, { method, headers: { ...headers, authorization: `Bearer ${token}` } })
        on.on("response", (response) => {
          answer.writeHead(response.statusCode ?? 0, response.headers)
          response.pipe(answer)
        })
        on.on("error", () => answer.destroy())
        asked.pipe(on)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

const portOf = (server: http.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** What the suite says, and how it ended. */
const run = (url: string, revision: string) =>
  Effect.callback<{ readonly code: number | null; readonly said: string }>((resume) => {
    const baseline = join(import.meta.dirname, "conformance", `${revision}.yml`)
    const options = ["--url", url, "--suite", "all", "--spec-version", revision, "--expected-failures", baseline]
    const child = spawn(process.execPath, [COMMAND, "server", ...options], { stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
    child.on("close", (code) => resume(Effect.succeed({ code, said })))
    return Effect.sync(() => child.kill())
  })

layer(layerHttpServer(), { excludeTestServices: true })("the public conformance suite", (it) => {
  it.effect.each(REVISIONS)("finds nothing in revision $revision but what does not apply", ({ revision, passed }) =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const server = yield* withToken(yield* BaseUrl, token)
      const { code, said } = yield* run(`http://127.0.0.1:${portOf(server)}/mcp`, revision)
      for (const scenario of passed) {
        assert.match(said, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
      }
      assert.strictEqual(code, 0, said)
    })
  )
})
