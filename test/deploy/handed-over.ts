import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Schema } from "effect"

export const ROOT = join(import.meta.dirname, "../..")

/** What a file of the checkout says. */
export const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8")

/** The text with what a machine puts in the place of ours; what is not there to be replaced fails. */
export const replaced = (text: string, places: Readonly<Record<string, string>>): string =>
  Object.entries(places).reduce((before, [ours, theirs]) => {
    assert.include(before, ours)
    return before.replaceAll(ours, theirs)
  }, text)

const Locked = Schema.fromJsonString(
  Schema.Struct({
    packages: Schema.Record(
      Schema.String,
      Schema.Struct({
        version: Schema.optionalKey(Schema.String),
        integrity: Schema.optionalKey(Schema.String),
        license: Schema.optionalKey(Schema.String),
        dev: Schema.optionalKey(Schema.Boolean),
        link: Schema.optionalKey(Schema.Boolean)
      })
    )
  })
)

/** What npm ci installs, by its place: neither this package nor folders of its own that it links to. */
export const lockedPackages = Object.entries(
  Schema.decodeUnknownSync(Locked)(textOf("package-lock.json")).packages
).filter(([place, { link }]) => place.includes("node_modules/") && link !== true)
