import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** Asks, and hangs up at `when`. */
export const abortRequestWhen = Effect.fnUntraced(function* (
  url: string | URL,
  when: Effect.Effect<void>,
  init: RequestInit = {}
) {
  const client = new AbortController()
  const gone = fetch(url, { ...init, signal: client.signal }).then(
    () => "answered",
    () => "gone"
  )
  yield* when
  client.abort()
  assert.strictEqual(yield* Effect.promise(() => gone), "gone")
})
