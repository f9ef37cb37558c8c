import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

// A page loads at most one of these scripts, and works without it. Its Content-Security-Policy forbids inline scripts.

export interface ConsoleScript {
  readonly path: string
  readonly text: string
}

const resolvePath = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier))

/** The path contains a hash of the text, so browsers may cache the script for a year. */
const readScript = (file: string): ConsoleScript => {
  const text = readFileSync(file, "utf8")
  return { path: `/console/${createHash("sha256").update(text).digest("hex").slice(0, 16)}.js`, text }
}

export const CONVERSATION_SCRIPT = readScript(resolvePath("./assets/conversation.js"))

export const CALENDAR_SCRIPT = readScript(resolvePath("./assets/calendar.js"))

export const CONSOLE_SCRIPTS: ReadonlyArray<ConsoleScript> = [CONVERSATION_SCRIPT, CALENDAR_SCRIPT]
