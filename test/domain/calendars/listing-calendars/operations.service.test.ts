import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import {
  AMOUNT_MAX,
  AVAILABILITY_END_DAYS,
  LISTING_INVENTORY_MAX,
  LISTING_RANGES_MAX,
  QUEUED_LISTING_PUSHES_MAX,
  STAY_NIGHTS
} from "../../../../src/platform/limits.ts"
import {
  createListing,
  layerPushService,
  loadPushLines,
  makeDayPrice,
  prepareListing,
  TODAY
} from "../../../support/domain/calendars/listing-calendars/push-service.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { call, callForResponse, createOperator } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { countStatements } from "../../../support/statement-count.ts"

const KINDS = ["prices", "inventories", "restrictions"] as const
const VALUE = { prices: { price: 1 }, inventories: { inventory: 0 }, restrictions: { closed_on_arrival: true } }
const MAY = { start_date: "2027-05-01", end_date: "2027-05-31" }

type Scene = Effect.Success<ReturnType<typeof prepareListing>>

const send = (
  { token, channel_type, listing_id }: Scene,
  kind: (typeof KINDS)[number],
  ...ranges: ReadonlyArray<object>
) => call(token, `update_listing_${kind}`, { channel_type, listing_id, [kind]: ranges })

/** A refused call: its code and its words; nothing of it is kept. */
const refused = Effect.fnUntraced(function* (
  scene: Scene,
  ...sent: [(typeof KINDS)[number], ...ReadonlyArray<object>]
) {
  const before = yield* loadPushLines(scene.listing_id)
  const { error_code, error_msg } = yield* send(scene, ...sent)
  assert.deepStrictEqual(yield* loadPushLines(scene.listing_id), before)
  return `${error_code} ${error_msg}`
})

const laneOf = (listingId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ waiting: number }>`
      SELECT lane.waiting FROM listing_lanes lane
      JOIN listings l ON l.operator_id = lane.operator_id AND l.id = lane.listing_row WHERE l.listing_id = ${listingId}`
  )

layer(layerPushService)("a change of what a channel sells of a listing", (it) => {
  for (const kind of KINDS) {
    const good = { ...MAY, ...VALUE[kind] }

    it.effect(`${kind}: names the range that is wrong, and keeps nothing of the call`, () =>
      Effect.gen(function* () {
        const scene = yield* prepareListing()
        const last = addDays(TODAY, AVAILABILITY_END_DAYS)
        const wrong = [
          [{ start_date: "2027-05-02", end_date: "2027-05-01" }, /end_date: .*start_date/],
          [{ end_date: addDays(last, 1) }, new RegExp(`end_date: .*${AVAILABILITY_END_DAYS}`)],
          [{ start_date: addDays(TODAY, -1) }, /start_date: .*today/]
        ] as const
        for (const [range, pattern] of wrong) {
          assert.match(
            yield* refused(scene, kind, good, { ...good, ...range }),
            new RegExp(`^422 ${kind}\\[1\\]\\.${pattern.source}`)
          )
        }
        assert.match(
          yield* refused(scene, kind, good, { ...VALUE[kind], start_date: "2027-05-01" }),
          new RegExp(`^400 ${kind}\\[1\\]\\.end_date: .*required`)
        )
        const { error_code } = yield* send(scene, kind, { ...good, start_date: TODAY, end_date: last })
        assert.strictEqual(error_code, 0)
      })
    )

    it.effect(`${kind}: names 1 to ${LISTING_RANGES_MAX} ranges`, () =>
      Effect.gen(function* () {
        const scene = yield* prepareListing()
        const many = Array.from({ length: LISTING_RANGES_MAX }, () => good)
        assert.match(yield* refused(scene, kind), new RegExp(`^422 ${kind}: `))
        assert.match(yield* refused(scene, kind, ...many, good), new RegExp(`^422 ${kind}: `))
        assert.strictEqual((yield* send(scene, kind, ...many)).error_code, 0)
      })
    )

    it.effect(`${kind}: is of a listing of one's own, on a channel that can be told`, () =>
      Effect.gen(function* () {
        const scene = yield* prepareListing()
        const stranger = yield* createOperator()
        const theirs = yield* createListing(stranger)
        const noSuch = /^404 listing_id: /
        assert.match(yield* refused({ ...scene, listing_id: theirs.listing_id }, kind, good), noSuch)
        assert.match(yield* refused({ ...scene, listing_id: "none" }, kind, good), noSuch)
        assert.match(yield* refused({ ...scene, channel_type: "agoda" }, kind, good), noSuch)
        for (const channel_type of ["direct", "tujia", "nowhere"]) {
          assert.match(
            yield* refused({ ...scene, channel_type }, kind, good),
            /^422 channel_type: .*airbnb, booking\.com, .*, ctrip/
          )
        }
      })
    )
  }

  it.effect("passes 120 times a minute, each of the four by itself", () =>
    Effect.gen(function* () {
      const { token } = yield* prepareListing()
      for (const name of [
        "search_listing_calendars",
        "update_listing_prices",
        "update_listing_inventories",
        "update_listing_restrictions"
      ] as const) {
        const codes = yield* Effect.forEach(Array.from({ length: 121 }), () =>
          Effect.map(call(token, name, { channel_type: "airbnb" }), ({ error_code }) => error_code)
        )
        assert.deepStrictEqual([codes.indexOf(429), codes[119]], [120, 400])
      }
    })
  )

  it.effect("is queued by one statement, leaves its trail and is answered with the bare envelope", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const sql = yield* SqlClient.SqlClient
      yield* scene.updatePrices(makeDayPrice(100))
      const [envelope, statements] = yield* countStatements(send(scene, "prices", makeDayPrice(100)))
      assert.deepInclude(envelope, { error_code: 0, error_msg: "", data: {} })
      assert.strictEqual(statements, 1)
      const trail = yield* sql<{ record: string; fields: ReadonlyArray<string> }>`
        SELECT t.record, t.fields FROM trail t JOIN listings l ON l.operator_id = t.operator_id
        WHERE l.listing_id = ${scene.listing_id} AND t.record = 'listing:' || l.id`
      assert.deepStrictEqual(
        trail.map(({ fields }) => fields),
        [["prices"], ["prices"]]
      )
      assert.deepStrictEqual(yield* laneOf(scene.listing_id), [{ waiting: 2 }])
    })
  )

  it.effect("sets no prices of a listing that is readonly, and all else of it", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE listings SET ratio_readonly = true WHERE listing_id = ${scene.listing_id}`
      assert.match(
        yield* refused(scene, "prices", makeDayPrice(100)),
        new RegExp(`^422 listing_id: .*${scene.listing_id}.*${scene.channel_type}`)
      )
      assert.deepStrictEqual(yield* laneOf(scene.listing_id), [])
      assert.strictEqual((yield* send(scene, "inventories", { ...MAY, inventory: 1 })).error_code, 0)
      assert.strictEqual((yield* send(scene, "restrictions", { ...MAY, closed_on_arrival: true })).error_code, 0)
    })
  )

  it.effect("warns of restrictions that the channel does not honour, and of none that it does", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const dataOf = (...ranges: ReadonlyArray<object>) =>
        Effect.map(send(scene, "restrictions", ...ranges), ({ error_code, data }) => ({ error_code, data }))
      assert.deepStrictEqual(yield* dataOf({ ...MAY, min_stay_on_arrival: 2 }), { error_code: 0, data: {} })
      const warned = yield* dataOf(
        { ...MAY, min_stay_on_arrival: 2, exact_stay_on_arrival: 3 },
        { ...MAY, min_stay_through: 2, exact_stay_on_arrival: 4 }
      )
      assert.strictEqual(warned.error_code, 0)
      const { warnings } = Schema.decodeUnknownSync(Schema.Struct({ warnings: Schema.Array(Schema.String) }))(
        warned.data
      )
      assert.deepStrictEqual(
        warnings.map((error_msg) => [fieldOfError({ error_msg }), error_msg.includes("airbnb")]),
        [
          ["min_stay_through", true],
          ["exact_stay_on_arrival", true]
        ]
      )
    })
  )

  it.effect("takes whole prices above zero, inventories from none on", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const priced = (price: unknown) => refused(scene, "prices", makeDayPrice(1), { ...MAY, price })
      const range = new RegExp(`^422 prices\\[1\\]\\.price: .*1 to ${AMOUNT_MAX}`)
      for (const price of [0, -5, AMOUNT_MAX + 1]) assert.match(yield* priced(price), range)
      assert.match(yield* priced(1.5), /^400 prices\[1\]\.price: /)
      assert.match(yield* priced("much"), /^400 prices\[1\]\.price: /)
      const stocked = (inventory: number) => refused(scene, "inventories", { ...MAY, inventory })
      const many = new RegExp(`^422 inventories\\[0\\]\\.inventory: .*0 to ${LISTING_INVENTORY_MAX}`)
      for (const inventory of [-1, LISTING_INVENTORY_MAX + 1]) assert.match(yield* stocked(inventory), many)
      assert.strictEqual((yield* send(scene, "prices", makeDayPrice(1), makeDayPrice(AMOUNT_MAX))).error_code, 0)
      const ends = [0, LISTING_INVENTORY_MAX].map((inventory) => ({ ...MAY, inventory }))
      assert.strictEqual((yield* send(scene, "inventories", ...ends)).error_code, 0)
    })
  )

  it.effect("takes restrictions that say something and can be kept", () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const restricted = (fields: object) => refused(scene, "restrictions", { ...MAY, ...fields })
      assert.match(yield* restricted({}), /^422 restrictions\[0\]\.start_date: /)
      assert.match(
        yield* restricted({ min_stay_through: 5, max_stay_through: 4 }),
        /^422 restrictions\[0\]\.max_stay_through: .*min_stay_through/
      )
      for (const nights of [0, STAY_NIGHTS + 1])
        assert.match(
          yield* restricted({ exact_stay_on_arrival: nights }),
          /^422 restrictions\[0\]\.exact_stay_on_arrival: /
        )
      for (const text of ["4", "D", "4H", "1000D", "4D100H", "4D24H", "4d", " 4D"])
        assert.match(
          yield* restricted({ min_advance_reservation: text }),
          /^422 restrictions\[0\]\.min_advance_reservation: .*4D or 4D4H/
        )
      const all = {
        ...MAY,
        closed_on_arrival: true,
        closed_on_departure: false,
        min_stay_on_arrival: 1,
        max_stay_on_arrival: STAY_NIGHTS,
        min_stay_through: 2,
        max_stay_through: 2,
        min_advance_reservation: "0D",
        max_advance_reservation: "999D23H",
        exact_stay_on_arrival: 7
      }
      assert.strictEqual((yield* send(scene, "restrictions", all)).error_code, 0)
    })
  )

  it.effect("is refused while the account is disconnected, and at no other time", () =>
    Effect.gen(function* () {
      for (const authStatus of ["active", "connecting", "exception"] as const) {
        assert.strictEqual(
          (yield* send(yield* prepareListing({ authStatus }), "prices", makeDayPrice(5))).error_code,
          0
        )
      }
      const scene = yield* prepareListing({ authStatus: "disconnected" })
      assert.match(yield* refused(scene, "prices", makeDayPrice(5)), /^400 listing_id: .*airbnb/)
    })
  )

  it.effect(`waits with ${QUEUED_LISTING_PUSHES_MAX} of its listing at most, and with any number of others`, () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const sql = yield* SqlClient.SqlClient
      yield* scene.updatePrices(makeDayPrice(1))
      yield* sql`
        INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, created_at)
        SELECT operator_id, listing_row, kind, ranges, created_at FROM listing_pushes, generate_series(3, ${QUEUED_LISTING_PUSHES_MAX})
        WHERE operator_id = ${scene.operatorId}`
      yield* sql`
        UPDATE listing_lanes SET waiting = ${QUEUED_LISTING_PUSHES_MAX - 1} WHERE operator_id = ${scene.operatorId}`
      assert.strictEqual((yield* scene.updatePrices(makeDayPrice(2))).error_code, 0)
      const { channel_type, listing_id } = scene
      const { envelope, headers } = yield* callForResponse(scene.token, "update_listing_prices", {
        channel_type,
        listing_id,
        prices: [makeDayPrice(3)]
      })
      assert.match(
        `${envelope.error_code} ${envelope.error_msg}`,
        new RegExp(`^409 listing_id: .*${QUEUED_LISTING_PUSHES_MAX}`)
      )
      assert.strictEqual(headers["retry-after"], "60")
      assert.lengthOf(yield* loadPushLines(scene.listing_id), QUEUED_LISTING_PUSHES_MAX)
      const other = yield* insertListing(scene.operatorId, yield* insertChannelAccount(scene.operatorId))
      const another = { channel_type, listing_id: other, prices: [makeDayPrice(3)] }
      assert.strictEqual((yield* call(scene.token, "update_listing_prices", another)).error_code, 0)
    })
  )

  it.effect.skipIf(!canOverlap)(withServerNote("waits with no more than that also where two come at once"), () =>
    Effect.gen(function* () {
      const scene = yield* prepareListing()
      const sql = yield* SqlClient.SqlClient
      yield* scene.updatePrices(makeDayPrice(1))
      yield* sql`
        UPDATE listing_lanes SET waiting = ${QUEUED_LISTING_PUSHES_MAX - 1} WHERE operator_id = ${scene.operatorId}`
      const [one, other] = yield* runOverlapping(
        scene.updatePrices(makeDayPrice(2)),
        scene.updatePrices(makeDayPrice(3))
      )
      assert.deepStrictEqual([one.error_code, other.error_code], [0, 409])
      assert.deepStrictEqual(yield* laneOf(scene.listing_id), [{ waiting: QUEUED_LISTING_PUSHES_MAX }])
    })
  )
})
