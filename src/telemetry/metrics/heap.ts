import type { HeapSpaceInfo } from "node:v8"

// How full the heap of a process is. V8 counts into its limit the room of what dies young, and ends the process where what
// lives long fills the rest: of a small heap that is never 85 of 100 of the whole.

const MB = 2 ** 20
/** V8's own size of the place where objects are born, in megabytes, where no flag says one. */
const BORN_MB = 64
/** So many times that size is in the limit: where they are born, where the living are moved to, and the large ones among them. */
const TIMES = 3

/** Bytes of a heap's limit that are for what dies young, in a process that was begun with these flags. */
export const nurseryBytes = (flags: ReadonlyArray<string>): number => {
  const said = flags.findLast((flag) => FLAG.test(flag))
  return TIMES * MB * (said === undefined ? BORN_MB : Number(FLAG.exec(said)?.[1]))
}

const FLAG = /^--max[-_]semi[-_]space[-_]size=(\d+)$/

const YOUNG: ReadonlySet<string> = new Set(["new_space", "new_large_object_space"])

/** The share of `mostBytes` that is taken by what lives long, 1 where nothing more has room. */
export const heapFullness = (
  spaces: ReadonlyArray<Pick<HeapSpaceInfo, "space_name" | "space_used_size">>,
  mostBytes: number
): number =>
  spaces.reduce((sum, { space_name, space_used_size }) => sum + (YOUNG.has(space_name) ? 0 : space_used_size), 0) /
  mostBytes
