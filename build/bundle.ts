import { copyFile, mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { rolldown } from "rolldown"
import { RUNTIME_DEPENDENCY } from "./entries.ts"
import { relocateFiles, type SiteFile } from "./relocate-files.ts"

export interface BundleOptions {
  /** The repository. */
  readonly root: string
  /** The files of src to bundle, by the name of their bundled file. */
  readonly entries: Readonly<Record<string, string>>
  readonly folder: string
  /** Packages that the bundle imports when it runs, besides {@link RUNTIME_DEPENDENCY}. */
  readonly externalPackages: ReadonlyArray<string>
}

/** Writes a bundle for Node 22 with everything it reads. Returns the files of other packages in it. */
export const writeBundle = async ({
  root,
  entries,
  folder,
  externalPackages
}: BundleOptions): Promise<ReadonlyArray<string>> => {
  const siteFiles = new Map<string, SiteFile>()
  const external = [RUNTIME_DEPENDENCY, ...externalPackages]
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
    platform: "node",
    transform: { target: "node22" },
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [relocateFiles(root, (siteFile) => siteFiles.set(siteFile.to, siteFile))]
  })
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[name]-[hash].js"
  })
  await bundle.close()
  const chunks = output.filter((file) => file.type === "chunk")
  const entryNames = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const { fileName, imports } of chunks) {
    // A program that another file imported would run in the wrong process.
    const importedEntry = imports.find((name) => entryNames.has(name))
    if (importedEntry !== undefined) throw new Error(`${fileName} imports the entry ${importedEntry}`)
  }
  for (const { from, to } of siteFiles.values()) {
    const target = join(folder, to)
    await mkdir(dirname(target), { recursive: true })
    await copyFile(from, target)
  }
  return [
    ...chunks.flatMap(({ moduleIds }) => moduleIds),
    ...Array.from(siteFiles.values(), ({ from }) => from)
  ].filter((file) => file.includes("/node_modules/"))
}
