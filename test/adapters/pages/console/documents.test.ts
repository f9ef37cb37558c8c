import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { documentPages } from "../../../../src/adapters/pages/console/documents.ts"
import { BaseUrl, layerServed } from "../../../server.ts"

layer(layerServed())("documents that pages point to", (it) => {
  it.effect("are there for everybody, as text, and nothing else of their folder is", () =>
    Effect.gen(function* () {
      const base = yield* BaseUrl
      const fetched = (path: string) =>
        Effect.promise(async () => {
          const response = await fetch(`${base}${path}`)
          return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
        })
      for (const { path } of documentPages) {
        const name = path.slice(path.lastIndexOf("/") + 1)
        assert.deepStrictEqual(yield* fetched(path), {
          status: 200,
          type: "text/plain; charset=utf-8",
          text: readFileSync(join(import.meta.dirname, "../../../../docs", name), "utf8")
        })
      }
      for (const path of ["decisions.md", "..%2fREADME.md", "../README.md", "console.md/", "nothing.md"]) {
        assert.strictEqual((yield* fetched(`/console/docs/${path}`)).status, 404, path)
      }
    })
  )
})
