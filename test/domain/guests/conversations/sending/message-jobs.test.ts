import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Metric } from "effect"
import { messageJobs } from "../../../../../src/domain/guests/conversations/sending/message-jobs.ts"
import { type ClaimedMessage, SendQueue } from "../../../../../src/domain/guests/conversations/sending/SendQueue.ts"
import { messageTries } from "../../../../../src/platform/telemetry/metrics/metric-definitions.ts"

const MESSAGE: ClaimedMessage = {
  operator_id: 1,
  conversation_id: 2,
  account_id: 3,
  channel_type: "sandbox",
  thread_id: "T1",
  message_id: 4,
  code: "M4",
  content: "Hello",
  attachment_url: null,
  again: false,
  traceparent: null,
  attempts: 1,
  failures: 0
}

it.effect("an attempt is counted once, although its outcome could not be stored at first", () => {
  let stores = 0
  const queue = Layer.mock(SendQueue, {
    recordSent: () =>
      Effect.suspend(() => (++stores === 1 ? Effect.die(new Error("no connection")) : Effect.succeed([])))
  })
  const now = new Date("2027-05-01T12:00:00Z")
  const complete = messageJobs.complete(
    MESSAGE,
    { kind: "sent", channelMessageId: null },
    { now, random: 0.5, nextAttempt: () => now, nextAttemptOrDeadLetter: () => now }
  )
  const countSent = Effect.map(Metric.value(messageTries.withLabels({ outcome: "sent" })), ({ count }) => Number(count))
  return Effect.gen(function* () {
    const before = yield* countSent
    assert.isTrue(Exit.isFailure(yield* Effect.exit(complete)))
    assert.strictEqual(yield* countSent, before)
    yield* complete
    assert.strictEqual(yield* countSent, before + 1)
  }).pipe(Effect.provide(queue))
})
