import { Cause, Clock, Context, Data, Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { errorCodeOf } from "./error-reason.ts"

// A failed database fails every call, so one line is logged instead of a stack trace for each.

type StorageFailure = "full" | "away" | "unheard" | "images full"

export const STORAGE_FAILURE_LOG_MS = 60_000

const MESSAGES: Readonly<Record<StorageFailure, string>> = {
  full: "the disk of the database is full: writes return 500 until you free space; committed data is safe",
  away: "the database does not respond: calls return 500 until it is back; the service keeps reconnecting",
  unheard:
    "the database does not respond at DATABASE_DIRECT_URL, or else DATABASE_URL: this process polls for the work of other processes every second",
  "images full":
    "the image store is full and uploads return 500: free space in IMAGE_STORE, or else in DATA_DIR or the database"
}

/** The wake-up connection may bypass a pooler that still serves calls, so its failure has its own message. */
export class WakeUpConnectionFailed extends Data.TaggedError("WakeUpConnectionFailed")<{ readonly cause: unknown }> {}

/** SQLSTATE of a full disk. The codes below mean that the server stops, has crashed or is starting. */
const DISK_FULL_SQLSTATE = "53100"
const UNAVAILABLE_SQLSTATES: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03"])

export const isDiskFull = (error: SqlError): boolean => errorCodeOf(error.reason.cause) === DISK_FULL_SQLSTATE

const findFailureOfDefect = (defect: unknown): StorageFailure | undefined => {
  if (defect instanceof WakeUpConnectionFailed)
    return findFailureOfDefect(defect.cause) === "away" ? "unheard" : undefined
  if (!(defect instanceof SqlError)) return undefined
  if (isDiskFull(defect)) return "full"
  const { reason } = defect
  return reason._tag === "ConnectionError" || UNAVAILABLE_SQLSTATES.has(errorCodeOf(reason.cause)) ? "away" : undefined
}

export const findStorageFailure = (cause: Cause.Cause<unknown>): StorageFailure | undefined => {
  for (const reason of cause.reasons) {
    const failure = Cause.isInterruptReason(reason)
      ? undefined
      : findFailureOfDefect(Cause.isDieReason(reason) ? reason.defect : reason.error)
    if (failure !== undefined) return failure
  }
  return undefined
}

export const StorageFailureLogTimes = Context.Reference<Map<StorageFailure, number>>(
  "latchkey/platform/database/StorageFailureLogTimes",
  {
    defaultValue: () => new Map()
  }
)

export const logStorageFailure = (failure: StorageFailure): Effect.Effect<void> =>
  Effect.gen(function* () {
    const logTimes = yield* StorageFailureLogTimes
    const now = yield* Clock.currentTimeMillis
    const elapsedMs = now - (logTimes.get(failure) ?? Number.NEGATIVE_INFINITY)
    // The clock may have been set back.
    if (elapsedMs >= 0 && elapsedMs < STORAGE_FAILURE_LOG_MS) return
    logTimes.set(failure, now)
    yield* Effect.logError(MESSAGES[failure])
  })
