import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import { layerPostgres } from "../../src/platform/database/postgres.ts"
import { StorageFailureLogTimes } from "../../src/platform/database/storage-failure.ts"

it.live(
  "where only the address for waking others is away, it is that which is told, and that calls are answered is not doubted",
  () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const hearing = Layer.merge(
        Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]),
        Layer.succeed(StorageFailureLogTimes, new Map())
      )
      // Nothing listens at port 9.
      const nowhere = layerPostgres({ url: Redacted.make("postgres://u@127.0.0.1:9/none"), maxConnections: 2 })
      yield* Effect.gen(function* () {
        const { wake } = yield* WakeUp
        yield* wake
        for (let looks = 0; lines.length === 0 && looks < 100; looks++) yield* Effect.sleep(50)
      }).pipe(Effect.provide(Layer.provide(WakeUp.layerServer, nowhere), { local: true }), Effect.provide(hearing))
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "DATABASE_DIRECT_URL")
      assert.notInclude(lines[0], "500")
    })
)
