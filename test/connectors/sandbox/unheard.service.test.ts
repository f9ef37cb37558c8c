import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../src/connectors/sandbox/SandboxConnector.ts"
import { SandboxOutbox } from "../../../src/connectors/sandbox/SandboxOutbox.ts"
import {
  createSandboxAccount,
  createSandboxListing,
  layerSandboxTestOnOwnDatabase,
  NOW,
  ReceivedEvents
} from "../../support/connectors/sandbox/sandbox-accounts.ts"

// A host's calendar that does not know yet what the marketplace has sold says how many can be sold.

const STAY = { check_in_date: "2027-06-07", check_out_date: "2027-06-09", guest_name: "Ana Reis" }

const ground = Effect.fn("ground")(function* (rooms: number, instant: boolean) {
  yield* TestClock.setTime(NOW)
  const at = yield* createSandboxAccount("booking.com")
  const listing = yield* createSandboxListing(at.account, { title: "Harbour view", rooms, instant })
  const market = yield* Marketplace
  const sandbox = yield* SandboxConnector
  const listener = yield* ReceivedEvents
  const push = (inventory: number) =>
    sandbox.pushInventories(at.remoteAccount, {
      listingId: listing,
      inventories: [{ start_date: "2027-06-06", end_date: "2027-06-09", inventory }]
    })
  const left = Effect.map(
    sandbox.readCalendar(at.remoteAccount, { listingId: listing, start: "2027-06-06", end: "2027-06-09" }),
    (days) => days.map(({ inventory }) => inventory)
  )
  const book = market.bookOrder({ listing_id: listing, ...STAY })
  const deaf = listener.setIngestResponse(at.accountId, () => Effect.die(new Error("the service is away")))
  const hears = Effect.gen(function* () {
    yield* listener.setIngestResponse(at.accountId, () => Effect.succeed({ outcome: "applied" }))
    yield* TestClock.adjust("1 hour")
    const { processBatch: turn } = yield* SandboxOutbox
    yield* Effect.repeat(turn, { until: (more) => !more })
  })
  return { ...at, market, push, left, book, deaf, hears }
})

layer(layerSandboxTestOnOwnDatabase)("the sandbox", (it) => {
  it.effect(
    "sells no night again that it has sold and nobody heard of, whatever a calendar says that does not know it",
    () =>
      Effect.gen(function* () {
        const { push, left, book, deaf, hears } = yield* ground(1, true)
        yield* deaf
        yield* book
        yield* push(1)
        assert.deepStrictEqual(yield* left, [1, 0, 0, 1])
        assert.strictEqual((yield* Effect.flip(book))._tag, "Conflict")
        // Heard, the host's calendar is the last word.
        yield* hears
        yield* push(0)
        yield* push(1)
        assert.deepStrictEqual(yield* left, [1, 1, 1, 1])
      })
  )

  it.effect("counts those who have a night off what is said of several rooms; who cancels leaves it", () =>
    Effect.gen(function* () {
      const { push, left, book, deaf, market } = yield* ground(3, true)
      yield* deaf
      const order = yield* book
      yield* push(3)
      assert.deepStrictEqual(yield* left, [3, 2, 2, 3])
      yield* push(0)
      assert.deepStrictEqual(yield* left, [0, 0, 0, 0])
      yield* push(2)
      yield* market.cancelOrder({ order_id: order.order_id })
      assert.deepStrictEqual(yield* left, [2, 2, 2, 2])
      yield* push(3)
      assert.deepStrictEqual(yield* left, [3, 3, 3, 3])
    })
  )

  it.effect("keeps the nights of a request, which holds none in the host's calendar", () =>
    Effect.gen(function* () {
      const { push, left, book, hears, remoteAccount: there, operatorId } = yield* ground(1, false)
      const order = yield* book
      assert.strictEqual(order.status, "wait_accept")
      yield* hears
      yield* push(1)
      assert.deepStrictEqual(yield* left, [1, 0, 0, 1])
      const sandbox = yield* SandboxConnector
      yield* sandbox.decline(there, { reservationCode: "0-1-A", channelId: order.order_id })
      assert.deepStrictEqual(yield* left, [1, 1, 1, 1])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT 1 FROM sandbox_days WHERE operator_id = ${operatorId} AND taken > 0`
      assert.deepStrictEqual(rows, [])
    })
  )

  it.effect("does not count off again who has what the host agreed to: his calendar knows that before he is told", () =>
    Effect.gen(function* () {
      const { push, left, book, hears, deaf, remoteAccount: there, market } = yield* ground(2, false)
      const order = yield* book
      yield* hears
      yield* deaf
      const sandbox = yield* SandboxConnector
      yield* sandbox.approve(there, { reservationCode: "0-1-A", channelId: order.order_id })
      yield* push(1)
      assert.deepStrictEqual(yield* left, [1, 1, 1, 1])
      // What the guest changes then the host does not know.
      yield* market.changeOrder({ order_id: order.order_id, check_in_date: "2027-06-07", check_out_date: "2027-06-10" })
      yield* push(1)
      assert.deepStrictEqual(yield* left, [1, 0, 0, 0])
      yield* hears
      yield* push(1)
      assert.deepStrictEqual(yield* left, [1, 1, 1, 1])
    })
  )
})
