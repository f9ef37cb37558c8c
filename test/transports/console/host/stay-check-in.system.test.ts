import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newImageToken, toImageUrl } from "../../../../src/domain/guests/images/image-url.ts"
import {
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findDoneAction,
  findFieldErrors,
  findForms,
  getPage,
  postInventedForm
} from "../../../support/transports/console/host/host-forms.ts"
import { createStayWithGuest, stayPath } from "../../../support/transports/console/host/stay-with-guest.ts"
import { layerSignedInPages, PUBLIC_URL } from "../../../support/transports/console/signed-in-pages.ts"

/** A stay of two, Ada by name and another, of whose documents somebody has to look at photos. */
const reviewed = Effect.gen(function* () {
  const stay = yield* createStayWithGuest()
  const { sql, operatorId } = stay
  yield* sql`
    UPDATE stays SET number_of_guests = 2, number_of_adults = 2, id_required = 'required_with_review' WHERE operator_id = ${operatorId}`
  yield* sql`
    INSERT INTO guests (operator_id, stay_id, name) SELECT operator_id, id, 'Ada <L>' FROM stays WHERE operator_id = ${operatorId}`
  const handIn = (ofAda: boolean, url: string = toImageUrl("https://elsewhere.example", newImageToken())) =>
    Effect.as(
      sql`
        INSERT INTO identity_images (operator_id, order_id, stay_id, guest_id, large_url, extra_large_url, created_at)
        SELECT s.operator_id, s.order_id, s.id, ${ofAda ? sql`g.id` : sql`NULL::bigint`}, ${url}, ${url}, now()
        FROM stays s JOIN guests g ON g.operator_id = s.operator_id AND g.stay_id = s.id WHERE s.operator_id = ${operatorId}`,
      new URL(url).pathname
    )
  const approvedAt = Effect.map(
    sql<{ at: Date | null }>`SELECT check_in_approved_at AS at FROM stays WHERE operator_id = ${operatorId}`,
    ([row]) => row?.at
  )
  return { ...stay, handIn, approvedAt }
})

layer(layerSignedInPages)("the check-in of a stay", (it) => {
  it.effect("is changed where it was touched, and times and codes are taken away by an empty field", () =>
    Effect.gen(function* () {
      const { cookie, path, reservation: record } = yield* createStayWithGuest()
      const after = yield* fillAndFollow(cookie, path, "check_in", {
        ...{ lock_code: "<4711>", lock_code_visible_after: "15:00", arrival_at: "16:05", departure_at: "09:30" },
        ...{ deposit: "200", id_required: "required" }
      })
      assert.strictEqual(findDoneAction(after), "check_in")
      assert.include(after.text, "&lt;4711&gt;")
      const kept = (yield* record).check_in_details
      assert.deepInclude(kept, {
        ...{ lock_code: "<4711>", lock_code_visible_after: "15:00", deposit: 200, id_required: "required" },
        ...{ arrival_at: { hour: 16, minute: 5 }, departure_at: { hour: 9, minute: 30 } }
      })
      yield* fillAndFollow(cookie, path, "check_in", { lock_code: "", arrival_at: "", deposit: "" })
      assert.deepStrictEqual((yield* record).check_in_details, {
        ...kept,
        ...{ lock_code: null, arrival_at: null, deposit: null }
      })
      const refused = yield* fillAndSend(cookie, path, "check_in", { deposit: "1.5", lock_code: "0815" })
      assert.include([400, 422], refused.status)
      assert.property(findFieldErrors(refused), "deposit")
      assert.strictEqual(findForms(refused, "check_in")[0]?.form.get("lock_code"), "0815")
      assert.isNull((yield* record).check_in_details.lock_code)
    })
  )

  it.effect("is approved once the photos are there, which are seen here", () =>
    Effect.gen(function* () {
      const { cookie, path, sql, operatorId, handIn, approvedAt, code } = yield* reviewed
      const none = yield* getPage(cookie, path)
      assert.lengthOf(findForms(none, "approve_check_in"), 0)
      assert.include(none.text, "Ada &lt;L&gt;, 1 guest without a name")
      const ada = yield* handIn(true)
      const one = yield* getPage(cookie, path)
      assert.lengthOf(findForms(one, "approve_check_in"), 0)
      assert.include(one.text, ": 1 guest without a name")
      // Where the page is, whatever the service is called to others: nothing else is loaded here.
      assert.include(one.text, `<img src="${ada}" alt="Photo 1, of Ada &lt;L&gt;">`)
      assert.include(one.headers.get("content-security-policy"), "img-src 'self'")
      // Not offered, and not taken either.
      const early = yield* postInventedForm(cookie, path, "approve_check_in")
      assert.strictEqual(early.status, 422)
      assert.match(findAlert(early) ?? "", /\b1 guest\b/)
      const other = yield* handIn(false, toImageUrl(PUBLIC_URL, newImageToken()))
      const both = yield* getPage(cookie, path)
      assert.include(both.text, `<img src="${other}" alt="Photo 2, of a guest without a name">`)
      const after = yield* fillAndFollow(cookie, path, "approve_check_in")
      assert.strictEqual(findDoneAction(after), "approve_check_in")
      assert.include(after.text, "ID check approved")
      assert.lengthOf(findForms(after, "approve_check_in"), 0)
      assert.isNotNull(yield* approvedAt)
      const trail =
        yield* sql`SELECT application, operation, record, account_id FROM trail WHERE operator_id = ${operatorId}`
      assert.strictEqual(trail.length, 1)
      assert.deepInclude(trail[0], {
        ...{ application: "console", operation: "approve_check_in", record: `reservation:${code}` }
      })
    })
  )

  it.effect("is approved once by a form that is sent twice", () =>
    Effect.gen(function* () {
      const { cookie, path, handIn, changeCount: changes } = yield* reviewed
      yield* handIn(true)
      yield* handIn(false)
      const sent = yield* fillAndSendTwice(cookie, path, "approve_check_in")
      assert.deepStrictEqual(
        sent.map(({ status }) => status),
        [303, 303]
      )
      assert.strictEqual(yield* changes, 1)
    })
  )

  it.effect("is not approved by another host, though one has a stay of the same code", () =>
    Effect.gen(function* () {
      const one = yield* reviewed
      yield* one.handIn(true)
      yield* one.handIn(false)
      const other = yield* reviewed
      const strange = yield* postInventedForm(other.cookie, one.path, "approve_check_in")
      assert.strictEqual(strange.status, 404)
      yield* other.sql`UPDATE stays SET stay_code = ${one.code} WHERE operator_id = ${other.operatorId}`
      yield* other.handIn(true)
      yield* other.handIn(false)
      const own = yield* fillAndFollow(other.cookie, stayPath(one.code), "approve_check_in")
      assert.strictEqual(findDoneAction(own), "approve_check_in")
      assert.isNotNull(yield* other.approvedAt)
      assert.isNull(yield* one.approvedAt)
    })
  )

  it.effect("shows no photo that is kept elsewhere, but leads to it; and none by what is no address", () =>
    Effect.gen(function* () {
      const { cookie, path, handIn } = yield* reviewed
      yield* handIn(true, "https://photos.example/1.jpg?a=1&b=2")
      yield* handIn(false, "javascript:alert(1)")
      const { text } = yield* getPage(cookie, path)
      assert.notInclude(text, "<img")
      assert.include(text, '<a href="https://photos.example/1.jpg?a=1&amp;b=2" rel="noreferrer">')
      assert.notInclude(text, "javascript:")
    })
  )

  it.effect("asks for nothing where no documents are asked for", () =>
    Effect.gen(function* () {
      const { cookie, path, sql, operatorId, handIn } = yield* reviewed
      yield* handIn(true)
      yield* handIn(false)
      yield* sql`UPDATE stays SET id_required = 'required' WHERE operator_id = ${operatorId}`
      assert.lengthOf(findForms(yield* getPage(cookie, path), "approve_check_in"), 0)
      const sent = yield* postInventedForm(cookie, path, "approve_check_in")
      assert.strictEqual(sent.status, 422)
      assert.isDefined(findAlert(sent))
    })
  )
})
