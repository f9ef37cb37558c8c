import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where Debian has what administrators run, which is not on everybody's search path. */
const PLACES = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"]

/** Where a program of this machine is, if it is there. */
export const programNamed = (name: string): string | undefined => PLACES.map((place) => join(place, name)).find(isThere)

/** The name of a test, which says why it is skipped where a program is not there. */
export const orWithout = (missing: ReadonlyArray<string>, name: string): string =>
  missing.length === 0 ? name : `${name} (skipped: no ${missing.join(", no ")} on this machine)`
