import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { addDays } from "../src/contract/time.ts"
import {
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  REVIEW_SEARCH_DAYS,
  SEARCH_DAYS,
  STAY_NIGHTS,
  TRANSACTION_DAYS
} from "../src/platform/limits.ts"
import { type ApiOperation, operations } from "../src/service/Api.ts"
import { call, layerTest } from "./support/harness.ts"
import { loadTableContents, makeSampleFields, payloadFieldsOf } from "./support/operation-samples.ts"
import { makeSampleWorld } from "./support/sample-world.ts"

// Every pair of dates of the contract has its line here: from where it may reach how far, or why its length costs nothing.

const TODAY = "2027-04-20"

interface Span {
  readonly from: string
  /** Days from the first to the last, both included. */
  readonly most: number
  /** The number of days that the refusal tells. */
  readonly said?: number
}

const BY_INDEX = "an index finds what lies between, and a page of it is read"

const SPANS: Readonly<Record<string, Span | string>> = {
  "search_transactions start_date": { from: TODAY, most: TRANSACTION_DAYS, said: TRANSACTION_DAYS },
  "search_reservations start_check_in_date": { from: TODAY, most: SEARCH_DAYS + 1, said: SEARCH_DAYS },
  "search_reservations start_check_out_date": BY_INDEX,
  "search_reviews start_check_out_date": { from: TODAY, most: REVIEW_SEARCH_DAYS, said: REVIEW_SEARCH_DAYS - 1 },
  "search_tasks start_date": BY_INDEX,
  "query_upcoming_automation_actions start_time": BY_INDEX,
  "create_quote check_in_date": { from: TODAY, most: STAY_NIGHTS + 1 },
  "create_reservation check_in_date": { from: TODAY, most: STAY_NIGHTS + 1 },
  "update_reservation_basic check_in_date": { from: TODAY, most: STAY_NIGHTS + 1 },
  "get_property_availability start_date": {
    from: addDays(TODAY, -AVAILABILITY_START_DAYS),
    most: AVAILABILITY_START_DAYS + 1 + AVAILABILITY_END_DAYS
  },
  "search_listing_calendars start_date": {
    from: addDays(TODAY, -AVAILABILITY_START_DAYS),
    most: AVAILABILITY_START_DAYS + 1 + AVAILABILITY_END_DAYS
  },
  "get_base_prices start_date": {
    from: addDays(TODAY, -AVAILABILITY_START_DAYS),
    most: AVAILABILITY_START_DAYS + 1 + AVAILABILITY_END_DAYS
  },
  "send_special_offer check_in_date": { from: TODAY, most: STAY_NIGHTS + 1 },
  "update_availabilities start_date": { from: TODAY, most: AVAILABILITY_END_DAYS + 1 }
}

/** The second of the pair a field begins, if it begins one. */
const endOf = (operation: ApiOperation, field: string): string | undefined => {
  const other = field.replace(/^start_/, "end_").replace(/^check_in_/, "check_out_")
  return other !== field && payloadFieldsOf(operation).some(([name]) => name === other) ? other : undefined
}

const pairs = operations.flatMap((operation) =>
  payloadFieldsOf(operation).flatMap(([start]) => {
    const end = endOf(operation, start)
    return end === undefined ? [] : [{ operation, start, end }]
  })
)

layer(layerTest, { excludeTestServices: false })("a range of days", (it) => {
  it("has a line in the table", () => {
    assert.sameMembers(
      pairs.map(({ operation, start }) => `${operation._tag} ${start}`),
      Object.keys(SPANS)
    )
  })

  for (const { operation, start, end } of pairs) {
    const span = SPANS[`${operation._tag} ${start}`]
    if (span === undefined || typeof span === "string") continue
    it.effect(`${operation._tag} takes ${span.most} days from ${start} on and not one more`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse(`${TODAY}T10:00:00Z`))
        const world = yield* makeSampleWorld
        const days = (count: number) =>
          call(world.token, operation._tag, {
            ...makeSampleFields(operation, world),
            [start]: span.from,
            [end]: addDays(span.from, count - 1)
          })
        const before = yield* loadTableContents(world)
        const refused = yield* days(span.most + 1)
        assert.strictEqual(refused.error_code, 422, refused.error_msg)
        assert.match(refused.error_msg, new RegExp(`^${end}: `))
        if (span.said !== undefined) assert.include(refused.error_msg, ` ${span.said} days`)
        assert.deepStrictEqual(yield* loadTableContents(world), before)
        const taken = yield* days(span.most)
        // The world's stay is there already: what is refused then is the night, and no more its distance.
        assert.notStrictEqual(taken.error_msg, refused.error_msg)
        assert.include([0, 409], taken.error_code, taken.error_msg)
      })
    )
  }
})
