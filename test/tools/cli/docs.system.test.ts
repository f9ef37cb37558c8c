import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeEmptyFolder, runLatchkeyProcess } from "../../support/tools/cli/latchkey-process.ts"

const env = { PUBLIC_URL: "https://api.example.com", DEPLOYMENT: "regional" }

it.live("docs build writes the documentation, without a database", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = join(yield* makeEmptyFolder, "site/deep")
      const args = ["docs", "build", folder, "--docs-url", "https://docs.example.com/", "--json"]
      const { code, stdout, stderr } = yield* runLatchkeyProcess(args, env)
      assert.strictEqual(code, 0, stderr)
      const read = (name: string) => Effect.promise(() => readFile(join(folder, name), "utf8"))
      assert.isAtLeast(JSON.parse(stdout).files, 200)
      assert.include(yield* read("llms.txt"), "(https://docs.example.com/reference/search_reservations.md)")
      assert.include(yield* read("reference/create_staff.html"), "a telephone number, as 13800138000")
      assert.include(yield* read("try.html"), 'href="https://api.example.com/docs/try.html"')
      assert.include(yield* read("assets/site.css"), ":root")
      assert.include(yield* read("examples/connector.mjs"), "import")
    })
  )
)

it.live("docs build says what kept it from writing", () =>
  Effect.gen(function* () {
    const { code, stdout, stderr } = yield* runLatchkeyProcess(["docs", "build", "/etc/hostname/site"], env)
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^latchkey: .*\/etc\/hostname/)
  })
)
