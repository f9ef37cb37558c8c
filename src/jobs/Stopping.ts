import { Context, Effect, Latch, Layer } from "effect"

/** Says once that this process stops: it was asked to, and its drain is over. What a caller only waits for ends then, so that
 * it delays no stop. */
export class Stopping extends Context.Service<
  Stopping,
  {
    readonly begin: Effect.Effect<void>
    /** Waits until it has begun. */
    readonly begun: Effect.Effect<void>
  }
>()("latchkey/background/Stopping") {
  static readonly layer = Layer.sync(Stopping, () => {
    const begun = Latch.makeUnsafe()
    return { begin: Effect.asVoid(begun.open), begun: begun.await }
  })
}
