import { execFile } from "node:child_process"
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

const changeFiles = async (folder: string, change: (text: string) => string): Promise<void> => {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".ts")) continue
    const file = join(entry.parentPath, entry.name)
    await writeFile(file, change(await readFile(file, "utf8")))
  }
}

/** Writes the declarations of `files` of the repository `root`, and of all that they import, to `folder`. */
export const writeTypes = async (root: string, files: ReadonlyArray<string>, folder: string): Promise<void> => {
  // Inside the repository, so that the compiler finds node_modules.
  const copy = await mkdtemp(join(root, ".types-"))
  try {
    for (const name of ["bin", "src", "migrations", "package.json"])
      await cp(join(root, name), join(copy, name), { recursive: true })
    // An inferred type can name only exported types.
    await changeFiles(join(copy, "src"), (text) => text.replaceAll(/^(?=(?:interface|type) \w)/gm, "export "))
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: ".",
      outDir: folder,
      // In a second checkout, node_modules may be a link. Declarations can name only what lies below node_modules.
      preserveSymlinks: true
    }
    const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }
    await writeFile(join(copy, "tsconfig.json"), JSON.stringify(settings))
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", copy]).catch(
      ({ stdout, message }) => {
        throw new Error(`tsc: ${stdout || message}`)
      }
    )
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
  await changeFiles(folder, (text) => text.replaceAll(/(from |import\()("\.[^"]*)\.ts"/g, '$1$2.js"'))
}
