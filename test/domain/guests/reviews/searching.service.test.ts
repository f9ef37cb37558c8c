import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { addDays } from "../../../../src/contract/time.ts"
import { PAGE_DEFAULT, REVIEW_SEARCH_DAYS } from "../../../../src/platform/limits.ts"
import {
  layerWithoutRateWindows,
  prepareOperator,
  TODAY
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  makeReviewSide,
  prepareReviewOperator,
  REVIEW_WRITTEN_AT
} from "../../../support/domain/guests/reviews/review-operator.ts"
import { call } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })(
  "GET /reviews",
  (it) => {
    it.effect("shows every field of the record, in one statement", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          propertyId: property,
          insertEndedOrder: stayed,
          ingestReview: says
        } = yield* prepareReviewOperator
        const code = yield* stayed("2027-04-18", "booking.com")
        const rated = [{ category: "clean", rating: 9, review_category_tags: ["spotless"] }]
        yield* says(code, 1, { guest_review: makeReviewSide("Nice", { sub_score: rated }) }, "booking.com")
        yield* says(code, 2, { host_reply: { content: "Thanks", created_at: REVIEW_WRITTEN_AT } }, "booking.com")
        const [found, statements] = yield* countStatements(api.search_reviews({ offset: 0, limit: 20 }).pipe(as))
        assert.isAtMost(statements, 2, "the token and one")
        assert.deepStrictEqual(found, {
          total: 1,
          reviews: [
            {
              reservation_code: code,
              property_id: property,
              channel_type: "booking.com",
              listing_id: String(property),
              check_in_date: "2027-04-15",
              check_out_date: "2027-04-18",
              host_review: null,
              guest_review: { score: 4.5, sub_score: rated, content: "Nice", created_at: REVIEW_WRITTEN_AT },
              host_reply: { content: "Thanks", created_at: REVIEW_WRITTEN_AT }
            }
          ]
        })
      })
    )

    it.effect("shows one record an order: of its first stay, from the first check-in to the last check-out", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          operatorId,
          propertyId: property,
          secondPropertyId: second,
          insertEndedOrder: stayed,
          ingestReview: says,
          sql
        } = yield* prepareReviewOperator
        const other = { propertyId: second, checkIn: "2027-04-10", checkOut: "2027-04-19" }
        const code = yield* stayed("2027-04-16", "airbnb", property, other)
        yield* sql`
        UPDATE stays SET listing_id = 'L' || right(stay_code, 1) WHERE operator_id = ${operatorId} AND stay_code LIKE ${`${code}%`}`
        yield* says(code, 1, { guest_review: makeReviewSide("Nice"), host_review: makeReviewSide("Kind") })
        const whole = {
          reservation_code: code,
          property_id: property,
          listing_id: `L${code.at(-1)}`,
          check_in_date: "2027-04-10",
          check_out_date: "2027-04-19"
        }
        for (const wanted of [
          {},
          { property_id: property },
          { property_id: second },
          { reservation_code: `${code}_1` }
        ]) {
          const { reviews, total } = yield* api.search_reviews(wanted).pipe(as)
          assert.strictEqual(total, 1)
          assert.deepInclude(reviews[0], whole)
        }
      })
    )

    it.effect("lists what is reviewed, or whose turn it is: a record may await both", () =>
      Effect.gen(function* () {
        const { api, as, insertEndedOrder: stayed, ingestReview: says } = yield* prepareReviewOperator
        const record = Effect.fnUntraced(function* (day: number, channelType: string, said: object) {
          const code = yield* stayed(addDays(TODAY, -day), channelType, null)
          yield* says(code, 1, said, channelType)
          return code
        })
        const [guest_review, host_review] = [makeReviewSide("Nice"), makeReviewSide("Kind")]
        const empty = yield* record(1, "airbnb", {})
        const byGuest = yield* record(2, "airbnb", { guest_review })
        const byHost = yield* record(3, "ctrip", { host_review })
        const byBoth = yield* record(4, "ctrip", { guest_review, host_review })
        const elsewhere = yield* record(5, "agoda", { guest_review })
        const awaitedElsewhere = yield* record(6, "vrbo", {})
        const listed = (review_status?: "reviewed" | "pending_guest_review" | "pending_host_review") =>
          Effect.map(api.search_reviews(review_status === undefined ? {} : { review_status }).pipe(as), ({ reviews }) =>
            reviews.map(({ reservation_code }) => reservation_code)
          )
        assert.deepStrictEqual(yield* listed(), [byBoth, elsewhere])
        assert.deepStrictEqual(yield* listed("reviewed"), [byBoth, elsewhere])
        assert.deepStrictEqual(yield* listed("pending_guest_review"), [empty, byHost, awaitedElsewhere])
        assert.deepStrictEqual(yield* listed("pending_host_review"), [empty, byGuest])
      })
    )

    it.effect("finds the record of an order in any status, unless the search names one", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          propertyId: property,
          insertEndedOrder: stayed,
          ingestReview: says
        } = yield* prepareReviewOperator
        const code = yield* stayed("2027-04-18")
        yield* says(code, 1, {})
        const search = (wanted: object) =>
          Effect.map(api.search_reviews(wanted).pipe(as), ({ reviews, total }) => [total, reviews[0]?.reservation_code])
        assert.deepStrictEqual(yield* search({ reservation_code: code }), [1, code])
        assert.deepStrictEqual(yield* search({ reservation_code: code, property_id: property }), [1, code])
        assert.deepStrictEqual(yield* search({ reservation_code: code, review_status: "pending_host_review" }), [
          1,
          code
        ])
        assert.deepStrictEqual(yield* search({ reservation_code: code, review_status: "reviewed" }), [0, undefined])
        assert.deepStrictEqual(yield* search({ property_id: property }), [0, undefined])
      })
    )

    it.effect("pages through them, the latest check-out first", () =>
      Effect.gen(function* () {
        const { api, as, insertEndedOrder: stayed, ingestReview: says } = yield* prepareReviewOperator
        const codes: Array<string> = []
        for (let day = PAGE_DEFAULT; day >= 0; day -= 1) {
          const code = yield* stayed(addDays(TODAY, -day), "agoda", null)
          yield* says(code, 1, { guest_review: makeReviewSide("Nice") }, "agoda")
          codes.unshift(code)
        }
        const page = (offset?: number, limit?: number) =>
          Effect.map(
            api
              .search_reviews({
                ...(offset === undefined ? {} : { offset }),
                ...(limit === undefined ? {} : { limit })
              })
              .pipe(as),
            ({ reviews, total }) => [total, reviews.map(({ reservation_code }) => reservation_code)]
          )
        assert.deepStrictEqual(yield* page(), [21, codes.slice(0, PAGE_DEFAULT)])
        assert.deepStrictEqual(yield* page(19, 100), [21, codes.slice(19)])
        assert.deepStrictEqual(yield* page(2, 2), [21, codes.slice(2, 4)])
        assert.deepStrictEqual(yield* page(21), [21, []])
      })
    )

    it.effect(
      "covers the days up to today unless others are said, both ends included, for an order all there are",
      () =>
        Effect.gen(function* () {
          const { api, as, insertEndedOrder: stayed, ingestReview: says } = yield* prepareReviewOperator
          const on = Effect.fnUntraced(function* (checkOut: string) {
            const code = yield* stayed(checkOut, "agoda", null)
            yield* says(code, 1, { guest_review: makeReviewSide("Nice") }, "agoda")
            return code
          })
          const first = addDays(TODAY, 1 - REVIEW_SEARCH_DAYS)
          const [tooEarly, earliest, today, later] = [
            yield* on(addDays(first, -1)),
            yield* on(first),
            yield* on(TODAY),
            yield* on(addDays(TODAY, 1))
          ]
          const codes = (wanted: object) =>
            Effect.map(api.search_reviews(wanted).pipe(as), ({ reviews }) =>
              reviews.map(({ reservation_code }) => reservation_code)
            )
          assert.deepStrictEqual(yield* codes({}), [today, earliest])
          assert.deepStrictEqual(yield* codes({ start_check_out_date: addDays(first, 1) }), [today])
          assert.deepStrictEqual(yield* codes({ end_check_out_date: addDays(TODAY, -1) }), [earliest, tooEarly])
          assert.deepStrictEqual(yield* codes({ start_check_out_date: TODAY, end_check_out_date: addDays(TODAY, 1) }), [
            later,
            today
          ])
          assert.deepStrictEqual(yield* codes({ reservation_code: tooEarly }), [tooEarly])
          assert.deepStrictEqual(yield* codes({ reservation_code: later }), [later])
          assert.deepStrictEqual(yield* codes({ reservation_code: later, end_check_out_date: TODAY }), [])
        })
    )

    it.effect("refuses days that cannot be, and a property that is not there", () =>
      Effect.gen(function* () {
        const { token, propertyId: property } = yield* prepareOperator
        const stranger = yield* prepareOperator
        const refused = Effect.fnUntraced(function* (sent: object, code: number, start: string) {
          const { error_code, error_msg } = yield* call(token, "search_reviews", sent)
          assert.deepStrictEqual([error_code, error_msg.slice(0, start.length)], [code, start])
        })
        const span = (days: number) => ({
          start_check_out_date: addDays(TODAY, -days),
          end_check_out_date: TODAY
        })
        yield* refused(span(REVIEW_SEARCH_DAYS), 422, "end_check_out_date: ")
        yield* refused({ start_check_out_date: addDays(TODAY, -REVIEW_SEARCH_DAYS) }, 422, "end_check_out_date: ")
        yield* refused({ start_check_out_date: addDays(TODAY, 1) }, 422, "start_check_out_date: ")
        yield* refused(span(-1), 422, "start_check_out_date: ")
        yield* refused({ end_check_out_date: "2027-02-29" }, 400, "end_check_out_date: ")
        yield* refused({ review_status: "done" }, 422, "review_status: ")
        yield* refused({ limit: 101 }, 422, "limit: ")
        yield* refused({ property_id: stranger.propertyId }, 404, "property_id: ")
        for (const sent of [
          span(REVIEW_SEARCH_DAYS - 1),
          { property_id: property },
          { end_check_out_date: "0001-01-01" }
        ]) {
          assert.deepInclude(yield* call(token, "search_reviews", sent), {
            error_code: 0,
            data: { reviews: [], total: 0 }
          })
        }
      })
    )

    it.effect("shows a stay in no property in property 0, and dates that moved since as they are", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          insertEndedOrder: stayed,
          ingestReview: says,
          moveCheckOut: movedTo
        } = yield* prepareReviewOperator
        const code = yield* stayed("2027-04-18", "agoda", null)
        yield* says(code, 1, { guest_review: makeReviewSide("Nice") }, "agoda")
        yield* movedTo(code, "2027-04-25")
        assert.lengthOf((yield* api.search_reviews({}).pipe(as)).reviews, 0, "it is not over")
        const { reviews } = yield* api.search_reviews({ reservation_code: code }).pipe(as)
        assert.deepInclude(reviews[0], { property_id: 0, listing_id: "0", check_out_date: "2027-04-25" })
      })
    )
  }
)
