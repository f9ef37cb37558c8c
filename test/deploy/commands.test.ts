import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ROOT, textOf } from "./handed-over.ts"

// What is handed over says commands, flags and settings that there are.

const blocks = ["install", "configure", "backup", "upgrade", "security"]
  .flatMap((page) => Array.from(textOf(`docs/operate/${page}.md`).matchAll(/```sh\n([\s\S]*?)```/g)))
  .map(([, block = ""]) => block)
  .join("\n")
const units = ["latchkey.service", "latchkey-backup.service"].map((unit) => textOf(`deploy/${unit}`)).join("\n")

/** Words after `latchkey`, of the pages and of the units: the command, its subcommand, its flags. */
const commands = [
  ...blocks.matchAll(/(?:^|\$\()latchkey ([a-z]+(?: [a-z]+)?)(.*)$/gm),
  ...units.matchAll(/latchkey\.js ([a-z]+(?: [a-z]+)?)(.*)$/gm)
].map(([, words = "", rest = ""]) => ({
  words: words.split(" "),
  flags: Array.from(rest.matchAll(/ --([a-z-]+)/g), ([, flag = ""]) => flag).filter((flag) => flag !== "help")
}))

/** Files that declare subcommands and flags of several commands. */
const SHARED_FILES = ["src/tools/cli/password-flags.ts", "src/tools/cli/limit-commands.ts"]

describe("what is handed over", () => {
  it("says commands that there are", () => {
    assert.isAbove(commands.length, 4)
    for (const { words, flags } of commands) {
      const [command = "", ...asked] = words
      const file = `src/tools/cli/${command}.ts`
      assert.isTrue(existsSync(join(ROOT, file)), `latchkey ${words.join(" ")}`)
      const known = [file, ...SHARED_FILES].map(textOf).join("\n")
      for (const word of asked) assert.include(known, `"${word}"`, file)
      for (const flag of flags) assert.include(known, `"${flag}"`, `latchkey ${words.join(" ")} --${flag}`)
    }
  })

  it("names settings that docs/reference/settings.md lists", () => {
    const service = /\n {2}latchkey:\n([\s\S]*?)\n {2}postgres:/.exec(textOf("deploy/compose.yaml"))?.[1] ?? ""
    const named = [
      ...Array.from(textOf("deploy/latchkey.env").matchAll(/^([A-Z_]+)=/gm), ([, name = ""]) => name),
      ...Array.from(service.matchAll(/^ {6}([A-Z_]+): /gm), ([, name = ""]) => name),
      ...Array.from(blocks.matchAll(/echo "?([A-Z_]+)=.*latchkey\.env$/gm), ([, name = ""]) => name)
    ]
    assert.isAbove(named.length, 10)
    const listed = Array.from(textOf("docs/reference/settings.md").matchAll(/^\| `([A-Z_]+)` \|/gm), ([, name]) => name)
    for (const name of named) assert.include(listed, name)
  })
})
