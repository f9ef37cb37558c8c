import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Ref } from "effect"
import { SqlClient, Statement } from "effect/sql"
import fc from "fast-check"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { addDays } from "../../../src/contract/time.ts"
import type { ChannelOrderEvent } from "../../../src/domain/channels/port/channel-events.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  MANUAL_RESERVATION
} from "../../support/domain/bookings/reservations/reservation-operator.ts"

const layerIngest = Layer.provideMerge(Ingest.layer, layerWithoutRateWindows)

/** Nights that are not with whom they should be, and orders whose stays are not counted right. */
const outOfStep = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT stay_code FROM stays_out_of_step WHERE operator_id = ${operatorId}
    UNION ALL SELECT reservation_code FROM orders o WHERE operator_id = ${operatorId}
      AND stay_count <> (SELECT count(*) FROM stays s WHERE s.operator_id = o.operator_id AND s.order_id = o.id)`
})

/** Lets what runs within be cut off at its nth statement, before it is sent or after it was carried out. */
const cutAt = (nth: number, isDone: boolean) =>
  Effect.gen(function* () {
    const sent = yield* Ref.make(0)
    const cutting = Effect.provideService(
      Statement.CurrentTransformer,
      Effect.fnUntraced(function* (statement) {
        if ((yield* Ref.getAndUpdate(sent, (count) => count + 1)) !== nth) return statement
        if (isDone) yield* Effect.ignore(Effect.provideService(statement, Statement.CurrentTransformer, undefined))
        return yield* Effect.interrupt
      })
    )
    return { cutting, wasCut: Effect.map(Ref.get(sent), (count) => count > nth) }
  })

layer(layerIngest, { excludeTestServices: false })("orders of channels, many at once and cut off", (it) => {
  it.effect("the same order said fifty times at once is one, told once a stay", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        listingId: listing,
        otherListingId: other,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      const said = makeOrderEvent([makeChannelRoom(listing), makeChannelRoom(other, { room_id: "R2" })])
      const heard = yield* Effect.forEach(Array.from({ length: 50 }), () => hear(said), { concurrency: "unbounded" })
      assert.lengthOf(
        heard.filter(({ outcome }) => outcome === "applied"),
        1
      )
      assert.lengthOf(
        heard.filter(({ outcome }) => outcome === "known"),
        49
      )
      assert.lengthOf(yield* rows, 2)
      const created = (yield* loadEvents(operatorId)).filter(({ event }) => event === "reservation_created")
      assert.lengthOf(created, 2)
    })
  )

  it.effect("versions said at once leave the last of them", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        listingId: listing,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      const versions = Array.from({ length: 20 }, (_, at) =>
        makeOrderEvent([makeChannelRoom(listing, { rate: 100 + at, check_out_date: addDays("2027-05-05", at) })], {
          version: at + 1
        })
      )
      yield* Effect.forEach(versions, hear, { concurrency: "unbounded" })
      assert.deepInclude((yield* rows)[0], { check_out_date: addDays("2027-05-05", 19) })
      assert.deepStrictEqual(yield* outOfStep(operatorId), [])
      assert.lengthOf(yield* loadNightHolders(operatorId), 20)
    })
  )

  it.effect("a night is with one of a sold order and a reservation by hand that come at once, each time", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        operatorId,
        propertyId: property,
        listingId: listing,
        ingestEvent: hear
      } = yield* createOperatorWithListings
      const won: Array<string> = []
      for (let round = 0; round < 100; round++) {
        const dates = {
          check_in_date: addDays("2027-05-01", round),
          check_out_date: addDays("2027-05-02", round)
        }
        const sold = hear(makeOrderEvent([makeChannelRoom(listing, dates)], { channel_id: `S${round}` }))
        const byHand = api
          .create_reservation({ ...MANUAL_RESERVATION, ...dates, property_id: property, channel_id: `H${round}` })
          .pipe(
            as,
            Effect.as("held"),
            Effect.catchTag("Conflict", () => Effect.succeed("refused"))
          )
        // Each has its start now and then, so that either is first often enough.
        const wait = Effect.repeat(Effect.yieldNow, { times: round })
        const pair =
          round % 2 === 0
            ? ([sold, Effect.andThen(wait, byHand)] as const)
            : ([Effect.andThen(wait, sold), byHand] as const)
        const [heard, made] = yield* Effect.all(pair, { concurrency: "unbounded" })
        won.push(made)
        assert.deepStrictEqual(heard, { outcome: "applied" })
      }
      assert.lengthOf(yield* loadNightHolders(operatorId), 100)
      assert.sameMembers([...new Set(won)], ["held", "refused"])
      assert.deepStrictEqual(yield* outOfStep(operatorId), [])
    })
  )

  it.effect("an order that was cut off at any statement and said again is one order with its nights", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        listingId: listing,
        otherListingId: other,
        ingestEvent: hear,
        reservations: rows
      } = yield* createOperatorWithListings
      const said = (at: number) => [
        makeOrderEvent([makeChannelRoom(listing), makeChannelRoom(other, { room_id: "R2" })], { channel_id: `C${at}` }),
        makeOrderEvent([makeChannelRoom(other, { room_id: "R2" }), makeChannelRoom(listing, { room_id: "R3" })], {
          channel_id: `C${at}`,
          version: 2
        }),
        makeOrderEvent([makeChannelRoom(listing, { room_id: "R3" })], {
          channel_id: `C${at}`,
          version: 3,
          status: "cancelled"
        })
      ]
      let [cuts, cutOff] = [0, 0]
      for (const [nth, isDone] of [0, 1, 2, 3].flatMap((nth) => [[nth, false] as const, [nth, true] as const])) {
        for (const each of said(cuts)) {
          const { cutting, wasCut } = yield* cutAt(nth, isDone)
          const exit = yield* Effect.exit(hear(each).pipe(cutting))
          assert.strictEqual(Exit.isFailure(exit), yield* wasCut)
          if (Exit.isFailure(exit)) cutOff += 1
          assert.include(["applied", "known"], (yield* hear(each)).outcome)
          assert.deepStrictEqual(yield* outOfStep(operatorId), [])
        }
        cuts += 1
      }
      assert.isAtLeast(cutOff, 12)
      assert.deepStrictEqual(yield* loadNightHolders(operatorId), [])
      assert.lengthOf(yield* rows, 0)
      const created = (yield* loadEvents(operatorId)).filter(({ event }) => event === "reservation_created")
      assert.lengthOf(created, 3 * cuts)
    })
  )

  it.effect("four versions end in the same, in whatever order they are heard", () =>
    Effect.gen(function* () {
      const ground = yield* createOperatorWithListings
      const version = fc.record({
        rooms: fc.uniqueArray(
          fc.record({ id: fc.constantFrom("R1", "R2", "R3"), from: fc.nat(5), nights: fc.integer({ min: 1, max: 4 }) }),
          {
            minLength: 1,
            maxLength: 2,
            selector: ({ id }) => id
          }
        ),
        name: fc.constantFrom("Ada", "Grace"),
        forward: fc.nat(2)
      })
      const history = fc.tuple(version, version, version, version)
      const STATUSES = ["wait_accept", "wait_pay", "accepted", "cancelled"] as const
      let channelId = 0
      for (const versions of fc.sample(history, 3)) {
        let come = 0
        const said = versions.map(({ rooms, name, forward }, at): ChannelOrderEvent => {
          come = Math.min(come + forward, 3)
          const [first = makeChannelRoom(ground.listingId), ...others] = rooms.map(({ id, from, nights }) =>
            // Each room has months of its own, so that none is in another's way.
            makeChannelRoom(id === "R2" ? ground.otherListingId : ground.listingId, {
              room_id: id,
              check_in_date: addDays(id === "R3" ? "2028-06-01" : "2028-05-01", from),
              check_out_date: addDays(id === "R3" ? "2028-06-01" : "2028-05-01", from + nights),
              rate: 100 + at
            })
          )
          return makeOrderEvent([first, ...others], {
            version: at + 1,
            booker: { name },
            status: STATUSES[come] ?? "accepted"
          })
        })
        const ends = new Set<string>()
        for (const turn of permutations(said)) {
          channelId += 1
          yield* Effect.forEach(turn, (each) => ground.ingestEvent({ ...each, channel_id: `P${channelId}` }))
          const { reservations } = yield* ground.api
            .search_reservations({ channel_id: `P${channelId}` })
            .pipe(ground.as)
          ends.add(
            JSON.stringify(
              reservations
                .map(({ listing_id, check_in_date, check_out_date, rates, guest_name, status, property_id }) => ({
                  listing_id,
                  check_in_date,
                  check_out_date,
                  rates,
                  guest_name,
                  status,
                  property_id
                }))
                .toSorted((one, two) =>
                  `${one.listing_id}${one.check_in_date}`.localeCompare(`${two.listing_id}${two.check_in_date}`)
                )
            )
          )
          // The next is not in the way of this one.
          yield* ground.ingestEvent({ ...said[3], version: 9, status: "cancelled", channel_id: `P${channelId}` })
        }
        assert.lengthOf([...ends], 1, JSON.stringify(said))
      }
      assert.deepStrictEqual(yield* outOfStep(ground.operatorId), [])
    })
  )
})

const permutations = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((each, at) => permutations(all.toSpliced(at, 1)).map((others) => [each, ...others]))
