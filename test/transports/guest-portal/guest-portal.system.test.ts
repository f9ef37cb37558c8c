import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { GuestPortal } from "../../../src/domain/bookings/check-in/GuestPortal.ts"
import {
  ARRIVAL_LABEL,
  DOCUMENT_OWNER_LABEL,
  PHOTO_LABEL
} from "../../../src/domain/bookings/check-in/guest-portal-labels.ts"
import {
  GUEST_PHOTO_MS,
  GUEST_PHOTOS_MAX,
  GUEST_PHOTOS_OF_OPERATOR_MAX,
  GUEST_PHOTOS_OF_STAY_MAX,
  GUEST_PORTAL_FORM_BYTES,
  GUEST_PORTAL_FORMS_A_MINUTE,
  GUEST_PORTAL_VIEWS_A_MINUTE,
  IDENTITY_IMAGES_A_GUEST,
  IMAGE_BYTES
} from "../../../src/platform/limits.ts"
import { makeGuestPortalHandler } from "../../../src/transports/guest-portal/guest-portal.ts"
import { PhotoUploadPermits } from "../../../src/transports/guest-portal/PhotoUploadPermits.ts"
import { Browser, findAccessibilityViolations, hasChromium, openPage, withChromiumNote } from "../../support/browser.ts"
import { fieldOfError } from "../../support/error-messages.ts"
import { makeGuestPortalStay } from "../../support/guest-portal-stay.ts"
import { createOperator, insertOrder, insertProperty, typedClient, withToken } from "../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../support/http-server.ts"
import { makeJpegOfLength } from "../../support/jpegs.ts"

// The stay is from 4 May to 7 May; Berlin is two hours ahead of UTC then, and the code can be seen from noon on.
const BEFORE = "2027-05-01T10:00:00Z"
const DURING = "2027-05-04T10:00:00Z"
const AFTER = "2027-05-07T22:00:00Z"

const fetched = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...init })
    const { status, headers } = response
    return { status, headers, text: await response.text() }
  })

/** A stay of Ada's, in Harbour 1, and its page. */
const ready = Effect.fnUntraced(function* (now = BEFORE, status: "accepted" | "wait_accept" | "wait_pay" = "accepted") {
  yield* TestClock.setTime(Date.parse(now))
  const base = yield* BaseUrl
  const operator = yield* createOperator()
  const { operatorId } = operator
  const property = yield* insertProperty(operatorId, "Harbour 1")
  const sql = yield* SqlClient.SqlClient
  const dates = { checkIn: "2027-05-04", checkOut: "2027-05-07" }
  const code = yield* insertOrder(operatorId, [{ propertyId: property, ...dates }], { status })
  yield* sql`UPDATE stays SET lock_code = '4711', number_of_guests = 1, guest_name = 'Ada Lovelace' WHERE stay_code = ${code}`
  yield* sql`
    INSERT INTO guests (operator_id, stay_id, name, is_booker)
    SELECT operator_id, id, 'Ada Lovelace', true FROM stays WHERE stay_code = ${code}`
  yield* sql`
    UPDATE properties SET address = 'Rua do Cais 1, Lisboa', latitude = '38.7', longitude = '-9.14', checkin_time = '16:00'
    WHERE id = ${property}`
  const api = yield* typedClient
  const as = withToken(operator.token)
  const record = Effect.map(api.search_reservations({ reservation_code: code }).pipe(as), ({ reservations }) => {
    const [row] = reservations
    return row ?? assert.fail("there is no such stay")
  })
  const here = `${base}${new URL((yield* record).check_in_details.check_in_guide_url).pathname}`
  const guest = (yield* record).guests[0]?.id ?? 0
  const events = Effect.map(
    sql<{ sub_event: string | null }>`
      SELECT payload->>'sub_event' AS sub_event FROM events
      WHERE operator_id = ${operatorId} AND event = 'reservation_updated' ORDER BY id`,
    (rows) => rows.map(({ sub_event }) => sub_event)
  )
  const checkIn = (details: { readonly id_required: "required" } | { readonly lock_code: null }) =>
    api.update_check_in_details({ stay_code: code, ...details }).pipe(as)
  return { ...operator, base, sql, property, code, api, as, record, here, guest, events, checkIn }
})

const arrival = (here: string, arrival_at: string) =>
  fetched(`${here}?form=arrival`, { method: "POST", body: new URLSearchParams({ arrival_at }) })

const sendPhoto = (here: string, guest: string, jpeg: Uint8Array<ArrayBuffer> = makeJpegOfLength(64)) => {
  const body = new FormData()
  body.set("guest", guest)
  body.set("photo", new Blob([jpeg], { type: "image/jpeg" }), "id.jpg")
  return fetched(`${here}?form=photo`, { method: "POST", body })
}

const alertIn = (text: string): string => /role="alert">([^<]*)</.exec(text)?.[1] ?? assert.fail("no alert")

/** The field that the alert of a page names, or "". */
const fieldIn = (text: string): string => fieldOfError({ error_msg: alertIn(text) })

layer(layerHttpServer(), { excludeTestServices: false })("the page of a stay", (it) => {
  it.effect("shows what its guests need to know, and nobody keeps it or hears of it", () =>
    Effect.gen(function* () {
      const { here } = yield* ready()
      const { status, headers, text } = yield* fetched(here)
      assert.strictEqual(status, 200)
      for (const words of [
        "<h1>Harbour 1</h1>",
        "Tuesday 4 May 2027, from 16:00",
        "Friday 7 May 2027, until 11:00",
        "Rua do Cais 1, Lisboa",
        `href="geo:38.7,-9.14"`,
        "Ada Lovelace",
        "1 guest",
        "@example.test",
        "The code is shown here on Tuesday 4 May 2027, from 12:00."
      ]) {
        assert.include(text, words)
      }
      assert.notInclude(text, "4711")
      assert.notInclude(text, "Identity documents")
      assert.deepStrictEqual(
        ["cache-control", "referrer-policy", "x-content-type-options", "x-robots-tag"].map((name) => headers.get(name)),
        ["no-store", "no-referrer", "nosniff", "noindex, nofollow"]
      )
      assert.match(
        headers.get("content-security-policy") ?? "",
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/
      )
      assert.notMatch(text, /<script|https?:/)
      const head = yield* fetched(here, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
    })
  )

  it.effect("shows the door code from the minute it may be seen to the end of the day of check-out", () =>
    Effect.gen(function* () {
      const { here, checkIn } = yield* ready()
      const seenAt = Effect.fnUntraced(function* (now: string) {
        yield* TestClock.setTime(Date.parse(now))
        return (yield* fetched(here)).text.includes("4711")
      })
      assert.isFalse(yield* seenAt("2027-05-04T09:59:59.999Z"))
      assert.isTrue(yield* seenAt(DURING))
      assert.isTrue(yield* seenAt("2027-05-07T21:59:59.999Z"))
      assert.isFalse(yield* seenAt(AFTER))
      assert.include((yield* fetched(here)).text, "This stay is over.")
      yield* TestClock.setTime(Date.parse(DURING))
      yield* checkIn({ lock_code: null })
      assert.notInclude((yield* fetched(here)).text, "Door code")
    })
  )

  it.effect("takes the time of arrival as the host would, once, and takes it back", () =>
    Effect.gen(function* () {
      const { here, record, events, sql, code } = yield* ready()
      const { status, headers } = yield* arrival(here, "16:30")
      assert.deepStrictEqual(
        [status, headers.get("location"), headers.get("cache-control")],
        [303, "?said=arrival", "no-store"]
      )
      assert.deepStrictEqual((yield* record).check_in_details.arrival_at, { hour: 16, minute: 30 })
      const told = yield* fetched(`${here}?said=arrival`)
      assert.include(told.text, `role="status"`)
      assert.include(told.text, `value="16:30"`)
      yield* arrival(here, "16:30:00")
      assert.deepStrictEqual(yield* events, ["arrival_and_departure_time_updated"])
      yield* arrival(here, " ")
      assert.isNull((yield* record).check_in_details.arrival_at)
      assert.deepStrictEqual(yield* events, Array(2).fill("arrival_and_departure_time_updated"))
      const trail = yield* sql`
        SELECT application, operation, account_id, fields FROM trail WHERE record = ${`reservation:${code}`} ORDER BY id`
      assert.deepStrictEqual(trail[0], {
        application: "guest",
        operation: "tell arrival time",
        account_id: null,
        fields: ["arrival_at"]
      })
      assert.lengthOf(trail, 2)
    })
  )

  it.effect("says what is wrong with a form, and changes nothing", () =>
    Effect.gen(function* () {
      const { here, events, checkIn, guest, sql, operatorId } = yield* ready()
      const form = (search: string, init: RequestInit) => fetched(`${here}${search}`, { method: "POST", ...init })
      const text = { "content-type": "text/plain" }
      const fields = (entries: ReadonlyArray<readonly [string, string | Blob]>) => {
        const body = new FormData()
        for (const [name, value] of entries) body.append(name, value)
        return body
      }
      const file = new Blob([makeJpegOfLength(64)])
      yield* checkIn({ id_required: "required" })
      const before = yield* events
      for (const [answer, status, field] of [
        [arrival(here, "24:00"), 422, ARRIVAL_LABEL],
        [arrival(here, "half past four"), 422, ARRIVAL_LABEL],
        [form("?form=arrival", { body: new URLSearchParams({}) }), 400, ARRIVAL_LABEL],
        [
          form("?form=arrival", {
            body: "arrival_at=1%3A00&arrival_at=2%3A00",
            headers: { "content-type": "application/x-www-form-urlencoded" }
          }),
          400,
          ARRIVAL_LABEL
        ],
        [form("?form=arrival", { body: "16:30", headers: text }), 415, ""],
        [
          form("?form=arrival", { body: new URLSearchParams({ arrival_at: "x".repeat(GUEST_PORTAL_FORM_BYTES) }) }),
          413,
          ""
        ],
        [form("", { body: new URLSearchParams({}) }), 400, ""],
        [form("?form=photo", { body: "photo", headers: text }), 415, ""],
        [form("?form=photo", { body: "x", headers: { "content-type": "multipart/form-data" } }), 400, ""],
        [form("?form=photo", { body: fields([["guest", `${guest}`]]) }), 422, PHOTO_LABEL],
        [form("?form=photo", { body: fields([["photo", file]]) }), 400, DOCUMENT_OWNER_LABEL],
        [
          form("?form=photo", {
            body: fields([
              ["guest", `${guest}`],
              ["photo", file],
              ["photo", file]
            ])
          }),
          400,
          PHOTO_LABEL
        ],
        [
          form("?form=photo", {
            body: fields([
              ["guest", "x".repeat(300)],
              ["photo", file]
            ])
          }),
          413,
          ""
        ],
        [form("?form=photo", { body: fields([...Array(4).fill(["a", "b"]), ["photo", file]]) }), 413, ""],
        [sendPhoto(here, "0"), 422, DOCUMENT_OWNER_LABEL],
        [sendPhoto(here, `${guest + 1_000_000}`), 422, DOCUMENT_OWNER_LABEL],
        [sendPhoto(here, "other"), 422, DOCUMENT_OWNER_LABEL],
        [sendPhoto(here, `${guest}`, new Uint8Array([0x89, 0x50])), 422, PHOTO_LABEL],
        [sendPhoto(here, `${guest}`, new Uint8Array()), 422, PHOTO_LABEL]
      ] as const) {
        yield* TestClock.adjust("1 minute")
        const told = yield* answer
        assert.deepStrictEqual([told.status, fieldIn(told.text)], [status, field])
      }
      assert.deepStrictEqual(yield* events, before)
      assert.deepStrictEqual(yield* sql`SELECT id FROM identity_images WHERE operator_id = ${operatorId}`, [])
    })
  )

  it.effect(`takes photos of up to ${IMAGE_BYTES} bytes`, () =>
    Effect.gen(function* () {
      const { here, checkIn, guest } = yield* ready()
      yield* checkIn({ id_required: "required" })
      const large = yield* sendPhoto(here, `${guest}`, makeJpegOfLength(IMAGE_BYTES + 1))
      assert.deepStrictEqual([large.status, fieldIn(large.text)], [413, PHOTO_LABEL])
      assert.include(alertIn(large.text), `${IMAGE_BYTES} bytes`)
      assert.strictEqual((yield* sendPhoto(here, `${guest}`, makeJpegOfLength(IMAGE_BYTES))).status, 303)
    })
  )

  it.effect("asks for a photo of each guest's document, and shows the code when all are there", () =>
    Effect.gen(function* () {
      const { here, checkIn, guest, record, events, sql, code } = yield* ready(DURING)
      yield* checkIn({ id_required: "required" })
      yield* sql`UPDATE stays SET number_of_guests = 2 WHERE stay_code = ${code}`
      const page = () => Effect.map(fetched(here), ({ text }) => text)
      assert.notInclude(yield* page(), "4711")
      assert.match(yield* page(), /<h2 id="door">Door code<\/h2>\s*<p>[^<]*photos/)
      assert.include(yield* page(), "<li>Ada Lovelace: missing</li>")
      const sent = yield* sendPhoto(here, `${guest}`)
      assert.deepStrictEqual([sent.status, sent.headers.get("location")], [303, "?said=photo"])
      assert.notInclude(yield* page(), "4711")
      assert.include(yield* page(), "<li>1 other guest: missing</li>")
      yield* sendPhoto(here, "other")
      const seen = yield* page()
      assert.include(seen, "4711")
      assert.include(seen, "<li>Ada Lovelace: 1 photo")
      assert.notInclude(seen, "/images/")
      const { guests, checkin_guide_images } = yield* record
      assert.match(guests[0]?.id_images[0]?.url ?? "", /^http:\/\/127\.0\.0\.1:8080\/images\/\w+\.jpg$/)
      assert.deepStrictEqual(
        checkin_guide_images.map(({ client_id }) => client_id),
        [guest, null]
      )
      assert.deepStrictEqual((yield* events).slice(1), Array(2).fill("check_in_details_updated"))
      const trail =
        yield* sql`SELECT application, operation, fields FROM trail WHERE record = ${`reservation:${code}`} AND account_id IS NULL`
      assert.deepStrictEqual(
        trail,
        Array(2).fill({
          application: "guest",
          operation: "hand in identity document",
          fields: ["checkin_guide_images"]
        })
      )
      const [kept] = yield* sql<{ kept: number }>`
        SELECT count(*) AS kept FROM images JOIN identity_images i ON i.image_id = images.id AND i.operator_id = images.operator_id
        JOIN stays s ON s.operator_id = i.operator_id AND s.id = i.stay_id WHERE s.stay_code = ${code} AND images.delete_at IS NULL`
      assert.strictEqual(kept?.kept, 2)
    })
  )

  it.effect(`takes ${IDENTITY_IMAGES_A_GUEST} photos of a guest and no more, also of many at once`, () =>
    Effect.gen(function* () {
      const { here, checkIn, guest, record, sql, operatorId } = yield* ready()
      yield* checkIn({ id_required: "required" })
      const pages = yield* Effect.provide(GuestPortal, GuestPortal.layer)
      const open = Effect.map(pages.open(here.split("/").at(-1) ?? ""), (found) =>
        found._tag === "Some" ? found.value : assert.fail()
      )
      const stay = yield* open
      const ended = yield* Effect.forEach(
        Array.from({ length: IDENTITY_IMAGES_A_GUEST + 3 }),
        () => Effect.exit(pages.submitIdentityImage(stay, { guestId: guest, jpeg: makeJpegOfLength(64) })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        ended.filter(({ _tag }) => _tag === "Success"),
        IDENTITY_IMAGES_A_GUEST
      )
      assert.lengthOf((yield* record).checkin_guide_images, IDENTITY_IMAGES_A_GUEST)
      const refused = yield* sendPhoto(here, `${guest}`)
      assert.deepStrictEqual([refused.status, fieldIn(refused.text)], [422, PHOTO_LABEL])
      assert.include(alertIn(refused.text), String(IDENTITY_IMAGES_A_GUEST))
      assert.notInclude(refused.text, "<select")
      const [left] = yield* sql<{ going: number }>`
        SELECT count(*) AS going FROM images WHERE operator_id = ${operatorId} AND delete_at IS NOT NULL`
      assert.strictEqual(left?.going, 3)
    })
  )

  it.effect("asks for nothing, and takes nothing, where nothing is required", () =>
    Effect.gen(function* () {
      const { here, guest } = yield* ready()
      const told = yield* sendPhoto(here, `${guest}`)
      assert.deepStrictEqual([told.status, fieldIn(told.text)], [422, PHOTO_LABEL])
    })
  )

  it.effect("says little of a stay that is not agreed, and asks nothing", () =>
    Effect.gen(function* () {
      for (const [status, words] of [
        ["wait_accept", "Your host has not confirmed this stay yet."],
        ["wait_pay", "This stay is not paid yet."]
      ] as const) {
        const { here, record } = yield* ready(DURING, status)
        const { text } = yield* fetched(here)
        assert.include(text, words)
        assert.notMatch(text, /4711|Rua do Cais|<form|@example|Ada/)
        assert.strictEqual((yield* arrival(here, "16:30")).status, 422)
        assert.isNull((yield* record).check_in_details.arrival_at)
      }
    })
  )

  it.effect("shows nothing of a stay whose order is over, of an operator who is closed, and at any other address", () =>
    Effect.gen(function* () {
      const { here, base, sql, operatorId, code, api, as } = yield* ready(DURING)
      const unknown = yield* fetched(`${base}/guests/lkguest_${"0".repeat(32)}`)
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual(unknown.headers.get("cache-control"), "no-store")
      const same = { status: 404, text: unknown.text }
      const seen = (url: string, init: RequestInit = {}) =>
        Effect.map(fetched(url, init), ({ status, text }) => ({ status, text }))
      for (const path of ["", "nobody", here.split("/").at(-1)?.toUpperCase(), `${here.split("/").at(-1)}/`]) {
        assert.deepStrictEqual(yield* seen(`${base}/guests/${path}`), same)
      }
      yield* sql`UPDATE operators SET status = 'closed' WHERE id = ${operatorId}`
      assert.deepStrictEqual(yield* seen(here), same)
      yield* sql`UPDATE operators SET status = 'active' WHERE id = ${operatorId}`
      assert.strictEqual((yield* seen(here)).status, 200)
      const waiting = yield* ready(DURING, "wait_accept")
      for (const status of ["denied", "timeout"]) {
        yield* sql`UPDATE orders SET status = ${status} WHERE reservation_code = ${waiting.code}`
        assert.deepStrictEqual(yield* seen(waiting.here), same)
      }
      yield* api.cancel_reservation({ reservation_code: code }).pipe(as)
      assert.deepStrictEqual(yield* seen(here), same)
      assert.deepStrictEqual(
        yield* seen(`${here}?form=arrival`, { method: "POST", body: new URLSearchParams({ arrival_at: "16:30" }) }),
        same
      )
    })
  )

  it.effect("shows what is true now: another property, other dates, none yet", () =>
    Effect.gen(function* () {
      const { here, api, as, code, operatorId } = yield* ready()
      const other = yield* insertProperty(operatorId, "Harbour 2")
      yield* api.allocate_stay({ stay_code: code, property_id: other }).pipe(as)
      const moved = yield* fetched(here)
      assert.include(moved.text, "<h1>Harbour 2</h1>")
      assert.include(moved.text, "from 15:00")
      assert.notInclude(moved.text, "Rua do Cais")
      yield* api.update_reservation_basic({ stay_code: code, check_out_date: "2027-05-09" }).pipe(as)
      assert.include((yield* fetched(here)).text, "Sunday 9 May 2027")
      yield* api.move_stay_to_box({ stay_code: code }).pipe(as)
      const boxed = yield* fetched(here)
      assert.strictEqual(boxed.status, 200)
      assert.notInclude(boxed.text, "Harbour")
    })
  )

  it.effect("shows a text as it is, whatever is in it", () =>
    Effect.gen(function* () {
      const { here, sql, property, code, operatorId } = yield* ready(DURING)
      const odd = `<img src=x onerror="x()"> & 'Co' </style></title>`
      yield* sql`UPDATE properties SET title = ${odd}, address = ${odd}, latitude = ${odd} WHERE id = ${property}`
      yield* sql`UPDATE guests SET name = ${odd} WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE operators SET name = ${odd} WHERE id = ${operatorId}`
      yield* sql`UPDATE stays SET lock_code = ${odd}, id_required = 'not_required' WHERE stay_code = ${code}`
      yield* sql`UPDATE accounts SET email = ${`${operatorId}"><img src=x>@example.test`} WHERE operator_id = ${operatorId}`
      const { text } = yield* fetched(here)
      assert.notInclude(text, "<img")
      assert.notInclude(text, "geo:")
      assert.strictEqual(text.split("&lt;img src=x onerror=&quot;x()&quot;&gt; &amp; &#39;Co&#39;").length - 1, 7)
      assert.strictEqual((yield* fetched(`${here}?said=%3Cimg%3E`)).text, text)
    })
  )

  it.effect(
    `is looked at ${GUEST_PORTAL_VIEWS_A_MINUTE} times a minute and takes ${GUEST_PORTAL_FORMS_A_MINUTE} forms, and then says when to come again`,
    () =>
      Effect.gen(function* () {
        const { here } = yield* ready("2027-05-01T10:00:15Z")
        for (let looks = 0; looks < GUEST_PORTAL_VIEWS_A_MINUTE; looks += 1)
          assert.strictEqual((yield* fetched(here)).status, 200)
        const late = yield* fetched(here)
        assert.deepStrictEqual([late.status, late.headers.get("retry-after")], [429, "45"])
        assert.include(late.text, "in 45 seconds")
        for (let forms = 0; forms < GUEST_PORTAL_FORMS_A_MINUTE; forms += 1) {
          assert.strictEqual((yield* arrival(here, "16:30")).status, 303)
        }
        assert.strictEqual((yield* arrival(here, "16:31")).status, 429)
        yield* TestClock.adjust("45 seconds")
        assert.strictEqual((yield* fetched(here)).status, 200)
      })
  )

  it.effect("is looked at and told, and nothing else", () =>
    Effect.gen(function* () {
      const { here } = yield* ready()
      for (const method of ["PUT", "DELETE", "PATCH"]) {
        const { status, headers } = yield* fetched(here, { method })
        assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD, POST"])
      }
    })
  )
})

describe("photos that arrive", () => {
  layer(Layer.empty)((it) => {
    const arriving = Effect.fnUntraced(function* (
      most: number,
      stayOf: (index: number) => { operator_id: number; id: number }
    ) {
      const all = new PhotoUploadPermits()
      for (let index = 0; index < most; index += 1) {
        yield* Effect.forkChild(all.within(stayOf(index), Effect.never), { startImmediately: true })
      }
      const { status } = yield* Effect.flip(all.within(stayOf(most), Effect.void))
      assert.strictEqual(status, 503)
      return all
    })

    it.effect(
      `are ${GUEST_PHOTOS_OF_STAY_MAX} of a stay, ${GUEST_PHOTOS_OF_OPERATOR_MAX} of an operator and ${GUEST_PHOTOS_MAX} in all`,
      () =>
        Effect.gen(function* () {
          yield* arriving(GUEST_PHOTOS_OF_STAY_MAX, () => ({ operator_id: 1, id: 1 }))
          const greedy = yield* arriving(GUEST_PHOTOS_OF_OPERATOR_MAX, (id) => ({ operator_id: 1, id }))
          yield* greedy.within({ operator_id: 2, id: 100 }, Effect.void)
          yield* arriving(GUEST_PHOTOS_MAX, (id) => ({ operator_id: id, id }))
          const again = new PhotoUploadPermits()
          for (let times = 0; times < 3; times += 1) yield* again.within({ operator_id: 1, id: 1 }, Effect.void)
        })
    )
  })
})

describe("a page that cannot be shown", () => {
  const token = `lkguest_${"0123456789abcdef".repeat(2)}`
  const away = Effect.die(new Error("the database is away"))
  const lines: Array<unknown> = []
  const layerBroken = Layer.mergeAll(
    Layer.succeed(GuestPortal, { open: () => away, setArrivalTime: () => away, submitIdentityImage: () => away }),
    RateWindows.layerMemory,
    ConcurrencyLimiter.layer(),
    Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))])
  )

  layer(layerBroken)((it) => {
    it.effect("says so, and the log does not hold its address", () =>
      Effect.gen(function* () {
        const answer = yield* makeGuestPortalHandler
        const response = yield* Effect.map(
          answer(HttpServerRequest.fromWeb(new Request(`http://127.0.0.1/guests/${token}`))),
          HttpServerResponse.toWeb
        )
        assert.strictEqual(response.status, 500)
        const text = yield* Effect.promise(() => response.text())
        assert.match(text, /<h1>[^<]+<\/h1>/)
        assert.notInclude(text, "database")
        assert.isTrue(lines.some((line) => String(line).includes("the database is away")))
        assert.isFalse(lines.some((line) => String(line).includes(token)))
      })
    )
  })
})

describe("a photo that comes slowly", () => {
  const pages = { open: () => Effect.succeed(Option.some(makeGuestPortalStay({ id_required: "required" }))) }
  const layerSlow = Layer.mergeAll(
    Layer.succeed(GuestPortal, { ...pages, setArrivalTime: () => Effect.void, submitIdentityImage: () => Effect.void }),
    RateWindows.layerMemory,
    ConcurrencyLimiter.layer()
  )
  const beginning = new TextEncoder().encode("--x\r\n")
  const coming = () =>
    new Request(`http://127.0.0.1/guests/any?form=photo`, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: new ReadableStream({ start: (controller) => controller.enqueue(beginning) }),
      duplex: "half"
    })

  layer(layerSlow, { excludeTestServices: false })((it) => {
    it.effect(`is waited for ${GUEST_PHOTO_MS} milliseconds, and another one of the stay comes after it`, () =>
      Effect.gen(function* () {
        const page = yield* makeGuestPortalHandler
        const sent = Effect.suspend(() =>
          Effect.map(page(HttpServerRequest.fromWeb(coming())), HttpServerResponse.toWeb)
        )
        const slow = yield* Effect.forkChild(sent, { startImmediately: true })
        const other = yield* sent
        assert.deepStrictEqual([other.status, other.headers.get("retry-after")], [503, "5"])
        const refused = yield* Effect.promise(() => other.text())
        assert.match(refused, /role="alert"/)
        assert.strictEqual(fieldIn(refused), "")
        yield* TestClock.adjust(GUEST_PHOTO_MS - 1)
        assert.isUndefined(slow.pollUnsafe())
        yield* TestClock.adjust(1)
        const late = yield* Fiber.join(slow)
        assert.strictEqual(late.status, 408)
        const refusedLate = yield* Effect.promise(() => late.text())
        assert.strictEqual(fieldIn(refusedLate), PHOTO_LABEL)
        assert.include(alertIn(refusedLate), `${GUEST_PHOTO_MS / 1000} seconds`)
      })
    )
  })
})

describe.skipIf(!hasChromium)(withChromiumNote("the page of a stay in a browser"), () => {
  layer(Layer.merge(layerHttpServer(), Browser.layer), { excludeTestServices: false })((it) => {
    it.effect("on a small phone, without scripts, lets a guest tell and hand in all, and see the code", () =>
      Effect.gen(function* () {
        const { here, checkIn, sql, property } = yield* ready(DURING)
        yield* checkIn({ id_required: "required" })
        const title = `The ${"very ".repeat(9)}long${"est".repeat(20)} name`
        yield* sql`UPDATE properties SET title = ${title} WHERE id = ${property}`
        const page = yield* openPage({ viewport: SMALL, javaScriptEnabled: false })
        const requests: Array<string> = []
        page.on("request", (request) => requests.push(request.url()))
        const seen = yield* Effect.promise(async () => {
          await page.goto(here)
          const loaded = [...requests]
          const before = await page.locator("main").innerText()
          await page.getByLabel("Time of arrival").fill("16:30")
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByRole("status").waitFor()
          const arrived = await page.getByLabel("Time of arrival").inputValue()
          await page.getByLabel("Whose document").selectOption("Ada Lovelace")
          const jpeg = { name: "id.jpg", mimeType: "image/jpeg", buffer: Buffer.from(makeJpegOfLength(64)) }
          await page.getByLabel("Photo (JPEG").setInputFiles(jpeg)
          await page.getByRole("button", { name: "Send the photo" }).click()
          await page.waitForURL("**?said=photo")
          await page.getByRole("status").waitFor()
          return { loaded, before, arrived, after: await page.locator("main").innerText(), address: page.url() }
        })
        assert.deepStrictEqual(seen.loaded, [here])
        assert.notInclude(seen.before, "4711")
        assert.strictEqual(seen.arrived, "16:30")
        assert.include(seen.after, "4711")
        assert.strictEqual(seen.address, `${here}?said=photo`)
      }).pipe(Effect.scoped)
    )

    it.effect("fits a small phone, and has no barriers by day and by night", () =>
      Effect.gen(function* () {
        const { here, checkIn, sql, property } = yield* ready(DURING)
        yield* checkIn({ id_required: "required" })
        yield* sql`UPDATE properties SET title = ${`long${"est".repeat(40)}`} WHERE id = ${property}`
        const page = yield* openPage({ viewport: SMALL })
        yield* Effect.promise(() => page.goto(here))
        const wide = page.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth")
        assert.isFalse(yield* Effect.promise(() => wide))
        for (const colorScheme of ["light", "dark"] as const) {
          yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
          assert.deepStrictEqual(yield* findAccessibilityViolations(page), [])
        }
      }).pipe(Effect.scoped)
    )
  })
})

const SMALL = { width: 320, height: 640 }
