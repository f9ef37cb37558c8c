import { Effect, type Scope, Semaphore } from "effect"
import { ServerError } from "../../../contract/errors.ts"
import {
  BUSY_RETRY_SECONDS,
  CALENDAR_READ_WAIT_MS,
  CONCURRENT_CALENDAR_READS_MAX,
  QUEUED_CALENDAR_READS_MAX
} from "../../../platform/limits.ts"

interface OperatorReads {
  readonly permits: Semaphore.Semaphore
  readCount: number
}

/** Limits calendar reads per operator, because a read may take long and use much memory. */
export class CalendarReadPermits {
  readonly #operators = new Map<number, OperatorReads>()

  /**
   * Fails with 500 and `Retry-After` if too many reads are queued, or no permit becomes free within {@link
   * CALENDAR_READ_WAIT_MS}.
   */
  readonly within = <A, E, R>(
    operatorId: number,
    read: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ServerError, Exclude<R, Scope.Scope>> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const reads = this.#operators.get(operatorId) ?? {
          permits: Semaphore.makeUnsafe(CONCURRENT_CALENDAR_READS_MAX),
          readCount: 0
        }
        if (reads.readCount >= CONCURRENT_CALENDAR_READS_MAX + QUEUED_CALENDAR_READS_MAX)
          return Effect.fail(queueFullError)
        reads.readCount += 1
        this.#operators.set(operatorId, reads)
        return Effect.succeed(reads)
      }),
      ({ permits }) => runWithPermit(permits, read),
      (reads) =>
        Effect.sync(() => {
          reads.readCount -= 1
          if (reads.readCount === 0) this.#operators.delete(operatorId)
        })
    )
}

const runWithPermit = <A, E, R>(
  permits: Semaphore.Semaphore,
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E | ServerError, Exclude<R, Scope.Scope>> =>
  Effect.scoped(Effect.andThen(takePermit(permits), read))

const takePermit = (permits: Semaphore.Semaphore) =>
  Effect.timeoutOrElse(permits.takeScoped(1), {
    duration: CALENDAR_READ_WAIT_MS,
    orElse: () => Effect.fail(queuedTooLongError)
  })

const busyError = (message: string) => new ServerError({ message, retryAfter: BUSY_RETRY_SECONDS, notBegun: true })

const queueFullError = busyError(
  `listings: this operator already has ${CONCURRENT_CALENDAR_READS_MAX} calendar reads running and ${QUEUED_CALENDAR_READS_MAX} queued. Retry later with fewer at once.`
)
const queuedTooLongError = busyError(
  `listings: no calendar read could start within ${CALENDAR_READ_WAIT_MS / 1000} seconds. Retry with fewer at once.`
)
