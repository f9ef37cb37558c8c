import { readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { Schema } from "effect"
import { LIBRARY_ENTRIES, PEER_DEPENDENCY, RUNTIME_DEPENDENCY } from "./entries.ts"

const Manifest = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  description: Schema.optionalKey(Schema.String),
  license: Schema.optionalKey(Schema.String),
  dependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
type Manifest = typeof Manifest.Type

export const readManifest = async (folder: string): Promise<Manifest> =>
  Schema.decodeUnknownPromise(Schema.fromJsonString(Manifest))(await readFile(join(folder, "package.json"), "utf8"))

/** Returns the name of a library entry's files, without extension. */
export const toEntryName = (file: string): string => basename(file, ".ts")

const listExports = (): Record<string, { readonly types: string; readonly default: string }> => ({
  ...Object.fromEntries(
    Object.entries(LIBRARY_ENTRIES).map(([subpath, file]) => [
      subpath,
      { types: `./dist/types/${file.replace(/\.ts$/, ".d.ts")}`, default: `./dist/library/${toEntryName(file)}.js` }
    ])
  ),
  "./client": { types: "./dist/client/index.d.ts", default: "./dist/client/index.js" }
})

const pick = (versions: Readonly<Record<string, string>>, name: string): Record<string, string> => {
  const version = versions[name]
  if (version === undefined) throw new Error(`package.json: dependencies must have ${name}`)
  return { [name]: version }
}

/** Returns the published package.json, made from the repository's. */
export const renderPublishedManifest = ({
  name,
  version,
  description,
  license,
  dependencies = {}
}: Manifest): string => {
  const manifest = {
    name,
    version,
    description,
    license,
    type: "module",
    bin: { latchkey: "dist/latchkey.js" },
    exports: { ...listExports(), "./package.json": "./package.json" },
    files: ["dist", "CHANGELOG.md"],
    // Node 23 has zstd from 23.8 on.
    engines: { node: "^22.15 || >=23.8" },
    dependencies: pick(dependencies, RUNTIME_DEPENDENCY),
    peerDependencies: pick(dependencies, PEER_DEPENDENCY),
    peerDependenciesMeta: { [PEER_DEPENDENCY]: { optional: true } }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
