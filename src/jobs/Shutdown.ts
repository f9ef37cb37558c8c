import { Context, Effect, Latch, Layer } from "effect"

/** Announces that this process stops after its drain, so that waiting requests end. */
export class Shutdown extends Context.Service<
  Shutdown,
  {
    readonly begin: Effect.Effect<void>
    readonly awaitBegin: Effect.Effect<void>
  }
>()("latchkey/jobs/Shutdown") {
  static readonly layer = Layer.sync(Shutdown, () => {
    const latch = Latch.makeUnsafe()
    return { begin: Effect.asVoid(latch.open), awaitBegin: latch.await }
  })
}
