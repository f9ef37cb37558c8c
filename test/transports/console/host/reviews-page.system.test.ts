import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { addDays } from "../../../../src/contract/time.ts"
import { PAGE_DEFAULT, REVIEW_TEXT_LENGTH } from "../../../../src/platform/limits.ts"
import { loadAuditLines } from "../../../support/changes/keyed-calls.ts"
import { TODAY } from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { makeReviewSide, prepareReviewOperator } from "../../../support/domain/guests/reviews/review-operator.ts"
import {
  createSignedInHost,
  decodeEntities,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findAlertField,
  findDoneAction,
  findForms,
  getPage,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

const ALL = "/console/reviews"
const WAITING = "/console/reviews?show=waiting"

/** A host who is signed in, with stays that can be reviewed; in a property, or in none. */
const reviewer = Effect.gen(function* () {
  const ground = yield* prepareReviewOperator
  /** A stay whose record its channel has begun. */
  const stayed = Effect.fnUntraced(function* (
    checkOut: string,
    { channelType = "airbnb", propertyId = null }: { channelType?: string; propertyId?: number | null } = {}
  ) {
    const code = yield* ground.insertEndedOrder(checkOut, channelType, propertyId)
    assert.deepStrictEqual(yield* ground.ingestReview(code, 1, {}, channelType), { outcome: "applied" })
    return code
  })
  return { ...ground, stayed, cookie: yield* signIn(ground.accountId) }
})

/** How many stays a page shows. */
const shownOn = ({ text }: { readonly text: string }): number => text.match(/<section>/g)?.length ?? 0

layer(Layer.provideMerge(Ingest.layer, layerSignedInPages))("the page of reviews", (it) => {
  it.effect("is empty where nobody stayed", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createSignedInHost()
      const page = yield* getPage(cookie, ALL)
      assert.deepStrictEqual([page.status, shownOn(page)], [200, 0])
      assert.include(page.text, "0 stays")
    })
  )

  it.effect("shows what the guest wrote, by whom and where, and who has to write", () =>
    Effect.gen(function* () {
      const { cookie, stayed, ingestReview: says, propertyId: property } = yield* reviewer
      const code = yield* stayed(TODAY, { propertyId: property })
      const other = yield* stayed(TODAY, { channelType: "booking.com" })
      const sub_score = [{ category: "house_rules", rating: 9, review_category_tags: ["neat_<and>_tidy"] }]
      yield* says(code, 2, { guest_review: makeReviewSide("Nice\n<script>", { sub_score }) })
      yield* says(other, 2, { guest_review: makeReviewSide("Bad") }, "booking.com")
      const waiting = yield* getPage(cookie, WAITING)
      assert.strictEqual(shownOn(waiting), 1)
      for (const words of [
        "Harbour 1",
        "<strong>4.5/5</strong>",
        "<blockquote>Nice\n&lt;script&gt;</blockquote>",
        "<dt>house rules</dt><dd>9",
        "neat &lt;and&gt; tidy",
        `/console/stay?code=${code}`
      ]) {
        assert.include(waiting.text, words)
      }
      const written = yield* getPage(cookie, ALL)
      assert.include(written.text, "<blockquote>Bad</blockquote>")
      assert.isEmpty([...findForms(written, "review"), ...findForms(written, "reply")], "hosts do not write there")
      assert.include((yield* getPage(cookie, "/console/overview")).text, "<strong>1</strong> review to write")
    })
  )

  it.effect("takes the review of a guest, with the ratings of its channel", () =>
    Effect.gen(function* () {
      const { cookie, stayed, findReview: recordOf, listSentReviews: toldOf } = yield* reviewer
      const code = yield* stayed(TODAY)
      const rated = { overall_rating: "4.5", cleanliness: "5", recommend: "1" }
      const done = yield* fillAndFollow(cookie, WAITING, "review", { content: "Kind\r\nguests", ...rated })
      assert.strictEqual(findDoneAction(done), "review")
      const category_ratings = { overall_rating: 4.5, cleanliness: 5, recommend: 1 }
      assert.deepInclude((yield* toldOf(code))[0], {
        review: { score: 4.5, content: "Kind\nguests", categoryRatings: category_ratings },
        reply: null
      })
      assert.strictEqual((yield* recordOf(code))?.host_review?.content, "Kind\nguests")
      const seen = yield* getPage(cookie, `${ALL}?show=guest`)
      assert.include(seen.text, "<blockquote>Kind\nguests</blockquote>")
      assert.isEmpty(findForms(seen, "review"))
    })
  )

  it.effect("takes a score alone where the channel has no ratings, and a reply", () =>
    Effect.gen(function* () {
      const { cookie, stayed, ingestReview: says, listSentReviews: toldOf } = yield* reviewer
      const code = yield* stayed(TODAY, { channelType: "ctrip" })
      yield* says(code, 2, { guest_review: makeReviewSide("Nice") }, "ctrip")
      assert.isFalse(findForms(yield* getPage(cookie, WAITING), "review")[0]?.form.has("cleanliness"))
      const replied = yield* fillAndFollow(cookie, WAITING, "reply", { reply: "Thank you" })
      assert.strictEqual(findDoneAction(replied), "reply")
      assert.include(replied.text, "<blockquote>Thank you</blockquote>")
      assert.isEmpty(findForms(replied, "reply"))
      yield* fillAndFollow(cookie, WAITING, "review", { score: "3" })
      assert.deepStrictEqual(
        (yield* toldOf(code)).map(({ review, reply }) => [review?.score, reply]),
        [
          [undefined, "Thank you"],
          [3, null]
        ]
      )
    })
  )

  it.effect("keeps what was filled in where it is not taken", () =>
    Effect.gen(function* () {
      const { cookie, stayed, ingestReview: says, listSentReviews: toldOf } = yield* reviewer
      const code = yield* stayed(TODAY)
      yield* says(code, 2, { guest_review: makeReviewSide("Nice") })
      const blank = yield* fillAndSend(cookie, WAITING, "review", { cleanliness: "4" })
      assert.deepStrictEqual([blank.status, findAlertField(blank)], [422, ""])
      const unsaid = yield* fillAndSend(cookie, WAITING, "reply", { reply: " " })
      assert.deepStrictEqual([unsaid.status, findAlertField(unsaid)], [422, ""])
      const refused = yield* fillAndSend(cookie, WAITING, "review", {
        overall_rating: "6",
        content: "x".repeat(REVIEW_TEXT_LENGTH)
      })
      assert.strictEqual(refused.status, 422)
      const [standing] = findForms(refused, "review")
      assert.deepStrictEqual(
        [standing?.form.get("overall_rating"), standing?.form.get("content")?.length],
        ["6", REVIEW_TEXT_LENGTH]
      )
      assert.include(refused.text, "<details open><summary>Write a review</summary>")
      assert.isEmpty(yield* toldOf(code))
    })
  )

  it.effect("is shown a page at a time, and by half years back", () =>
    Effect.gen(function* () {
      const { cookie, stayed } = yield* reviewer
      for (let nth = 0; nth < PAGE_DEFAULT; nth++) yield* stayed(addDays(TODAY, -nth))
      const full = yield* getPage(cookie, WAITING)
      assert.strictEqual(shownOn(full), PAGE_DEFAULT)
      assert.notInclude(full.text, "Next page")
      yield* stayed(addDays(TODAY, -179))
      const last = yield* stayed(addDays(TODAY, -180))
      assert.include((yield* getPage(cookie, WAITING)).text, "Next page")
      assert.strictEqual(shownOn(yield* getPage(cookie, `${WAITING}&offset=${PAGE_DEFAULT}`)), 1)
      assert.include(
        (yield* getPage(cookie, "/console/overview")).text,
        `<strong>${PAGE_DEFAULT + 1}</strong> reviews to write`
      )
      const before = decodeEntities(/href="([^"]*until=[^"]*)">Older</.exec(full.text)?.[1] ?? "")
      const earlier = yield* getPage(cookie, before)
      assert.strictEqual(shownOn(earlier), 1)
      assert.include(earlier.text, last)
    })
  )
})

layer(Layer.provideMerge(Ingest.layer, layerSignedInPages))("every form of the page of reviews", (it) => {
  it.effect("does nothing to another operator's stay, and nothing without its token", () =>
    Effect.gen(function* () {
      const other = yield* reviewer
      const code = yield* other.stayed(TODAY)
      yield* other.ingestReview(code, 2, { guest_review: makeReviewSide("Nice") })
      const before = [yield* other.findReview(code), yield* loadAuditLines(other.operatorId)]
      const { cookie, operatorId } = yield* createSignedInHost()
      const forms = { review: { id: code, score: "1", content: "Bad" }, reply: { id: code, reply: "Liar" } }
      for (const [act, fields] of Object.entries(forms)) {
        const [foreign, nobodys] = [
          yield* postInventedForm(cookie, ALL, act, fields),
          yield* postInventedForm(cookie, ALL, act, { ...fields, id: "0-none" })
        ]
        assert.deepStrictEqual([foreign.status, findAlert(foreign)], [404, findAlert(nobodys)], act)
        assert.strictEqual((yield* postWithoutToken(other.cookie, ALL, act)).status, 403)
      }
      assert.deepStrictEqual([yield* other.findReview(code), yield* loadAuditLines(other.operatorId)], before)
      assert.isEmpty(yield* other.listSentReviews(code))
      assert.isEmpty(yield* loadAuditLines(operatorId))
    })
  )

  it.effect("that is sent twice at once is done once", () =>
    Effect.gen(function* () {
      const { cookie, stayed, ingestReview: says, listSentReviews: toldOf } = yield* reviewer
      const code = yield* stayed(TODAY)
      yield* says(code, 2, { guest_review: makeReviewSide("Nice") })
      for (const [act, fields] of Object.entries({ reply: { reply: "Thanks" }, review: { content: "Kind" } })) {
        const statuses = (yield* fillAndSendTwice(cookie, WAITING, act, fields)).map(({ status }) => status)
        assert.include(statuses, 303)
        for (const status of statuses) assert.include([303, 409], status)
      }
      assert.deepStrictEqual(
        (yield* toldOf(code)).map(({ review, reply }) => review?.content ?? reply),
        ["Thanks", "Kind"]
      )
    })
  )
})
