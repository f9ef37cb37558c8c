import { Context, Effect, Latch, Layer } from "effect"

/** Announces that this process stops, after its drain. Requests that only wait end then, so that they do not delay the stop. */
export class Shutdown extends Context.Service<
  Shutdown,
  {
    readonly begin: Effect.Effect<void>
    /** Waits until the stop has begun. */
    readonly awaitBegin: Effect.Effect<void>
  }
>()("latchkey/jobs/Shutdown") {
  static readonly layer = Layer.sync(Shutdown, () => {
    const latch = Latch.makeUnsafe()
    return { begin: Effect.asVoid(latch.open), awaitBegin: latch.await }
  })
}
