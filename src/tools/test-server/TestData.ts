import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { OrderedWork } from "../../jobs/OrderedWork.ts"
import { ResetListeners } from "../../platform/database/ResetListeners.ts"
import { TestTemplate, type TestTemplateRejected } from "../../platform/database/TestTemplate.ts"
import { MovableClock } from "../../platform/MovableClock.ts"
import { seedDemo } from "../demo/seed.ts"
import type { TestAccess } from "./database-copies.ts"
import type { Seed, TestServerOptions } from "./options.ts"
import { createTestOperator, createTestTokens } from "./test-operators.ts"

/** How a test server starts. */
export class TestStart extends Context.Service<
  TestStart,
  TestServerOptions & {
    /** Defined if the database starts from a copy that is already seeded. */
    readonly access: TestAccess | undefined
    /** Keeps a copy of the seeded database for the next start. */
    readonly saveCopy: (access: TestAccess) => Effect.Effect<void>
  }
>()("latchkey/tools/test-server/TestStart") {}

const seedOperator = Effect.fnUntraced(function* (seed: Seed) {
  if (seed === "empty") {
    const { properties: _, ...access } = yield* createTestOperator({})
    return { ...access, sign_in: null }
  }
  const { operatorId, accountId, email, password, timeZone } = yield* seedDemo
  const access = yield* createTestTokens(operatorId, accountId)
  return { ...access, sign_in: { account_id: accountId, email, password, time_zone: timeZone } }
})

/** The data of a test server, which it can go back to. */
export class TestData extends Context.Service<
  TestData,
  {
    readonly access: TestAccess
    /** Later resets go back to the present state and time. Returns the time in milliseconds. */
    readonly saveTemplate: Effect.Effect<number, TestTemplateRejected | SqlError>
    /** Returns the time that the clock was set back to, in milliseconds. */
    readonly reset: Effect.Effect<number, SqlError>
  }
>()("latchkey/tools/test-server/TestData") {
  /** Seeds the database, unless it comes from a copy. */
  static readonly layer = Layer.effect(
    TestData,
    Effect.gen(function* () {
      const start = yield* TestStart
      const [clock, { pauseFor }, template] = [yield* MovableClock, yield* OrderedWork, yield* TestTemplate]
      const { notify } = yield* ResetListeners
      let templateTime = start.now ?? (yield* clock.now)
      yield* clock.setTo(templateTime)
      const access = start.access ?? (yield* seedOperator(start.seed))
      if (start.access === undefined) {
        yield* template.take
        yield* start.saveCopy(access)
      }
      yield* clock.run
      return {
        access,
        saveTemplate: pauseFor(
          Effect.gen(function* () {
            yield* template.take
            templateTime = yield* clock.now
            return templateTime
          })
        ),
        reset: pauseFor(
          Effect.gen(function* () {
            yield* template.reset
            yield* clock.setTo(templateTime)
            yield* notify
            yield* clock.run
            return templateTime
          })
        )
      }
    }).pipe(
      // Seeding an empty database breaks no rule.
      Effect.catchIf((error) => !("_tag" in error && error._tag === "TestTemplateRejected"), Effect.die),
      Effect.provideService(CurrentActor, systemActor("Latchkey", "test server"))
    )
  )
}
