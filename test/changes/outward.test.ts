import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Tracer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { SqlError, StatementTimeoutError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { UNDER_WAY_MS } from "../../src/changes/Keys.ts"
import { ChannelRefused, ChannelUnavailable } from "../../src/channels/ChannelGateway.ts"
import { IDEMPOTENCY_WAIT_MS } from "../../src/limits.ts"
import { OUTWARD_ACT_MS, OUTWARD_ASK_MS } from "../../src/resources/reservations/answering.ts"
import { ScriptedChannel } from "../channels.ts"
import { call, orderOf } from "../harness.ts"
import { booking, layerUnhurried, NOW, ready } from "../resources/reservations/ready.ts"
import { countStatements } from "../statements.ts"
import { keyed, keysOf, told, trailOf } from "./keyed.ts"

const DATES = { checkIn: "2027-05-04", checkOut: "2027-05-06" }
const KEY = "answer-it"

const DONE = { code: 0, data: "{}", replayed: false, retryAfter: undefined }
const AGAIN = { ...DONE, replayed: true }
const UNKNOWN = { code: 409, data: "{}", replayed: false, retryAfter: undefined }

/** A pending request, and what a test does with it. */
const request = Effect.gen(function* () {
  const ground = yield* ready
  const code = yield* orderOf(ground.operatorId, [{ propertyId: ground.property, ...DATES }], {
    channelType: "airbnb",
    status: "wait_accept"
  })
  const channel = yield* ScriptedChannel
  const answer = (operation: "approve_reservation" | "decline_reservation") =>
    Effect.map(keyed(ground.token, operation, { reservation_code: code }, KEY), told)
  return {
    ...ground,
    code,
    channel,
    approve: answer("approve_reservation"),
    decline: answer("decline_reservation"),
    heard: Effect.map(channel.heard, (all) => all.filter((each) => each.endsWith(code)).length),
    status: Effect.map(
      ground.api.search_reservations({ reservation_code: code }).pipe(ground.as),
      ({ reservations }) => reservations[0]?.status
    )
  }
})
type Request = Effect.Success<typeof request>

/** A call whose channel has heard it and does not answer. */
const unanswered = Effect.fnUntraced(function* ({ approve, channel, code }: Request) {
  const [heard, answer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  yield* channel.answer(code, Effect.andThen(Deferred.succeed(heard, undefined), Deferred.await(answer)))
  const first = yield* Effect.forkChild(approve)
  yield* Deferred.await(heard)
  return { first, agree: Deferred.succeed(answer, undefined) }
})

/** Leaves the key as a process does that is killed: nobody gives it up before its time. */
const asKilled = Effect.fnUntraced(function* ({ operatorId }: Request) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE idempotency_keys SET under_way_until = ${new Date(Date.parse(NOW) + UNDER_WAY_MS)}
    WHERE operator_id = ${operatorId} AND outcome IS NULL`
})

/** Lets time go by in small steps until a call is answered. */
const inItsTime = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    for (let step = 0; step < 500 && fiber.pollUnsafe() === undefined; step += 1) {
      yield* TestClock.adjust(200)
      // The database is no part of the clock.
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
    }
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

layer(layerUnhurried)("an answer to a request, with a key", (it) => {
  it.effect("is given once, costs one statement more, and is answered the same again", () =>
    Effect.gen(function* () {
      const { approve, heard, operatorId, code, status } = yield* request
      const [first, statements] = yield* countStatements(approve)
      assert.deepStrictEqual(first, DONE)
      assert.isAtMost(statements, 4, "the token, that it is under way, and two")
      assert.deepStrictEqual(yield* approve, AGAIN)
      assert.strictEqual(yield* heard, 1)
      assert.strictEqual(yield* status, "accepted")
      assert.deepStrictEqual(yield* keysOf(operatorId), { kept: 1, underWay: 0 })
      assert.deepStrictEqual(yield* trailOf(operatorId), [`approve_reservation reservation:${code} status`])
    })
  )

  it.effect("that the channel refuses keeps no key", () =>
    Effect.gen(function* () {
      const { approve, channel, code, operatorId, heard } = yield* request
      yield* channel.answer(code, Effect.fail(new ChannelRefused({ reason: "expired" })))
      assert.strictEqual((yield* approve).code, 409)
      assert.deepStrictEqual(yield* keysOf(operatorId), { kept: 0, underWay: 0 })
      yield* channel.answer(code, Effect.void)
      assert.deepStrictEqual(yield* approve, DONE)
      assert.strictEqual(yield* heard, 2)
    })
  )

  it.effect("that our own rules refuse keeps no key, and no channel hears of it", () =>
    Effect.gen(function* () {
      const { approve, api, as, property, operatorId, heard } = yield* request
      yield* api.create_reservation({ ...booking, property_id: property, channel_id: "A1" }).pipe(as)
      assert.strictEqual((yield* approve).code, 409)
      assert.deepStrictEqual(yield* keysOf(operatorId), { kept: 0, underWay: 0 })
      assert.strictEqual(yield* heard, 0)
    })
  )

  it.effect("whose channel was away asks it what happened, each time until that is known", () =>
    Effect.gen(function* () {
      const { approve, channel, code, operatorId, heard, status } = yield* request
      yield* channel.answer(code, Effect.fail(new ChannelUnavailable({ code: 504 })))
      assert.strictEqual((yield* approve).code, 504)
      yield* channel.say(code, Effect.fail(new ChannelUnavailable({ code: 503 })))
      assert.strictEqual((yield* approve).code, 503)
      yield* channel.say(code, Effect.succeed("unknown"))
      assert.deepStrictEqual([yield* approve, yield* approve], [UNKNOWN, UNKNOWN])
      yield* channel.say(code, Effect.fail(new ChannelRefused({ reason: "no questions" })))
      assert.deepStrictEqual(yield* approve, UNKNOWN)
      assert.strictEqual(yield* status, "wait_accept")
      assert.deepStrictEqual(yield* keysOf(operatorId), { kept: 0, underWay: 1 })
      yield* channel.say(code, Effect.succeed("approved"))
      assert.deepStrictEqual(yield* approve, DONE)
      assert.deepStrictEqual(yield* approve, AGAIN)
      assert.strictEqual(yield* status, "accepted")
      assert.strictEqual(yield* heard, 1, "never told a second time")
    })
  )

  it.effect("is given again where the channel says that nothing happened", () =>
    Effect.gen(function* () {
      const { decline, channel, code, heard, status } = yield* request
      yield* channel.answer(code, Effect.fail(new ChannelUnavailable({ code: 502 })))
      assert.strictEqual((yield* decline).code, 502)
      yield* channel.answer(code, Effect.void)
      assert.deepStrictEqual(yield* decline, DONE)
      assert.strictEqual(yield* heard, 2)
      assert.strictEqual(yield* status, "denied")
    })
  )

  it.effect("may be refused once the channel has said that nothing happened, and then keeps no key", () =>
    Effect.gen(function* () {
      const { approve, api, as, channel, code, property, operatorId, heard } = yield* request
      yield* channel.answer(code, Effect.fail(new ChannelUnavailable({ code: 502 })))
      assert.strictEqual((yield* approve).code, 502)
      yield* api.create_reservation({ ...booking, property_id: property, channel_id: "A1" }).pipe(as)
      yield* channel.say(code, Effect.succeed("unknown"))
      assert.deepStrictEqual(yield* approve, UNKNOWN, "not refused by our own rules while it may have happened")
      yield* channel.say(code, Effect.succeed("pending"))
      assert.strictEqual((yield* approve).code, 409)
      assert.deepStrictEqual(yield* keysOf(operatorId), { kept: 0, underWay: 0 })
      assert.strictEqual(yield* heard, 1)
    })
  )

  it.effect("whose caller hung up while the channel was told is not given twice", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first } = yield* unanswered(asked)
      yield* Fiber.interrupt(first)
      yield* asked.channel.say(asked.code, Effect.succeed("approved"))
      assert.deepStrictEqual(yield* asked.approve, DONE)
      assert.strictEqual(yield* asked.heard, 1)
      assert.strictEqual(yield* asked.status, "accepted")
    })
  )

  it.effect("that broke off between the channel and our own record is written down, not given twice", () =>
    Effect.gen(function* () {
      const { approve, channel, code, heard, status, operatorId } = yield* request
      yield* channel.answer(code, Effect.andThen(channel.say(code, Effect.succeed("approved")), Effect.die("broken")))
      assert.strictEqual((yield* approve).code, 500)
      assert.strictEqual(yield* status, "wait_accept")
      assert.deepStrictEqual(yield* approve, DONE)
      assert.deepStrictEqual(yield* approve, AGAIN)
      assert.strictEqual(yield* heard, 1)
      assert.strictEqual(yield* status, "accepted")
      assert.deepStrictEqual(yield* keysOf(operatorId), { kept: 1, underWay: 0 })
    })
  )

  it.effect(
    "whose own record took too long does not say that nothing was changed, and is written down by a repeat",
    () =>
      Effect.gen(function* () {
        const { approve, channel, code, heard, status, token } = yield* request
        let agreed = false
        yield* channel.answer(
          code,
          Effect.sync(() => {
            agreed = true
          })
        )
        const stopped = Effect.suspend(() => {
          agreed = false
          return Effect.die(new SqlError({ reason: new StatementTimeoutError({ cause: "stopped" }) }))
        })
        const { envelope } = yield* keyed(token, "approve_reservation", { reservation_code: code }, KEY).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) =>
            agreed ? stopped : Effect.succeed(statement)
          )
        )
        assert.strictEqual(envelope.error_code, 500)
        assert.include(envelope.error_msg, "nothing was changed by the part that was stopped")
        assert.strictEqual(yield* status, "wait_accept")
        assert.deepStrictEqual(yield* approve, DONE)
        assert.strictEqual(yield* heard, 1)
        assert.strictEqual(yield* status, "accepted")
      })
  )

  it.effect("has nothing to write down where another call did meanwhile", () =>
    Effect.gen(function* () {
      const { approve, channel, code, token, heard, status, operatorId } = yield* request
      yield* channel.answer(code, Effect.andThen(channel.say(code, Effect.succeed("approved")), Effect.die("broken")))
      assert.strictEqual((yield* approve).code, 500)
      yield* channel.answer(code, Effect.void)
      assert.strictEqual((yield* call(token, "approve_reservation", { reservation_code: code })).error_code, 0)
      const trail = yield* trailOf(operatorId)
      assert.deepStrictEqual(yield* approve, DONE)
      assert.deepStrictEqual(yield* trailOf(operatorId), trail)
      assert.deepStrictEqual(yield* keysOf(operatorId), { kept: 1, underWay: 0 })
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
      const waited = (yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)) - Date.parse(NOW)
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
      yield* asked.channel.answer(asked.code, Effect.void)
      const early = yield* Effect.forkChild(asked.approve)
      assert.deepStrictEqual(yield* inItsTime(early), { ...UNKNOWN, retryAfter: "1" })
      yield* TestClock.setTime(Date.parse(NOW) + UNDER_WAY_MS)
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
      yield* asked.channel.say(asked.code, Effect.succeed("approved"))
      yield* Fiber.interrupt(first)
      yield* asKilled(asked)
      yield* TestClock.setTime(Date.parse(NOW) + UNDER_WAY_MS)
      assert.deepStrictEqual(yield* asked.approve, DONE)
      assert.deepStrictEqual(yield* asked.approve, AGAIN)
      assert.strictEqual(yield* asked.heard, 1)
      assert.strictEqual(yield* asked.status, "accepted")
    })
  )

  it.effect("that two repeats ask about at once is told by none of them when it is unknown", () =>
    Effect.gen(function* () {
      const { approve, channel, code, heard } = yield* request
      yield* channel.answer(code, Effect.fail(new ChannelUnavailable({ code: 504 })))
      assert.strictEqual((yield* approve).code, 504)
      yield* channel.say(code, Effect.succeed("unknown"))
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

  it.effect("is not waited for by another call with its key: 422 at once", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first, agree } = yield* unanswered(asked)
      const other = yield* orderOf(asked.operatorId, [{ propertyId: asked.second, ...DATES }], {
        channelType: "airbnb",
        status: "wait_accept"
      })
      // The clock stands still: whoever waited would wait for ever.
      assert.strictEqual((yield* asked.decline).code, 422)
      const fields = { reservation_code: other }
      assert.strictEqual((yield* keyed(asked.token, "approve_reservation", fields, KEY)).envelope.error_code, 422)
      assert.strictEqual((yield* keyed(asked.token, "create_task", { type: "other" }, KEY)).envelope.error_code, 422)
      yield* agree
      assert.deepStrictEqual(yield* Fiber.join(first), DONE)
      assert.notInclude(yield* asked.channel.heard, `approve ${other}`)
    })
  )

  it.effect("gives its channel half a minute, and less than a claim lasts with the question what happened", () =>
    Effect.gen(function* () {
      const asked = yield* request
      const { first } = yield* unanswered(asked)
      yield* TestClock.adjust(OUTWARD_ACT_MS - 1)
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(first)).code, 504)
      assert.isBelow(OUTWARD_ACT_MS + OUTWARD_ASK_MS, UNDER_WAY_MS)
      yield* asked.channel.say(asked.code, Effect.never)
      const repeat = yield* Effect.forkChild(asked.approve)
      assert.strictEqual((yield* inItsTime(repeat)).code, 504)
      assert.strictEqual(yield* asked.heard, 1)
    })
  )
})
