// `npm run client [-- FOLDER]`: the client as a folder that `npm pack` takes: JavaScript, its types, and nothing it depends on.
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { CURRENT_VERSION } from "../src/contract/releases.ts"
import { renderClientDeclarations } from "./declarations.ts"
import { ROUTES } from "./routes.ts"

const here = import.meta.dirname

const MANIFEST = {
  name: "latchkey-client",
  version: CURRENT_VERSION,
  description: "The client of Latchkey's open API: typed operations, safe retries, pages and the feed of events.",
  license: "MIT",
  type: "module",
  engines: { node: ">=18" },
  sideEffects: false,
  exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
  files: ["index.js", "index.d.ts", "routes.js", "README.md"]
}

/** The declarations of the source that users see, without what is behind them. */
const ownDeclarations = (source: string): string => {
  const interfaces = Array.from(
    source.matchAll(/(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export interface \w+ \{[\s\S]*?\n\}/g),
    ([text]) => text
  )
  const classes = Array.from(
    source.matchAll(/(\/\*\* (?:(?!\*\/).)* \*\/\n)export class (\w+) extends LatchkeyError \{\}/g),
    ([, comment = "", name = ""]) => `${comment}export declare class ${name} extends LatchkeyError {}`
  )
  return [...interfaces, LATCHKEY_ERROR, ...classes, CREATE_CLIENT].join("\n\n")
}

const LATCHKEY_ERROR = `/** A call that came to nothing: \`code\` is the service's error_code; 0 where no answer of the service came. */
export declare class LatchkeyError extends Error {
  readonly code: number
  readonly requestId: string
  /** Seconds after which the call may be repeated, where the service says so. */
  readonly retryAfter: number | undefined
  /** Of a 429: which limit is used up. */
  readonly scope: string | undefined
  readonly operation: string
}`

const CREATE_CLIENT = `/** Calls operations by name. */
export declare const createClient: (options: ClientOptions) => Client`

export const writeClient = async (folder: string): Promise<void> => {
  const source = await readFile(join(here, "latchkey-client.ts"), "utf8")
  const files = {
    "index.js": stripTypeScriptTypes(source.replace(/^ *\/\/ biome-ignore .*\n/gm, ""))
      .replace(/[ \t]+$/gm, "")
      .replace("./routes.ts", "./routes.js"),
    "index.d.ts": `${ownDeclarations(source)}\n\n${renderClientDeclarations()}`,
    "routes.js": `export const ROUTES = ${JSON.stringify(ROUTES)}\n`,
    "package.json": `${JSON.stringify(MANIFEST, null, 2)}\n`,
    "README.md": await readFile(join(here, "README.md"), "utf8")
  }
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(here, "package")
  await writeClient(folder)
  console.log(`latchkey-client ${CURRENT_VERSION} is in ${folder}`)
}
