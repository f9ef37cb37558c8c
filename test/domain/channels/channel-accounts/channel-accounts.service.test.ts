import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerAccountsWithPrices } from "../../../../src/domain/calendars/base-prices/missed-price-pushes.ts"
import { ChannelAccounts } from "../../../../src/domain/channels/channel-accounts/ChannelAccounts.ts"
import { CHANNEL_ACCOUNTS_MAX } from "../../../../src/platform/limits.ts"
import { countRows, createHostClient, runConcurrently } from "../../../support/domain/host-client.ts"
import {
  EVENT_TIME,
  listPermutations,
  loadAuditRecordLines,
  makeAccountEvent,
  toChannelAccountRef
} from "../../../support/domain/listings/listing-events.ts"
import { asSystemActor, call, createOperator, layerTest } from "../../../support/harness.ts"
import { insertChannelAccount } from "../../../support/listings.ts"

const account = (
  origin_account_id: string,
  more: { readonly username?: string; readonly connector?: string } = {}
) => ({
  channel_type: "vrbo" as const,
  username: "harbour",
  origin_account_id,
  connector: "sandbox",
  ...more
})

/** Accounts of the operator until there are so many. */
const filled = Effect.fnUntraced(function* (operatorId: number, most: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
    SELECT ${operatorId}::bigint, 'vrbo', 'harbour', 'filler ' || n, 'active', 'sandbox', now()
    FROM generate_series(1, ${most}::int) n`
})

layer(Layer.provideMerge(layerAccountsWithPrices, layerTest))("accounts at channels", (it) => {
  it.effect("are listed as their channels have them, page by page", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const accounts = yield* ChannelAccounts
      const id = yield* asSystemActor(accounts.connect(operatorId, account("V-1"), EVENT_TIME))
      const off = yield* insertChannelAccount(operatorId, { authStatus: "disconnected", username: "second" })
      const page = yield* api.search_channel_accounts({}).pipe(as)
      assert.strictEqual(page.total, 2)
      assert.deepStrictEqual(page.channel_accounts[0], {
        id,
        channel_type: "vrbo",
        username: "harbour",
        origin_account_id: "V-1",
        auth_status: "active",
        created_at: "2027-04-20T10:00:00Z"
      })
      assert.deepInclude(page.channel_accounts[1], { id: off, auth_status: "disconnected", username: "second" })
      const second = yield* api.search_channel_accounts({ offset: 1, limit: 1 }).pipe(as)
      assert.deepStrictEqual(second, { channel_accounts: page.channel_accounts.slice(1), total: 2 })
    })
  )

  it.effect("are found by id and by channel", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, token } = yield* createHostClient()
      const airbnb = yield* insertChannelAccount(operatorId)
      const vrbo = yield* insertChannelAccount(operatorId, { channelType: "vrbo" })
      const theirs = yield* insertChannelAccount((yield* createOperator()).operatorId)
      const found = (payload: Parameters<typeof api.search_channel_accounts>[0]) =>
        Effect.map(api.search_channel_accounts(payload).pipe(as), ({ channel_accounts, total }) => [
          channel_accounts.map(({ id }) => id),
          total
        ])
      assert.deepStrictEqual(yield* found({}), [[airbnb, vrbo], 2])
      assert.deepStrictEqual(yield* found({ id: vrbo }), [[vrbo], 1])
      assert.deepStrictEqual(yield* found({ channel_type: "airbnb" }), [[airbnb], 1])
      assert.deepStrictEqual(yield* found({ channel_type: "agoda" }), [[], 0])
      assert.deepStrictEqual(yield* found({ id: vrbo, channel_type: "airbnb" }), [[], 0])
      assert.deepStrictEqual(yield* found({ id: theirs }), [[], 0])
      const unknown = yield* call(token, "search_channel_accounts", { channel_type: "myspace" })
      assert.strictEqual(unknown.error_code, 422)
      assert.match(unknown.error_msg, /^channel_type: must be one of airbnb, /)
    })
  )

  it.effect("never show a booking site, whatever is asked for, nor count it", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const site = yield* insertChannelAccount(operatorId, { channelType: "booking_site" })
      const airbnb = yield* insertChannelAccount(operatorId)
      const nothing = { channel_accounts: [], total: 0 }
      assert.deepStrictEqual(yield* api.search_channel_accounts({ id: site }).pipe(as), nothing)
      assert.deepStrictEqual(yield* api.search_channel_accounts({ channel_type: "booking_site" }).pipe(as), nothing)
      const all = yield* api.search_channel_accounts({}).pipe(as)
      assert.deepStrictEqual([all.channel_accounts.map(({ id }) => id), all.total], [[airbnb], 1])
    })
  )

  it.effect("are active again when they are connected again, and are the same", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const accounts = yield* ChannelAccounts
      const id = yield* asSystemActor(accounts.connect(operatorId, account("V-1"), EVENT_TIME))
      const speaker = toChannelAccountRef(operatorId, id, "vrbo")
      const left = makeAccountEvent(3, { auth_status: "disconnected" })
      assert.strictEqual(yield* asSystemActor(accounts.applyUpdate(speaker, left, EVENT_TIME)), "applied")
      assert.strictEqual(
        yield* asSystemActor(accounts.connect(operatorId, account("V-1", { username: "new" }), EVENT_TIME)),
        id
      )
      // What was said before the host connected it again does not end it again.
      assert.strictEqual(yield* asSystemActor(accounts.applyUpdate(speaker, left, EVENT_TIME)), "known")
      const { channel_accounts } = yield* api.search_channel_accounts({}).pipe(as)
      assert.lengthOf(channel_accounts, 1)
      assert.deepInclude(channel_accounts[0], { id, username: "new", auth_status: "active" })
      const record = `channel_account:${id}`
      assert.deepStrictEqual(yield* loadAuditRecordLines(operatorId), [
        record,
        `${record} auth_status`,
        `${record} auth_status username`
      ])
    })
  )

  it.effect(`are ${CHANNEL_ACCOUNTS_MAX} at most; one that is there can always be connected again`, () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createHostClient()
      const accounts = yield* ChannelAccounts
      yield* filled(operatorId, CHANNEL_ACCOUNTS_MAX - 1)
      const several = ["V-1", "V-2", "V-3", "V-4"].map((each) =>
        asSystemActor(accounts.connect(operatorId, account(each), EVENT_TIME))
      )
      assert.deepStrictEqual(yield* runConcurrently(several), { succeeded: 1, refused: ["ValidationFailed"] })
      assert.strictEqual(yield* countRows(operatorId, "channel_accounts"), CHANNEL_ACCOUNTS_MAX)
      const error = yield* Effect.flip(asSystemActor(accounts.connect(operatorId, account("V-9"), EVENT_TIME)))
      assert.match(error.message, /100 accounts/)
      yield* asSystemActor(accounts.connect(operatorId, account("filler 7"), EVENT_TIME))
      assert.strictEqual(yield* countRows(operatorId, "channel_accounts"), CHANNEL_ACCOUNTS_MAX)
    })
  )

  it.effect("cannot be connected for nobody, or under no id", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createHostClient()
      const accounts = yield* ChannelAccounts
      const nobody = yield* Effect.flip(asSystemActor(accounts.connect(987_654_321, account("V-1"), EVENT_TIME)))
      assert.include(nobody.message, "operator 987654321")
      const unnamed = yield* Effect.flip(asSystemActor(accounts.connect(operatorId, account(""), EVENT_TIME)))
      assert.match(unnamed.message, /^origin_account_id: .*empty/)
      assert.strictEqual(yield* countRows(operatorId, "channel_accounts"), 0)
    })
  )

  it.effect("stand as the latest version says, in whichever order the versions arrive", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const accounts = yield* ChannelAccounts
      const said = [
        makeAccountEvent(1, { auth_status: "connecting" }),
        makeAccountEvent(2, { auth_status: "exception", username: "second" }),
        makeAccountEvent(5, { auth_status: "disconnected", username: "third" })
      ]
      for (const order of listPermutations(said)) {
        const id = yield* insertChannelAccount(operatorId)
        const speaker = toChannelAccountRef(operatorId, id)
        let last = 0
        for (const each of order) {
          const outcome = each.version > last ? "applied" : "late"
          last = Math.max(last, each.version)
          assert.strictEqual(yield* asSystemActor(accounts.applyUpdate(speaker, each, EVENT_TIME)), outcome)
          assert.strictEqual(
            yield* asSystemActor(accounts.applyUpdate(speaker, each, EVENT_TIME)),
            each.version === last ? "known" : "late"
          )
        }
        const { channel_accounts } = yield* api.search_channel_accounts({ id }).pipe(as)
        assert.deepInclude(channel_accounts[0], { auth_status: "disconnected", username: "third" })
      }
    })
  )

  it.effect("leave no trail of a version in which nothing is new", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createHostClient()
      const accounts = yield* ChannelAccounts
      const speaker = toChannelAccountRef(operatorId, yield* insertChannelAccount(operatorId))
      assert.strictEqual(
        yield* asSystemActor(accounts.applyUpdate(speaker, makeAccountEvent(1), EVENT_TIME)),
        "applied"
      )
      assert.deepStrictEqual(yield* loadAuditRecordLines(operatorId), [])
    })
  )

  it.effect("are spoken of by nobody else", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* createHostClient()
      const other = yield* createOperator()
      const accounts = yield* ChannelAccounts
      const id = yield* insertChannelAccount(operatorId)
      const left = makeAccountEvent(9, { auth_status: "disconnected" })
      for (const speaker of [
        toChannelAccountRef(other.operatorId, id),
        toChannelAccountRef(operatorId, id, "vrbo"),
        toChannelAccountRef(operatorId, 987_654_321)
      ]) {
        const refused = yield* Effect.flip(asSystemActor(accounts.applyUpdate(speaker, left, EVENT_TIME)))
        assert.match(refused.reason, /no such account/)
      }
      const { channel_accounts } = yield* api.search_channel_accounts({ id }).pipe(as)
      assert.strictEqual(channel_accounts[0]?.auth_status, "active")
    })
  )
})
