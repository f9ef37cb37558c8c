import { Effect, FileSystem } from "effect"
import { EXAMPLE_FILES, readGuides } from "./guides.ts"
import { DOCS_FOLDER, SITE_ASSETS } from "./site-assets.ts"
import { listSiteFiles, type SiteSettings } from "./site-files.ts"

/** Overwrites files of the same names, and returns the number of files. */
export const writeSite = Effect.fnUntraced(function* (
  folder: string,
  settings: Pick<SiteSettings, "publicUrl" | "docsUrl" | "deployment">
) {
  const fs = yield* FileSystem.FileSystem
  const guides = yield* readGuides(DOCS_FOLDER, settings.publicUrl)
  const files = listSiteFiles({ ...settings, guides, apiBaseUrl: undefined })
  for (const part of ["reference", "assets", "examples"]) {
    yield* fs.makeDirectory(`${folder}/${part}`, { recursive: true })
  }
  for (const [name, render] of files) yield* fs.writeFileString(`${folder}/${name}`, render().text)
  for (const [name, { file }] of SITE_ASSETS) yield* fs.copyFile(file, `${folder}/assets/${name}`)
  for (const name of EXAMPLE_FILES) yield* fs.copyFile(`${DOCS_FOLDER}/examples/${name}`, `${folder}/examples/${name}`)
  return files.size + SITE_ASSETS.size + EXAMPLE_FILES.length
})
