// The scripts `prepack` and `postpack` of `npm pack`. In between, package.json is the published one.
import { copyFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { readManifest, renderPublishedManifest } from "./manifest.ts"
import { ROOT, writeDist } from "./package.ts"

const MANIFEST = join(ROOT, "package.json")
const SAVED_MANIFEST = join(ROOT, ".package.json.saved")

/** Does nothing if no `prepack` has run since, so it also repairs a pack that failed halfway. */
const restoreManifest = (): Promise<void> =>
  rename(SAVED_MANIFEST, MANIFEST).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error
  })

await restoreManifest()
if (process.argv[2] === "before") {
  await writeDist(join(ROOT, "dist"))
  const published = renderPublishedManifest(await readManifest(ROOT))
  // A rename makes the saved file whole or absent.
  await copyFile(MANIFEST, `${SAVED_MANIFEST}.new`)
  await rename(`${SAVED_MANIFEST}.new`, SAVED_MANIFEST)
  await writeFile(MANIFEST, published)
}
