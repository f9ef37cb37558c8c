import { Context, Effect, Latch, Layer } from "effect"

/** Says once that this process stops: it was asked to, and its drain is over. What a caller only waits for ends then, so that
 * it delays no stop. */
export class Shutdown extends Context.Service<
  Shutdown,
  {
    readonly begin: Effect.Effect<void>
    /** Waits until it has begun. */
    readonly awaitBegin: Effect.Effect<void>
  }
>()("latchkey/jobs/Shutdown") {
  static readonly layer = Layer.sync(Shutdown, () => {
    const latch = Latch.makeUnsafe()
    return { begin: Effect.asVoid(latch.open), awaitBegin: latch.await }
  })
}
