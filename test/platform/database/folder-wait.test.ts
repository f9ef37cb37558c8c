import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { DataFolderTaken } from "../../../src/platform/database/folder-lock.ts"
import { FOLDER_WAIT_MS, retryUntilFolderFree } from "../../../src/platform/database/folder-wait.ts"

const taken = new DataFolderTaken({ dataDir: "/data", pid: 7, ownerKind: "command" })

/** Waits for a folder that is free after so many milliseconds; how often it looked, and how that ended. */
const waited = Effect.fnUntraced(function* (freeAfter: number, worthwhile = true) {
  let looks = 0
  let open = 0
  const attempt = () =>
    Effect.gen(function* () {
      looks++
      open++
      yield* Effect.addFinalizer(() => Effect.sync(() => open--))
      return (yield* Clock.currentTimeMillis) < freeAfter ? yield* taken : "held"
    })
  const fiber = yield* Effect.forkChild(
    Effect.scoped(
      retryUntilFolderFree(
        (scope) => Effect.provideService(attempt(), Scope.Scope, scope),
        () => worthwhile
      ).pipe(
        Effect.exit,
        Effect.map((exit) => ({ exit, looks, open }))
      )
    )
  )
  yield* TestClock.adjust(2 * FOLDER_WAIT_MS)
  return yield* Fiber.join(fiber)
})

it.effect("the data folder is waited for so long and no look longer, and nothing in vain stays open", () =>
  Effect.gen(function* () {
    const { exit, open } = yield* waited(FOLDER_WAIT_MS)
    assert.deepStrictEqual([exit, open], [Exit.succeed("held"), 1])
  })
)

it.effect("the data folder is given up after that", () =>
  Effect.gen(function* () {
    const { exit, open, looks } = yield* waited(FOLDER_WAIT_MS + 1)
    assert.deepStrictEqual([exit, open, looks], [Exit.fail(taken), 0, 151])
  })
)

it.effect("the data folder is not waited for where that is not worth while", () =>
  Effect.gen(function* () {
    const { exit, looks } = yield* waited(FOLDER_WAIT_MS, false)
    assert.deepStrictEqual([exit, looks], [Exit.fail(taken), 1])
  })
)
