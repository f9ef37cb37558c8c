import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { findExample } from "../../../../src/transports/docs/operation-examples.ts"
import { toJavaScript, toPython } from "../../../../src/transports/docs/site/code-examples.ts"
import { FirstStart } from "../../../support/first-start.ts"
import { makeEmptyFolder } from "../../../support/tools/cli/latchkey-process.ts"
import { runCommand } from "../../../support/transports/docs/site/command-process.ts"
import { moveDatesToToday } from "../../../support/transports/docs/site/example-dates.ts"

// The examples of operation pages, run as a reader runs them.

const succeeds = (command: string, args: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(command, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const hasPython = succeeds("python3", ["--version"])
const hasRequests = hasPython && succeeds("python3", ["-c", "import requests"])

const LANGUAGES = [
  {
    language: "JavaScript",
    toCode: toJavaScript,
    command: (code: string) => [process.execPath, "--input-type=module", "-e", code],
    missing: undefined
  },
  {
    language: "Python",
    toCode: toPython,
    command: (code: string) => ["python3", "-c", code],
    missing: hasRequests ? undefined : "no python3 with requests"
  }
]

/** A read and a change, with a part of what each prints. */
const CALLS = [
  ["search_transactions", /['"]?total['"]?: \d+/],
  ["create_transaction", /['"]?transaction_id['"]?: \d+/]
] as const

layer(FirstStart.layer, { excludeTestServices: true })("the examples of operation pages", (it) => {
  for (const { language, toCode, command, missing } of LANGUAGES) {
    const title = `run in ${language}`
    it.effect.skipIf(missing !== undefined)(missing === undefined ? title : `${title} (skipped: ${missing})`, () =>
      Effect.gen(function* () {
        const { baseUrl, token } = yield* FirstStart
        for (const [name, output] of CALLS) {
          const operation = describeOperations().find((each) => each.name === name)
          assert(operation !== undefined)
          const code = moveDatesToToday(toCode(operation, findExample(name)?.request ?? {}, baseUrl))
          const success = yield* runCommand(command(code), { TOKEN: token })
          assert.strictEqual(success.code, 0, success.stderr)
          assert.match(success.stdout, output)
          const failure = yield* runCommand(command(code), { TOKEN: "wrong" })
          assert.notStrictEqual(failure.code, 0)
          assert.match(failure.stderr, /Error: 401: /)
        }
      })
    )
  }
})

it.live.skipIf(!hasPython)(`are Python that can be compiled${hasPython ? "" : " (skipped: no python3)"}`, () =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* makeEmptyFolder
      const paths = describeOperations().map((operation) => {
        const path = join(folder, `${operation.name}.py`)
        writeFileSync(path, toPython(operation, findExample(operation.name)?.request ?? {}, "https://api.example.com"))
        return path
      })
      const { code, stderr } = yield* runCommand(["python3", "-m", "py_compile", ...paths], {})
      assert.strictEqual(code, 0, stderr)
    })
  )
)
