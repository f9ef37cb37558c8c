import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import type { ChannelOrderEvent } from "../../../src/domain/channels/port/channel-events.ts"
import {
  AMOUNT_MAX,
  BODY_BYTES,
  CHANNEL_RATE_DETAILS_MAX,
  CHANNEL_ROOMS_MAX,
  CHANNEL_TEXT_LENGTH,
  GUESTS_MAX
} from "../../../src/platform/limits.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  layerWithoutRateWindows,
  loadReservationRows
} from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { createOperator } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"

const layerIngest = Layer.provideMerge(Ingest.layer, layerWithoutRateWindows)

/** What is logged while it runs, each line as one text. */
const logged = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => {
      lines.push(line)
    })
    return Effect.map(Effect.provideService(self, Logger.CurrentLoggers, new Set([logger])), (become) => ({
      become,
      lines
    }))
  })

layer(layerIngest, { excludeTestServices: false })("a channel that lies", (it) => {
  const ground = Effect.gen(function* () {
    const ground = yield* createOperatorWithListings
    const stranger = yield* createOperator()
    const strangers = yield* insertChannelAccount(stranger.operatorId)
    const foreign = yield* insertListing(stranger.operatorId, strangers)
    const twin = yield* insertChannelAccount(ground.operatorId)
    const twins = yield* insertListing(ground.operatorId, twin)
    return { ...ground, strangers, foreign, twin, twins }
  })

  it.effect("is refused and logged once, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId, listingId: listing, foreign, twins, ingestEvent: hear } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      const before = yield* loadReservationRows(operatorId)
      const good = makeOrderEvent([makeChannelRoom(listing)], { version: 2 })
      const rooms = (count: number) =>
        Array.from({ length: count }, (_, at) => makeChannelRoom(listing, { room_id: `${at}` }))
      const lies: ReadonlyArray<readonly [unknown, RegExp]> = [
        [undefined, /^type: /],
        [null, /^type: /],
        ["order", /^type: /],
        [[good], /^type: /],
        [{ ...good, type: "rumour" }, /^type: /],
        [{ ...good, type: "toString" }, /^type: /],
        [{ ...good, type: ["order"] }, /^type: /],
        [{ type: "order" }, /version: is required/],
        [{ ...good, version: 0 }, /^version: /],
        [{ ...good, version: 1.5 }, /^version: /],
        [{ ...good, status: "maybe" }, /^status: /],
        [{ ...good, currency: "EUROS" }, /^currency: /],
        [{ ...good, booker: { name: "\u0000" } }, /^booker/],
        [{ ...good, rooms: [] }, /^rooms/],
        [{ ...good, rooms: rooms(CHANNEL_ROOMS_MAX + 1) }, /^rooms/],
        [makeOrderEvent([makeChannelRoom(listing), makeChannelRoom(listing)]), /^rooms\[1\]\.room_id: /],
        [makeOrderEvent([makeChannelRoom(listing, { check_out_date: "2027-05-04" })]), /^rooms\[0\]\.check_out_date: /],
        [makeOrderEvent([makeChannelRoom(listing, { check_out_date: "2031-05-04" })]), /^rooms\[0\]\.check_out_date: /],
        [makeOrderEvent([makeChannelRoom(listing, { rate: 1.001 })]), /^rooms\[0\]\.rate: /],
        [makeOrderEvent([makeChannelRoom(listing, { rate: -1 })]), /rate: /],
        [makeOrderEvent([makeChannelRoom(foreign)], { version: 2 }), /^rooms\[0\]\.listing_id: /],
        [makeOrderEvent([makeChannelRoom(twins)], { version: 2 }), /^rooms\[0\]\.listing_id: /],
        [makeOrderEvent([makeChannelRoom("nobody's")], { channel_id: "HM2" }), /^rooms\[0\]\.listing_id: /],
        [{ ...good, remarks: "x".repeat(BODY_BYTES) }, /^more than /],
        [{ ...good, more: Array.from({ length: 30_000 }, () => 0) }, /^more than /]
      ]
      for (const [lie, reason] of lies) {
        const { become, lines } = yield* logged(hear(lie))
        assert.strictEqual(become.outcome, "refused", JSON.stringify(lie)?.slice(0, 200))
        assert.match(become.outcome === "refused" ? become.reason : "", reason)
        assert.lengthOf(lines, 1)
        assert.include(lines[0], '"level":"WARN"')
        assert.notInclude(lines[0], "Hopper")
      }
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
      const most = { ...good, channel_id: "HM3", rooms: rooms(CHANNEL_ROOMS_MAX) }
      assert.deepStrictEqual(yield* hear(most), { outcome: "applied" }, "as many rooms as there may be")
    })
  )

  it.effect("may say as much as there is room for, and no more", () =>
    Effect.gen(function* () {
      const { listingId: listing, ingestEvent: hear } = yield* ground
      const most: ReadonlyArray<readonly [number, (count: number) => ChannelOrderEvent]> = [
        [
          CHANNEL_RATE_DETAILS_MAX,
          (count) =>
            makeOrderEvent([
              makeChannelRoom(listing, {
                details: Array.from({ length: count }, () => ({ type: "TAXES", description: "City", amount: 1 }))
              })
            ])
        ],
        [
          GUESTS_MAX,
          (count) =>
            makeOrderEvent([
              makeChannelRoom(listing, { guests: Array.from({ length: count }, () => ({ name: "Ada" })) })
            ])
        ],
        [GUESTS_MAX, (number_of_adults) => makeOrderEvent([makeChannelRoom(listing, { number_of_adults })])],
        [CHANNEL_TEXT_LENGTH, (count) => makeOrderEvent([makeChannelRoom(listing)], { remarks: "x".repeat(count) })],
        [AMOUNT_MAX, (rate) => makeOrderEvent([makeChannelRoom(listing, { rate })])]
      ]
      for (const [at, [limit, said]] of most.entries()) {
        const version = at + 1
        const more = yield* hear({ ...said(limit + 1), version })
        assert.strictEqual(more.outcome, "refused", `${at}`)
        assert.deepStrictEqual(yield* hear({ ...said(limit), version }), { outcome: "applied" }, `${at}`)
      }
    })
  )

  it.effect("speaks for its own account alone", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        accountId,
        strangers,
        twin,
        twins,
        listingId: listing,
        ingest,
        ingestEvent: hear
      } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      const before = yield* loadReservationRows(operatorId)
      const speakers = [
        [
          { operatorId, accountId: twin, channelType: "airbnb" },
          makeOrderEvent([makeChannelRoom(twins)], { version: 2 })
        ],
        [
          { operatorId, accountId: strangers, channelType: "airbnb" },
          makeOrderEvent([makeChannelRoom(listing)], { version: 2 })
        ],
        [{ operatorId, accountId, channelType: "vrbo" }, makeOrderEvent([makeChannelRoom(listing)], { version: 2 })],
        [
          { operatorId: 999_999_999, accountId, channelType: "airbnb" },
          makeOrderEvent([makeChannelRoom(listing)], { version: 2 })
        ]
      ] as const
      for (const [speaker, said] of speakers) assert.strictEqual((yield* ingest(speaker, said)).outcome, "refused")
      assert.deepStrictEqual(yield* loadReservationRows(operatorId), before)
    })
  )

  it.effect("may speak of what came in before its account was known, which is the account's from then on", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        accountId,
        twin,
        twins,
        listingId: listing,
        ingest,
        ingestEvent: hear,
        reservations: rows
      } = yield* ground
      const sql = yield* SqlClient.SqlClient
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      const before = yield* rows
      yield* sql`
        UPDATE orders SET channel_account_id = NULL, channel_version = NULL, channel_synced_at = NULL
        WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE stays SET channel_room_id = NULL, listing_id = 'of before' WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(yield* hear(makeOrderEvent([makeChannelRoom(listing)])), { outcome: "applied" })
      assert.deepStrictEqual(yield* rows, before)
      const [known] = yield* sql`
        SELECT channel_account_id, channel_version FROM orders WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(known, { channel_account_id: accountId, channel_version: 1 })
      const other = { operatorId, accountId: twin, channelType: "airbnb" }
      const said = makeOrderEvent([makeChannelRoom(twins)], { version: 2 })
      assert.strictEqual((yield* ingest(other, said)).outcome, "refused")
      // Where the channel no longer lets the service into the first account, the host has connected anew.
      yield* sql`UPDATE channel_accounts SET auth_status = 'disconnected' WHERE id = ${accountId}`
      assert.strictEqual((yield* ingest(other, said)).outcome, "applied")
    })
  )
})
