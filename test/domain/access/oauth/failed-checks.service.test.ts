import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../src/admission/windows/RateWindows.ts"
import { ClientAuthentication } from "../../../../src/domain/access/oauth/ClientAuthentication.ts"
import { FailedSecretChecks } from "../../../../src/domain/access/oauth/FailedSecretChecks.ts"
import { Partners } from "../../../../src/domain/access/oauth/Partners.ts"
import { FAILED_SECRET_CHECKS_MAX } from "../../../../src/platform/limits.ts"
import { createPartner } from "../../../support/domain/access/oauth/scripted-token-issuer.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

// The lock of the specification (Limits): more than ten failed checks of one client within ten minutes are 429.

const NOON = Date.parse("2027-05-01T12:00:00Z")
const redisUrl = process.env.REDIS_URL ?? ""

/** What a check is told: true, false, or why not. */
const told = (checks: FailedSecretChecks["Service"], who: string, isRight: boolean) =>
  checks
    .recordResult(who, isRight)
    .pipe(Effect.catch(({ message, headers }) => Effect.succeed(`${message} ${headers["Retry-After"]}`)))

type Checks = FailedSecretChecks["Service"]

/** Of two processes that count together, or the same one twice. */
const suite = (name: string, processes: Effect.Effect<readonly [Checks, Checks], never, Scope.Scope>) =>
  describe(name, () => {
    it.effect(
      `tells ${FAILED_SECRET_CHECKS_MAX} wrong ones so, and refuses the next and a right one, until the window is over`,
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(NOON + 60_000)
          const [one, other] = yield* processes
          const who = crypto.randomUUID()
          for (let nth = 0; nth < FAILED_SECRET_CHECKS_MAX; nth++) {
            assert.isFalse(yield* told(nth % 2 === 0 ? one : other, who, false))
            if (nth < FAILED_SECRET_CHECKS_MAX - 1) assert.isTrue(yield* told(other, who, true))
          }
          for (const checks of [one, other]) {
            assert.strictEqual(yield* told(checks, who, false), "Too many attempts. 540")
            assert.strictEqual(yield* told(checks, who, true), "Too many attempts. 540")
          }
          assert.isFalse(yield* told(one, `${who}2`, false), "another one's lock")
          yield* TestClock.setTime(NOON + 600_000)
          assert.isTrue(yield* told(other, who, true))
          assert.isFalse(yield* told(one, who, false))
        })
    )

    it.effect("counts exactly: of twenty wrong ones at once ten are told so", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOON)
        const [one, other] = yield* processes
        const who = crypto.randomUUID()
        const each = Array.from({ length: 20 }, (_, nth) => told(nth % 2 === 0 ? one : other, who, false))
        const answers = yield* Effect.all(each, { concurrency: "unbounded" })
        assert.lengthOf(
          answers.filter((answer) => answer === false),
          FAILED_SECRET_CHECKS_MAX
        )
        assert.lengthOf(
          answers.filter((answer) => answer === "Too many attempts. 600"),
          FAILED_SECRET_CHECKS_MAX
        )
      })
    )

    it.effect("counts nothing that is right", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOON)
        const [one] = yield* processes
        const who = crypto.randomUUID()
        for (let nth = 0; nth < 3 * FAILED_SECRET_CHECKS_MAX; nth++) assert.isTrue(yield* told(one, who, true))
        assert.isFalse(yield* told(one, who, false))
      })
    )
  })

const checksOver = (windows: Layer.Layer<RateWindows>) =>
  Effect.map(
    Layer.build(Layer.provide(FailedSecretChecks.layer, Layer.fresh(windows))),
    Context.get(FailedSecretChecks)
  )

suite(
  "failed checks in one process",
  Effect.map(checksOver(RateWindows.layerMemory), (checks) => [checks, checks] as const)
)

describe.skipIf(redisUrl === "")("where there is Redis", () => {
  const prefix = `test:${crypto.randomUUID()}:`
  const over = checksOver(RateWindows.layerRedis(redisUrl, { prefix }))
  suite("failed checks in two processes", Effect.all([over, over]))
})

const layerAuthentication = Layer.merge(
  Layer.provide(ClientAuthentication.layer, FailedSecretChecks.layer),
  Partners.layer
).pipe(Layer.provideMerge(RateWindows.layerMemory), Layer.provideMerge(layerTestDatabase))

layer(layerAuthentication)("the secret of a client", (it) => {
  const authenticated = (id: string, secret: string) =>
    Effect.flatMap(ClientAuthentication, ({ authenticate }) => authenticate({ id, secret })).pipe(
      Effect.match({ onSuccess: () => "known", onFailure: ({ _tag }) => _tag })
    )

  it.effect(
    "is not looked at after ten wrong ones, and is good again in the next window; other clients never notice",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOON)
        const [locked, other] = [yield* createPartner, yield* createPartner]
        for (let nth = 0; nth < FAILED_SECRET_CHECKS_MAX; nth++)
          assert.strictEqual(yield* authenticated(locked.client_id, `wrong ${nth}`), "Unauthenticated")
        assert.strictEqual(yield* authenticated(locked.client_id, "wrong"), "RateLimited")
        assert.strictEqual(yield* authenticated(locked.client_id, locked.client_secret), "RateLimited")
        assert.strictEqual(yield* authenticated(other.client_id, other.client_secret), "known")
        assert.strictEqual(yield* authenticated("service_mcp", "x"), "Unauthenticated")
        yield* TestClock.setTime(NOON + 600_000)
        assert.strictEqual(yield* authenticated(locked.client_id, locked.client_secret), "known")
      })
  )

  it.effect("of a client there is not is counted under no name, and asks the windows as a wrong one does", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [counted: number, looked: number, key: string]> = []
      const watched = Layer.succeed(RateWindows, {
        admit: (buckets, peek) =>
          Effect.sync(() => {
            asked.push([buckets.length, peek.length, [...buckets, ...peek][0]?.key ?? ""])
            return { _tag: "Admitted", at: 0, remaining: [] }
          }),
        count: () => Effect.void,
        giveBack: () => Effect.void
      })
      const { client_id } = yield* createPartner
      const layerWatched = Layer.fresh(ClientAuthentication.layer).pipe(
        Layer.provide(Layer.provide(Layer.fresh(FailedSecretChecks.layer), watched))
      )
      yield* Effect.gen(function* () {
        for (const id of [client_id, "app_nobody", "app_nobody_else", "x".repeat(500)])
          assert.strictEqual(yield* authenticated(id, "wrong"), "Unauthenticated")
      }).pipe(Effect.provide(layerWatched))
      assert.deepStrictEqual(
        asked.map(([counted, looked]) => [counted, looked]),
        [
          [1, 0],
          [0, 1],
          [0, 1],
          [0, 1]
        ]
      )
      assert.strictEqual(new Set(asked.slice(1).map(([, , key]) => key)).size, 1)
      assert.strictEqual(new Set(asked.map(([, , key]) => key.length)).size, 1)
      assert.notStrictEqual(asked[0]?.[2], asked[1]?.[2])
    })
  )
})
