import { assert, layer } from "@effect/vitest"
import { Effect, Layer, References, Schema } from "effect"
import { FEED_WAIT_SECONDS, FEED_WAITING_READS_MAX } from "../../../../src/platform/limits.ts"
import { createFeedReader } from "../../../support/domain/webhooks/event-feed/feed-events.ts"
import { BaseUrl, layerHttpServer } from "../../../support/http-server.ts"

const codeIn = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ error_code: Schema.Int })))

// In real time: what waits for a clock of the test would wait for ever.
const layerQuiet = layerHttpServer().pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error")))

layer(layerQuiet, { excludeTestServices: true })("clients that hang up", (it) => {
  it.effect("while they wait for events leave their seats to others", () =>
    Effect.gen(function* () {
      const base = yield* BaseUrl
      const { token } = yield* createFeedReader
      const asked = (wait: number, signal?: AbortSignal) =>
        fetch(`${base}/v3/events?wait=${wait}`, {
          headers: { "Service-Access-Token": token },
          ...(signal === undefined ? {} : { signal })
        }).then((response) => response.text())
      const refused = Effect.map(
        Effect.promise(() => asked(1)),
        (text) => codeIn(text).error_code === 429
      )
      const clients = new AbortController()
      const gone = Array.from({ length: FEED_WAITING_READS_MAX + 1 }, () =>
        asked(FEED_WAIT_SECONDS, clients.signal).then(
          () => "answered",
          () => "gone"
        )
      )
      // The one that is refused: all the others wait by now.
      assert.strictEqual(yield* Effect.promise(() => Promise.race(gone)), "answered")
      clients.abort()
      const ends = yield* Effect.promise(() => Promise.all(gone))
      assert.lengthOf(
        ends.filter((end) => end === "gone"),
        FEED_WAITING_READS_MAX
      )
      // Long before any of them would have been answered.
      while (yield* refused) {}
    })
  )
})
