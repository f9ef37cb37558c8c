import type { Planned } from "../../queries/WorkPlan.ts"
import type { Option } from "../fields.ts"
import { spoken } from "../parts.ts"

// What tasks are called.

const options = (words: Readonly<Record<string, string>>): ReadonlyArray<Option> =>
  Object.entries(words).map(([value, each]) => ({ value, words: each }))

const TYPE = {
  cleaning: "Cleaning",
  maintenance: "Repair",
  reception: "Reception",
  room_service: "Room service",
  other: "Something else"
} as const
const STATUS = { pending: "To do", in_progress: "Under way", completed: "Done", cancelled: "Called off" } as const
const LEVEL = { simple: "simple", standard: "standard", advanced: "thorough" } as const

export const TYPES = options(TYPE)
export const STATUSES = options(STATUS)
export const LEVELS = options(LEVEL)

/** `Cleaning, thorough`: how thorough is said of cleanings alone, and where it is not the usual. */
export const whatOf = ({ type, level }: Pick<Planned, "type" | "level">): string =>
  type === "cleaning" && level !== "standard" ? `${TYPE[type]}, ${LEVEL[level]}` : TYPE[type]

export const statusWords = (status: Planned["status"]): string => STATUS[status] ?? spoken(status)
