import type { HeapSpaceInfo } from "node:v8"

// V8's heap limit includes the young generation, but V8 ends the process when the old generation fills the rest. So the
// young generation is left out.

const MB = 2 ** 20
const DEFAULT_SEMI_SPACE_MB = 64
/** Young generation: two semi-spaces and the new large objects. */
const YOUNG_GENERATION_SEMI_SPACES = 3

/** V8 rounds the flag up to a power of two, and 0 means its default. */
export const computeYoungGenerationBytes = (flags: ReadonlyArray<string>): number => {
  const semiSpaceMb = Number(SEMI_SPACE_FLAG.exec(flags.findLast((flag) => SEMI_SPACE_FLAG.test(flag)) ?? "")?.[1] ?? 0)
  return (
    YOUNG_GENERATION_SEMI_SPACES *
    MB *
    (semiSpaceMb === 0 ? DEFAULT_SEMI_SPACE_MB : 2 ** Math.ceil(Math.log2(semiSpaceMb)))
  )
}

export const listProcessFlags = (): ReadonlyArray<string> => [
  ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/),
  ...process.execArgv
]

const SEMI_SPACE_FLAG = /^--max[-_]semi[-_]space[-_]size=(\d+)$/

const YOUNG_SPACES: ReadonlySet<string> = new Set(["new_space", "new_large_object_space"])

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
