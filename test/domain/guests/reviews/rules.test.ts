import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { addDays, daysInRange } from "../../../../src/contract/time.ts"
import type { ChannelReviewEvent } from "../../../../src/domain/channels/port/channel-events.ts"
import { EMPTY_REVIEW, type ReviewContent } from "../../../../src/domain/guests/reviews/review.ts"
import {
  applyHostReview,
  containsHostReview,
  toHostReview
} from "../../../../src/domain/guests/reviews/rules/host-review.ts"
import { isSameReviewContent } from "../../../../src/domain/guests/reviews/rules/review-changes.ts"
import { applyReviewEvent, roundScore } from "../../../../src/domain/guests/reviews/rules/review-event.ts"
import { parseReviewSearchDays } from "../../../../src/domain/guests/reviews/rules/review-search.ts"
import { REVIEW_SEARCH_DAYS } from "../../../../src/platform/limits.ts"
import { TODAY } from "../../../support/domain/bookings/reservations/reservation-operator.ts"

const AT = new Date("2027-04-20T10:00:00Z")

const orNull = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const created_at = fc.constantFrom("2027-04-19T09:00:00Z", "2027-04-19T11:00:00+02:00", "2027-04-20 08:00")
const content = fc.constantFrom("", "Nice", "Nicer")
const side = fc.record({
  score: orNull(fc.double({ min: 0, max: 5, noNaN: true })),
  sub_score: orNull(
    fc.array(fc.record({ category: fc.constantFrom("clean", "staff"), rating: fc.integer({ min: 1, max: 10 }) }), {
      maxLength: 2
    })
  ),
  content,
  created_at
})
const said: fc.Arbitrary<ChannelReviewEvent> = fc.record({
  type: fc.constant("review"),
  version: fc.constant(1),
  channel_id: fc.constant("HM1"),
  guest_review: orNull(side),
  host_review: orNull(side),
  host_reply: orNull(fc.record({ content, created_at }))
})
const written: fc.Arbitrary<ReviewContent> = said.map((first) => applyReviewEvent(EMPTY_REVIEW, first))

describe("what a channel says of a record", () => {
  it("is there then, and said again, by whatever clock, it changes nothing", () => {
    fc.assert(
      fc.property(written, said, created_at, (before, word, later) => {
        const after = applyReviewEvent(before, word)
        for (const part of ["guest_review", "host_review", "host_reply"] as const) {
          if (word[part] === null) assert.strictEqual(after[part], before[part])
          else assert.strictEqual(after[part]?.content, word[part]?.content)
        }
        const again = <Part extends { readonly created_at: string }>(part: Part | null | undefined) =>
          part === null || part === undefined ? null : { ...part, created_at: later }
        const repeated = {
          ...word,
          guest_review: again(word.guest_review),
          host_review: again(word.host_review),
          host_reply: again(word.host_reply)
        }
        assert.isTrue(isSameReviewContent(after, applyReviewEvent(after, repeated)))
      })
    )
  })

  it("has a score of two decimals, the nearest, from 0 to 5", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5, noNaN: true }), (score) => {
        const rounded = roundScore(score)
        assert.isTrue(rounded >= 0 && rounded <= 5)
        assert.isAtMost(Math.abs(rounded - score), 0.005 + Number.EPSILON * 5)
        assert.strictEqual(Number(rounded.toFixed(2)), rounded)
        assert.strictEqual(roundScore(rounded), rounded)
      })
    )
  })
})

describe("what a host writes", () => {
  it("adds what is not there, and leaves what is", () => {
    const text = fc.constantFrom("Kind", "Thanks")
    fc.assert(
      fc.property(written, fc.option(text, { nil: undefined }), text, (before, review, reply) => {
        const payload = {
          reservation_code: "0-1",
          host_reply_content: reply,
          ...(review === undefined ? {} : { host_review_content: review })
        }
        const writing = Result.getOrThrow(toHostReview(payload))
        const after = applyHostReview(before, writing, AT)
        assert.strictEqual(after.guest_review, before.guest_review)
        assert.strictEqual(after.host_review?.content, before.host_review?.content ?? review)
        assert.strictEqual(after.host_reply?.content, before.host_reply?.content ?? reply)
        assert.isTrue(isSameReviewContent(after, applyHostReview(after, writing, new Date(0))))
        if (before.host_review === null && before.host_reply === null) assert.isTrue(containsHostReview(after, writing))
      })
    )
  })
})

describe("the days of a search", () => {
  it("are in order, less than 180 days apart, and those that were said", () => {
    const day = fc.option(
      fc.integer({ min: -400, max: 400 }).map((days) => addDays(TODAY, days)),
      { nil: undefined }
    )
    fc.assert(
      fc.property(day, day, (start, end) => {
        const payload = {
          ...(start === undefined ? {} : { start_check_out_date: start }),
          ...(end === undefined ? {} : { end_check_out_date: end })
        }
        const days = Result.getOrUndefined(parseReviewSearchDays(payload, TODAY))
        const span = start === undefined ? 1 : daysInRange(start, end ?? TODAY)
        assert.strictEqual(days !== undefined, span >= 1 && span <= REVIEW_SEARCH_DAYS)
        if (days === undefined) return
        assert.strictEqual(days.end, end ?? TODAY)
        if (start !== undefined) assert.strictEqual(days.start, start)
        else assert.strictEqual(daysInRange(days.start, days.end), REVIEW_SEARCH_DAYS)
      })
    )
  })
})
