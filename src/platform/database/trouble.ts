import { Cause, Clock, Context, Data, Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { errorCodeOf } from "./reason.ts"

// A database that is full or away fails every call and every loop of the process: that is one thing to say, not a stack for
// each of them.

export type Trouble = "full" | "away" | "unheard" | "images full"

/** Milliseconds between two lines about the same trouble. */
export const TROUBLE_TOLD_MS = 60_000

const LINES: Readonly<Record<Trouble, string>> = {
  full: "the disk of the database is full: writes return 500 until you free space; committed data is safe",
  away: "the database does not respond: calls return 500 until it is back; the service keeps reconnecting",
  unheard:
    "the database does not respond at DATABASE_DIRECT_URL, or else DATABASE_URL: this process polls for the work of other processes every second",
  "images full":
    "the image store is full and uploads return 500: free space in IMAGE_STORE, or else in DATA_DIR or the database"
}

/** The connection on which processes wake each other failed. It may lead past a pooler, by which calls are served all the while. */
export class Unheard extends Data.TaggedError("Unheard")<{ readonly cause: unknown }> {}

/** SQLSTATE: disk full. A PostgreSQL that shuts down, has crashed or starts; one that ends a connection for it. */
const FULL = "53100"
const AWAY: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03"])

/** Returns whether a statement failed because the disk of the database is full. */
export const isDiskFull = (error: SqlError): boolean => errorCodeOf(error.reason.cause) === FULL

const ofDefect = (defect: unknown): Trouble | undefined => {
  if (defect instanceof Unheard) return ofDefect(defect.cause) === "away" ? "unheard" : undefined
  if (!(defect instanceof SqlError)) return undefined
  if (isDiskFull(defect)) return "full"
  const { reason } = defect
  return reason._tag === "ConnectionError" || AWAY.has(errorCodeOf(reason.cause)) ? "away" : undefined
}

/** What the database suffers from, if that is why something failed. */
export const troubleOf = (cause: Cause.Cause<unknown>): Trouble | undefined => {
  for (const reason of cause.reasons) {
    const trouble = Cause.isInterruptReason(reason)
      ? undefined
      : ofDefect(Cause.isDieReason(reason) ? reason.defect : reason.error)
    if (trouble !== undefined) return trouble
  }
  return undefined
}

/** When each trouble was told last, in this process. */
export const TroubleTold = Context.Reference<Map<Trouble, number>>("latchkey/database/TroubleTold", {
  defaultValue: () => new Map()
})

/** Logs what is wrong with the database or the image store, at most once a minute. */
export const tellTrouble = (trouble: Trouble): Effect.Effect<void> =>
  Effect.gen(function* () {
    const told = yield* TroubleTold
    const now = yield* Clock.currentTimeMillis
    const since = now - (told.get(trouble) ?? Number.NEGATIVE_INFINITY)
    // A clock that was set back tells it anew.
    if (since >= 0 && since < TROUBLE_TOLD_MS) return
    told.set(trouble, now)
    yield* Effect.logError(LINES[trouble])
  })
