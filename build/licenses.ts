import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { readManifest } from "./manifest.ts"

const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
const LICENSE_FILE = /^(?:licen[cs]e|notice|copying)/i

/** Returns the licence texts of the packages that have one of `files`, by package. */
export const renderLicenses = async (files: ReadonlyArray<string>): Promise<string> => {
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []))
  const sections = await Promise.all(Array.from(folders).sort().map(renderLicense))
  return `This package contains code of the packages below.\n\n${sections.join("\n\n")}\n`
}

const renderLicense = async (folder: string): Promise<string> => {
  const { name, version, license } = await readManifest(folder)
  const names = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file)).sort()
  const texts = await Promise.all(names.map((file) => readFile(join(folder, file), "utf8")))
  return [`## ${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join("\n\n")
}
