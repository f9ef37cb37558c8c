import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { readSettings } from "../../src/service/configuration.ts"
import { type DeclaredSetting, SERVICE_SETTINGS, SETTINGS } from "../../src/service/settings.ts"
import { readPasswordOption } from "../../src/tools/cli/password-flags.ts"
import { markdownTable } from "../../src/transports/docs/site/operation-page.ts"
import { assertGeneratedPart } from "../support/generated-page.ts"
import { readSource, SOURCE_FILES } from "../support/module-map.ts"

const declared: ReadonlyArray<DeclaredSetting> = SETTINGS
const names = (settings: ReadonlyArray<DeclaredSetting>) => settings.map(({ name }) => name).toSorted()

/** Returns the names of the variables that a program reads from an empty environment. */
const variablesReadBy = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const read = new Set<string>()
    const provider = ConfigProvider.make((path) =>
      Effect.as(
        Effect.sync(() => read.add(path.join("."))),
        undefined
      )
    )
    yield* Effect.exit(Effect.provideService(program, ConfigProvider.ConfigProvider, provider))
    return Array.from(read).toSorted()
  })

describe("the declared settings", () => {
  it.effect("are the variables that the service reads", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* variablesReadBy(readSettings(false)), names(SERVICE_SETTINGS))
    })
  )

  it.effect("are the variables that the command line reads", () =>
    Effect.gen(function* () {
      const read = yield* variablesReadBy(readPasswordOption({ password: Option.none(), passwordStdin: false }))
      assert.deepStrictEqual(read, names(declared.filter(({ commandLineOnly }) => commandLineOnly === true)))
    })
  )

  it("are read in these files and nowhere else", () => {
    assert.deepStrictEqual(
      SOURCE_FILES.filter((file) => /\bConfig\.[a-zA-Z]+\(|process\.env\b/.test(readSource(file))).toSorted(),
      [
        // NODE_OPTIONS, a variable of Node.
        "platform/telemetry/metrics/heap-utilization.ts",
        "service/configuration.ts",
        // Variables of the operating system, for the process of a test server.
        "testing/server-process.ts",
        // The doctor prints the declared settings.
        "tools/cli/doctor.ts",
        "tools/cli/password-flags.ts",
        // The text of a JavaScript example.
        "transports/docs/site/code-examples.ts"
      ]
    )
  })

  it("have different names, and a default or a reason for none, not both", () => {
    assert.lengthOf(new Set(names(declared)), declared.length)
    const both = declared.filter((setting) => setting.default !== undefined && setting.defaultDescription !== undefined)
    assert.deepStrictEqual(names(both), [])
  })

  it.effect("that may not be printed whole are not printed in errors either", () =>
    Effect.gen(function* () {
      const secret = SERVICE_SETTINGS.filter(({ printablePart }) => printablePart !== undefined)
      assert.isAtLeast(secret.length, 6)
      for (const { name } of secret) {
        const provider = ConfigProvider.fromEnv({ env: { [name]: "hunter2" } })
        const { message } = yield* readSettings(false).pipe(
          Effect.provideService(ConfigProvider.ConfigProvider, provider),
          Effect.flip
        )
        assert.include(message, name)
        assert.notInclude(message, "hunter2")
      }
    })
  )
})

const shownDefault = (setting: DeclaredSetting): string =>
  setting.default === undefined ? (setting.defaultDescription ?? "none") : `\`${setting.default}\``

const groups = Array.from(new Set(declared.map(({ group }) => group)))

it("docs/reference/settings.md lists every setting (write it with UPDATE_DOCS=1)", () => {
  const sections = groups.map((group) => {
    const rows = declared
      .filter((setting) => setting.group === group)
      .map((setting) => [`\`${setting.name}\``, shownDefault(setting), setting.meaning])
    return `## ${group}\n\n${markdownTable(["variable", "default", "meaning"], rows)}`
  })
  assertGeneratedPart("reference/settings.md", "settings", sections.join("\n\n"))
})
