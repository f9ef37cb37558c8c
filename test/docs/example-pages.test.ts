import { readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { it } from "@effect/vitest"
import { assertGeneratedPart } from "../support/generated-page.ts"

// `UPDATE_DOCS=1 npx vitest run test/docs` writes the examples into the page.

const FOLDER = join(import.meta.dirname, "../../docs/examples/testing")

const LANGUAGES: Readonly<Record<string, string>> = { ".ts": "ts", ".js": "js", ".py": "python", ".yml": "yaml" }

const EXAMPLES: ReadonlyArray<readonly [part: string, files: ReadonlyArray<string>]> = [
  ["vitest", ["vitest/notify-cleaner.ts", "vitest/notify-cleaner.test.ts"]],
  ["node-test", ["node-test/reservation-copy.js", "node-test/reservation-copy.test.js"]],
  ["pytest", ["pytest/welcome.py", "pytest/conftest.py", "pytest/test_welcome.py"]],
  ["github-actions", ["github-actions.yml"]]
]

const renderFile = (file: string): string => {
  const language = LANGUAGES[extname(file)] ?? ""
  const name = file.split("/").at(-1)
  return `\`${name}\`:\n\n\`\`\`${language}\n${readFileSync(join(FOLDER, file), "utf8")}\`\`\``
}

it.each(EXAMPLES)("docs/guides/test-your-integration.md shows the files of the example %s", (part, files) => {
  assertGeneratedPart("guides/test-your-integration.md", part, files.map(renderFile).join("\n\n"))
})
