import { Effect, Exit, Predicate, Schedule, Scope } from "effect"
import type { DataFolderTaken } from "./folder-lock.ts"

/** Longer than the stop of a service, which takes at most twelve seconds. */
export const FOLDER_WAIT_MS = 15_000
const POLL_MS = 100

/** Retries while another process holds the data folder and `shouldWait` returns true. */
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

// Compares the tag, because an import of the class would load SQLite.
const isFolderTaken = (error: unknown): error is DataFolderTaken => Predicate.isTagged(error, "DataFolderTaken")
