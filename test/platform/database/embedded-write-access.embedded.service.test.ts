import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { clearMove, writeMove } from "../../../src/platform/database/database-move.ts"
import { EmbeddedDatabase } from "../../../src/platform/database/embedded.ts"
import { LAST_WRITES_MS, layerEmbeddedWriteAccess } from "../../../src/platform/database/embedded-write-access.ts"
import { WriteAccess } from "../../../src/platform/database/WriteAccess.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"

const unused = () => {
  throw new Error("nobody asks for this")
}

/** A database that dies of being switched, the first time each way. */
const failing = () => {
  const asked: Array<boolean> = []
  const setReadOnly = (on: boolean) =>
    Effect.suspend(() => {
      asked.push(on)
      return asked.filter((each) => each === on).length === 1 ? Effect.die(new Error(`no ${on}`)) : Effect.void
    })
  const database = {
    connect: unused,
    connectSecondary: unused,
    snapshot: Effect.die("nobody asks for this"),
    setReadOnly
  }
  return { asked, layer: Layer.succeed(EmbeddedDatabase, database) }
}

/** Two looks and what the last writes get, twice: the first try is in vain. */
const PATIENCE_MS = 2 * LAST_WRITES_MS + 4_000

const until = (is: () => boolean) =>
  Effect.sleep(50).pipe(
    Effect.repeat({ until: is }),
    Effect.timeoutOrElse({
      duration: PATIENCE_MS,
      orElse: () => Effect.die(new Error("the watcher does nothing more"))
    })
  )

it.live("a switch that failed is made with the next look, when a move begins and when it is over", () =>
  Effect.gen(function* () {
    const dataDir = yield* makeEmptyFolder
    const { asked, layer } = failing()
    const lines: Array<unknown> = []
    const logged = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
    const watching = Layer.provide(layerEmbeddedWriteAccess(dataDir), layer)
    yield* Effect.gen(function* () {
      const { rejectionMessage: refusal, awaitAllowed: allowed } = yield* WriteAccess
      assert.isUndefined(refusal())
      yield* writeMove(dataDir, { state: "committing", to: "there", since: "now" })
      yield* until(() => asked.length === 1)
      // Callers are refused before the database does, and go on being refused.
      assert.isDefined(refusal())
      yield* until(() => asked.length === 2)
      assert.deepStrictEqual(asked, [true, true])
      yield* clearMove(dataDir)
      yield* until(() => asked.length === 3)
      assert.isDefined(refusal())
      yield* until(() => refusal() === undefined)
      yield* allowed
      assert.deepStrictEqual(asked, [true, true, false, false])
    }).pipe(Effect.provide(watching), Effect.provide(logged))
    assert.strictEqual(lines.flat().filter((each) => /\bcannot check\b/.test(String(each))).length, 2)
  })
)
