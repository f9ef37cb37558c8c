import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays, dateInZone, formatWallClock } from "../../../../src/contract/time.ts"
import { guestPortalUrl, isGuestPortalToken } from "../../../../src/domain/bookings/check-in/guest-portal-url.ts"
import {
  computeImageLimit,
  findDoorCodeBlocker,
  findVisibleDoorCode,
  hasReachedImageLimit,
  hasStayEnded,
  isDoorCodeTime,
  isGuestPortalVisible,
  isStayEditable,
  listMissingDocuments
} from "../../../../src/domain/bookings/check-in/rules.ts"
import { IDENTITY_IMAGES_A_GUEST } from "../../../../src/platform/limits.ts"
import { makeGuestPortalStay as stay } from "../../../support/guest-portal-stay.ts"

const at = (text: string): Date => new Date(text)

describe("the address of a page", () => {
  const token = `lkguest_${"0123456789abcdef".repeat(2)}`

  it("is under the service's own, and there is none without a token", () => {
    assert.strictEqual(
      guestPortalUrl("https://api.example.test/pms", token),
      `https://api.example.test/pms/guests/${token}`
    )
    assert.strictEqual(guestPortalUrl("https://api.example.test", null), "")
  })

  it("has a token that looks like one", () => {
    assert.isTrue(isGuestPortalToken(token))
    for (const each of [
      "",
      "lkguest_",
      token.slice(0, -1),
      `${token}0`,
      token.toUpperCase(),
      `${token}/`,
      `x${token}`
    ]) {
      assert.isFalse(isGuestPortalToken(each), each)
    }
  })
})

describe("a door code", () => {
  // Lisbon is an hour ahead of UTC in May.
  it.each([
    ["2027-05-04T13:59:59.999Z", undefined],
    ["2027-05-04T14:00:00Z", "4711"],
    ["2027-05-07T22:59:59.999Z", "4711"],
    ["2027-05-07T23:00:00Z", undefined],
    ["2027-05-03T14:30:00Z", undefined]
  ] as const)("at %s is seen to the minute: %s", (now, code) => {
    assert.strictEqual(findVisibleDoorCode(stay(), at(now)), code)
  })

  it("is seen from the beginning of the day where no time is said", () => {
    const early = stay({ lock_code_visible_after: null })
    assert.isUndefined(findVisibleDoorCode(early, at("2027-05-03T22:59:59.999Z")))
    assert.strictEqual(findVisibleDoorCode(early, at("2027-05-03T23:00:00Z")), "4711")
  })

  it.each([
    // The clock goes from 1:00 to 2:00.
    ["leaps over its time", "2027-03-28", "01:30", "2027-03-28T00:59:59.999Z", "2027-03-28T01:00:00Z"],
    // The clock shows 1:30 twice.
    ["shows its time twice", "2027-10-31", "01:30", "2027-10-31T00:29:59.999Z", "2027-10-31T00:30:00Z"]
  ])("on a day whose clock %s is seen from the first moment on", (_, check_in_date, time, before, from) => {
    const given = stay({ check_in_date, check_out_date: addDays(check_in_date, 1), lock_code_visible_after: time })
    assert.isFalse(isDoorCodeTime(given, at(before)))
    for (let minutes = 0; minutes < 300; minutes += 1) {
      assert.isTrue(isDoorCodeTime(given, new Date(at(from).getTime() + minutes * 60_000)), `${minutes}`)
    }
  })

  it("opens where the clock first shows its time or a later one, and closes with the day of check-out, in any zone", () => {
    const zones = [
      "UTC",
      "Europe/Lisbon",
      "America/St_Johns",
      "Africa/Cairo",
      "Asia/Kathmandu",
      "Pacific/Apia",
      "Pacific/Kiritimati",
      "America/Havana",
      "Australia/Lord_Howe"
    ]
    const HALF_HOUR = 30 * 60_000
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 365 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 23 }),
        fc.constantFrom("00", "30"),
        (time_zone, day, nights, hour, minute) => {
          const check_in_date = addDays("2027-01-01", day)
          const time = `${String(hour).padStart(2, "0")}:${minute}`
          const given = stay({
            time_zone,
            check_in_date,
            check_out_date: addDays(check_in_date, nights),
            lock_code_visible_after: time
          })
          let opened = false
          const first = Date.parse(`${check_in_date}T00:00:00Z`) - 48 * HALF_HOUR
          for (let step = 0; step < 48 * (nights + 4); step += 1) {
            const now = new Date(first + step * HALF_HOUR)
            opened ||= formatWallClock(now, time_zone) >= `${check_in_date} ${time}`
            const ended = dateInZone(now, time_zone) > given.check_out_date
            assert.strictEqual(isDoorCodeTime(given, now), opened && !ended, `${time_zone} ${now.toISOString()}`)
          }
        }
      ),
      { numRuns: 15 }
    )
  })

  it("is seen of an accepted order alone, when nothing is awaited", () => {
    const now = at("2027-05-05T12:00:00Z")
    assert.isUndefined(findVisibleDoorCode(stay({ status: "wait_pay" }), now))
    assert.isUndefined(findVisibleDoorCode(stay({ status: "cancelled" }), now))
    assert.isUndefined(findVisibleDoorCode(stay({ lock_code: null }), now))
    assert.isUndefined(findVisibleDoorCode(stay({ id_required: "required" }), now))
  })
})

describe("identity documents", () => {
  const guests = [
    { id: 7, name: "Ada Lovelace", images: 1 },
    { id: 8, name: "Mary Somerville", images: 0 }
  ]

  it("are asked of every guest by name, and of as many others as there are", () => {
    const asking = stay({ id_required: "required", number_of_guests: 4, guests })
    assert.deepStrictEqual(listMissingDocuments(asking), [
      { guestId: 8, name: "Mary Somerville", count: 1 },
      { guestId: null, name: null, count: 2 }
    ])
    assert.deepStrictEqual(listMissingDocuments({ ...asking, other_images: 1 }).at(-1), {
      guestId: null,
      name: null,
      count: 1
    })
    assert.deepStrictEqual(listMissingDocuments({ ...asking, id_required: "not_required" }), [])
  })

  it("of one guest do not stand for another's", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(4), { maxLength: 5 }),
        fc.integer({ min: 1, max: 8 }),
        fc.nat(10),
        (images, number_of_guests, other_images) => {
          const asking = stay({
            id_required: "required",
            number_of_guests,
            other_images,
            guests: images.map((count, id) => ({ id, name: `Guest ${id}`, images: count }))
          })
          const others = Math.max(number_of_guests - images.length, 0)
          const isComplete = images.every((count) => count > 0) && other_images >= others
          assert.strictEqual(findDoorCodeBlocker(asking), isComplete ? undefined : "images")
          assert.strictEqual(
            computeImageLimit(asking),
            IDENTITY_IMAGES_A_GUEST * Math.max(number_of_guests, images.length)
          )
        }
      )
    )
  })

  it("wait for approval besides where that is said", () => {
    const all = stay({ id_required: "required_with_review", number_of_guests: 1, guests: guests.slice(0, 1) })
    assert.strictEqual(findDoorCodeBlocker({ ...all, guests: guests.slice(1) }), "images")
    assert.strictEqual(findDoorCodeBlocker(all), "approval")
    assert.isUndefined(findDoorCodeBlocker({ ...all, check_in_approved_at: at("2027-05-01T00:00:00Z") }))
    assert.isUndefined(findDoorCodeBlocker({ ...all, id_required: "required" }))
  })

  it("are taken of whoever still has to hand one in, whatever came in of people who are none of them any more", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(4), { maxLength: 5 }),
        fc.integer({ min: 1, max: 8 }),
        fc.nat(30),
        fc.nat(60),
        (images, number_of_guests, other_images, gone) => {
          const asking = stay({
            id_required: "required",
            number_of_guests,
            other_images,
            identity_image_count: images.reduce((sum, count) => sum + count, other_images + gone),
            guests: images.map((count, id) => ({ id, name: `Guest ${id}`, images: count }))
          })
          for (const { guestId } of listMissingDocuments(asking)) {
            assert.isFalse(hasReachedImageLimit(asking, guestId))
            assert.isBelow(asking.identity_image_count, computeImageLimit(asking))
          }
        }
      )
    )
  })

  it(`are taken ${IDENTITY_IMAGES_A_GUEST} times of a guest`, () => {
    const of = (images: number) => stay({ guests: [{ id: 7, name: "Ada", images }], other_images: images })
    assert.isFalse(hasReachedImageLimit(of(IDENTITY_IMAGES_A_GUEST - 1), 7))
    assert.isTrue(hasReachedImageLimit(of(IDENTITY_IMAGES_A_GUEST), 7))
    assert.isFalse(hasReachedImageLimit(of(IDENTITY_IMAGES_A_GUEST - 1), null))
    assert.isTrue(hasReachedImageLimit(of(IDENTITY_IMAGES_A_GUEST), null))
    assert.isTrue(hasReachedImageLimit(stay({ number_of_guests: 1 }), null), "there is nobody else")
  })
})

describe("a page", () => {
  const now = at("2027-05-01T00:00:00Z")

  it("shows nothing of an order that is over, or whose time is", () => {
    for (const status of ["cancelled", "denied", "timeout"] as const)
      assert.isFalse(isGuestPortalVisible(stay({ status }), now))
    for (const status of ["wait_accept", "wait_pay"] as const) {
      assert.isTrue(isGuestPortalVisible(stay({ status }), now))
      assert.isTrue(isGuestPortalVisible(stay({ status, expires_at: new Date(now.getTime() + 1) }), now))
      assert.isFalse(isGuestPortalVisible(stay({ status, expires_at: now }), now))
    }
    assert.isTrue(isGuestPortalVisible(stay({ expires_at: now }), now))
  })

  it("takes what is told of an agreed stay to the end of the day of check-out", () => {
    const [last, next] = [at("2027-05-07T22:59:59.999Z"), at("2027-05-07T23:00:00Z")]
    assert.isTrue(isStayEditable(stay(), last))
    assert.isFalse(isStayEditable(stay(), next))
    assert.isFalse(hasStayEnded(stay(), last))
    assert.isTrue(hasStayEnded(stay(), next))
    assert.isFalse(isStayEditable(stay({ status: "wait_accept" }), now))
  })
})
