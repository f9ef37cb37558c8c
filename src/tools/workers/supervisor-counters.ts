import { Effect, Latch } from "effect"
import type { SharedCounters } from "../../admission/windows/RateWindows.ts"
import type { Bucket } from "../../admission/windows/rate-window.ts"
import { type CountRequest, type CountResponse, encodeCounter } from "./worker-messages.ts"

/** The primary has little other work. If it takes longer than this, it has probably hung. */
export const SUPERVISOR_TIMEOUT_MS = 200
/** The timeout is counted in polls, so that a pause of this process delays only one poll. */
const POLLS_PER_TIMEOUT = 4

export interface SupervisorChannel {
  readonly send: (requests: ReadonlyArray<CountRequest>) => void
  readonly onResponses: (listener: (responses: ReadonlyArray<CountResponse>) => void) => void
}

interface PendingRequest {
  readonly pollCount: number
  readonly resolve: (counts: ReadonlyArray<number> | undefined) => void
}

/** After a timeout, nothing is sent until the primary responds, so calls do not wait again. */
export const makeSupervisorCounters = Effect.fnUntraced(function* ({ send, onResponses }: SupervisorChannel) {
  const pending = new Map<number, PendingRequest>()
  const hasPending = yield* Latch.make()
  let unsent: Array<CountRequest> = []
  let nextId = 0
  let isUnresponsive = false
  let pollCount = 0

  onResponses((responses) => {
    isUnresponsive = false
    for (const { id, counts } of responses) {
      pending.get(id)?.resolve(counts)
      pending.delete(id)
    }
  })

  const flush = () => {
    const requests = unsent
    unsent = []
    send(requests)
  }

  const request = (
    act: CountRequest["act"],
    buckets: ReadonlyArray<Bucket>,
    peek: ReadonlyArray<Bucket>,
    now: number
  ) =>
    Effect.callback<ReadonlyArray<number> | undefined>((resume) => {
      if (isUnresponsive) return resume(Effect.succeed(undefined))
      const id = nextId++
      pending.set(id, { pollCount, resolve: (counts) => resume(Effect.succeed(counts)) })
      hasPending.openUnsafe()
      if (unsent.length === 0) setImmediate(flush)
      unsent.push({ id, act, buckets: buckets.map(encodeCounter), peek: peek.map(encodeCounter), now })
      return Effect.sync(() => pending.delete(id))
    })

  const poll = Effect.gen(function* () {
    yield* hasPending.await
    yield* Effect.sleep(SUPERVISOR_TIMEOUT_MS / POLLS_PER_TIMEOUT)
    pollCount++
    const [oldest] = pending.values()
    if (oldest === undefined) return yield* hasPending.close
    if (pollCount - oldest.pollCount <= POLLS_PER_TIMEOUT) return
    isUnresponsive = true
    for (const { resolve } of pending.values()) resolve(undefined)
    pending.clear()
    yield* Effect.logWarning(
      "the primary process does not respond: this worker counts its own rate-limit windows until it does"
    )
  })
  yield* Effect.forkScoped(Effect.forever(poll))

  return {
    admit: (buckets, peek, now) => request("admit", buckets, peek, now),
    count: (buckets, now) => request("count", buckets, [], now),
    giveBack: (buckets, now) => request("give back", buckets, [], now)
  } satisfies SharedCounters
})
