import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { LISTING_TEXT_LENGTH, RECORD_CODE_LENGTH } from "../../../src/platform/limits.ts"
import { layerSandboxTest, NOW } from "../../support/connectors/sandbox/sandbox-accounts.ts"
import { createOperator } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"

const STAY = { guest_name: "Ana Reis", check_in_date: "2027-06-07", check_out_date: "2027-06-09" }

const ground = Effect.fn("ground")(function* () {
  yield* TestClock.setTime(NOW)
  const { operatorId } = yield* createOperator()
  const sql = yield* SqlClient.SqlClient
  const market = yield* Marketplace
  type Asked = Parameters<typeof market.openListing>[0]
  return {
    operatorId,
    market,
    open: (asked: Partial<Asked> = {}) =>
      market.openListing({ operator_id: operatorId, channel_type: "airbnb", ...asked }),
    /** Accounts and listings that there are. */
    there: Effect.map(
      sql<{ accounts: number; listings: number }>`
        SELECT (SELECT count(*)::int FROM channel_accounts WHERE operator_id = ${operatorId}) AS accounts,
          (SELECT count(*)::int FROM sandbox_listings WHERE operator_id = ${operatorId}) AS listings`,
      ([row]) => [row?.accounts, row?.listings]
    )
  }
})

const refusalOf = <A, E extends { readonly _tag: string; readonly message: string }, R>(act: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(act), ({ _tag, message }) => `${_tag} ${message}`)

layer(layerSandboxTest)("opening a listing of the sandbox", (it) => {
  it.effect("is refused where another account of the operator on the channel has it, and leaves nothing", () =>
    Effect.gen(function* () {
      const { market, open, operatorId, there } = yield* ground()
      yield* open({ listing_id: "314006", username: "two-harbours" })
      const elsewhere = /^Conflict listing_id: another account .*airbnb.*314006/
      assert.match(yield* refusalOf(open({ listing_id: "314006", username: "pier" })), elsewhere)
      assert.match(
        yield* refusalOf(open({ listing_id: "314006", username: "two-harbours" })),
        /^Conflict listing_id: the account .*314006/
      )
      assert.deepStrictEqual(yield* there, [1, 1])
      yield* open({ listing_id: "314006", username: "pier", channel_type: "vrbo" })
      const { status } = yield* market.bookOrder({
        ...STAY,
        operator_id: operatorId,
        channel_type: "airbnb",
        listing_id: "314006"
      })
      assert.strictEqual(status, "wait_accept")
    })
  )

  it.effect("is refused too where the service alone knows of it there", () =>
    Effect.gen(function* () {
      const { open, operatorId, there } = yield* ground()
      const accountId = yield* insertChannelAccount(operatorId, { channelType: "airbnb" })
      const listing_id = yield* insertListing(operatorId, accountId, { channelType: "airbnb" })
      assert.match(yield* refusalOf(open({ listing_id })), /^Conflict listing_id: .*another account/)
      assert.deepStrictEqual(yield* there, [1, 0])
    })
  )

  it.effect("has one that is first, of many accounts at once", () =>
    Effect.gen(function* () {
      const { open, there } = yield* ground()
      const opened = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, nth) => `pier-${nth}`),
        (username) => Effect.result(open({ listing_id: "314006", username })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        opened.filter(({ _tag }) => _tag === "Success"),
        1
      )
      assert.deepStrictEqual(yield* there, [1, 1])
    })
  )

  it.effect("takes no amount that is finer than its currency", () =>
    Effect.gen(function* () {
      const { open, there } = yield* ground()
      assert.match(yield* refusalOf(open({ base_price: 120.555 })), /^ValidationFailed base_price: .*EUR/)
      assert.match(
        yield* refusalOf(open({ currency: "JPY", cleaning_fee: 0.5 })),
        /^ValidationFailed cleaning_fee: .*JPY/
      )
      assert.deepStrictEqual(yield* there, [0, 0])
      yield* open({ base_price: 120.55, cleaning_fee: 0.01 })
    })
  )

  it.effect("takes ids that can be named among others, and titles that say something", () =>
    Effect.gen(function* () {
      const { open, there } = yield* ground()
      for (const listing_id of ["a,b", " sp ", "a b", "ü", "", "a\n", "a".repeat(RECORD_CODE_LENGTH + 1)]) {
        assert.match(yield* refusalOf(open({ listing_id })), /^(ValidationFailed|BadRequest) listing_id: must /)
      }
      for (const title of ["", "  ", "a".repeat(LISTING_TEXT_LENGTH + 1)]) {
        assert.match(yield* refusalOf(open({ title })), /^(ValidationFailed|BadRequest) title: must /)
      }
      assert.deepStrictEqual(yield* there, [0, 0])
      yield* open({ listing_id: "a".repeat(RECORD_CODE_LENGTH) })
      const { listing_id, title } = yield* open({ listing_id: "A.b_c-9", title: " Loft " })
      assert.deepStrictEqual([listing_id, title], ["A.b_c-9", "Loft"])
    })
  )

  it.effect("draws ids as its channel has them", () =>
    Effect.gen(function* () {
      const { open } = yield* ground()
      assert.match((yield* open({ channel_type: "airbnb" })).listing_id, /^[1-9]\d*$/)
      assert.match((yield* open({ channel_type: "booking_site" })).listing_id, /^[1-9]\d*-[1-9]\d*$/)
    })
  )
})
