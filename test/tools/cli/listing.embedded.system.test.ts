import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LISTING_LIST_MAX, RATIO_MAX } from "../../../src/platform/limits.ts"
import { createOperator, insertProperty } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** What `latchkey listing …` answers in JSON. */
const listing = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["listing", ...args, "--json"])
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

const refusal = (...args: ReadonlyArray<string>) =>
  Effect.map(listing(...args), ({ code, answer }) => {
    assert.strictEqual(code, 1)
    return String(answer["error"])
  })

/** An operator with a property and a listing of this id on each of the channels. */
const sellerOf = Effect.fnUntraced(function* (listingId: string, ...channels: ReadonlyArray<string>) {
  const { operatorId } = yield* createOperator()
  const property = yield* insertProperty(operatorId, "Harbour 1")
  for (const channelType of channels) {
    yield* insertListing(operatorId, yield* insertChannelAccount(operatorId, { channelType }), {
      listingId,
      channelType
    })
  }
  return { operatorId, property }
})

layer(layerRunningService, { excludeTestServices: true })("latchkey listing", (it) => {
  it.effect("links a listing to a property, to a room type and to nothing, and tells it", () =>
    Effect.gen(function* () {
      const { operatorId, property } = yield* sellerOf("300-77", "booking_site")
      const sql = yield* SqlClient.SqlClient
      const [{ id: roomType = 0 } = {}] = yield* sql<{ id: number }>`
        INSERT INTO room_types (operator_id, title, created_at) VALUES (${operatorId}, 'Double', now()) RETURNING id`
      const common = { listing_id: "300-77", channel_type: "booking_site", ratio: 100, readonly: false }
      assert.deepStrictEqual(yield* listing("link", "--listing", "300-77", "--property", `${property}`), {
        code: 0,
        answer: { ...common, property_id: property, room_type_id: null }
      })
      assert.deepStrictEqual(yield* listing("link", "--listing", "300-77", "--room-type", `${roomType}`), {
        code: 0,
        answer: { ...common, property_id: null, room_type_id: roomType }
      })
      assert.deepStrictEqual(yield* listing("link", "--listing", "300-77", "--none"), {
        code: 0,
        answer: { ...common, property_id: null, room_type_id: null }
      })
      const inWords = yield* runBesideService(["listing", "link", "--listing", "300-77", "--property", `${property}`])
      assert.match(inWords.stdout, new RegExp(`\\b300-77\\b.*\\bbooking_site\\b.*\\bproperty ${property}\\b`))
      const trail = yield* sql<{ application: string; operation: string; record: string; row: string }>`
        SELECT application, operation, record, 'listing:' || (SELECT id FROM listings WHERE operator_id = ${operatorId}) AS row
        FROM trail WHERE operator_id = ${operatorId}`
      assert.lengthOf(trail, 4)
      for (const { application, operation, record, row } of trail) {
        assert.deepStrictEqual([application, operation, record], ["command line", "listing link", row])
      }
    })
  )

  it.effect("sets a ratio, and whether it can be", () =>
    Effect.gen(function* () {
      const { property } = yield* sellerOf("r-1", "vrbo")
      yield* listing("link", "--listing", "r-1", "--property", `${property}`)
      const answered = { listing_id: "r-1", channel_type: "vrbo", property_id: property, room_type_id: null }
      const ratio = (...args: ReadonlyArray<string>) =>
        Effect.map(listing("ratio", "--listing", "r-1", ...args), ({ answer }) => answer)
      for (const percent of [1, RATIO_MAX, 115]) {
        const set = yield* ratio("--percent", `${percent}`)
        assert.deepStrictEqual(set, { ...answered, ratio: percent, readonly: false })
      }
      assert.deepStrictEqual(yield* ratio("--read-only"), { ...answered, ratio: -1, readonly: true })
      assert.deepStrictEqual(yield* ratio("--writable"), { ...answered, ratio: 115, readonly: false })
      yield* ratio("--read-only")
      assert.deepStrictEqual(yield* ratio("--percent", "90"), { ...answered, ratio: 90, readonly: false })
      for (const percent of ["0", `${RATIO_MAX + 1}`]) {
        const wrong = yield* refusal("ratio", "--listing", "r-1", "--percent", percent)
        assert.match(wrong, new RegExp(`^--percent: .*\\b${RATIO_MAX}\\b`))
      }
      const inWords = yield* runBesideService(["listing", "ratio", "--listing", "r-1", "--percent", "90"])
      assert.match(inWords.stdout, new RegExp(`\\br-1\\b.*\\bvrbo\\b.*\\b90 percent\\b.*\\bproperty ${property}\\b`))
    })
  )

  it.effect("asks which one is meant where several have the id", () =>
    Effect.gen(function* () {
      const one = yield* sellerOf("twin", "airbnb", "vrbo")
      const other = yield* sellerOf("twin", "vrbo")
      const to = ["link", "--listing", "twin", "--property", `${one.property}`]
      /** The options that a message asks for, with what each can be. */
      const wanted = (message: string) => {
        assert.match(message, /^--listing: .*\btwin\b/)
        return message.match(/--(operator|channel) \([^)]+\)/g)
      }
      const operators = `--operator (${one.operatorId}, ${other.operatorId})`
      assert.deepStrictEqual(wanted(yield* refusal(...to)), [operators, "--channel (airbnb, vrbo)"])
      assert.deepStrictEqual(wanted(yield* refusal(...to, "--channel", "vrbo")), [operators])
      assert.deepStrictEqual(wanted(yield* refusal(...to, "--operator", `${one.operatorId}`)), [
        "--channel (airbnb, vrbo)"
      ])
      const linked = yield* listing(...to, "--operator", `${one.operatorId}`, "--channel", "vrbo")
      assert.deepInclude(linked.answer, { channel_type: "vrbo", property_id: one.property })
      // A channel that only one of them has says it all.
      assert.deepInclude((yield* listing(...to, "--channel", "airbnb")).answer, { channel_type: "airbnb" })
    })
  )

  it.effect("says what it cannot do, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId, property } = yield* sellerOf("q-1", "airbnb")
      const theirs = yield* sellerOf("q-2", "airbnb")
      const link = ["link", "--listing", "q-1"]
      for (const [args, message] of [
        [link, /^--property: .*--room-type\b.*--none\b/],
        [[...link, "--none", "--property", `${property}`], /^--property: .*--room-type\b.*--none\b/],
        [[...link, "--property", `${theirs.property}`], /^--property: /],
        [[...link, "--room-type", "987654"], /^--room-type: /],
        [["link", "--listing", "nowhere", "--none"], /^--listing: .*\bnowhere\.$/],
        [[...link, "--none", "--channel", "vrbo"], /^--listing: .*\bq-1 on vrbo\.$/],
        [[...link, "--none", "--operator", `${theirs.operatorId}`], /^--listing: .*\bq-1 of operator \d+\.$/],
        [[...link, "--none", "--channel", "myspace"], /myspace/],
        [["ratio", "--listing", "q-1"], /^--percent: .*--read-only\b.*--writable\b/],
        [["ratio", "--listing", "q-1", "--read-only", "--writable"], /^--percent: .*--read-only\b.*--writable\b/],
        [["ratio", "--listing", "q-1", "--percent", "1.5"], /1\.5/],
        [["list", "--limit", "0"], new RegExp(`^--limit: .*\\b${LISTING_LIST_MAX}\\b`)],
        [["list", "--limit", `${LISTING_LIST_MAX + 1}`], new RegExp(`^--limit: .*\\b${LISTING_LIST_MAX}\\b`)]
      ] as const) {
        assert.match(yield* refusal(...args), message)
      }
      const { answer } = yield* listing("list", "--operator", `${operatorId}`)
      assert.nestedPropertyVal(answer, "listings[0].property_id", null)
      assert.nestedPropertyVal(answer, "listings[0].ratio", 100)
    })
  )

  it.effect("lists listings with what they sell", () =>
    Effect.gen(function* () {
      const { operatorId, property } = yield* sellerOf("l-1", "airbnb", "vrbo")
      const operator = ["--operator", `${operatorId}`]
      yield* listing("link", "--listing", "l-1", "--channel", "vrbo", "--property", `${property}`, ...operator)
      const { answer } = yield* listing("list", ...operator)
      assert.lengthOf(Object(answer["listings"]), 2)
      const vrbo = yield* listing("list", ...operator, "--channel", "vrbo", "--limit", `${LISTING_LIST_MAX}`)
      assert.nestedPropertyVal(vrbo.answer, "listings.length", 1)
      assert.deepInclude(Object(vrbo.answer["listings"])[0], {
        operator_id: operatorId,
        listing_id: "l-1",
        channel_type: "vrbo",
        title: "Harbour view",
        shelf_status: "on",
        property_id: property,
        room_type_id: null,
        ratio: 100,
        readonly: false
      })
      const inWords = yield* runBesideService(["listing", "list", ...operator, "--limit", "1"])
      assert.strictEqual(
        inWords.stdout,
        `operator ${operatorId}  airbnb  "l-1"  "Harbour view"  on  mapped to nothing  100 %\n`
      )
      const none = yield* createOperator()
      const empty = yield* runBesideService(["listing", "list", "--operator", `${none.operatorId}`])
      assert.strictEqual(empty.stdout, "No listings.\n")
    })
  )
})
