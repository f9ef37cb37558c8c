import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ROOT, textOf } from "./handed-over.ts"

// What is handed over says commands, flags and settings that there are.

const blocks = Array.from(textOf("docs/deploy.md").matchAll(/```sh\n([\s\S]*?)```/g), ([, block = ""]) => block).join(
  "\n"
)
const units = ["latchkey.service", "latchkey-backup.service"].map((unit) => textOf(`deploy/${unit}`)).join("\n")

/** Words after `latchkey`, of the page and of the units: the command, what is asked of it, its flags. */
const commands = [
  ...blocks.matchAll(/(?:^|\$\()latchkey ([a-z]+(?: [a-z]+)?)(.*)$/gm),
  ...units.matchAll(/latchkey\.js ([a-z]+(?: [a-z]+)?)(.*)$/gm)
].map(([, words = "", rest = ""]) => ({
  words: words.split(" "),
  flags: Array.from(rest.matchAll(/ --([a-z-]+)/g), ([, flag = ""]) => flag).filter((flag) => flag !== "help")
}))

describe("what is handed over", () => {
  it("says commands that there are", () => {
    assert.isAbove(commands.length, 4)
    for (const { words, flags } of commands) {
      const [command = "", ...asked] = words
      const file = `src/tools/cli/${command}.ts`
      assert.isTrue(existsSync(join(ROOT, file)), `latchkey ${words.join(" ")}`)
      for (const word of asked) assert.include(textOf(file), `"${word}"`, file)
      const known = textOf(file) + textOf("src/tools/cli/password-flags.ts")
      for (const flag of flags) assert.include(known, `"${flag}"`, `latchkey ${words.join(" ")} --${flag}`)
    }
  })

  it("names settings that docs/settings.md lists", () => {
    const service = /\n {2}latchkey:\n([\s\S]*?)\n {2}postgres:/.exec(textOf("deploy/compose.yaml"))?.[1] ?? ""
    const named = [
      ...Array.from(textOf("deploy/latchkey.env").matchAll(/^([A-Z_]+)=/gm), ([, name = ""]) => name),
      ...Array.from(service.matchAll(/^ {6}([A-Z_]+): /gm), ([, name = ""]) => name),
      ...Array.from(blocks.matchAll(/echo "?([A-Z_]+)=.*latchkey\.env$/gm), ([, name = ""]) => name)
    ]
    assert.isAbove(named.length, 10)
    const listed = Array.from(textOf("docs/settings.md").matchAll(/^\| `([A-Z_]+)` \|/gm), ([, name]) => name)
    for (const name of named) assert.include(listed, name)
  })
})
