import { Effect, type Scope, Semaphore } from "effect"
import { ServerError } from "../../../contract/errors.ts"
import {
  BUSY_RETRY_SECONDS,
  CALENDAR_READ_WAIT_MS,
  CALENDAR_READS,
  CALENDAR_READS_WAITING
} from "../../../platform/limits.ts"

/** The reads of one operator in this process. */
interface OperatorReads {
  readonly permits: Semaphore.Semaphore
  /** Running and queued reads. */
  count: number
}

/**
 * Limits the calendar reads of each operator in this process, because a read may take long and use much memory. Further reads of
 * the operator are queued in order. Operators do not delay each other.
 */
export class ReadPermits {
  readonly #operators = new Map<number, OperatorReads>()

  /**
   * Runs a read while it holds a permit of its operator. Fails with 500 and `Retry-After`, before the read begins, if too many
   * reads are queued or no permit becomes free within {@link CALENDAR_READ_WAIT_MS}.
   */
  readonly within = <A, E, R>(
    operatorId: number,
    reading: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ServerError, Exclude<R, Scope.Scope>> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const reads = this.#operators.get(operatorId) ?? { permits: Semaphore.makeUnsafe(CALENDAR_READS), count: 0 }
        if (reads.count >= CALENDAR_READS + CALENDAR_READS_WAITING) return Effect.fail(queueFull)
        reads.count += 1
        this.#operators.set(operatorId, reads)
        return Effect.succeed(reads)
      }),
      ({ permits }) => runWithPermit(permits, reading),
      (reads) =>
        Effect.sync(() => {
          reads.count -= 1
          if (reads.count === 0) this.#operators.delete(operatorId)
        })
    )
}

/** Runs a read with a permit, for which it waits at most {@link CALENDAR_READ_WAIT_MS}. The read itself has no limit. */
const runWithPermit = <A, E, R>(
  permits: Semaphore.Semaphore,
  reading: Effect.Effect<A, E, R>
): Effect.Effect<A, E | ServerError, Exclude<R, Scope.Scope>> =>
  Effect.scoped(Effect.andThen(takePermit(permits), reading))

const takePermit = (permits: Semaphore.Semaphore) =>
  Effect.timeoutOrElse(permits.takeScoped(1), {
    duration: CALENDAR_READ_WAIT_MS,
    orElse: () => Effect.fail(queuedTooLong)
  })

const busy = (message: string) => new ServerError({ message, retryAfter: BUSY_RETRY_SECONDS, notBegun: true })

const queueFull = busy(
  `listings: this operator already has ${CALENDAR_READS} calendar reads running and ${CALENDAR_READS_WAITING} queued. Retry later with fewer at once.`
)
const queuedTooLong = busy(
  `listings: no calendar read could start within ${CALENDAR_READ_WAIT_MS / 1000} seconds. Retry with fewer at once.`
)
