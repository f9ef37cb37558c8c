import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Tracer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { CLAIM_MS } from "../../src/changes/IdempotencyKeys.ts"
import {
  CHANNEL_ACTION_TIMEOUT_MS,
  CHANNEL_QUERY_TIMEOUT_MS
} from "../../src/domain/channels/port/channel-api-errors.ts"
import {
  type ChannelError,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../src/domain/channels/port/errors.ts"
import { IDEMPOTENCY_WAIT_MS } from "../../src/platform/limits.ts"
import { callWithKey, countIdempotencyKeys, loadAuditLines, summarizeResponse } from "../support/changes/keyed-calls.ts"
import {
  layerWithoutRateWindows,
  MANUAL_RESERVATION,
  NOW_ISO,
  prepareOperator
} from "../support/domain/bookings/reservations/reservation-operator.ts"
import { call, insertOrder } from "../support/harness.ts"
import { ScriptedChannel } from "../support/scripted-channel.ts"
import { countStatements } from "../support/statement-count.ts"

const DATES = { checkIn: "2027-05-04", checkOut: "2027-05-06" }
const KEY = "answer-it"

const DONE = { code: 0, data: "{}", replayed: false, retryAfter: undefined }
const AGAIN = { ...DONE, replayed: true }
const UNKNOWN = { code: 409, data: "{}", replayed: false, retryAfter: undefined }

/** Fails what would wait for ever on a clock that stands still. */
const bounded = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const timer = setTimeout(() => resume(Effect.die(new Error("nothing ends this wait"))), 20_000)
      return Effect.sync(() => clearTimeout(timer))
    })
  )

/** A pending request, and what a test does with it. */
const request = Effect.gen(function* () {
  const ground = yield* prepareOperator
  const code = yield* insertOrder(ground.operatorId, [{ propertyId: ground.propertyId, ...DATES }], {
    channelType: "airbnb",
    status: "wait_accept"
  })
  const channel = yield* ScriptedChannel
  const answer = (operation: "approve_reservation" | "decline_reservation") =>
    bounded(Effect.map(callWithKey(ground.token, operation, { reservation_code: code }, KEY), summarizeResponse))
  return {
    ...ground,
    code,
    channel,
    approve: answer("approve_reservation"),
    decline: answer("decline_reservation"),
    heard: Effect.map(channel.requests, (all) => all.filter((each) => each.endsWith(code)).length),
    status: Effect.map(
      ground.api.search_reservations({ reservation_code: code }).pipe(ground.as),
      ({ reservations }) => reservations[0]?.status
    )
  }
})
type Request = Effect.Success<typeof request>

/** A call whose channel has heard it and does not answer. */
const unanswered = Effect.fnUntraced(function* ({ approve, channel, code }: Request) {
  const [heard, answer] = [yield* Deferred.make<void>(), yield* Deferred.make<void, ChannelError>()]
  yield* channel.setResponse(code, Effect.andThen(Deferred.succeed(heard, undefined), Deferred.await(answer)))
  const first = yield* Effect.forkChild(approve)
  yield* bounded(Deferred.await(heard))
  return {
    first,
    agree: Deferred.succeed(answer, undefined),
    refuse: (error: ChannelError) => Deferred.fail(answer, error)
  }
})

/** Until when nobody may take over what is under way under a key of the operator, in milliseconds since the test began. */
const claimedFor = Effect.fnUntraced(function* ({ operatorId }: Request) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ until: Date }>`
    SELECT under_way_until AS until FROM idempotency_keys WHERE operator_id = ${operatorId} AND outcome IS NULL`
  return rows.map(({ until }) => until.getTime() - Date.parse(NOW_ISO))
})

/** Waits until an act that nobody waits for has settled its claim: at once to be taken over, or given up. */
const settled = (asked: Request): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  bounded(
    Effect.gen(function* () {
      while ((yield* claimedFor(asked)).some((until) => until === CLAIM_MS)) yield* aMoment
    })
  )

/** Leaves the key as a process does that is killed: nobody gives it up before its time. */
const asKilled = Effect.fnUntraced(function* ({ operatorId }: Request) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE idempotency_keys SET under_way_until = ${new Date(Date.parse(NOW_ISO) + CLAIM_MS)}
    WHERE operator_id = ${operatorId} AND outcome IS NULL`
})

const aMoment = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 20)))

/** Milliseconds of test time in a step, which takes 20 ms: ten times real time, or real time for calls that wait for the database. */
const FAST_STEP = 200
const REAL_STEP = 20

/** Advances the test clock in steps until a call is answered. */
const inItsTime = <A, E>(fiber: Fiber.Fiber<A, E>, stepMs = FAST_STEP): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    for (let step = 0; step < 500 && fiber.pollUnsafe() === undefined; step += 1) {
      yield* TestClock.adjust(stepMs)
      // The database is no part of the clock.
      yield* aMoment
    }
    assert.isDefined(fiber.pollUnsafe(), "is answered")
    return yield* Fiber.join(fiber)
  })

/** Tells when the effect begins its statement of that number. */
const atStatement = <A, E, R>(number: number, reached: Deferred.Deferred<void>, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let begun = 0
    const tracer = Tracer.make({
      span: (options) => {
        if (options.kind === "client") begun += 1
        if (begun === number) Deferred.doneUnsafe(reached, Effect.void)
        return new Tracer.NativeSpan(options)
      }
    })
    return Effect.provideService(effect, Tracer.Tracer, tracer)
  })

const fortyTimes = ({ approve }: Request) =>
  Effect.all(
    Array.from({ length: 40 }, () => approve),
    { concurrency: "unbounded" }
  )

layer(layerWithoutRateWindows)("an answer to a request, with a key", (it) => {
  it.effect("is given once, costs one statement more, and is answered the same again", () =>
    Effect.gen(function* () {
      const { approve, heard, operatorId, code, status } = yield* request
      const [first, statements] = yield* countStatements(approve)
      assert.deepStrictEqual(first, DONE)
      assert.isAtMost(statements, 4, "the token, that it is under way, and two")
      assert.deepStrictEqual(yield* approve, AGAIN)
      assert.strictEqual(yield* heard, 1)
      assert.strictEqual(yield* status, "accepted")
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 1, underWay: 0 })
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), [`approve_reservation reservation:${code} status`])
    })
  )

  it.effect("that the channel refuses keeps no key", () =>
    Effect.gen(function* () {
      const { approve, channel, code, operatorId, heard } = yield* request
      yield* channel.setResponse(code, Effect.fail(new ChannelRefused({ reason: "expired" })))
      assert.strictEqual((yield* approve).code, 409)
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 0, underWay: 0 })
      yield* channel.setResponse(code, Effect.void)
      assert.deepStrictEqual(yield* approve, DONE)
      assert.strictEqual(yield* heard, 2)
    })
  )

  it.effect("that our own rules refuse keeps no key, and no channel hears of it", () =>
    Effect.gen(function* () {
      const { approve, api, as, propertyId: property, operatorId, heard } = yield* request
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      assert.strictEqual((yield* approve).code, 409)
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 0, underWay: 0 })
      assert.strictEqual(yield* heard, 0)
    })
  )

  it.effect("whose channel was away asks it what happened, each time until that is known", () =>
    Effect.gen(function* () {
      const { approve, channel, code, operatorId, heard, status } = yield* request
      yield* channel.setResponse(code, Effect.fail(new ChannelUnavailable({ code: 503 })))
      assert.strictEqual((yield* approve).code, 503)
      yield* channel.setRequestStatus(code, Effect.fail(new ChannelUnavailable({ code: 503 })))
      assert.strictEqual((yield* approve).code, 503)
      yield* channel.setRequestStatus(code, Effect.succeed("unknown"))
      assert.deepStrictEqual([yield* approve, yield* approve], [UNKNOWN, UNKNOWN])
      yield* channel.setRequestStatus(code, Effect.fail(new ChannelRefused({ reason: "no questions" })))
      assert.deepStrictEqual(yield* approve, UNKNOWN)
      assert.strictEqual(yield* status, "wait_accept")
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 0, underWay: 1 })
      yield* channel.setRequestStatus(code, Effect.succeed("approved"))
      assert.deepStrictEqual(yield* approve, DONE)
      assert.deepStrictEqual(yield* approve, AGAIN)
      assert.strictEqual(yield* status, "accepted")
      assert.strictEqual(yield* heard, 1, "never told a second time")
    })
  )

  it.effect("is given again where the channel says that nothing happened", () =>
    Effect.gen(function* () {
      const { decline, channel, code, heard, status } = yield* request
      yield* channel.setResponse(code, Effect.fail(new ChannelUnavailable({ code: 502 })))
      assert.strictEqual((yield* decline).code, 502)
      yield* channel.setResponse(code, Effect.void)
      assert.deepStrictEqual(yield* decline, DONE)
      assert.strictEqual(yield* heard, 2)
      assert.strictEqual(yield* status, "denied")
    })
  )

  it.effect("may be refused once the channel has said that nothing happened, and then keeps no key", () =>
    Effect.gen(function* () {
      const { approve, api, as, channel, code, propertyId: property, operatorId, heard } = yield* request
      yield* channel.setResponse(code, Effect.fail(new ChannelUnavailable({ code: 502 })))
      assert.strictEqual((yield* approve).code, 502)
      yield* api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id: "A1" }).pipe(as)
      yield* channel.setRequestStatus(code, Effect.succeed("unknown"))
      assert.deepStrictEqual(yield* approve, UNKNOWN, "not refused by our own rules while it may have happened")
      yield* channel.setRequestStatus(code, Effect.succeed("pending"))
      assert.strictEqual((yield* approve).code, 409)
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 0, underWay: 0 })
      assert.strictEqual(yield* heard, 1)
    })
  )

  it.effect("whose caller hung up while the channel was told is not given twice", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, agree } = yield* unanswered(asked)
      yield* Fiber.interrupt(first)
      // The channel is at work, and until it is through "pending" is all it says.
      const early = yield* Effect.forkChild(asked.approve)
      assert.deepStrictEqual(yield* inItsTime(early), { ...UNKNOWN, retryAfter: "1" })
      yield* agree
      yield* settled(asked)
      assert.strictEqual(yield* asked.status, "wait_accept")
      assert.deepStrictEqual(yield* asked.approve, DONE)
      assert.deepStrictEqual(yield* asked.approve, AGAIN)
      assert.strictEqual(yield* asked.heard, 1)
      assert.strictEqual(yield* asked.status, "accepted")
    })
  )

  it.effect("whose caller hung up keeps no key where the channel then refuses", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, refuse } = yield* unanswered(asked)
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* claimedFor(asked), [CLAIM_MS])
      yield* refuse(new ChannelRefused({ reason: "expired" }))
      yield* settled(asked)
      assert.deepStrictEqual(yield* countIdempotencyKeys(asked.operatorId), { kept: 0, underWay: 0 })
      yield* asked.channel.setResponse(asked.code, Effect.void)
      assert.deepStrictEqual(yield* asked.approve, DONE)
      assert.strictEqual(yield* asked.heard, 2)
    })
  )

  it.effect("whose caller hung up is asked about at once where the channel then fails", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, refuse } = yield* unanswered(asked)
      yield* Fiber.interrupt(first)
      yield* refuse(new ChannelUnavailable({ code: 502 }))
      yield* settled(asked)
      yield* asked.channel.setRequestStatus(asked.code, Effect.succeed("unknown"))
      assert.deepStrictEqual(yield* asked.approve, UNKNOWN)
      assert.strictEqual(yield* asked.heard, 1)
    })
  )

  for (const [says, answer, left] of [
    ["approved", DONE, { kept: 1, underWay: 0 }],
    ["declined", UNKNOWN, { kept: 0, underWay: 0 }],
    ["pending", UNKNOWN, { kept: 0, underWay: 0 }],
    ["unknown", UNKNOWN, { kept: 0, underWay: 1 }]
  ] as const) {
    it.effect(`given again and refused is as the channel then says: ${says}`, () =>
      Effect.gen(function* () {
        const { approve, channel, code, operatorId, heard, status } = yield* request
        yield* channel.setResponse(code, Effect.fail(new ChannelUnavailable({ code: 502 })))
        assert.strictEqual((yield* approve).code, 502)
        const refused = Effect.fail(new ChannelRefused({ reason: "already answered" }))
        yield* channel.setResponse(code, Effect.andThen(channel.setRequestStatus(code, Effect.succeed(says)), refused))
        assert.deepStrictEqual(yield* approve, answer)
        assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), left)
        assert.strictEqual(yield* status, says === "approved" ? "accepted" : "wait_accept")
        assert.strictEqual(yield* heard, 2)
      })
    )
  }

  it.effect("given again and refused is asked about by a repeat where the channel is away then", () =>
    Effect.gen(function* () {
      const { approve, channel, code, operatorId, heard } = yield* request
      yield* channel.setResponse(code, Effect.fail(new ChannelUnavailable({ code: 502 })))
      assert.strictEqual((yield* approve).code, 502)
      const away = channel.setRequestStatus(code, Effect.fail(new ChannelUnavailable({ code: 503 })))
      yield* channel.setResponse(
        code,
        Effect.andThen(away, Effect.fail(new ChannelRefused({ reason: "already answered" })))
      )
      assert.strictEqual((yield* approve).code, 503)
      yield* channel.setRequestStatus(code, Effect.succeed("approved"))
      assert.deepStrictEqual(yield* approve, DONE)
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 1, underWay: 0 })
      assert.strictEqual(yield* heard, 2)
    })
  )

  it.effect("given again has its claim for as long as a first one, however long the channel was asked", () =>
    Effect.gen(function* () {
      const asked = yield* request
      yield* asked.channel.setResponse(asked.code, Effect.fail(new ChannelUnavailable({ code: 502 })))
      assert.strictEqual((yield* asked.approve).code, 502)
      yield* asked.channel.setRequestStatus(
        asked.code,
        Effect.as(TestClock.adjust(CHANNEL_QUERY_TIMEOUT_MS - 1), "pending")
      )
      const { first, agree } = yield* unanswered(asked)
      assert.deepStrictEqual(yield* claimedFor(asked), [CHANNEL_QUERY_TIMEOUT_MS - 1 + CLAIM_MS])
      yield* agree
      assert.deepStrictEqual(yield* Fiber.join(first), DONE)
      assert.deepStrictEqual(yield* countIdempotencyKeys(asked.operatorId), { kept: 1, underWay: 0 })
    })
  )

  it.effect("whose claim another call has taken over is written down and true, and the key is the other's", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, agree } = yield* unanswered(asked)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE idempotency_keys SET under_way_until = ${new Date(Date.parse(NOW_ISO) + 7 * CLAIM_MS)}
        WHERE operator_id = ${asked.operatorId}`
      yield* agree
      assert.deepStrictEqual(yield* Fiber.join(first), DONE)
      assert.strictEqual(yield* asked.status, "accepted")
      assert.deepStrictEqual(yield* claimedFor(asked), [7 * CLAIM_MS])
    })
  )

  for (const [late, answered, times] of [
    [CLAIM_MS - CHANNEL_ACTION_TIMEOUT_MS - CHANNEL_QUERY_TIMEOUT_MS, DONE, 1],
    [CLAIM_MS - CHANNEL_ACTION_TIMEOUT_MS - CHANNEL_QUERY_TIMEOUT_MS + 1, { ...UNKNOWN, retryAfter: "1" }, 0]
  ] as const) {
    it.effect(`that the database took ${late} ms to claim is ${times === 1 ? "given" : "not begun"}`, () =>
      Effect.gen(function* () {
        const { approve, heard, operatorId } = yield* request
        const answer = yield* approve.pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) =>
            statement.compile()[0].includes("INSERT INTO idempotency_keys")
              ? Effect.as(TestClock.adjust(late), statement)
              : Effect.succeed(statement)
          )
        )
        assert.deepStrictEqual(answer, answered)
        assert.strictEqual(yield* heard, times)
        assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: times, underWay: 0 })
        assert.deepStrictEqual(yield* approve, times === 1 ? AGAIN : DONE)
        assert.strictEqual(yield* heard, 1)
      })
    )
  }

  it.effect("forty times at once is given once, and all are answered the same", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const answers = yield* inItsTime(yield* Effect.forkChild(fortyTimes(asked)), REAL_STEP)
      assert.deepStrictEqual(new Set(answers.map(({ code, data }) => `${code} ${data}`)), new Set(["0 {}"]))
      assert.lengthOf(
        answers.filter(({ replayed }) => !replayed),
        1
      )
      assert.strictEqual(yield* asked.heard, 1)
    })
  )

  it.effect("forty times at once that the channel does not take is refused each time, and nobody is told to wait", () =>
    Effect.gen(function* () {
      const asked = yield* request
      yield* asked.channel.setResponse(asked.code, Effect.fail(new ChannelNotServed({ channelType: "airbnb" })))
      const answers = yield* inItsTime(yield* Effect.forkChild(fortyTimes(asked)), REAL_STEP)
      assert.deepStrictEqual(
        answers.map(({ code }) => code),
        answers.map(() => 501)
      )
      assert.deepStrictEqual(yield* countIdempotencyKeys(asked.operatorId), { kept: 0, underWay: 0 })
    })
  )

  it.effect("that broke off between the channel and our own record is written down, not given twice", () =>
    Effect.gen(function* () {
      const { approve, channel, code, heard, status, operatorId } = yield* request
      yield* channel.setResponse(
        code,
        Effect.andThen(channel.setRequestStatus(code, Effect.succeed("approved")), Effect.die("broken"))
      )
      assert.strictEqual((yield* approve).code, 500)
      assert.strictEqual(yield* status, "wait_accept")
      // Nobody knows whether the channel is through with it.
      yield* TestClock.adjust(CLAIM_MS)
      assert.deepStrictEqual(yield* approve, DONE)
      assert.deepStrictEqual(yield* approve, AGAIN)
      assert.strictEqual(yield* heard, 1)
      assert.strictEqual(yield* status, "accepted")
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 1, underWay: 0 })
    })
  )

  it.effect(
    "whose own record took too long does not say that nothing was changed, and is written down by a repeat",
    () =>
      Effect.gen(function* () {
        const { approve, channel, code, heard, status, token } = yield* request
        let agreed = false
        yield* channel.setResponse(
          code,
          Effect.sync(() => {
            agreed = true
          })
        )
        const stopped = Effect.suspend(() => {
          agreed = false
          return Effect.die(new SqlError({ reason: new StatementTimeoutError({ cause: "stopped" }) }))
        })
        const { envelope } = yield* callWithKey(token, "approve_reservation", { reservation_code: code }, KEY).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) =>
            agreed ? stopped : Effect.succeed(statement)
          )
        )
        assert.strictEqual(envelope.error_code, 500)
        assert.include(envelope.error_msg, "stopped")
        assert.strictEqual(yield* status, "wait_accept")
        assert.deepStrictEqual(yield* approve, DONE)
        assert.strictEqual(yield* heard, 1)
        assert.strictEqual(yield* status, "accepted")
      })
  )

  it.effect("has nothing to write down where another call did meanwhile", () =>
    Effect.gen(function* () {
      const { approve, channel, code, token, heard, status, operatorId } = yield* request
      yield* channel.setResponse(
        code,
        Effect.andThen(channel.setRequestStatus(code, Effect.succeed("approved")), Effect.die("broken"))
      )
      assert.strictEqual((yield* approve).code, 500)
      yield* channel.setResponse(code, Effect.void)
      assert.strictEqual((yield* call(token, "approve_reservation", { reservation_code: code })).error_code, 0)
      const trail = yield* loadAuditLines(operatorId)
      yield* TestClock.adjust(CLAIM_MS)
      assert.deepStrictEqual(yield* approve, DONE)
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), trail)
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 1, underWay: 0 })
      assert.strictEqual(yield* heard, 2, "the keyed call and the other one")
      assert.strictEqual(yield* status, "accepted")
    })
  )

  it.effect("repeated at the same time waits for the first and answers the same", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, agree } = yield* unanswered(asked)
      // The token, the order, the claim that is refused, what the key is known for.
      const looked = yield* Deferred.make<void>()
      const repeat = yield* Effect.forkChild(atStatement(4, looked, asked.approve))
      yield* Deferred.await(looked)
      yield* agree
      assert.deepStrictEqual(yield* Fiber.join(first), DONE)
      assert.deepStrictEqual(yield* inItsTime(repeat), AGAIN)
      assert.strictEqual(yield* asked.heard, 1)
    })
  )

  it.effect("waits ten seconds for another, and may then be repeated", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, agree } = yield* unanswered(asked)
      const repeat = yield* Effect.forkChild(asked.approve)
      assert.deepStrictEqual(yield* inItsTime(repeat), { ...UNKNOWN, retryAfter: "1" })
      const waited = (yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)) - Date.parse(NOW_ISO)
      assert.isAtLeast(waited, IDEMPOTENCY_WAIT_MS)
      yield* agree
      assert.deepStrictEqual(yield* Fiber.join(first), DONE)
      assert.deepStrictEqual(yield* asked.approve, AGAIN)
      assert.strictEqual(yield* asked.heard, 1)
    })
  )

  it.effect("of a process that was killed is taken over after a minute, by one of two repeats", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first } = yield* unanswered(asked)
      yield* Fiber.interrupt(first)
      yield* asKilled(asked)
      yield* asked.channel.setResponse(asked.code, Effect.void)
      const early = yield* Effect.forkChild(asked.approve)
      assert.deepStrictEqual(yield* inItsTime(early), { ...UNKNOWN, retryAfter: "1" })
      yield* TestClock.setTime(Date.parse(NOW_ISO) + CLAIM_MS)
      const repeats = yield* Effect.forkChild(Effect.all([asked.approve, asked.approve], { concurrency: 2 }))
      const answers = yield* inItsTime(repeats)
      assert.deepStrictEqual(new Set(answers.map(({ replayed }) => replayed)), new Set([false, true]))
      for (const answer of answers) assert.deepStrictEqual({ ...answer, replayed: false }, DONE)
      assert.strictEqual(yield* asked.heard, 2, "by the killed call, which the channel knows nothing of, and once more")
      assert.strictEqual(yield* asked.status, "accepted")
    })
  )

  it.effect("of a process that was killed after its channel agreed is written down, not given twice", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first } = yield* unanswered(asked)
      yield* asked.channel.setRequestStatus(asked.code, Effect.succeed("approved"))
      yield* Fiber.interrupt(first)
      yield* asKilled(asked)
      yield* TestClock.setTime(Date.parse(NOW_ISO) + CLAIM_MS)
      assert.deepStrictEqual(yield* asked.approve, DONE)
      assert.deepStrictEqual(yield* asked.approve, AGAIN)
      assert.strictEqual(yield* asked.heard, 1)
      assert.strictEqual(yield* asked.status, "accepted")
    })
  )

  it.effect("that two repeats ask about at once is told by none of them when it is unknown", () =>
    Effect.gen(function* () {
      const { approve, channel, code, heard } = yield* request
      yield* channel.setResponse(code, Effect.fail(new ChannelUnavailable({ code: 502 })))
      assert.strictEqual((yield* approve).code, 502)
      yield* channel.setRequestStatus(code, Effect.succeed("unknown"))
      const repeats = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 8 }, () => approve),
          { concurrency: "unbounded" }
        )
      )
      for (const answer of yield* inItsTime(repeats)) assert.deepStrictEqual(answer, UNKNOWN)
      assert.strictEqual(yield* heard, 1)
    })
  )

  it.effect("is left alone by a call that waited, where its key has become another call's meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asked = yield* request
      const { first, agree } = yield* unanswered(asked)
      const second = yield* Effect.forkChild(asked.approve)
      // It looks again and again by then.
      for (let look = 0; look < 20; look++) yield* Effect.andThen(asked.status, TestClock.adjust(200))
      assert.isUndefined(second.pollUnsafe())
      // Let go by the first and claimed by another call, which was cut off.
      yield* sql`
        UPDATE idempotency_keys SET fingerprint = ${Buffer.from("another")}, under_way_until = ${new Date(0)}
        WHERE operator_id = ${asked.operatorId}`
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* bounded(Fiber.join(second))).code, 422)
      assert.strictEqual(yield* asked.heard, 1)
      yield* agree
      assert.strictEqual((yield* bounded(Fiber.join(first))).code, 0)
    })
  )

  it.effect("is not waited for by another call with its key: 422 at once", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, agree } = yield* unanswered(asked)
      const other = yield* insertOrder(asked.operatorId, [{ propertyId: asked.secondPropertyId, ...DATES }], {
        channelType: "airbnb",
        status: "wait_accept"
      })
      // The clock stands still: whoever waited would wait for ever.
      assert.strictEqual((yield* asked.decline).code, 422)
      const fields = { reservation_code: other }
      assert.strictEqual((yield* callWithKey(asked.token, "approve_reservation", fields, KEY)).envelope.error_code, 422)
      assert.strictEqual(
        (yield* callWithKey(asked.token, "create_task", { type: "other" }, KEY)).envelope.error_code,
        422
      )
      yield* agree
      assert.deepStrictEqual(yield* Fiber.join(first), DONE)
      assert.notInclude(yield* asked.channel.requests, `approve ${other}`)
    })
  )

  it.effect("gives its channel half a minute, and less than a claim lasts with the question what happened", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first } = yield* unanswered(asked)
      yield* TestClock.adjust(CHANNEL_ACTION_TIMEOUT_MS - 1)
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(first)).code, 504)
      assert.isBelow(CHANNEL_ACTION_TIMEOUT_MS + CHANNEL_QUERY_TIMEOUT_MS, CLAIM_MS)
      // It may be at work still, so it is not asked before the claim is over.
      const early = yield* Effect.forkChild(asked.approve)
      assert.deepStrictEqual(yield* inItsTime(early), { ...UNKNOWN, retryAfter: "1" })
      assert.deepStrictEqual(yield* claimedFor(asked), [CLAIM_MS])
      yield* TestClock.setTime(Date.parse(NOW_ISO) + CLAIM_MS)
      yield* asked.channel.setRequestStatus(asked.code, Effect.never)
      const repeat = yield* Effect.forkChild(asked.approve)
      assert.strictEqual((yield* inItsTime(repeat)).code, 504)
      assert.strictEqual(yield* asked.heard, 1)
    })
  )
})
