import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { REVIEW_CATEGORIES_MAX, REVIEW_TEXT_LENGTH } from "../../../../src/platform/limits.ts"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  makeReviewSide,
  prepareReviewOperator,
  REVIEW_WRITTEN_AT
} from "../../../support/domain/guests/reviews/review-operator.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const APPLIED = { outcome: "applied" } as const

layer(Layer.provideMerge(Ingest.layer, layerWithoutRateWindows), { excludeTestServices: false })(
  "a review a channel tells of",
  (it) => {
    it.effect("is told once when it is first seen, and again whenever something of it changes", () =>
      Effect.gen(function* () {
        const {
          operatorId,
          propertyId: property,
          insertEndedOrder: stayed,
          ingestReview: says,
          findReview: recordOf
        } = yield* prepareReviewOperator
        const code = yield* stayed()
        yield* deleteEvents(operatorId)
        const event = { reservation_code: code, stay_code: code, property_id: property }
        const told = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
          assert.deepStrictEqual(
            yield* loadEvents(operatorId),
            names.map((name) => ({ event: name, ...event }))
          )
          yield* deleteEvents(operatorId)
        })
        assert.deepStrictEqual(yield* says(code, 2, { guest_review: makeReviewSide("Nice") }), APPLIED)
        yield* told("review_created")
        assert.deepStrictEqual(yield* says(code, 2, { guest_review: makeReviewSide("Nice") }), { outcome: "known" })
        assert.deepStrictEqual(yield* says(code, 1, { guest_review: makeReviewSide("Older") }), { outcome: "late" })
        yield* told()
        const before = yield* recordOf(code)
        // One more version of the same, by another clock, with nothing that was said before.
        assert.deepStrictEqual(
          yield* says(code, 3, { guest_review: makeReviewSide("Nice", { created_at: "2027-04-19T09:00:01Z" }) }),
          APPLIED
        )
        assert.deepStrictEqual(yield* says(code, 4, { guest_review: null, host_reply: null }), APPLIED)
        yield* told()
        assert.deepStrictEqual(yield* recordOf(code), before)
        yield* says(code, 5, { guest_review: makeReviewSide("Nice", { score: 5 }) })
        yield* says(code, 6, {
          host_review: makeReviewSide("Kind"),
          host_reply: { content: "Thanks", created_at: REVIEW_WRITTEN_AT }
        })
        yield* told("review_updated", "review_updated")
        assert.deepInclude(yield* recordOf(code), {
          guest_review: { score: 5, sub_score: null, content: "Nice", created_at: REVIEW_WRITTEN_AT },
          host_review: { score: 4.5, sub_score: null, content: "Kind", created_at: REVIEW_WRITTEN_AT },
          host_reply: { content: "Thanks", created_at: REVIEW_WRITTEN_AT }
        })
      })
    )

    it.effect("takes nothing away that it does not say, and has no more decimals than are shown", () =>
      Effect.gen(function* () {
        const { insertEndedOrder: stayed, ingestReview: says, findReview: recordOf } = yield* prepareReviewOperator
        const code = yield* stayed("2027-04-18", "agoda")
        const sub_score = [{ category: "staff", rating: 8.5 }]
        yield* says(code, 1, { guest_review: makeReviewSide("Nice", { score: 4.6666, sub_score }) }, "agoda")
        const { score: _, ...unscored } = makeReviewSide("Nicer", { created_at: "2027-04-19T11:00:00+02:00" })
        yield* says(code, 2, { guest_review: unscored }, "agoda")
        assert.deepStrictEqual((yield* recordOf(code))?.guest_review, {
          score: 4.67,
          sub_score: [{ category: "staff", rating: 8.5, review_category_tags: null }],
          content: "Nicer",
          created_at: REVIEW_WRITTEN_AT
        })
      })
    )

    it.effect("arrives as it was written", () =>
      Effect.gen(function* () {
        const { insertEndedOrder: stayed, ingestReview: says, findReview: recordOf } = yield* prepareReviewOperator
        const code = yield* stayed("2027-04-18", "agoda")
        const content = "👩‍👩‍👧 شكراً é <b>“</b>\n"
        yield* says(code, 1, { guest_review: makeReviewSide(content) }, "agoda")
        assert.strictEqual((yield* recordOf(code))?.guest_review?.content, content)
      })
    )

    it.effect("of an order that is not the account's is refused, naming channel_id", () =>
      Effect.gen(function* () {
        const {
          operatorId,
          insertEndedOrder: stayed,
          ingestReview: says,
          sql,
          findReview: recordOf
        } = yield* prepareReviewOperator
        const said = { guest_review: makeReviewSide("Nice") }
        const code = yield* stayed()
        const stranger = yield* prepareReviewOperator
        const refused = Effect.fnUntraced(function* (become: { readonly outcome: string; readonly reason?: string }) {
          assert.strictEqual(become.outcome, "refused")
          assert.match(become.reason ?? "", /^channel_id: /)
        })
        yield* refused(yield* says("0-NOBODY", 1, said))
        yield* refused(yield* says(code, 1, said, "ctrip"))
        yield* refused(yield* stranger.ingestReview(code, 1, said))
        yield* sql`
        WITH other AS (
          INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
          VALUES (${operatorId}, 'airbnb', 'other', 'other', 'active', 'sandbox', now()) RETURNING id
        )
        UPDATE orders SET channel_account_id = other.id FROM other
        WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
        yield* refused(yield* says(code, 1, said))
        assert.isUndefined(yield* recordOf(code))
        yield* sql`
        UPDATE channel_accounts SET auth_status = 'disconnected' WHERE operator_id = ${operatorId} AND username = 'other'`
        assert.deepStrictEqual(yield* says(code, 1, said), APPLIED, "the host has connected anew")
      })
    )

    it.effect("is taken as large as it may be, and refused beyond", () =>
      Effect.gen(function* () {
        const { insertEndedOrder: stayed, ingestReview: says, findReview: recordOf } = yield* prepareReviewOperator
        const code = yield* stayed("2027-04-18", "agoda")
        const sub_score = (count: number) =>
          Array.from({ length: count }, (_, at) => ({ category: `c${at}`, rating: 10 }))
        for (const beyond of [
          makeReviewSide("a".repeat(REVIEW_TEXT_LENGTH + 1)),
          makeReviewSide("", { score: 5.01 }),
          makeReviewSide("", { score: -0.01 }),
          makeReviewSide("", { sub_score: sub_score(REVIEW_CATEGORIES_MAX + 1) })
        ]) {
          assert.strictEqual((yield* says(code, 1, { guest_review: beyond }, "agoda")).outcome, "refused")
        }
        assert.isUndefined(yield* recordOf(code))
        const most = makeReviewSide("a".repeat(REVIEW_TEXT_LENGTH), {
          score: 5,
          sub_score: sub_score(REVIEW_CATEGORIES_MAX)
        })
        assert.deepStrictEqual(yield* says(code, 1, { guest_review: most }, "agoda"), APPLIED)
        const least = makeReviewSide("", { score: 0 })
        yield* says(code, 2, { guest_review: least }, "agoda")
        assert.deepInclude((yield* recordOf(code))?.guest_review, { score: 0, content: "" })
      })
    )

    it.effect.skipIf(!canOverlap)(
      withServerNote("while its order moves has the dates that become of it, whoever is first"),
      () =>
        Effect.gen(function* () {
          const {
            insertEndedOrder: stayed,
            ingestReview: says,
            findReview: recordOf,
            moveCheckOut: movedTo
          } = yield* prepareReviewOperator
          const record = Effect.fnUntraced(function* (isMovedFirst: boolean) {
            const code = yield* stayed("2027-04-18", "agoda", null)
            const moves = Effect.asVoid(movedTo(code, "2027-04-25"))
            const hears = Effect.asVoid(says(code, 1, { guest_review: makeReviewSide("Nice") }, "agoda"))
            yield* isMovedFirst ? runOverlapping(moves, hears) : runOverlapping(hears, moves)
            return (yield* recordOf(code))?.check_out_date
          })
          assert.strictEqual(yield* record(true), "2027-04-25")
          assert.strictEqual(yield* record(false), "2027-04-25")
        })
    )

    it.effect.skipIf(!canOverlap)(withServerNote("twice at once is one record, which has both"), () =>
      Effect.gen(function* () {
        const {
          operatorId,
          insertEndedOrder: stayed,
          ingestReview: says,
          findReview: recordOf
        } = yield* prepareReviewOperator
        const code = yield* stayed()
        yield* deleteEvents(operatorId)
        const both = yield* runOverlapping(
          says(code, 1, { guest_review: makeReviewSide("Nice") }),
          says(code, 2, { host_review: makeReviewSide("Kind") })
        )
        assert.deepStrictEqual(both, [APPLIED, APPLIED])
        const record = yield* recordOf(code)
        assert.deepStrictEqual([record?.guest_review?.content, record?.host_review?.content], ["Nice", "Kind"])
        assert.deepStrictEqual(
          (yield* loadEvents(operatorId)).map(({ event }) => event),
          ["review_created", "review_updated"]
        )
      })
    )
  }
)
