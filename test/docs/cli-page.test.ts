import { it } from "@effect/vitest"
import { Effect, Option, Struct } from "effect"
import type { HelpDoc } from "effect/cli"
import { COMMAND_LOADERS } from "../../src/tools/cli/program.ts"
import { collectHelps } from "../support/cli-help.ts"
import { assertGeneratedPart } from "../support/generated-page.ts"

const toText = Option.getOrElse(() => "")

const listOptions = ({ args = [], flags }: HelpDoc.HelpDoc): ReadonlyArray<string> => [
  ...args.map(({ name, description }) => `- \`${name}\`: ${toText(description)}`),
  ...flags.map(
    ({ name, type, required, description }) =>
      `- \`--${name}${type === "boolean" ? "" : ` ${type}`}\`${required ? " (required)" : ""}: ${toText(description)}`
  )
]

const renderCommand = (words: string, help: HelpDoc.HelpDoc): string =>
  [`${words.includes(" ") ? "###" : "##"} \`latchkey ${words}\``, `${help.description}.`, listOptions(help).join("\n")]
    .filter((part) => part !== "")
    .join("\n\n")

it.live("the reference of the command line lists every command and option (write it with UPDATE_DOCS=1)", () =>
  Effect.gen(function* () {
    const helps = yield* Effect.forEach(Struct.keys(COMMAND_LOADERS).toSorted(), (name) => collectHelps([name]))
    const sections = helps.flat().map(([words, help]) => renderCommand(words, help))
    assertGeneratedPart("reference/cli.md", "commands", sections.join("\n\n"))
  })
)
