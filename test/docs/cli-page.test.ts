import { it } from "@effect/vitest"
import { Effect, Option, Struct } from "effect"
import type { HelpDoc } from "effect/cli"
import { COMMAND_LOADERS } from "../../src/tools/cli/program.ts"
import { collectHelps } from "../support/cli-help.ts"
import { assertGeneratedPart } from "../support/generated-page.ts"

const toText = Option.getOrElse(() => "")

/** Arguments and options with their meanings in one column. */
const renderOptions = ({ args = [], flags }: HelpDoc.HelpDoc): string => {
  const rows = [
    ...args.map(({ name, description }) => [`<${name}>`, toText(description)] as const),
    ...flags.map(({ name, type, required, description }) => {
      const option = `--${name}${type === "boolean" ? "" : ` <${type}>`}`
      return [option, `${toText(description)}${required ? " (required)" : ""}`] as const
    })
  ]
  const width = Math.max(...rows.map(([option]) => option.length))
  return rows.map(([option, meaning]) => `${option.padEnd(width)}  ${meaning}`).join("\n")
}

const renderCommand = (words: string, help: HelpDoc.HelpDoc): string => {
  const options = renderOptions(help)
  return [
    `${words.includes(" ") ? "###" : "##"} \`latchkey ${words}\``,
    `${help.description}.`,
    ...(options === "" ? [] : [`\`\`\`text\n${options}\n\`\`\``])
  ].join("\n\n")
}

it.live("the reference of the command line lists every command and option (write it with UPDATE_DOCS=1)", () =>
  Effect.gen(function* () {
    const helps = yield* Effect.forEach(Struct.keys(COMMAND_LOADERS).toSorted(), (name) => collectHelps([name]))
    const sections = helps.flat().map(([words, help]) => renderCommand(words, help))
    assertGeneratedPart("reference/cli.md", "commands", sections.join("\n\n"))
  })
)
