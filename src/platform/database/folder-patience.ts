import { Effect, Exit, Predicate, Schedule, Scope } from "effect"
import type { DataFolderTaken } from "./folder-lock.ts"

/** Milliseconds a process waits for the data folder: the stop of a service takes twelve seconds at most. */
export const FOLDER_PATIENCE_MS = 15_000
/** Milliseconds between two looks meanwhile. */
const LOOK_MS = 100

/**
 * Tries again while the data folder is taken by somebody worth waiting for; one try in vain leaves nothing open. What it
 * makes lives as long as the scope it is called in.
 */
export const waitingForFolder = <A, E, R>(
  attempt: (scope: Scope.Scope) => Effect.Effect<A, E, R>,
  worthwhile: (taken: DataFolderTaken) => boolean
): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.flatMap(Effect.scope, (whole) =>
    Effect.retry(
      Effect.flatMap(Scope.fork(whole), (scope) => Effect.onError(attempt(scope), () => Scope.close(scope, Exit.void))),
      {
        while: (error) => isTaken(error) && worthwhile(error),
        schedule: Schedule.spaced(LOOK_MS),
        times: FOLDER_PATIENCE_MS / LOOK_MS
      }
    )
  )

// By its tag: the class comes with SQLite, which nobody loads beside a service.
const isTaken = (error: unknown): error is DataFolderTaken => Predicate.isTagged(error, "DataFolderTaken")
