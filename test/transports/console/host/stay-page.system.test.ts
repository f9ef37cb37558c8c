import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { MESSAGE_PREVIEW_LENGTH, STAY_ACTIVITY_SHOWN, STAY_MESSAGES_SHOWN } from "../../../../src/platform/limits.ts"
import { insertConversation } from "../../../support/conversations.ts"
import { call, insertOrder } from "../../../support/harness.ts"
import { insertImportedCalendar, insertImportedDays } from "../../../support/imported-calendars.ts"
import { insertChannelAccount } from "../../../support/listings.ts"
import { insertMessages } from "../../../support/transports/console/host/host-conversation.ts"
import {
  type FormValues,
  fillAndFollow,
  fillAndSend,
  fillAndSendTwice,
  findAlert,
  findDoneAction,
  findFieldErrors,
  findForms,
  findNotice,
  getPage,
  postForm,
  postInventedForm,
  postWithoutToken,
  pressUndo
} from "../../../support/transports/console/host/host-forms.ts"
import { createStayWithGuest, stayPath } from "../../../support/transports/console/host/stay-with-guest.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const ACTS: Readonly<Record<string, FormValues>> = {
  change: { guest_name: "Grace" },
  dates: { check_in_date: "2027-05-05", check_out_date: "2027-05-08" },
  allocate: { property_id: "1" },
  box: {},
  whereabouts: { stay_status: "in_house" },
  tag: { tag_name: "By boat" },
  untag: { tag_name: "By boat" },
  check_in: { lock_code: "4711" },
  fields: { new_name: "door", new_text: "blue" },
  approve: {},
  decline: {},
  cancel: {},
  approve_check_in: {}
}

layer(layerSignedInPages)("the page of a stay", (it) => {
  it.effect("shows all that is known of it, and leads to what belongs to it", () =>
    Effect.gen(function* () {
      const {
        sql,
        operatorId,
        propertyId: property,
        secondPropertyId: second,
        code,
        token,
        pageText: shown,
        cookie
      } = yield* createStayWithGuest()
      yield* sql`
        UPDATE stays SET guest_phone = '+44 1', guest_email = 'ada@example.test', number_of_guests = 2, number_of_adults = 2,
          number_of_pets = 1, remarks = 'By <boat>', channel_remarks = 'Late', arrival_at = '16:30' WHERE operator_id = ${operatorId}`
      yield* sql`
        INSERT INTO guests (operator_id, stay_id, name, is_booker, id_type, id_number, country)
        SELECT operator_id, id, 'Ada <L>', true, 'id_card', 'X<1>', 'GB' FROM stays WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE orders SET conversation_id = 'conversation-1' WHERE operator_id = ${operatorId}`
      yield* call(token, "create_task", {
        type: "cleaning",
        stay_code: code,
        expected_date: "2027-05-07",
        note: "<b>Salt"
      })
      const text = yield* shown
      for (const words of [
        "<h1>Ada &lt;L&gt;</h1>",
        "Harbour &lt;1&gt;",
        "Tue 4 May 2027</time>",
        "<dt>Arrival time</dt><dd>16:30</dd>",
        "4–7 May 2027 (3 nights)",
        "2 guests, 1 pet",
        "+44 1",
        "ada@example.test",
        "By &lt;boat&gt;",
        "Late",
        ">Confirmed<",
        "<li>Direct</li>",
        "id card X&lt;1&gt;",
        "Main guest",
        '<dt>Balance due</dt><dd><span class="number whole">100.00 EUR</span>',
        ">Not paid<",
        `href="/console/money?order=${code}"`,
        'href="/console/messages?id=conversation-1"',
        `href="/console/history?record=reservation%3A${code}"`,
        "/guests/lkguest_",
        "Cleaning",
        "&lt;b&gt;Salt",
        "No tags yet.",
        "No messages yet."
      ]) {
        assert.include(text, words)
      }
      for (const raw of ["<L>", "<boat>", "<b>Salt", "X<1>"]) assert.notInclude(text, raw)
      // Another stay of the same order.
      const both = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-06-01", checkOut: "2027-06-03" },
        { propertyId: second, checkIn: "2027-06-01", checkOut: "2027-06-03", revenue: "60" }
      ])
      const one = (yield* getPage(cookie, stayPath(both))).text
      assert.include(one, `<a href="/console/stay?code=${both}_1">`)
      assert.include(one, "160.00 EUR")
      assert.include((yield* getPage(cookie, stayPath(`${both}_1`))).text, `<a href="/console/stay?code=${both}">`)
    })
  )

  it.effect("changes what was touched, and nothing else", () =>
    Effect.gen(function* () {
      const { cookie, path, code, api, as, reservation: record, sql, operatorId } = yield* createStayWithGuest()
      yield* sql`UPDATE orders SET custom_channel_id = 31 WHERE operator_id = ${operatorId}`
      const page = yield* getPage(cookie, path)
      const [form] = findForms(page, "change")
      // Somebody else changes the phone while the page is open.
      yield* api.update_reservation_basic({ stay_code: code, mobile: "+49 30" }).pipe(as)
      assert.isFalse(form?.form.has("creator"))
      const after = yield* fillAndFollow(cookie, path, "change", {
        ...{ guest_name: "Ada King", rate_amount: "90.5", remarks: "One\r\ntwo", custom_channel_id: "32" },
        // As the page was before that.
        ...{ mobile: "", "was.mobile": "" }
      })
      assert.strictEqual(findDoneAction(after), "change")
      const { guest_name, guest_phone, remarks, rates, custom_channel, number_of_guests } = yield* record
      assert.deepStrictEqual(
        [guest_name, guest_phone, remarks, rates.rate.amount, custom_channel?.id, number_of_guests],
        ["Ada King", "+49 30", "One\ntwo", 90.5, 32, 1]
      )
      const refused = yield* fillAndSend(cookie, path, "change", { email: "nobody", remarks: "<i>Kept" })
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(findFieldErrors(refused)["email"], "Enter a valid e-mail address, such as host@example.com.")
      assert.strictEqual(findForms(refused, "change")[0]?.form.get("remarks"), "<i>Kept")
      assert.include(refused.text, "<details open><summary>Edit guest and price")
      assert.strictEqual((yield* record).remarks, "One\ntwo")
    })
  )

  it.effect(
    "has other dates where its property is free, says how far that is, and a clash names the guest in the way",
    () =>
      Effect.gen(function* () {
        const {
          cookie,
          path,
          propertyId: property,
          reservation: record,
          insertOtherStay: another,
          pageText: shown
        } = yield* createStayWithGuest()
        assert.include(yield* shown, "The property is free before and after this stay.")
        yield* another("Grace", property, "2027-04-28", "2027-05-01")
        yield* another("Ida", property, "2027-05-08", "2027-05-10")
        assert.include(yield* shown, "Free from Sat 1 May 2027 until Sat 8 May 2027 (ignoring this stay).")
        const after = yield* fillAndFollow(cookie, path, "dates", { check_in_date: "2027-05-02" })
        assert.strictEqual(findNotice(after), "Dates changed to 2–7 May 2027.")
        assert.strictEqual(findNotice(yield* pressUndo(cookie, after)), "Dates changed to 4–7 May 2027.")
        yield* fillAndFollow(cookie, path, "dates", { check_in_date: "2027-05-02" })
        const refused = yield* fillAndSend(cookie, path, "dates", { check_out_date: "2027-05-09" })
        assert.strictEqual(refused.status, 409)
        const conflict = "Harbour <1> is not free on these nights: Ida, 8–10 May 2027."
        assert.strictEqual(findAlert(refused), conflict)
        assert.deepStrictEqual(findFieldErrors(refused), { check_in_date: conflict })
        assert.strictEqual(findForms(refused, "dates")[0]?.form.get("check_out_date"), "2027-05-09")
        const { check_in_date, check_out_date } = yield* record
        assert.deepStrictEqual([check_in_date, check_out_date], ["2027-05-02", "2027-05-07"])
      })
  )

  it.effect("goes to another property, and says beforehand whom that would unassign", () =>
    Effect.gen(function* () {
      const {
        cookie,
        path,
        operatorId,
        propertyId: property,
        secondPropertyId: second,
        reservation: record,
        insertOtherStay: another,
        pageText: shown
      } = yield* createStayWithGuest()
      const grace = yield* another("Grace <H>", second, "2027-05-06", "2027-05-09")
      const text = yield* shown
      assert.include(text, "Harbour 2 (would unassign Grace &lt;H&gt;)</option>")
      assert.notInclude(text, `<option value="${property}"`)
      const after = yield* fillAndFollow(cookie, path, "allocate", { property_id: String(second) })
      assert.strictEqual(findNotice(after), "Moved to Harbour 2.")
      // The undo could not return Grace.
      assert.notInclude(after.text, ">Undo</button>")
      assert.strictEqual((yield* record).property_id, second)
      assert.include((yield* getPage(cookie, stayPath(grace))).text, ">Unassigned</span>")
      // What is busy elsewhere cannot be taken.
      const calendarId = yield* insertImportedCalendar(operatorId, property, "https://airbnb.example/1.ics")
      yield* insertImportedDays(operatorId, property, calendarId, false, "2027-05-05")
      assert.include(yield* shown, "Harbour &lt;1&gt; (iCal: airbnb.example)</option>")
      const refused = yield* fillAndSend(cookie, path, "allocate", { property_id: String(property) })
      assert.strictEqual(refused.status, 409)
      assert.deepStrictEqual(findFieldErrors(refused), {
        property_id: "Harbour <1> is not free on these nights: iCal: airbnb.example."
      })
      assert.strictEqual(findForms(refused, "allocate")[0]?.form.get("property_id"), String(property))
      assert.strictEqual((yield* record).property_id, second)
    })
  )

  it.effect("unassigns nobody whom its form has not shown to be in the way", () =>
    Effect.gen(function* () {
      const {
        cookie,
        path,
        propertyId: property,
        secondPropertyId: second,
        reservation: record,
        insertOtherStay: another
      } = yield* createStayWithGuest()
      const stale = findForms(yield* getPage(cookie, path), "allocate")[0]?.form ?? new URLSearchParams()
      stale.set("property_id", String(second))
      const faster = yield* another("Faster", second, "2027-05-05", "2027-05-06")
      const whereFaster = Effect.map(getPage(cookie, stayPath(faster)), ({ text }) =>
        text.includes(">Unassigned</span>")
      )
      const refused = yield* postForm(cookie, path, stale)
      assert.strictEqual(refused.status, 409)
      assert.match(findAlert(refused) ?? "", /\bHarbour 2\b.*\bFaster\b/)
      assert.deepStrictEqual([(yield* record).property_id, yield* whereFaster], [property, false])
      // The form that came back has shown it; sent again once it is done, it is done.
      const seen = findForms(refused, "allocate")[0]?.form ?? new URLSearchParams()
      assert.strictEqual(seen.get("property_id"), String(second))
      for (const form of [seen, seen]) assert.strictEqual((yield* postForm(cookie, path, form)).status, 303)
      assert.deepStrictEqual([(yield* record).property_id, yield* whereFaster], [second, true])
    })
  )

  it.effect("moves back by an undo, unless somebody else has taken the nights", () =>
    Effect.gen(function* () {
      const { cookie, path, reservation: record, ...host } = yield* createStayWithGuest()
      const moved = yield* fillAndFollow(cookie, path, "allocate", { property_id: String(host.secondPropertyId) })
      assert.strictEqual(findNotice(yield* pressUndo(cookie, moved)), "Moved to Harbour <1>.")
      assert.strictEqual((yield* record).property_id, host.propertyId)
      const again = yield* fillAndFollow(cookie, path, "allocate", { property_id: String(host.secondPropertyId) })
      yield* host.insertOtherStay("Faster", host.propertyId, "2027-05-05", "2027-05-06")
      const undone = yield* Effect.exit(pressUndo(cookie, again))
      assert.isTrue(Exit.isFailure(undone))
      assert.strictEqual((yield* record).property_id, host.secondPropertyId)
    })
  )

  it.effect("is unassigned, and assigned again", () =>
    Effect.gen(function* () {
      const {
        cookie,
        path,
        secondPropertyId: second,
        reservation: record,
        pageText: shown
      } = yield* createStayWithGuest()
      const after = yield* fillAndFollow(cookie, path, "box")
      assert.strictEqual(findNotice(after), "Unassigned.")
      assert.isTrue((yield* record).in_reservation_box)
      const back = yield* pressUndo(cookie, after)
      assert.strictEqual(findNotice(back), "Moved to Harbour <1>.")
      yield* fillAndFollow(cookie, path, "box")
      const text = yield* shown
      assert.include(text, "Assign to a property")
      assert.include(text, "The stay is unassigned, so all dates are possible.")
      assert.lengthOf(findForms({ text }, "box"), 0)
      yield* fillAndFollow(cookie, path, "allocate", { property_id: String(second) })
      assert.strictEqual((yield* record).property_id, second)
    })
  )

  it.effect("is cancelled with all stays of its order, and has no forms for what is over then", () =>
    Effect.gen(function* () {
      const {
        cookie,
        operatorId,
        propertyId: property,
        secondPropertyId: second,
        api,
        as
      } = yield* createStayWithGuest()
      const both = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2027-06-01", checkOut: "2027-06-03" },
        { propertyId: second, checkIn: "2027-06-01", checkOut: "2027-06-03" }
      ])
      const path = stayPath(`${both}_1`)
      assert.include((yield* getPage(cookie, path)).text, "This cancels 2 stays of the reservation")
      const after = yield* fillAndFollow(cookie, path, "cancel")
      assert.strictEqual(findDoneAction(after), "cancel")
      const { reservations } = yield* api.search_reservations({ reservation_code: both }).pipe(as)
      assert.deepStrictEqual(
        reservations.map(({ status }) => status),
        ["cancelled", "cancelled"]
      )
      for (const act of ["cancel", "dates", "allocate", "box", "whereabouts", "approve", "decline"]) {
        assert.lengthOf(findForms(after, act), 0, act)
      }
      assert.lengthOf(findForms(after, "change"), 1)
    })
  )

  it.effect("leaves a channel's own to the channel, and says so", () =>
    Effect.gen(function* () {
      const { cookie, path, code, reservation: record } = yield* createStayWithGuest({ channelType: "airbnb" })
      const page = yield* getPage(cookie, path)
      for (const act of ["cancel", "dates", "approve", "decline"]) assert.lengthOf(findForms(page, act), 0, act)
      assert.include(page.text, "Change dates and price, or cancel, on Airbnb.")
      const [form] = findForms(page, "change")
      for (const name of ["rate_amount", "currency", "commission_amount"]) assert.isFalse(form?.form.has(name), name)
      // Nor are they taken of who makes them up.
      const dates = yield* postInventedForm(cookie, path, "dates", { check_in_date: "2027-05-05" })
      assert.strictEqual(dates.status, 422)
      assert.strictEqual((yield* postInventedForm(cookie, path, "cancel", { reservation_code: code })).status, 404)
      assert.deepInclude(yield* record, { check_in_date: "2027-05-04", status: "accepted" })
      yield* fillAndFollow(cookie, path, "change", { remarks: "By boat" })
      assert.strictEqual((yield* record).remarks, "By boat")
    })
  )

  it.effect("that is asked for is accepted or turned down, and says what is in its way", () =>
    Effect.gen(function* () {
      const asked = { channelType: "airbnb", status: "wait_accept" } as const
      const one = yield* createStayWithGuest(asked)
      const page = yield* getPage(one.cookie, one.path)
      assert.include(page.text, "Harbour &lt;1&gt; is free on these nights.")
      assert.include(page.text, ">Request</span>")
      assert.lengthOf(findForms(page, "whereabouts"), 0)
      assert.strictEqual(findDoneAction(yield* fillAndFollow(one.cookie, one.path, "approve")), "approve")
      assert.strictEqual((yield* one.reservation).status, "accepted")
      const two = yield* createStayWithGuest(asked)
      yield* two.insertOtherStay("Grace", two.propertyId, "2027-05-05", "2027-05-06")
      assert.include(yield* two.pageText, "Harbour &lt;1&gt; is not free on these nights: Grace, 5–6 May 2027.")
      const refused = yield* fillAndSend(two.cookie, two.path, "approve")
      assert.strictEqual(refused.status, 409)
      assert.strictEqual((yield* two.reservation).status, "wait_accept")
      assert.strictEqual(findDoneAction(yield* fillAndFollow(two.cookie, two.path, "decline")), "decline")
      assert.strictEqual((yield* two.reservation).status, "denied")
      assert.notInclude(yield* two.pageText, "Booking request")
    })
  )

  it.effect("checks a guest in from the check-in date on, and undoes it", () =>
    Effect.gen(function* () {
      const { cookie, path, reservation: record, pageText: shown } = yield* createStayWithGuest()
      assert.lengthOf(findForms({ text: yield* shown }, "whereabouts"), 0, "two weeks before")
      yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
      const arrived = yield* fillAndFollow(cookie, path, "whereabouts")
      assert.strictEqual(findNotice(arrived), "Checked in.")
      assert.strictEqual((yield* record).stay_status, "in_house")
      assert.include(arrived.text, '<button name="act" value="whereabouts">Check out</button>')
      const undone = yield* pressUndo(cookie, arrived)
      assert.strictEqual(findNotice(undone), "Check-in undone.")
      assert.strictEqual((yield* record).stay_status, "checkin_pending")
      yield* fillAndFollow(cookie, path, "whereabouts")
      yield* TestClock.setTime(Date.parse("2027-05-07T08:00:00Z"))
      assert.include(yield* shown, '<button class="primary" name="act" value="whereabouts">Check out</button>')
      const left = yield* fillAndFollow(cookie, path, "whereabouts")
      assert.strictEqual(findNotice(left), "Checked out.")
      assert.strictEqual((yield* record).stay_status, "stay_completed")
      yield* fillAndFollow(cookie, path, "whereabouts")
      assert.strictEqual((yield* record).stay_status, "in_house")
      // "Undo check-in" is the second button.
      yield* fillAndFollow(cookie, path, "whereabouts", {}, 1)
      assert.strictEqual((yield* record).stay_status, "checkin_pending")
    })
  )

  it.effect("shows what happened, latest first, at most as much as its limit", () =>
    Effect.gen(function* () {
      const { cookie, path, sql, operatorId, code, pageText: shown } = yield* createStayWithGuest()
      const labelsIn = (text: string) =>
        Array.from(text.matchAll(/<li><time[^>]*>[^<]*<\/time><span>([^<]*)/g), ([, label = ""]) => label.trim())
      yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
      yield* fillAndFollow(cookie, path, "tag", { tag_name: "VIP" })
      yield* TestClock.adjust("1 minute")
      yield* fillAndFollow(cookie, path, "whereabouts")
      assert.deepStrictEqual(labelsIn(yield* shown).slice(0, 2), ["Checked in", "Tag added"])
      const changes = (count: number) => sql`
        INSERT INTO trail (operator_id, at, application, operation, record, fields)
        SELECT ${operatorId}::bigint, '2027-04-25'::timestamptz, 'console', 'move_stay_to_box', ${`reservation:${code}`}, '{}'
        FROM generate_series(1, ${count}::int)`
      yield* changes(STAY_ACTIVITY_SHOWN - 2)
      const unassigned = (labels: ReadonlyArray<string>) => labels.filter((label) => label === "Unassigned").length
      assert.strictEqual(unassigned(labelsIn(yield* shown)), STAY_ACTIVITY_SHOWN - 2)
      yield* changes(1)
      assert.strictEqual(unassigned(labelsIn(yield* shown)), STAY_ACTIVITY_SHOWN - 2)
    })
  )

  it.effect("shows the latest messages, and leads to the conversation", () =>
    Effect.gen(function* () {
      const { sql, operatorId, pageText: shown } = yield* createStayWithGuest()
      const accountId = yield* insertChannelAccount(operatorId, { channelType: "airbnb" })
      const { code } = yield* insertConversation({ operatorId, accountId, channelType: "airbnb" })
      yield* sql`UPDATE orders SET conversation_id = ${code} WHERE operator_id = ${operatorId}`
      yield* insertMessages(code, "<b>Hello", { name: "Ada", count: STAY_MESSAGES_SHOWN })
      assert.include(yield* shown, "&lt;b&gt;Hello 1</li>")
      yield* insertMessages(code, "x".repeat(MESSAGE_PREVIEW_LENGTH + 1), {
        sender: "host",
        sentAt: "2027-04-30T10:00:00Z"
      })
      const text = yield* shown
      assert.notInclude(text, "&lt;b&gt;Hello 1</li>")
      assert.include(text, `${"x".repeat(MESSAGE_PREVIEW_LENGTH)}</li>`)
      assert.include(text, `<a href="/console/messages?id=${code}">Open conversation</a>`)
    })
  )

  it.effect("carries tags that are put on and taken off", () =>
    Effect.gen(function* () {
      const { cookie, path, reservation: record } = yield* createStayWithGuest()
      const after = yield* fillAndFollow(cookie, path, "tag", { tag_name: " <By boat> " })
      assert.deepStrictEqual((yield* record).tags, ["<By boat>"])
      assert.strictEqual(findNotice(after), "Tag “<By boat>” added.")
      assert.notInclude(after.text, "<By boat>")
      const refused = yield* fillAndSend(cookie, path, "tag", { tag_name: "longer than a tag may be" })
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(findForms(refused, "tag")[0]?.form.get("tag_name"), "longer than a tag may be")
      const removed = yield* fillAndFollow(cookie, path, "untag")
      assert.deepStrictEqual((yield* record).tags, [])
      yield* pressUndo(cookie, removed)
      assert.deepStrictEqual((yield* record).tags, ["<By boat>"])
    })
  )

  it.effect("keeps fields under the host's own names, whatever these are", () =>
    Effect.gen(function* () {
      const { cookie, path, reservation: record, api, as, code } = yield* createStayWithGuest()
      const names = ['do"or', "__proto__", "field.x"]
      for (const name of names) {
        yield* fillAndFollow(cookie, path, "fields", { new_name: name, new_text: `<${name}>` })
      }
      assert.deepStrictEqual(
        Object.entries((yield* record).custom_fields ?? {}).toSorted(),
        names.map((name) => [name, `<${name}>`]).toSorted()
      )
      yield* api.update_reservation_custom_fields({ stay_code: code, custom_fields: { gate: "red" } }).pipe(as)
      // Gone, another text, untouched.
      const after = yield* fillAndFollow(cookie, path, "fields", { 'field.do"or': "", "field.field.x": "new" })
      assert.strictEqual(findDoneAction(after), "fields")
      assert.deepStrictEqual(Object.entries((yield* record).custom_fields ?? {}).toSorted(), [
        ["__proto__", "<__proto__>"],
        ["field.x", "new"],
        ["gate", "red"]
      ])
    })
  )

  it.effect("that there is not is not found", () =>
    Effect.gen(function* () {
      const { cookie } = yield* createStayWithGuest()
      for (const path of ["/console/stay", stayPath(""), stayPath("5-NONE"), stayPath("x".repeat(2_000))]) {
        const page = yield* getPage(cookie, path)
        assert.strictEqual(page.status, 404, path)
        assert.lengthOf(findForms(page, "box"), 0)
      }
    })
  )

  it.effect("of another operator is nobody's: no form changes it, nor does one without its token", () =>
    Effect.gen(function* () {
      const {
        cookie,
        path,
        code,
        changeCount: changes,
        propertyId: property,
        sql,
        operatorId
      } = yield* createStayWithGuest()
      const request = yield* insertOrder(operatorId, [{ propertyId: property }], {
        channelType: "airbnb",
        status: "wait_accept"
      })
      const other = yield* createStayWithGuest()
      assert.strictEqual((yield* getPage(other.cookie, path)).status, 404)
      const [before, whole] = [
        yield* changes,
        yield* sql`SELECT * FROM stays WHERE operator_id = ${operatorId} ORDER BY id`
      ]
      for (const [act, fields] of Object.entries(ACTS)) {
        const reservation_code = act === "cancel" ? code : request
        const sent = yield* postInventedForm(other.cookie, path, act, { ...fields, reservation_code })
        assert.strictEqual(sent.status, 404, `${act}: ${findAlert(sent)}`)
        assert.strictEqual((yield* postWithoutToken(cookie, path, act)).status, 403, act)
      }
      // And its own stay does not go into another's property.
      const moved = yield* postInventedForm(other.cookie, other.path, "allocate", { property_id: String(property) })
      assert.strictEqual(moved.status, 404)
      assert.strictEqual((yield* other.reservation).property_id, other.propertyId)
      assert.deepStrictEqual(
        [yield* changes, yield* sql`SELECT * FROM stays WHERE operator_id = ${operatorId} ORDER BY id`],
        [before, whole]
      )
    })
  )

  it.effect.each(["change", "dates", "box", "whereabouts", "tag", "check_in", "fields", "cancel"] as const)(
    "is changed once by a form that is sent twice at once: %s",
    (act) =>
      Effect.gen(function* () {
        const { cookie, path, changeCount: changes } = yield* createStayWithGuest()
        yield* TestClock.setTime(Date.parse("2027-05-04T10:00:00Z"))
        assert.strictEqual(yield* changes, 0)
        const sent = yield* fillAndSendTwice(cookie, path, act, act === "whereabouts" ? {} : (ACTS[act] ?? {}))
        assert.include(
          sent.map(({ status }) => status),
          303
        )
        // A new tag is a record of its own.
        assert.strictEqual(yield* changes, act === "tag" ? 2 : 1)
      })
  )
})
