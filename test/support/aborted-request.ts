import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** Asks, and hangs up at `when`. */
export const abortRequestWhen = Effect.fnUntraced(function* (
  url: string | URL,
  abortSignal: Effect.Effect<void>,
  init: RequestInit = {}
) {
  const client = new AbortController()
  const outcome = fetch(url, { ...init, signal: client.signal }).then(
    () => "answered",
    () => "gone"
  )
  yield* abortSignal
  client.abort()
  assert.strictEqual(yield* Effect.promise(() => outcome), "gone")
})
