import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { addDays } from "../../../../src/contract/time.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  type ChannelError,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../../../src/domain/channels/port/errors.ts"
import { REVIEW_TEXT_LENGTH } from "../../../../src/platform/limits.ts"
import { loadAuditLines } from "../../../support/changes/keyed-calls.ts"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  TODAY
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  makeReviewSide,
  prepareReviewOperator,
  REVIEW_WRITTEN_AT
} from "../../../support/domain/guests/reviews/review-operator.ts"
import { call, callForResponse, insertOrder } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const WRITTEN_AT = "2027-04-20T10:00:00+00:00"

layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })(
  "POST /reviews",
  (it) => {
    it.effect(
      "reviews the guest and replies, in one act: the channel is told, the record has it, subscribers hear",
      () =>
        Effect.gen(function* () {
          const {
            api,
            as,
            operatorId,
            propertyId: property,
            insertEndedOrder: stayed,
            ingestReview: says,
            findReview: recordOf,
            listSentReviews: toldOf
          } = yield* prepareReviewOperator
          const code = yield* stayed()
          yield* says(code, 1, { guest_review: makeReviewSide("Nice") })
          yield* deleteEvents(operatorId)
          const category_ratings = { overall_rating: 4, cleanliness: 4.5, communication: 5, recommend: 1 }
          const [, statements] = yield* countStatements(
            api
              .create_review({
                reservation_code: code,
                host_review_score: 4.5,
                host_review_content: " Kind ",
                host_reply_content: "Thanks",
                category_ratings
              })
              .pipe(as)
          )
          assert.isAtMost(statements, 3, "the token and two")
          assert.deepStrictEqual(yield* toldOf(code), [
            {
              reservationCode: code,
              channelId: code.slice(2),
              review: { score: 4.5, content: " Kind ", categoryRatings: category_ratings },
              reply: "Thanks"
            }
          ])
          assert.deepInclude(yield* recordOf(code), {
            host_review: {
              score: 4.5,
              sub_score: [
                { category: "overall_rating", rating: 4, review_category_tags: null },
                { category: "cleanliness", rating: 4.5, review_category_tags: null },
                { category: "communication", rating: 5, review_category_tags: null },
                { category: "recommend", rating: 1, review_category_tags: null }
              ],
              content: " Kind ",
              created_at: WRITTEN_AT
            },
            host_reply: { content: "Thanks", created_at: WRITTEN_AT }
          })
          assert.deepStrictEqual(yield* loadEvents(operatorId), [
            { event: "review_updated", reservation_code: code, stay_code: code, property_id: property }
          ])
          assert.deepStrictEqual(
            (yield* loadAuditLines(operatorId)).filter((each) => each.startsWith("create_review")),
            [`create_review review:${code} host_reply host_review`]
          )
        })
    )

    it.effect("may come before the record: then it is the first that is seen of it", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          operatorId,
          insertEndedOrder: stayed,
          findReview: recordOf,
          ingestReview: says
        } = yield* prepareReviewOperator
        const code = yield* stayed(TODAY, "ctrip")
        yield* deleteEvents(operatorId)
        yield* api.create_review({ reservation_code: code, host_review_content: "Kind" }).pipe(as)
        const names = Effect.map(loadEvents(operatorId), (all) => all.map(({ event }) => event))
        assert.deepStrictEqual(yield* names, ["review_created"])
        const host_review = { score: null, sub_score: null, content: "Kind", created_at: WRITTEN_AT }
        assert.deepInclude(yield* recordOf(code), { guest_review: null, host_review, host_reply: null })
        // The channel's own word of it is no news.
        yield* says(code, 1, { host_review: { content: "Kind", created_at: REVIEW_WRITTEN_AT } }, "ctrip")
        assert.deepStrictEqual(yield* names, ["review_created"])
      })
    )

    it.effect("takes overall_rating for a score that is left out, and ratings where they mean something", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          insertEndedOrder: stayed,
          findReview: recordOf,
          listSentReviews: toldOf
        } = yield* prepareReviewOperator
        const category_ratings = { overall_rating: 4, cleanliness: 3 }
        for (const [channel, categoryRatings, rated] of [
          ["airbnb", category_ratings, 2],
          ["ctrip", {}, undefined]
        ] as const) {
          const code = yield* stayed(TODAY, channel, null)
          yield* api.create_review({ reservation_code: code, category_ratings }).pipe(as)
          const record = yield* recordOf(code)
          assert.deepInclude(record?.host_review, { score: 4, content: "" })
          assert.strictEqual(record?.host_review?.sub_score?.length, rated)
          assert.deepStrictEqual((yield* toldOf(code))[0]?.review, { score: 4, content: "", categoryRatings })
        }
      })
    )

    it.effect("says something: else 400, and no channel hears of it", () =>
      Effect.gen(function* () {
        const {
          token,
          insertEndedOrder: stayed,
          ingestReview: says,
          findReview: recordOf,
          listSentReviews: toldOf
        } = yield* prepareReviewOperator
        const code = yield* stayed()
        yield* says(code, 1, { guest_review: makeReviewSide("Nice") })
        const before = yield* recordOf(code)
        for (const [sent, error_code, start] of [
          [{}, 400, "host_review_content: "],
          [{ host_review_content: " \n", host_reply_content: "" }, 400, "host_review_content: "],
          [{ category_ratings: {} }, 400, "host_review_content: "],
          [{ category_ratings: { cleanliness: 5 } }, 400, "host_review_content: "],
          [{ host_reply_content: "Thanks", category_ratings: { recommend: 0 } }, 400, "category_ratings: "],
          [{ host_review_score: 5.01 }, 422, "host_review_score: "],
          [{ host_review_score: -0.01 }, 422, "host_review_score: "],
          [{ host_review_score: 4.555 }, 422, "host_review_score: "],
          [{ host_review_score: "five" }, 400, "host_review_score: "],
          [{ category_ratings: { overall_rating: 6 } }, 422, "category_ratings.overall_rating: "],
          [{ host_review_score: 5, category_ratings: { recommend: 2 } }, 422, "category_ratings.recommend: "],
          [{ host_review_score: 5, category_ratings: { recommend: 0.5 } }, 400, "category_ratings.recommend: "],
          [{ host_review_content: "a".repeat(REVIEW_TEXT_LENGTH + 1) }, 422, "host_review_content: "],
          [{ host_reply_content: "a".repeat(REVIEW_TEXT_LENGTH + 1) }, 422, "host_reply_content: "]
        ] as const) {
          const { error_code: code_, error_msg } = yield* call(token, "create_review", {
            reservation_code: code,
            ...sent
          })
          assert.deepStrictEqual([code_, error_msg.slice(0, start.length)], [error_code, start])
        }
        assert.deepStrictEqual(yield* recordOf(code), before)
        assert.deepStrictEqual(yield* toldOf(code), [])
      })
    )

    it.effect("takes a score of 0, of 5, of 4.55, and texts as long as they may be", () =>
      Effect.gen(function* () {
        const { api, as, insertEndedOrder: stayed, findReview: recordOf } = yield* prepareReviewOperator
        for (const host_review_score of [0, 4.55, 5]) {
          const code = yield* stayed(TODAY, "airbnb", null)
          yield* api.create_review({ reservation_code: code, host_review_score }).pipe(as)
          assert.strictEqual((yield* recordOf(code))?.host_review?.score, host_review_score)
        }
        const code = yield* stayed(TODAY, "airbnb", null)
        const host_review_content = "é".repeat(REVIEW_TEXT_LENGTH)
        yield* api.create_review({ reservation_code: code, host_review_content }).pipe(as)
        assert.strictEqual((yield* recordOf(code))?.host_review?.content, host_review_content)
      })
    )

    it.effect("is refused of another's order, on other channels, of no stay, before check-out", () =>
      Effect.gen(function* () {
        const { token, operatorId, insertEndedOrder: stayed, sql, channel } = yield* prepareReviewOperator
        const stranger = yield* prepareReviewOperator
        const host_review_content = "Kind"
        const refused = Effect.fnUntraced(function* (reservation_code: string, code: number, text: RegExp) {
          const { error_code, error_msg } = yield* call(token, "create_review", {
            reservation_code,
            host_review_content
          })
          assert.strictEqual(error_code, code, error_msg)
          assert.match(error_msg, text)
        })
        const heard = yield* channel.requests
        yield* refused("0-NOBODY", 404, /^reservation_code: no such order\.$/)
        yield* refused(yield* stranger.insertEndedOrder(), 404, /^reservation_code: no such order\.$/)
        for (const elsewhere of ["booking.com", "vrbo", "booking_site"]) {
          yield* refused(yield* stayed(TODAY, elsewhere, null), 422, /^reservation_code: hosts cannot write .* on /)
        }
        const byHand = yield* insertOrder(operatorId, [
          { propertyId: null, checkIn: "2027-04-01", checkOut: "2027-04-02" }
        ])
        yield* refused(byHand, 422, / on direct\.$/)
        const cancelled = yield* stayed(TODAY, "airbnb", null)
        yield* sql`
        UPDATE orders SET status = 'cancelled', cancelled_at = now()
        WHERE operator_id = ${operatorId} AND reservation_code = ${cancelled}`
        yield* refused(cancelled, 422, /^reservation_code: the order is cancelled; /)
        yield* refused(
          yield* stayed(addDays(TODAY, 1), "airbnb", null),
          400,
          /^reservation_code: .* checks out on 2027-04-21/
        )
        assert.deepStrictEqual(yield* channel.requests, heard)
      })
    )

    it.effect("of an order that was cancelled is its channel's to judge, where there is a record", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          operatorId,
          insertEndedOrder: stayed,
          ingestReview: says,
          sql,
          findReview: recordOf
        } = yield* prepareReviewOperator
        const code = yield* stayed(TODAY, "airbnb", null)
        yield* says(code, 1, { guest_review: makeReviewSide("Nice") })
        yield* sql`
        UPDATE orders SET status = 'cancelled', cancelled_at = now()
        WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
        yield* api.create_review({ reservation_code: code, host_review_score: 1 }).pipe(as)
        assert.strictEqual((yield* recordOf(code))?.host_review?.score, 1)
      })
    )

    for (const [timeZone, first] of [
      ["Pacific/Kiritimati", "2027-04-19T10:00:00Z"],
      ["Etc/GMT+12", "2027-04-20T12:00:00Z"]
    ] as const) {
      it.effect(`is open from the first instant of the check-out date in ${timeZone}`, () =>
        Effect.gen(function* () {
          const { token, operatorId, insertEndedOrder: stayed, sql } = yield* prepareReviewOperator
          yield* sql`UPDATE operators SET time_zone = ${timeZone} WHERE id = ${operatorId}`
          const reservation_code = yield* stayed(TODAY)
          const write = call(token, "create_review", { reservation_code, host_review_content: "Kind" })
          yield* TestClock.setTime(Date.parse(first) - 1)
          assert.strictEqual((yield* write).error_code, 400)
          yield* TestClock.setTime(Date.parse(first))
          assert.strictEqual((yield* write).error_code, 0)
        })
      )
    }

    it.effect("is done once: a second review, a second reply and a reply to nothing are 409", () =>
      Effect.gen(function* () {
        const {
          token,
          insertEndedOrder: stayed,
          ingestReview: says,
          findReview: recordOf,
          listSentReviews: toldOf
        } = yield* prepareReviewOperator
        const reservation_code = yield* stayed()
        const write = (sent: object) =>
          Effect.map(call(token, "create_review", { reservation_code, ...sent }), ({ error_code, error_msg }) =>
            `${error_code} ${error_msg}`.trim()
          )
        assert.match(yield* write({ host_reply_content: "Thanks" }), /^409 host_reply_content: .*no review/)
        assert.strictEqual(yield* write({ host_review_score: 5 }), "0")
        assert.match(yield* write({ host_review_content: "Kind" }), /^409 host_review_content: .*already/)
        yield* says(reservation_code, 1, { guest_review: makeReviewSide("Nice") })
        const before = yield* recordOf(reservation_code)
        assert.match(yield* write({ host_review_score: 5, host_reply_content: "Thanks" }), /^409 host_review_content: /)
        assert.deepStrictEqual(yield* recordOf(reservation_code), before, "not the reply alone")
        assert.strictEqual(yield* write({ host_reply_content: "Thanks" }), "0")
        assert.match(yield* write({ host_reply_content: "Again" }), /^409 host_reply_content: .*already/)
        assert.lengthOf(yield* toldOf(reservation_code), 2)
      })
    )

    it.effect("that its channel does not take changes nothing, and can be tried again", () =>
      Effect.gen(function* () {
        const {
          token,
          operatorId,
          insertEndedOrder: stayed,
          channel,
          findReview: recordOf
        } = yield* prepareReviewOperator
        const reservation_code = yield* stayed()
        yield* deleteEvents(operatorId)
        const sent = { reservation_code, host_review_content: "Kind" }
        const channelType = "airbnb"
        const failures: ReadonlyArray<readonly [ChannelError, number, RegExp]> = [
          [new ChannelAccountMissing({ channelType }), 404, /^reservation_code: /],
          [new ChannelDisconnected({ channelType }), 400, /^reservation_code: /],
          [new ChannelRefused({ reason: "too late" }), 409, /too late/],
          [
            new ChannelRefused({ reason: "too short", field: "host_review_content" }),
            422,
            /^host_review_content: .*too short/
          ],
          [new ChannelUnavailable({ code: 503 }), 503, /./],
          [new ChannelUnavailable({ code: 504 }), 504, /./],
          [new ChannelNotServed({ channelType }), 501, /./]
        ]
        for (const [at, [failure, error_code, text]] of failures.entries()) {
          yield* channel.setResponse(reservation_code, Effect.fail(failure))
          for (const key of [undefined, `refused-${at}`]) {
            const { envelope } = yield* callForResponse(token, "create_review", sent, key)
            assert.strictEqual(envelope.error_code, error_code, envelope.error_msg)
            assert.match(envelope.error_msg, text)
          }
        }
        assert.isUndefined(yield* recordOf(reservation_code))
        assert.deepStrictEqual(yield* loadEvents(operatorId), [])
        yield* channel.setResponse(reservation_code, Effect.void)
        for (const key of ["refused-2", "refused-5"]) {
          const { envelope } = yield* callForResponse(token, "create_review", sent, key)
          assert.strictEqual(envelope.error_code, key === "refused-2" ? 0 : 409, "the first wrote it")
        }
      })
    )

    /** Cuts a call off where it would write down what the channel took. */
    const cutOff = Effect.provideService(Statement.CurrentTransformer, (statement) =>
      statement.compile()[0].includes("INSERT INTO reviews") ? Effect.interrupt : Effect.succeed(statement)
    )

    it.effect("cut off between channel and record is mended by the same call again", () =>
      Effect.gen(function* () {
        const {
          token,
          operatorId,
          insertEndedOrder: stayed,
          findReview: recordOf,
          listSentReviews: toldOf
        } = yield* prepareReviewOperator
        for (const key of [undefined, "mend-it"]) {
          const reservation_code = yield* stayed(TODAY, "airbnb", null)
          yield* deleteEvents(operatorId)
          const write = callForResponse(token, "create_review", { reservation_code, host_review_content: "Kind" }, key)
          yield* Effect.exit(cutOff(write))
          assert.lengthOf(yield* toldOf(reservation_code), 1)
          assert.isUndefined(yield* recordOf(reservation_code))
          const { envelope } = yield* write
          assert.strictEqual(envelope.error_code, 0, envelope.error_msg)
          assert.strictEqual((yield* recordOf(reservation_code))?.host_review?.content, "Kind")
          assert.lengthOf(yield* loadEvents(operatorId), 1)
          // The same again, which is no failure there.
          const [first, again] = yield* toldOf(reservation_code)
          assert.deepStrictEqual(again, first)
        }
      })
    )

    it.effect("cut off there is mended by the channel's word, and the repeat is answered and tells nobody", () =>
      Effect.gen(function* () {
        const {
          token,
          operatorId,
          insertEndedOrder: stayed,
          ingestReview: says,
          findReview: recordOf,
          listSentReviews: toldOf
        } = yield* prepareReviewOperator
        const reservation_code = yield* stayed(TODAY)
        yield* deleteEvents(operatorId)
        const write = (key?: string) =>
          Effect.map(
            callForResponse(token, "create_review", { reservation_code, host_review_content: "Kind" }, key),
            ({ envelope }) => envelope.error_code
          )
        yield* Effect.exit(cutOff(write("once")))
        yield* says(reservation_code, 1, { host_review: { content: "Kind", created_at: REVIEW_WRITTEN_AT } })
        assert.strictEqual(yield* write("once"), 0)
        assert.strictEqual(yield* write("once"), 0)
        assert.strictEqual(yield* write(), 409)
        assert.lengthOf(yield* toldOf(reservation_code), 1)
        assert.strictEqual((yield* recordOf(reservation_code))?.host_review?.created_at, REVIEW_WRITTEN_AT)
        assert.lengthOf(yield* loadEvents(operatorId), 1)
      })
    )

    it.effect("while the channel tells of something else meanwhile keeps both", () =>
      Effect.gen(function* () {
        const {
          api,
          as,
          insertEndedOrder: stayed,
          ingestReview: says,
          channel,
          findReview: recordOf,
          listSentReviews: toldOf
        } = yield* prepareReviewOperator
        const reservation_code = yield* stayed(TODAY)
        const [heard, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        yield* channel.setResponse(
          reservation_code,
          Effect.andThen(Deferred.succeed(heard, undefined), Deferred.await(go))
        )
        const writing = yield* Effect.forkChild(
          api.create_review({ reservation_code, host_review_content: "Kind" }).pipe(as)
        )
        yield* Deferred.await(heard)
        yield* says(reservation_code, 1, { guest_review: makeReviewSide("Nice") })
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(writing)
        const record = yield* recordOf(reservation_code)
        assert.deepStrictEqual([record?.guest_review?.content, record?.host_review?.content], ["Nice", "Kind"])
        assert.lengthOf(yield* toldOf(reservation_code), 1)
      })
    )

    it.effect("repeated under its key is written once", () =>
      Effect.gen(function* () {
        const { token, insertEndedOrder: stayed, listSentReviews: toldOf } = yield* prepareReviewOperator
        const reservation_code = yield* stayed(TODAY)
        const write = callForResponse(token, "create_review", { reservation_code, host_review_score: 5 }, "five-stars")
        for (const _ of [1, 2, 3]) assert.strictEqual((yield* write).envelope.error_code, 0)
        assert.lengthOf(yield* toldOf(reservation_code), 1)
      })
    )
  }
)
