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

export const PLACES: ReadonlyArray<Place> = []

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
  const [first = file, second, third] = file.split("/")
  if (first !== "resources") return first
  return third === undefined ? `${first}/${second}` : `${first}/${second}`
}

/** The name of a place in the table: families share one row. */
export const rowOf = (place: string): string => (isFamily(place) ? FAMILY : place)

export const isFamily = (place: string): boolean => place.startsWith("resources/") && !place.endsWith(".ts")
