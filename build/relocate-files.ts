import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Plugin } from "rolldown"
import { EXAMPLE_FILES, GUIDE_SECTIONS } from "../src/transports/docs/site/guides.ts"
import { MIGRATED_DATABASE_FILE } from "./entries.ts"

/** A bundle is one flat folder. This folder inside it has the files that the documentation site serves. */
const SITE_FOLDER = "site"

const PROGRAM_URL = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g
/** The command as a file beside the folder of each bundle. */
const LAUNCHER_URL = 'new URL("../latchkey.js", import.meta.url)'
const REPOSITORY_LAUNCHER_URL = 'new URL("../../bin/latchkey.js", import.meta.url)'
const SITE_PATH = /resolvePath\("([^"]+)"\)/g
/** What needs no change: a program's own address, and the function whose arguments SITE_PATH rewrites. */
const PORTABLE_USES = /new URL\(import\.meta\.url\)|fileURLToPath\(import\.meta\.resolve\(specifier\)\)/g
/** The build writes the file beside the program. The sources have none. */
const MIGRATED_DATABASE_PATH = `join(import.meta.dirname, "${MIGRATED_DATABASE_FILE}")`

export interface SiteFile {
  readonly from: string
  /** Relative to the folder of the bundle. */
  readonly to: string
}

/**
 * Rewrites the paths in `source` that are relative to a source file, because a bundle moves the code. Throws for a use of
 * `import.meta` that it does not know.
 *
 * `addProgram` gets every program that the code starts in a thread or a process, `addSiteFile` every served file.
 */
const rewritePaths = (
  source: string,
  file: string,
  addProgram: (file: string, name: string) => void,
  addSiteFile: (siteFile: SiteFile) => void
): string => {
  const code = source
    .replace(PROGRAM_URL, (_, path: string) => {
      const name = basename(path, ".ts")
      addProgram(join(dirname(file), path), name)
      return `new URL("./${name}.js", import.meta.url)`
    })
    .replaceAll(REPOSITORY_LAUNCHER_URL, LAUNCHER_URL)
    .replace(SITE_PATH, (_, specifier: string) => {
      if (specifier.endsWith("/docs")) {
        for (const siteFile of listGuides(join(dirname(file), specifier))) addSiteFile(siteFile)
        return `resolvePath("./${SITE_FOLDER}/docs")`
      }
      const from = specifier.startsWith(".")
        ? join(dirname(file), specifier)
        : fileURLToPath(import.meta.resolve(specifier))
      const to = `${SITE_FOLDER}/assets/${specifier.replace("./assets/", "").replaceAll("/", "-")}`
      addSiteFile({ from, to })
      return `resolvePath("./${to}")`
    })
  const remaining = code
    .replace(PORTABLE_USES, "")
    .replaceAll(LAUNCHER_URL, "")
    .replaceAll(MIGRATED_DATABASE_PATH, "")
    .replaceAll(/new URL\("\.\/[\w-]+\.js", import\.meta\.url\)/g, "")
  if (remaining.includes("import.meta"))
    throw new Error(`${file}: build/relocate-files.ts must rewrite its import.meta`)
  return code
}

const listGuides = (docsFolder: string): ReadonlyArray<SiteFile> =>
  [...GUIDE_SECTIONS.flatMap(([, files]) => files), ...EXAMPLE_FILES.map((name) => `examples/${name}`)].map((file) => ({
    from: join(docsFolder, file),
    to: join(SITE_FOLDER, "docs", file)
  }))

/** Keeps paths valid in a bundle of the sources in `root`. Programs become entries of the bundle. */
export const relocateFiles = (root: string, addSiteFile: (siteFile: SiteFile) => void): Plugin => ({
  name: "relocate-files",
  transform: {
    filter: { code: "import.meta" },
    handler(source, file) {
      if (!file.startsWith(join(root, "src/"))) return undefined
      return rewritePaths(
        source,
        file,
        (id, name) => this.emitFile({ type: "chunk", id, fileName: `${name}.js` }),
        addSiteFile
      )
    }
  }
})
