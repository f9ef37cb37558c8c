import { assert, describe, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { COMMAND_LOADERS } from "../../../src/tools/cli/program.ts"
import { runLatchkeyInProcess } from "../../support/tools/cli/running-service.ts"

describe("the commands", () => {
  it.live("are found by the names that they have", () =>
    Effect.gen(function* () {
      for (const name of Struct.keys(COMMAND_LOADERS)) {
        assert.strictEqual((yield* Effect.promise<{ readonly name: string }>(COMMAND_LOADERS[name])).name, name)
      }
    })
  )

  it.live("answer one JSON object and fail where none was given, if JSON is asked for; else they show help", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runLatchkeyInProcess(["--json"], {})
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(Object.keys(JSON.parse(stdout)), ["error"])
      const help = yield* runLatchkeyInProcess([], {})
      assert.include(help.stdout, "SUBCOMMANDS")
    })
  )

  it.live("are all completed by a shell, wherever it was asked for the completions", () =>
    Effect.gen(function* () {
      const whole = yield* runLatchkeyInProcess(["--completions", "bash"], {})
      assert.include(whole.stdout, "webhook")
      assert.deepStrictEqual(yield* runLatchkeyInProcess(["token", "--completions", "bash"], {}), whole)
      assert.deepStrictEqual(yield* runLatchkeyInProcess(["token", "--completions=bash"], {}), whole)
    })
  )

  it.live.each([
    ["tokn", "token"],
    ["toString", undefined],
    ["__proto__", undefined]
  ])("that there are not are told, and which may have been meant: %s", ([asked, meant]) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* runLatchkeyInProcess([asked ?? ""], {})
      assert.strictEqual(code, 1)
      assert.include(stderr, `"${asked}"`)
      if (meant !== undefined) assert.match(stderr, new RegExp(`"${asked}".*\\b${meant}\\b`))
    })
  )
})
