import { Context, Effect, type Scope } from "effect"

type Clear = Effect.Effect<void>

/** Only a test server restores its database while it runs. Elsewhere, adding a listener does nothing. */
export const ResetListeners = Context.Reference<{
  readonly add: (clear: Clear) => Effect.Effect<void, never, Scope.Scope>
  /** Runs all listeners. */
  readonly notify: Effect.Effect<void>
}>("latchkey/platform/database/ResetListeners", {
  defaultValue: () => ({ add: () => Effect.void, notify: Effect.void })
})

/**
 * Runs `clear` whenever a test server has restored its database, until the scope ends. Needed for everything that a
 * process remembers about rows, because a restored database uses the same ids for other rows, and its clock goes back.
 */
export const clearAfterReset = (clear: Clear): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(ResetListeners, ({ add }) => add(clear))

export const makeResetListeners = Effect.sync(() => {
  const listeners = new Set<Clear>()
  return ResetListeners.of({
    add: (clear) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(clear)),
          () => Effect.sync(() => listeners.delete(clear))
        )
      ),
    notify: Effect.suspend(() => Effect.forEach(Array.from(listeners), (clear) => clear, { discard: true }))
  })
})
