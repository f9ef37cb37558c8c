import type { HeapSpaceInfo } from "node:v8"

// How full the heap of a process is. V8 counts into its limit the room of what dies young, and ends the process where what
// lives long fills the rest: of a small heap that is never 85 of 100 of the whole.

const MB = 2 ** 20
/** V8's own size of the place where objects are born, in megabytes, where no flag says one. */
const BORN_MB = 64
/** So many times that size is in the limit: where they are born, where the living are moved to, and the large ones among them. */
const TIMES = 3

/**
 * Bytes of a heap's limit that are for what dies young, in a process that was begun with these flags, those of NODE_OPTIONS
 * before those of the command line. V8 takes the next power of two, and for 0 its own.
 */
export const nurseryBytes = (flags: ReadonlyArray<string>): number => {
  const said = Number(FLAG.exec(flags.findLast((flag) => FLAG.test(flag)) ?? "")?.[1] ?? 0)
  return TIMES * MB * (said === 0 ? BORN_MB : 2 ** Math.ceil(Math.log2(said)))
}

/** The flags that this process was begun with. */
export const flagsOfProcess = (): ReadonlyArray<string> => [
  ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/),
  ...process.execArgv
]

const FLAG = /^--max[-_]semi[-_]space[-_]size=(\d+)$/

const YOUNG: ReadonlySet<string> = new Set(["new_space", "new_large_object_space"])

/** The share of `mostBytes` that is taken by what was not found dead while it was young; 1 where nothing more has room. */
export const heapFullness = (
  spaces: ReadonlyArray<Pick<HeapSpaceInfo, "space_name" | "space_used_size">>,
  mostBytes: number
): number => {
  const used = spaces.reduce(
    (sum, { space_name, space_used_size }) => sum + (YOUNG.has(space_name) ? 0 : space_used_size),
    0
  )
  return mostBytes > used ? used / mostBytes : 1
}
