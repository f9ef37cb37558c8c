import { Effect, Exit, Predicate, Schedule, Scope } from "effect"
import type { DataFolderTaken } from "./folder-lock.ts"

/** Milliseconds a process waits for the data folder: the stop of a service takes twelve seconds at most. */
export const FOLDER_WAIT_MS = 15_000
/** Milliseconds between two looks meanwhile. */
const POLL_MS = 100

/**
 * Tries again while the data folder is taken by somebody worth waiting for; one try in vain leaves nothing open. What it
 * makes lives as long as the scope it is called in.
 */
export const retryUntilFolderFree = <A, E, R>(
  attempt: (scope: Scope.Scope) => Effect.Effect<A, E, R>,
  shouldWait: (error: DataFolderTaken) => boolean
): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.flatMap(Effect.scope, (parentScope) =>
    Effect.retry(
      Effect.flatMap(Scope.fork(parentScope), (scope) =>
        Effect.onError(attempt(scope), () => Scope.close(scope, Exit.void))
      ),
      {
        while: (error) => isFolderTaken(error) && shouldWait(error),
        schedule: Schedule.spaced(POLL_MS),
        times: FOLDER_WAIT_MS / POLL_MS
      }
    )
  )

// By its tag: the class comes with SQLite, which nobody loads beside a service.
const isFolderTaken = (error: unknown): error is DataFolderTaken => Predicate.isTagged(error, "DataFolderTaken")
