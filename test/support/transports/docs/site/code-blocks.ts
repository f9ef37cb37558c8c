import { readFileSync } from "node:fs"
import { join } from "node:path"

// What the pages show in boxes.

export const DOCS_FOLDER = join(import.meta.dirname, "../../../../../docs")

export interface CodeBlock {
  readonly language: string
  readonly text: string
}

const CODE_BLOCK = /^```([a-z]*)\n([\s\S]*?)^```$/gm

export const listCodeBlocks = (markdown: string): ReadonlyArray<CodeBlock> =>
  Array.from(markdown.matchAll(CODE_BLOCK), ([, language = "", text = ""]) => ({ language, text }))

/** The boxes of a file below docs. */
export const readCodeBlocks = (file: string): ReadonlyArray<CodeBlock> =>
  listCodeBlocks(readFileSync(join(DOCS_FOLDER, file), "utf8"))
