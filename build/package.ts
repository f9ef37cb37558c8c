// `npm run build`: writes `dist`, the published package's code and types.
import { chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { writeClient } from "../client/build.ts"
import { writeBundle } from "./bundle.ts"
import { LIBRARY_ENTRIES, MIGRATED_DATABASE_FILE, PEER_DEPENDENCY } from "./entries.ts"
import { renderLicenses } from "./licenses.ts"
import { readManifest, renderPublishedManifest, toEntryName } from "./manifest.ts"
import { writeMigratedDatabase } from "./migrated-database.ts"
import { writeTypes } from "./types.ts"

export const ROOT = join(import.meta.dirname, "..")

/** Writes the published package's code and types to `folder`, without what a former build left there. */
export const writeDist = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const [programFiles, libraryFiles] = await Promise.all([
    writeBundle({ root: ROOT, entries: { cli: "src/cli.ts" }, folder: join(folder, "program"), externalPackages: [] }),
    writeBundle({
      root: ROOT,
      entries: Object.fromEntries(Object.values(LIBRARY_ENTRIES).map((file) => [toEntryName(file), file])),
      folder: join(folder, "library"),
      externalPackages: [PEER_DEPENDENCY]
    }),
    writeMigratedDatabase(join(folder, "program", MIGRATED_DATABASE_FILE)),
    writeTypes(ROOT, Object.values(LIBRARY_ENTRIES), join(folder, "types")),
    writeClient(join(folder, "client"))
  ])
  // The client's own package file and page are for a package of its own.
  for (const name of ["package.json", "README.md"]) await rm(join(folder, "client", name))
  await copyFile(join(ROOT, "CHANGELOG.md"), join(folder, "program/site/CHANGELOG.md"))
  await copyFile(join(ROOT, "bin/flags.js"), join(folder, "flags.js"))
  await copyFile(join(ROOT, "build/launcher.js"), join(folder, "latchkey.js"))
  await chmod(join(folder, "latchkey.js"), 0o755)
  await writeFile(join(folder, "THIRD-PARTY-LICENSES"), await renderLicenses([...programFiles, ...libraryFiles]))
}

/** Writes the whole published package to `folder`, without touching the repository. */
export const writePackage = async (folder: string): Promise<void> => {
  await writeDist(join(folder, "dist"))
  for (const name of ["LICENSE", "README.md", "CHANGELOG.md"]) await copyFile(join(ROOT, name), join(folder, name))
  await writeFile(join(folder, "package.json"), renderPublishedManifest(await readManifest(ROOT)))
}

if (import.meta.main) {
  await writeDist(join(ROOT, "dist"))
  console.log("The package's code is in dist.")
}
