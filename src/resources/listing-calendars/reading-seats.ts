import { Effect, Semaphore } from "effect"
import { ServerError } from "../../contract/errors.ts"
import { BUSY_RETRY_SECONDS, CALENDAR_READ_WAIT_MS, CALENDAR_READS, CALENDAR_READS_WAITING } from "../../limits.ts"

/** The reads of one operator in this process. */
interface OperatorReads {
  readonly seats: Semaphore.Semaphore
  /** Reads at work and reads that wait for a seat. */
  count: number
}

/**
 * Bounds the calendar reads of each operator in this process, as each may take long and keep much. Further reads of the operator
 * wait in the order they came, so no operator waits for another.
 */
export class ReadingSeats {
  readonly #operators = new Map<number, OperatorReads>()

  /**
   * Runs a read in a seat of its operator. Fails with 500 and `Retry-After`, with nothing read, when too many reads wait or no
   * seat is free in time.
   */
  readonly within = <A, E, R>(
    operatorId: number,
    reading: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ServerError, R> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const reads = this.#operators.get(operatorId) ?? { seats: Semaphore.makeUnsafe(CALENDAR_READS), count: 0 }
        if (reads.count >= CALENDAR_READS + CALENDAR_READS_WAITING) return Effect.fail(tooManyWait)
        reads.count += 1
        this.#operators.set(operatorId, reads)
        return Effect.succeed(reads)
      }),
      ({ seats }) => seatedInTime(seats, reading),
      (reads) =>
        Effect.sync(() => {
          reads.count -= 1
          if (reads.count === 0) this.#operators.delete(operatorId)
        })
    )
}

/** Waits for a seat no longer than {@link CALENDAR_READ_WAIT_MS}; once begun, the read has all the time it needs. */
const seatedInTime = <A, E, R>(
  seats: Semaphore.Semaphore,
  reading: Effect.Effect<A, E, R>
): Effect.Effect<A, E | ServerError, R> =>
  Effect.suspend(() => {
    let hasBegun = false
    const begin = Effect.suspend(() => {
      hasBegun = true
      return reading
    })
    const giveUp = Effect.andThen(
      Effect.sleep(CALENDAR_READ_WAIT_MS),
      Effect.suspend(() => (hasBegun ? Effect.never : Effect.fail(waitedTooLong)))
    )
    return Effect.raceFirst(seats.withPermit(begin), giveUp)
  })

const noRoom = (message: string) => new ServerError({ message, retryAfter: BUSY_RETRY_SECONDS, notBegun: true })

const tooManyWait = noRoom(
  `listings: ${CALENDAR_READS} calls of this account's operator read calendars and ${CALENDAR_READS_WAITING} wait. Nothing was read; retry later, with fewer at once.`
)
const waitedTooLong = noRoom(
  `listings: this call waited ${CALENDAR_READ_WAIT_MS / 1000} seconds behind other reads of calendars. Nothing was read; retry it, with fewer at once.`
)
