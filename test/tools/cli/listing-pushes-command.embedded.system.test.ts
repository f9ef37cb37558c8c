import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PAGE_DEFAULT, PAGE_MAX } from "../../../src/platform/limits.ts"
import { createOperator } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const Answer = Schema.fromJsonString(
  Schema.Struct({ pushes: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

const RANGE = { start_date: "2027-05-01", end_date: "2027-05-02", price: 90 }

/** A listing of a new operator, with pushes that stand so, oldest first. */
const told = Effect.fnUntraced(function* (...states: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const listingId = yield* insertListing(operatorId, yield* insertChannelAccount(operatorId))
  yield* sql`
    INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, state, reason, attempts, created_at, settled_at)
    SELECT l.operator_id, l.id, 'prices', ${JSON.stringify([RANGE])}::jsonb, state,
      CASE WHEN state = 'refused' THEN 'too "cheap"' END, 1, '2027-04-20T10:00:00Z',
      CASE WHEN state <> 'waiting' THEN timestamptz '2027-04-20T10:00:05Z' END
    FROM listings l, unnest(${states}::text[]) WITH ORDINALITY AS each (state, nth)
    WHERE l.operator_id = ${operatorId} ORDER BY nth`
  return { operatorId, listingId }
})

const listed = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["listing", "pushes", ...flags, "--json"])
  assert.deepStrictEqual([code, stderr], [0, ""])
  const { pushes } = yield* Schema.decodeUnknownEffect(Answer)(stdout)
  return pushes
})

layer(layerRunningService, { excludeTestServices: true })("latchkey listing pushes", (it) => {
  it.effect("lists what channels are told, the latest first, narrowed by operator, listing and state", () =>
    Effect.gen(function* () {
      const one = yield* told("pushed", "refused", "dead", "waiting")
      const other = yield* told("pushed")
      const ofOne = yield* listed("--operator", `${one.operatorId}`)
      assert.deepStrictEqual(
        ofOne.map(({ state }) => state),
        ["waiting", "dead", "refused", "pushed"]
      )
      const { id, ...refused } = ofOne[2] ?? {}
      assert.isNumber(id)
      assert.deepStrictEqual(refused, {
        operator_id: one.operatorId,
        channel_type: "airbnb",
        listing_id: one.listingId,
        kind: "prices",
        state: "refused",
        reason: 'too "cheap"',
        attempts: 1,
        created_at: "2027-04-20T10:00:00Z",
        settled_at: "2027-04-20T10:00:05Z",
        ranges: [RANGE]
      })
      assert.deepInclude(ofOne[0] ?? {}, { settled_at: null, reason: null })
      assert.deepStrictEqual(
        (yield* listed("--listing", other.listingId)).map(({ operator_id }) => operator_id),
        [other.operatorId]
      )
      assert.deepStrictEqual(
        (yield* listed("--state", "dead")).map(({ listing_id }) => listing_id),
        [one.listingId]
      )
      assert.lengthOf(yield* listed("--limit", "2"), 2)
      const { stdout } = yield* runBesideService(["listing", "pushes", "--state", "refused"])
      assert.include(stdout, `airbnb "${one.listingId}"`)
      assert.include(stdout, '"too \\"cheap\\""')
    })
  )

  it.effect(`lists ${PAGE_DEFAULT} unless told, and from 1 to ${PAGE_MAX}`, () =>
    Effect.gen(function* () {
      const { operatorId } = yield* told(...Array.from({ length: PAGE_DEFAULT + 1 }, () => "pushed"))
      const of = ["--operator", `${operatorId}`]
      assert.lengthOf(yield* listed(...of), PAGE_DEFAULT)
      assert.lengthOf(yield* listed(...of, "--limit", `${PAGE_MAX}`), PAGE_DEFAULT + 1)
      for (const limit of ["0", `${PAGE_MAX + 1}`]) {
        const { code, stdout } = yield* runBesideService(["listing", "pushes", "--limit", limit, "--json"])
        assert.strictEqual(code, 1)
        assert.match(stdout, new RegExp(`"--limit: .*\\b${PAGE_MAX}\\b`))
      }
      const other = yield* createOperator()
      assert.strictEqual(
        (yield* runBesideService(["listing", "pushes", "--operator", `${other.operatorId}`])).stdout,
        "No pushes.\n"
      )
    })
  )
})
