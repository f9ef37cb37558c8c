import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../src/connectors/sandbox/SandboxConnector.ts"
import { SandboxOutbox } from "../../../src/connectors/sandbox/SandboxOutbox.ts"
import { SANDBOX_DELAY_MAX_MS, SANDBOX_LOGGED_REQUESTS_MAX } from "../../../src/platform/limits.ts"
import {
  createSandboxAccount,
  createSandboxListing,
  isEventOfType,
  layerSandboxTestOnOwnDatabase,
  NOW,
  ReceivedEvents
} from "../../support/connectors/sandbox/sandbox-accounts.ts"

const ground = Effect.fn("ground")(function* (channel: Parameters<typeof createSandboxAccount>[0] = "airbnb") {
  yield* TestClock.setTime(NOW)
  const at = yield* createSandboxAccount(channel)
  const listing = yield* createSandboxListing(at.account)
  const market = yield* Marketplace
  const sandbox = yield* SandboxConnector
  const sql = yield* SqlClient.SqlClient
  const request = Effect.map(
    market.bookOrder({
      listing_id: listing,
      guest_name: "Ana Reis",
      check_in_date: "2027-06-07",
      check_out_date: "2027-06-09"
    }),
    ({ order_id }) => ({ reservationCode: "0-1-AAAA", channelId: order_id })
  )
  type Mood = Parameters<typeof market.setFailureMode>[0]
  return {
    ...at,
    listing,
    market,
    sandbox,
    request,
    mood: (mood: Mood["mood"], more: Partial<Mood> = {}) =>
      market.setFailureMode({ channel_account_id: at.accountId, mood, ...more }),
    asked: sql<{ act: string; answer: string }>`
      SELECT act, answer FROM sandbox_asked WHERE operator_id = ${at.operatorId} AND account_id = ${at.accountId}
      ORDER BY id`
  }
})

layer(layerSandboxTestOnOwnDatabase)("an account of the sandbox", (it) => {
  it.effect("refuses with its reason, and still tells the truth", () =>
    Effect.gen(function* () {
      const { mood, sandbox, remoteAccount: there, request, asked } = yield* ground()
      const order = yield* request
      yield* mood("refuses", { reason: "the guest has left us" })
      const refused = yield* Effect.flip(sandbox.approve(there, order))
      assert.deepStrictEqual(
        [refused._tag, "reason" in refused && refused.reason],
        ["ChannelRefused", "the guest has left us"]
      )
      assert.strictEqual(yield* sandbox.answered(there, order), "pending")
      yield* mood("accepts")
      yield* sandbox.approve(there, order)
      assert.deepStrictEqual(
        (yield* asked).map(({ act, answer }) => `${act}: ${answer}`),
        ["approve: refused: the guest has left us", "answered: ok", "approve: ok"]
      )
    })
  )

  it.effect("answers late, when what was asked is long done", () =>
    Effect.gen(function* () {
      const { mood, sandbox, remoteAccount: there, request, asked } = yield* ground()
      const order = yield* request
      yield* mood("late", { ms: 40_000 })
      const approving = yield* Effect.forkChild(sandbox.approve(there, order))
      while (approving.pollUnsafe() === undefined) {
        yield* asked
        yield* TestClock.adjust("1 second")
      }
      yield* Fiber.join(approving)
      assert.isAtLeast(yield* Clock.currentTimeMillis, NOW + 40_000)
      yield* mood("accepts")
      assert.strictEqual(yield* sandbox.answered(there, order), "approved")
    })
  )

  it.effect("has done it where only the answer was lost, and has not where it is away or never answers", () =>
    Effect.gen(function* () {
      const { mood, sandbox, remoteAccount: there, request, asked } = yield* ground()
      const order = yield* request
      const failing = Effect.fnUntraced(function* (each: "503" | "502") {
        yield* mood(each)
        const failure = yield* Effect.flip(sandbox.approve(there, order))
        yield* mood("accepts")
        return `${"code" in failure ? failure.code : failure._tag} ${yield* sandbox.answered(there, order)}`
      })
      assert.strictEqual(yield* failing("503"), "503 pending")
      yield* mood("never")
      const waiting = yield* Effect.forkChild(sandbox.approve(there, order))
      while ((yield* asked).at(-1)?.answer !== "no answer") yield* Effect.yieldNow
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(waiting.pollUnsafe())
      yield* Fiber.interrupt(waiting)
      yield* mood("accepts")
      assert.strictEqual(yield* sandbox.answered(there, order), "pending")
      assert.strictEqual(yield* failing("502"), "502 approved")
    })
  )

  it.effect("that is disconnected says so, and that it is back", () =>
    Effect.gen(function* () {
      const { mood, sandbox, remoteAccount: there, listing, accountId } = yield* ground()
      yield* mood("disconnected")
      const read = sandbox.readCalendar(there, { listingId: listing, start: "2027-06-01", end: "2027-06-02" })
      assert.strictEqual((yield* Effect.flip(read))._tag, "ChannelDisconnected")
      yield* mood("accepts")
      assert.lengthOf(yield* read, 2)
      const { listEvents: heardOf } = yield* ReceivedEvents
      assert.deepStrictEqual(
        (yield* heardOf(accountId))
          .filter(isEventOfType("account"))
          .map(({ version, auth_status }) => [version, auth_status]),
        [
          [1, "disconnected"],
          [2, "active"]
        ]
      )
    })
  )

  it.effect("of a channel that is paid after the host has agreed waits for the payment", () =>
    Effect.gen(function* () {
      const { sandbox, remoteAccount: there, request, market, accountId } = yield* ground("vrbo")
      const order = yield* request
      yield* sandbox.approve(there, order)
      const { listEvents: heardOf } = yield* ReceivedEvents
      const said = Effect.map(heardOf(accountId), (all) =>
        all.filter(isEventOfType("order")).map(({ status }) => status)
      )
      assert.deepStrictEqual(yield* said, ["wait_accept", "wait_pay"], "before the host takes it for agreed")
      assert.strictEqual((yield* market.payOrder({ order_id: order.channelId, amount: 10 })).status, "wait_pay")
      assert.strictEqual((yield* market.payOrder({ order_id: order.channelId })).status, "accepted")
      assert.deepStrictEqual(yield* said, ["wait_accept", "wait_pay", "accepted"])
    })
  )

  it.effect("says that it waits for a payment before it answers, whatever else it has to tell", () =>
    Effect.gen(function* () {
      const { sandbox, remoteAccount: there, request, listing, accountId } = yield* ground("vrbo")
      const order = yield* request
      yield* sandbox.writeVrboPriceAndRules?.(there, { listingId: listing, settings: { cleaning_fee: 5 } }) ??
        Effect.void
      const { listEvents: heardOf } = yield* ReceivedEvents
      // Whoever tells by itself does not take it out of the hands of who answers the host.
      const working = yield* Effect.forkChild(
        Effect.flatMap(SandboxOutbox, ({ processBatch: turn }) => Effect.forever(turn))
      )
      yield* sandbox.approve(there, order)
      const told = (yield* heardOf(accountId)).filter(isEventOfType("order")).map(({ status }) => status)
      assert.deepStrictEqual(told, ["wait_accept", "wait_pay"])
      yield* Fiber.interrupt(working)
    })
  )

  it.effect("remembers the last things it was asked, and no more", () =>
    Effect.gen(function* () {
      const { sandbox, remoteAccount: there, listing, asked } = yield* ground()
      const read = sandbox.readCalendar(there, { listingId: listing, start: "2027-06-01", end: "2027-06-01" })
      yield* Effect.forEach(Array.from({ length: SANDBOX_LOGGED_REQUESTS_MAX }), () => read, { discard: true })
      assert.lengthOf(yield* asked, SANDBOX_LOGGED_REQUESTS_MAX)
      yield* Effect.flip(sandbox.decline(there, { reservationCode: "0-1-AAAA", channelId: "nobody's" }))
      const last = yield* asked
      assert.lengthOf(last, SANDBOX_LOGGED_REQUESTS_MAX)
      assert.strictEqual(last.at(-1)?.act, "decline")
      assert.match(last.at(-1)?.answer ?? "", /^refused: .*order/)
    })
  )

  it.effect("is late by ten minutes at most", () =>
    Effect.gen(function* () {
      const { mood } = yield* ground()
      yield* mood("late", { ms: SANDBOX_DELAY_MAX_MS })
      const { message } = yield* Effect.flip(mood("late", { ms: SANDBOX_DELAY_MAX_MS + 1 }))
      assert.match(message, /^ms: .*600000/)
    })
  )

  it.effect("is none of the sandbox's where another connector reaches it", () =>
    Effect.gen(function* () {
      const { sandbox, remoteAccount: there, request, operatorId, accountId } = yield* ground()
      const order = yield* request
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE channel_accounts SET connector = 'another' WHERE operator_id = ${operatorId} AND id = ${accountId}`
      assert.strictEqual((yield* Effect.flip(sandbox.approve(there, order)))._tag, "ChannelNotServed")
    })
  )
})
