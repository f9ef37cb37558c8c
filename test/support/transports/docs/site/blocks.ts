import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

// What the pages show in boxes.

export const DOCS = join(import.meta.dirname, "../../../../../docs")

export interface Block {
  readonly language: string
  readonly text: string
}

const BLOCK = /^```([a-z]*)\n([\s\S]*?)^```$/gm

export const blocksOf = (markdown: string): ReadonlyArray<Block> =>
  Array.from(markdown.matchAll(BLOCK), ([, language = "", text = ""]) => ({ language, text }))

/** The boxes of a file below docs. */
export const blocksIn = (file: string): ReadonlyArray<Block> => blocksOf(readFileSync(join(DOCS, file), "utf8"))

export const guides = readdirSync(join(DOCS, "guides")).map((file) => `guides/${file}`)
