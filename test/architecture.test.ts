import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { assert, describe, it } from "@effect/vitest"

// docs/architecture.md, "Where things live": an import goes down this list or stays in its place.

const src = join(import.meta.dirname, "../src")

const LAYERS: ReadonlyArray<ReadonlyArray<string>> = [
  ["main.ts", "cli.ts", "cli"],
  ["adapters"],
  ["assembly.ts"],
  ["service.ts"],
  ["Api.ts"],
  ["demo", "operators"],
  ["resources"],
  ["channels"],
  ["configuration.ts"],
  ["webhooks"],
  ["events"],
  ["gate"],
  ["places"],
  ["contract"],
  ["background"],
  ["database"],
  ["telemetry"],
  ["deployment.ts"],
  ["limits.ts"]
]

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
const placeOf = (file: string): string => file.split("/")[0] ?? file
const rankOf = (file: string): number => LAYERS.findIndex((layer) => layer.includes(placeOf(file)))

const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(join(src, file), "utf8").matchAll(/^(?:import|export) [^"]*?"(\.[^"]+)"/gm),
    ([, path = ""]) => relative(src, join(dirname(join(src, file)), path))
  ).filter((path) => !path.startsWith(".."))

describe("imports", () => {
  it("know their place", () => {
    assert.deepStrictEqual(
      files.filter((file) => rankOf(file) === -1),
      []
    )
  })

  it("go down", () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => rankOf(imported) < rankOf(file))
        .map((imported) => `${file} imports ${imported}`)
    )
    assert.deepStrictEqual(upward, [])
  })

  it("never reach into another family's store", () => {
    const family = (file: string) => file.split("/").slice(0, 2).join("/")
    const reaching = files
      .filter((file) => file.startsWith("resources/") && file !== "resources/index.ts")
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => path.startsWith("resources/") && /store/.test(path) && family(path) !== family(file))
          .map((path) => `${file} imports ${path}`)
      )
    assert.deepStrictEqual(reaching, [])
  })
})
