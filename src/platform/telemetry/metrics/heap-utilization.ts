import type { HeapSpaceInfo } from "node:v8"

// How full the heap of a process is. V8 counts into its limit the room of what dies young, and ends the process where what
// lives long fills the rest: of a small heap that is never 85 of 100 of the whole.

const MB = 2 ** 20
/** V8's own size of the place where objects are born, in megabytes, where no flag says one. */
const DEFAULT_SEMI_SPACE_MB = 64
/** So many times that size is in the limit: where they are born, where the living are moved to, and the large ones among them. */
const YOUNG_GENERATION_SEMI_SPACES = 3

/**
 * Bytes of a heap's limit that are for what dies young, in a process that was begun with these flags, those of NODE_OPTIONS
 * before those of the command line. V8 takes the next power of two, and for 0 its own.
 */
export const computeYoungGenerationBytes = (flags: ReadonlyArray<string>): number => {
  const semiSpaceMb = Number(SEMI_SPACE_FLAG.exec(flags.findLast((flag) => SEMI_SPACE_FLAG.test(flag)) ?? "")?.[1] ?? 0)
  return (
    YOUNG_GENERATION_SEMI_SPACES *
    MB *
    (semiSpaceMb === 0 ? DEFAULT_SEMI_SPACE_MB : 2 ** Math.ceil(Math.log2(semiSpaceMb)))
  )
}

/** The flags that this process was begun with. */
export const listProcessFlags = (): ReadonlyArray<string> => [
  ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/),
  ...process.execArgv
]

const SEMI_SPACE_FLAG = /^--max[-_]semi[-_]space[-_]size=(\d+)$/

const YOUNG_SPACES: ReadonlySet<string> = new Set(["new_space", "new_large_object_space"])

/** The share of `limitBytes` that is taken by what was not found dead while it was young; 1 where nothing more has room. */
export const computeHeapUtilization = (
  spaces: ReadonlyArray<Pick<HeapSpaceInfo, "space_name" | "space_used_size">>,
  limitBytes: number
): number => {
  const used = spaces.reduce(
    (sum, { space_name, space_used_size }) => sum + (YOUNG_SPACES.has(space_name) ? 0 : space_used_size),
    0
  )
  return limitBytes > used ? used / limitBytes : 1
}
