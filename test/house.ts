import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

// The house as docs/architecture.md draws it: where things live and what each place may import. The page is printed from
// here, and test/architecture.test.ts holds the code to it exactly: no import that is not said, and none said that is not.

export interface Place {
  /** A folder or a file below src, without its ending slash. */
  readonly place: string
  readonly what: string
  readonly imports: ReadonlyArray<string>
}

const FAMILY = "resources/<family>"

export const PLACES: ReadonlyArray<Place> = [{ place: "cli.ts", what: "the command line", imports: [] }]

/** Which families use rules or SQL fragments of which others; a store is its family's own. */
export const FAMILIES: Readonly<Record<string, ReadonlyArray<string>>> = {}

/** Who writes a table: a folder or file below src. */
export const OWNERS: Readonly<Record<string, string>> = {}

/** Statements that change another's table: `file writes table`. */
export const WRITTEN_ELSEWHERE: ReadonlyArray<string> = []

/** What the compiler is told because it cannot see it. */
export const CASTS: ReadonlyArray<{ readonly file: string; readonly cast: string; readonly why: string }> = []

export const src = join(import.meta.dirname, "../src")

export const files: ReadonlyArray<string> = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .toSorted()

export const textOf = (file: string): string => readFileSync(join(src, file), "utf8")

/** What of src a file imports, as paths below src. */
export const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(textOf(file).matchAll(/(?:from|import\()\s*"(\.[^"]+)"|^import "(\.[^"]+)"/gm), ([, from, bare]) =>
    relative(src, join(dirname(join(src, file)), from ?? bare ?? ""))
  ).filter((path) => !path.startsWith(".."))

/** The place a file is in: a family is a place of its own, all else is by its first folder or its name. */
export const placeOf = (file: string): string => {
  const [first = file, second = ""] = file.split("/")
  return first === "resources" ? `${first}/${second}` : first
}

/** The name of a place in the table: families share one row. */
export const rowOf = (place: string): string => (isFamily(place) ? FAMILY : place)

export const isFamily = (place: string): boolean => place.startsWith("resources/") && !place.endsWith(".ts")

const CHANGES = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?([a-z_]+)\b/g

/** Words that follow UPDATE and name no table: `FOR UPDATE OF`, `DO UPDATE SET`. */
const NO_TABLE = new Set(["of", "set", "skip", "nowait"])

/** The tables a file's statements change. What is built from a parameter is not seen: `sql(list.rows)`. */
export const writesIn = (file: string): ReadonlyArray<string> =>
  Array.from(withoutComments(textOf(file)).matchAll(CHANGES), ([, table = ""]) => table).filter(
    (table) => !NO_TABLE.has(table)
  )

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** What a file says `as` to the compiler, `as const` aside. Texts and statements are no code. */
export const castsIn = (file: string): ReadonlyArray<string> =>
  Array.from(
    withoutComments(textOf(file))
      .replace(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g, '""')
      .replace(/^(?:import|export) [\s\S]*?from ""$/gm, "")
      .matchAll(/\bas (?!const\b)([A-Za-z][\w.]*)/g),
    ([cast]) => cast
  )

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("")

const code = (names: Iterable<string>): string => Array.from(names, (name) => `\`${name}\``).join(", ")

/** The tables of the page, by the names of their places in it. */
export const houseTables = (): Readonly<Record<string, string>> => ({
  places: table(
    ["place in `src`", "what it is", "imports"],
    PLACES.map(({ place, what, imports }) => [`\`${place}\``, what, imports.length === 0 ? "nothing" : code(imports)])
  ),
  families: table(
    ["family", "uses rules and fragments of"],
    Object.entries(FAMILIES).map(([family, used]) => [`\`${family}\``, code(used)])
  ),
  tables: table(
    ["owner", "tables"],
    Array.from(new Set(Object.values(OWNERS)), (owner) => [
      `\`${owner}\``,
      code(Object.keys(OWNERS).filter((each) => OWNERS[each] === owner))
    ])
  ),
  casts: table(
    ["file", "cast", "why"],
    CASTS.map(({ file, cast, why }) => [`\`${file}\``, `\`${cast}\``, why])
  )
})
