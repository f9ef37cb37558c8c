import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { DeliveryShares } from "../../src/deliveries/DeliveryShares.ts"
import { WEBHOOK_SHARE } from "../../src/limits.ts"

const taken = Effect.forEach(Array.from({ length: WEBHOOK_SHARE }), () =>
  Effect.gen(function* () {
    const shares = yield* DeliveryShares
    const started = yield* Deferred.make<void>()
    const answer = yield* Deferred.make<string>()
    const delivery = Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(answer))
    const fiber = yield* Effect.forkChild(shares.within("slow", delivery))
    yield* Deferred.await(started)
    return { answer, fiber }
  })
)

describe("the share of a subscription", () => {
  it.effect(`is ${WEBHOOK_SHARE} deliveries at once: one more is handed back unrun, another subscription's runs`, () =>
    Effect.gen(function* () {
      const shares = yield* DeliveryShares
      yield* taken
      let ran = false
      const more = Effect.sync(() => {
        ran = true
      })
      expect(yield* shares.within("slow", more)).toEqual(Option.none())
      expect(ran).toBe(false)
      expect(yield* shares.within("quick", Effect.succeed("answered"))).toEqual(Option.some("answered"))
    }).pipe(Effect.provide(DeliveryShares.layer()))
  )

  it.effect("is given back by an answer, a failure, a defect and an interruption", () =>
    Effect.gen(function* () {
      const shares = yield* DeliveryShares
      const ends: ReadonlyArray<(delivery: Effect.Success<typeof taken>[number]) => Effect.Effect<unknown>> = [
        ({ answer, fiber }) => Effect.andThen(Deferred.succeed(answer, "done"), Fiber.await(fiber)),
        ({ answer, fiber }) => Effect.andThen(Deferred.die(answer, "broken"), Fiber.await(fiber)),
        ({ fiber }) => Fiber.interrupt(fiber)
      ]
      for (const end of ends) {
        const deliveries = yield* taken
        expect(yield* shares.within("slow", Effect.void)).toEqual(Option.none())
        for (const delivery of deliveries) yield* end(delivery)
      }
      for (let n = 0; n <= WEBHOOK_SHARE; n++) {
        expect(yield* Effect.exit(shares.within("slow", Effect.fail("refused")))).toEqual(Exit.fail("refused"))
      }
      yield* taken
      expect(yield* shares.within("slow", Effect.void)).toEqual(Option.none())
    }).pipe(Effect.provide(DeliveryShares.layer()))
  )
})
