import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { IngestResult } from "../../../src/connectors/ingest/Ingest.ts"
import { makeExpireOrdersAndOffers } from "../../../src/connectors/sandbox/expiration.ts"
import { layerSandboxWorkers } from "../../../src/connectors/sandbox/layer.ts"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../src/connectors/sandbox/SandboxConnector.ts"
import { EVENTS_PER_BATCH, SandboxOutbox } from "../../../src/connectors/sandbox/SandboxOutbox.ts"
import {
  createSandboxAccount,
  createSandboxListing,
  isEventOfType,
  layerSandboxTestOnOwnDatabase,
  NOW,
  ReceivedEvents
} from "../../support/connectors/sandbox/sandbox-accounts.ts"

const APPLIED: IngestResult = { outcome: "applied" }

const ground = Effect.fn("ground")(function* (rooms = 5) {
  yield* TestClock.setTime(NOW)
  const at = yield* createSandboxAccount("booking.com")
  const listing = yield* createSandboxListing(at.account, { rooms })
  const market = yield* Marketplace
  const listener = yield* ReceivedEvents
  return {
    ...at,
    listing,
    market,
    answers: (answer: (said: unknown) => Effect.Effect<IngestResult>) =>
      listener.setIngestResponse(at.accountId, answer),
    /** Versions of orders in the order they were told. */
    versions: Effect.map(listener.listEvents(at.accountId), (all) =>
      all.filter(isEventOfType("order")).map((each) => each.version)
    ),
    kinds: Effect.map(listener.listEvents(at.accountId), (all) =>
      all.map((said) => (typeof said === "object" && said !== null && "type" in said ? said.type : "?"))
    ),
    book: market.bookOrder({
      listing_id: listing,
      guest_name: "Ana Reis",
      check_in_date: "2027-06-07",
      check_out_date: "2027-06-09"
    })
  }
})

/** What is due of all accounts, told as the process does by itself. */
const turns = Effect.gen(function* () {
  const { processBatch: turn } = yield* SandboxOutbox
  while (yield* turn) yield* Effect.void
})

layer(layerSandboxTestOnOwnDatabase)("what the sandbox has to tell", (it) => {
  it.effect("is told with the act: the listing and the thread with the guest first, then the order", () =>
    Effect.gen(function* () {
      const { book, kinds } = yield* ground()
      const { heard } = yield* book
      assert.strictEqual(heard, "applied")
      const told = yield* kinds
      assert.deepStrictEqual([told.toSorted(), told.at(-1)], [["listing", "order", "thread"], "order"])
      yield* turns
      assert.deepStrictEqual(yield* kinds, told)
    })
  )

  it.effect("is told again when whoever told it was killed before it was heard, or before that was written down", () =>
    Effect.gen(function* () {
      const { book, answers, versions, market } = yield* ground()
      const [asked, never] = [yield* Deferred.make<void>(), yield* Deferred.make<IngestResult>()]
      const first = yield* book
      yield* answers(() => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(never)))
      const cancelling = yield* Effect.forkChild(market.cancelOrder({ order_id: first.order_id }))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(cancelling)
      assert.deepStrictEqual(yield* versions, [1, 2])
      yield* answers(() => Effect.succeed(APPLIED))
      yield* turns
      assert.deepStrictEqual(yield* versions, [1, 2], "nobody else has it while it is under way")
      yield* TestClock.adjust("2 minutes")
      yield* turns
      assert.deepStrictEqual(yield* versions, [1, 2, 2])
      yield* TestClock.adjust("2 minutes")
      yield* turns
      assert.deepStrictEqual(yield* versions, [1, 2, 2])
    })
  )

  it.effect("is told later when the service fails or does not answer, in its last version alone", () =>
    Effect.gen(function* () {
      const { book, answers, versions, market } = yield* ground()
      const { order_id } = yield* book
      yield* answers(() => Effect.die(new Error("the database is away")))
      const moved = yield* market.changeOrder({ order_id, check_out_date: "2027-06-10" })
      assert.strictEqual(moved.heard, "failed")
      const asked = yield* Deferred.make<void>()
      yield* answers(() => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      const waiting = yield* Effect.forkChild(market.changeOrder({ order_id, check_out_date: "2027-06-11" }))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(waiting)).heard, "not answered in time")
      yield* answers(() => Effect.succeed(APPLIED))
      yield* TestClock.adjust("2 minutes")
      yield* turns
      assert.deepStrictEqual(yield* versions, [1, 2, 3, 3])
    })
  )

  it.effect("is over when it was refused, with the reason kept", () =>
    Effect.gen(function* () {
      const { book, answers, versions } = yield* ground()
      yield* answers((said) =>
        Effect.succeed(isEventOfType("order")(said) ? { outcome: "refused", reason: "no such listing" } : APPLIED)
      )
      assert.strictEqual((yield* book).heard, "refused: no such listing")
      yield* TestClock.adjust("2 minutes")
      yield* turns
      assert.deepStrictEqual(yield* versions, [1])
    })
  )

  it.effect("leaves nobody out: an order that always fails, and an account with very much to tell", () =>
    Effect.gen(function* () {
      const greedy = yield* ground(200)
      yield* greedy.answers((said) =>
        isEventOfType("order")(said) ? Effect.die(new Error("always")) : Effect.succeed(APPLIED)
      )
      yield* Effect.forEach(Array.from({ length: 3 * EVENTS_PER_BATCH }), () => greedy.book, { discard: true })
      yield* TestClock.adjust("1 hour")
      const quiet = yield* ground()
      yield* TestClock.setTime(NOW + 7_200_000)
      const { processBatch: turn } = yield* SandboxOutbox
      // Committed, and the process was killed before it told anybody.
      const asked = yield* Deferred.make<void>()
      yield* quiet.answers(() => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      const booking = yield* Effect.forkChild(quiet.book)
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(booking)
      yield* quiet.answers(() => Effect.succeed(APPLIED))
      yield* TestClock.adjust("2 minutes")
      yield* turn
      yield* turn
      assert.strictEqual((yield* quiet.kinds).at(-1), "order")
    })
  )

  it.effect("waits for nobody: the process tells it by itself, and lets orders time out", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { account, accountId } = yield* createSandboxAccount("airbnb")
      const listing = yield* createSandboxListing(account)
      const market = yield* Marketplace
      const { listEvents: heardOf } = yield* ReceivedEvents
      yield* Effect.gen(function* () {
        const order = yield* market.bookOrder({
          listing_id: listing,
          guest_name: "Ana Reis",
          check_in_date: "2027-06-07",
          check_out_date: "2027-06-09"
        })
        assert.strictEqual(order.status, "wait_accept")
        assert.strictEqual(order.expires_at, "2027-05-02T09:00:00Z")
        yield* TestClock.adjust("23 hours")
        yield* TestClock.adjust("61 minutes")
        const said = Effect.map(heardOf(accountId), (all) =>
          all.filter(isEventOfType("order")).map(({ status }) => status)
        )
        while ((yield* said).length < 2) yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* said, ["wait_accept", "timeout"])
      }).pipe(Effect.provide(layerSandboxWorkers), Effect.scoped)
    })
  )

  it.effect("is told by who acts, who hears what the service says of it, though others tell all the time", () =>
    Effect.gen(function* () {
      const { book, versions, answers } = yield* ground(20)
      const sql = yield* SqlClient.SqlClient
      // Longer than who acts takes to look for what is said of it.
      yield* answers(() => Effect.as(Effect.repeat(Effect.orDie(sql`SELECT 1`), { times: 3 }), APPLIED))
      const working = yield* Effect.forkChild(
        Effect.flatMap(SandboxOutbox, ({ processBatch: turn }) => Effect.forever(turn))
      )
      const heard = yield* Effect.forEach(Array.from({ length: 10 }), () => book)
      assert.deepStrictEqual(new Set(heard.map((order) => order.heard)), new Set(["applied"]))
      yield* Fiber.interrupt(working)
      assert.lengthOf(yield* versions, 10)
    })
  )

  it.effect("is told of orders while the host writes settings all the time, and the listing is told too", () =>
    Effect.gen(function* () {
      const { account, accountId, operatorId } = yield* createSandboxAccount("vrbo")
      yield* TestClock.setTime(NOW)
      const listing = yield* createSandboxListing(account)
      const market = yield* Marketplace
      const sandbox = yield* SandboxConnector
      const { listEvents: heardOf } = yield* ReceivedEvents
      const there = { operatorId, accountId, channelType: "vrbo", originAccountId: "harbour" }
      const write = (cleaning_fee: number) =>
        sandbox.writeVrboPriceAndRules?.(there, { listingId: listing, settings: { cleaning_fee } }) ?? Effect.void
      yield* Effect.flatMap(SandboxOutbox, ({ flush: tell }) => tell(account))
      yield* write(1)
      const { heard } = yield* market.bookOrder({
        listing_id: listing,
        guest_name: "Ana Reis",
        check_in_date: "2027-06-07",
        check_out_date: "2027-06-09"
      })
      assert.strictEqual(heard, "applied")
      for (const fee of [2, 3, 4]) {
        yield* TestClock.adjust("2 seconds")
        yield* write(fee)
        yield* turns
      }
      const fees = (yield* heardOf(accountId)).filter(isEventOfType("listing")).map((each) => each.version)
      assert.deepStrictEqual(fees, [1, 4])
    })
  )

  it.effect("of one listing that always fails keeps nobody from hearing of the orders of another", () =>
    Effect.gen(function* () {
      const { account, listing, answers, market, versions } = yield* ground()
      const broken = yield* createSandboxListing(account)
      yield* answers((said) =>
        isEventOfType("listing")(said) && said.listing_id === broken
          ? Effect.die(new Error("always"))
          : Effect.succeed(APPLIED)
      )
      const book = (listing_id: string) =>
        market.bookOrder({
          listing_id,
          guest_name: "Ana Reis",
          check_in_date: "2027-06-07",
          check_out_date: "2027-06-09"
        })
      assert.isNull((yield* book(broken)).heard, "a listing is told before its orders")
      assert.strictEqual((yield* book(listing)).heard, "applied")
      assert.deepStrictEqual(yield* versions, [1])
    })
  )

  it.effect("is not held up by an order that breaks what lets it time out: those after it time out", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { account, accountId, operatorId } = yield* createSandboxAccount("airbnb")
      const listing = yield* createSandboxListing(account)
      const market = yield* Marketplace
      const order = yield* market.bookOrder({
        listing_id: listing,
        guest_name: "Ana Reis",
        check_in_date: "2027-06-07",
        check_out_date: "2027-06-09"
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO sandbox_orders (operator_id, account_id, order_id, version, status, said, booked_at, expires_at)
        VALUES (${operatorId}, ${accountId}, 'broken', 1, 'wait_accept', '{}', ${new Date(NOW)}, ${new Date(NOW)})`
      yield* TestClock.adjust("25 hours")
      yield* Effect.flatten(makeExpireOrdersAndOffers)
      const stands = sql<{ status: string }>`
        SELECT status FROM sandbox_orders WHERE operator_id = ${operatorId} AND order_id = ${order.order_id}`
      assert.deepStrictEqual(yield* stands, [{ status: "timeout" }])
    })
  )

  it.effect("is told of a thread in the order in which it was written, be what is before slow or broken", () =>
    Effect.gen(function* () {
      const { account, listing, market, answers, accountId } = yield* ground()
      const { listEvents: heardOf } = yield* ReceivedEvents
      const texts = Effect.map(heardOf(accountId), (all) =>
        all.filter(isEventOfType("message")).map(({ text }) => text)
      )
      const slow = yield* Deferred.make<void>()
      const asked = yield* Deferred.make<void>()
      yield* answers((said) =>
        isEventOfType("message")(said) && said.text === "first"
          ? Effect.andThen(Deferred.succeed(asked, undefined), Effect.as(Deferred.await(slow), APPLIED))
          : Effect.succeed(APPLIED)
      )
      const stay = { listing_id: listing, check_in_date: "2027-06-07", check_out_date: "2027-06-09" }
      const first = yield* Effect.forkChild(market.sendInquiry({ ...stay, guest_name: "Ana Reis", text: "first" }))
      yield* Deferred.await(asked)
      const sql = yield* SqlClient.SqlClient
      const [thread] = yield* sql<{
        thread_id: string
      }>`SELECT thread_id FROM sandbox_threads WHERE account_id = ${accountId}`
      const thread_id = thread?.thread_id ?? ""
      assert.isNull((yield* market.writeMessage({ thread_id, text: "second" })).heard)
      assert.deepStrictEqual(yield* texts, ["first"])
      yield* Deferred.succeed(slow, undefined)
      assert.strictEqual((yield* Fiber.join(first)).heard, "applied")
      const { flush: tell } = yield* SandboxOutbox
      yield* tell(account)
      assert.deepStrictEqual(yield* texts, ["first", "second"])

      // What always fails is tried, and then holds up nothing.
      yield* answers((said) =>
        isEventOfType("message")(said) && said.text === "third"
          ? Effect.die(new Error("always"))
          : Effect.succeed(APPLIED)
      )
      assert.strictEqual((yield* market.writeMessage({ thread_id, text: "third" })).heard, "failed")
      assert.strictEqual((yield* market.writeMessage({ thread_id, text: "fourth" })).heard, "applied")
      assert.deepStrictEqual(yield* texts, ["first", "second", "third", "fourth"])
    })
  )

  it.effect(
    "is told of a guest's answer at once, and of what guests write in order though the host wrote in between",
    () =>
      Effect.gen(function* () {
        const { listing, market, answers, accountId, remoteAccount: there } = yield* ground()
        const { listEvents: heardOf } = yield* ReceivedEvents
        const stay = { listing_id: listing, check_in_date: "2027-06-07", check_out_date: "2027-06-09" }
        const { thread_id } = yield* market.sendInquiry({ ...stay, guest_name: "Ana Reis", text: "first" })
        const { sendMessage } = yield* SandboxConnector
        const host = (messageId: string) =>
          sendMessage(there, { threadId: thread_id, messageId, text: messageId, imageUrl: null, again: false })
        yield* host("host 1")
        assert.strictEqual((yield* market.writeMessage({ thread_id, text: "second" })).heard, "applied")

        const [asked, slow] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* answers((said) =>
          isEventOfType("message")(said) && said.text === "third"
            ? Effect.andThen(Deferred.succeed(asked, undefined), Effect.as(Deferred.await(slow), APPLIED))
            : Effect.succeed(APPLIED)
        )
        const third = yield* Effect.forkChild(market.writeMessage({ thread_id, text: "third" }))
        yield* Deferred.await(asked)
        yield* host("host 2")
        yield* TestClock.adjust("5 seconds")
        assert.isNull(
          (yield* market.writeMessage({ thread_id, text: "fourth" })).heard,
          "it waits for the one before it"
        )
        yield* Deferred.succeed(slow, undefined)
        yield* Fiber.join(third)
        yield* turns
        const texts = (yield* heardOf(accountId)).filter(isEventOfType("message")).map(({ text }) => text)
        assert.deepStrictEqual(
          texts.filter((text) => !text.startsWith("host")),
          ["first", "second", "third", "fourth"]
        )
      })
  )

  it.effect("is told of orders and messages though their thread always fails or is refused", () =>
    Effect.gen(function* () {
      for (const answer of [
        () => Effect.die(new Error("always")),
        () => Effect.succeed<IngestResult>({ outcome: "refused", reason: "no" })
      ]) {
        const { book, answers, market } = yield* ground()
        yield* answers((said) => (isEventOfType("thread")(said) ? answer() : Effect.succeed(APPLIED)))
        const order = yield* book
        assert.strictEqual(order.heard, "applied")
        assert.strictEqual((yield* market.writeMessage({ order_id: order.order_id, text: "Hello" })).heard, "applied")
      }
    })
  )

  it.effect("is told of accounts of the sandbox alone", () =>
    Effect.gen(function* () {
      const { accountId, operatorId, book, versions, kinds, listing } = yield* ground()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE channel_accounts SET connector = 'another' WHERE operator_id = ${operatorId} AND id = ${accountId}`
      assert.match((yield* Effect.flip(book)).message, new RegExp(`^listing_id: .*${listing}`))
      yield* turns
      assert.deepStrictEqual([yield* versions, yield* kinds], [[], []])
    })
  )
})
