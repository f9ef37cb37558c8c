import { Effect } from "effect"
import { addDays } from "../../src/contract/time.ts"
import type { ReceiverHandler } from "../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { arrivals, outOfOrder } from "./arrivals.ts"
import { restEnvelope, restWrite } from "./doors.ts"
import { tally } from "./figures.ts"
import type { Ground } from "./grounds.ts"
import { lives } from "./service-process.ts"
import { subscribe } from "./subscribing.ts"
import { connections, send } from "./wire.ts"
import { estate } from "./writing.ts"

// A receiver fails once, or hangs once, in the middle of a burst of one record, and is well ever after: all of the burst
// arrives, in its order.

/** What the first request is given. */
export type Mishap = "answers 500" | "hangs"

/** Answers the first request badly, all others with 200. */
export const oneBadAnswer = (mishap: Mishap): ReceiverHandler => {
  let requests = 0
  return (response) => {
    requests++
    if (requests > 1) return void response.end()
    if (mishap === "answers 500") response.writeHead(500).end("for once")
  }
}

export interface BurstBudget {
  readonly mishap: Mishap
  /** Days of one property closed one by one, each an event, after the first that goes wrong. */
  readonly days: number
  /** Milliseconds until all must have arrived: the first retry comes after 30 s, give or take a quarter. */
  readonly arriveMs: number
}

/** Longest the first try of a delivery is waited for, in milliseconds. */
const FIRST_TRY_MS = 10_000

export const burst = Effect.fnUntraced(function* (ground: Ground, { mishap, days, arriveMs }: BurstBudget) {
  const count = tally(`a receiver ${mishap} once in a burst`, ground.on)
  const receiving = yield* arrivals(oneBadAnswer(mishap))
  const held = yield* Effect.provide(estate(1), ground.layer)
  const service = yield* lives(ground)
  const life = yield* service.begin
  const agent = connections(1)
  yield* subscribe(service.base, held.token, receiving.url)

  const today = new Date().toISOString().slice(0, 10)
  const closed = (day: number) =>
    Effect.promise(async () => {
      const fields = { property_ids: held.own, available: false, dates: [addDays(today, day)] }
      const sent = restWrite(held.token, "POST", "/v3/availabilities", fields)
      const code = restEnvelope(await send(service.base, agent, sent))?.error_code
      if (code !== 0) count.fell(`a day is not closed but answered ${code}`)
    })
  yield* closed(1)
  for (let waited = 0; receiving.requests() === 0 && waited < FIRST_TRY_MS; waited += 10) yield* Effect.sleep(10)
  // One after the other: what happens at once has no order to arrive in.
  for (let nth = 0; nth < days; nth++) yield* closed(nth + 2)
  const startedAt = performance.now()
  while (receiving.first().length < days + 1 && performance.now() - startedAt < arriveMs) yield* Effect.sleep(100)
  const arrived = receiving.first()
  count.tried("events of one record", days + 1)
  count.tried("requests the receiver had", receiving.requests())
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  if (arrived.length > days) count.seen(`all arrived ${seconds} s after the burst`)
  else {
    count.fell(
      `events of a healthy receiver do not arrive within ${arriveMs / 1_000} s`,
      `${arrived.length} of ${days + 1}`
    )
  }
  if (outOfOrder(arrived).length > 0) count.fell("the burst arrives out of order", outOfOrder(arrived).join(", "))
  life.signal("SIGTERM")
  yield* Effect.promise(() => life.ended)
  return count.figures()
}, Effect.scoped)
