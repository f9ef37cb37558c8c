import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { isDoorCodeTime } from "../../../../src/domain/bookings/check-in/rules.ts"
import {
  findContradiction,
  HouseField,
  toHouseCalendar
} from "../../../../src/domain/calendars/property-feeds/house-calendar/house-calendar.ts"
import {
  findLastFourDigits,
  type HouseStay,
  toDialedNumber,
  toHouseEvent
} from "../../../../src/domain/calendars/property-feeds/house-calendar/house-events.ts"
import { makeGuestPortalStay } from "../../../support/guest-portal-stay.ts"

const EVERY_FIELD = { fields: HouseField.literals, doorCodeSource: "reservation" } as const
const BY_PHONE = { ...EVERY_FIELD, doorCodeSource: "phone_last_four" } as const

/** On the day of check-in, when the code is shown. */
const CHECKED_IN = new Date("2027-05-04T16:00:00Z")

const makeStay = (overrides: Partial<HouseStay> = {}): HouseStay => ({
  ...makeGuestPortalStay(),
  reservation_code: "0-481203757-XK2P",
  channel_id: "HM12345678",
  channel_remarks: "",
  guest_phone: "+351 912 345-678",
  is_erased: false,
  ...overrides
})

describe("an event of a house calendar", () => {
  it("has the chosen fields and no others", () => {
    fc.assert(
      fc.property(fc.subarray([...HouseField.literals]), (fields) => {
        const event = toHouseEvent(makeStay(), { fields, doorCodeSource: "reservation" }, CHECKED_IN)
        const { guestName, bookingId, numberOfGuests, phone, doorCode } = event
        const values = {
          guest_name: guestName,
          code: bookingId,
          guests: numberOfGuests,
          phone,
          door_code: doorCode
        }
        for (const field of HouseField.literals) {
          assert.strictEqual(values[field] !== undefined, fields.includes(field), field)
        }
      }),
      { numRuns: 60 }
    )
  })

  it("has the door code exactly while the guest portal has it", () => {
    const stay = makeStay()
    fc.assert(
      fc.property(fc.integer({ min: -48, max: 200 }), fc.constantFrom(EVERY_FIELD, BY_PHONE), (hours, calendar) => {
        const now = new Date(CHECKED_IN.getTime() + hours * 1_800_000)
        const { doorCode } = toHouseEvent(stay, calendar, now)
        assert.strictEqual(doorCode, isDoorCodeTime(stay, now) ? "4711" : undefined)
      }),
      { numRuns: 150 }
    )
    const beforeTime = new Date("2027-05-04T13:59:59Z")
    const atTime = new Date("2027-05-04T14:00:00Z")
    assert.isUndefined(toHouseEvent(stay, EVERY_FIELD, beforeTime).doorCode)
    assert.strictEqual(toHouseEvent(stay, EVERY_FIELD, atTime).doorCode, "4711")
    const unapproved = makeStay({ id_required: "required_with_review" })
    assert.isUndefined(toHouseEvent(unapproved, EVERY_FIELD, CHECKED_IN).doorCode)
  })

  it("takes the door code from the phone number only if the host chose so and the stay has none", () => {
    const codeOf = (overrides: Partial<HouseStay>, calendar: Parameters<typeof toHouseEvent>[1] = BY_PHONE) =>
      toHouseEvent(makeStay(overrides), calendar, CHECKED_IN).doorCode
    assert.strictEqual(codeOf({ lock_code: null }), "5678")
    assert.strictEqual(codeOf({ lock_code: " " }), "5678")
    assert.strictEqual(codeOf({ lock_code: "99#" }), "99#")
    assert.isUndefined(codeOf({ lock_code: null }, EVERY_FIELD))
    assert.isUndefined(codeOf({ lock_code: null, guest_phone: "123" }))
    assert.strictEqual(codeOf({ lock_code: null, guest_phone: "1-2-3-4" }), "1234")
    assert.isUndefined(codeOf({ lock_code: null, guest_phone: null }))
    assert.isUndefined(codeOf({ lock_code: null, lock_code_visible_after: "23:00" }))
  })

  it("takes the door code from the last digits that an imported calendar names", () => {
    const codeOf = (overrides: Partial<HouseStay>) =>
      toHouseEvent(
        makeStay({ lock_code: null, guest_phone: null, reservation_code: "9-1-A", ...overrides }),
        BY_PHONE,
        CHECKED_IN
      ).doorCode
    const channel_remarks = "Phone number ends with 4712."
    assert.strictEqual(codeOf({ channel_remarks }), "4712")
    assert.strictEqual(codeOf({ channel_remarks, guest_phone: "+351 912 345-678" }), "5678")
    assert.strictEqual(codeOf({ channel_remarks, lock_code: "99#" }), "99#")
    assert.isUndefined(codeOf({ channel_remarks: `A guest wrote: ${channel_remarks}` }))
    assert.isUndefined(codeOf({ channel_remarks, reservation_code: "0-1-A" }))
    assert.isUndefined(codeOf({ channel_remarks, is_erased: true }))
  })

  it("has the code of the channel for a stay from an imported calendar, and the reservation code otherwise", () => {
    const bookingIdOf = (reservation_code: string, channel_id: string) =>
      toHouseEvent(makeStay({ reservation_code, channel_id }), EVERY_FIELD, CHECKED_IN).bookingId
    assert.strictEqual(bookingIdOf("9-1-A", "HM12345678"), "HM12345678")
    assert.strictEqual(bookingIdOf("9-1-A", "9-1-A"), "9-1-A")
    assert.strictEqual(bookingIdOf("0-1-A", "HM12345678"), "0-1-A")
  })

  it("of an erased guest has only dates and times", () => {
    const { stayId, checkInDate, checkOutDate, checkInTime, checkOutTime, ...details } = toHouseEvent(
      makeStay({ is_erased: true }),
      BY_PHONE,
      CHECKED_IN
    )
    assert.deepStrictEqual(
      [stayId, checkInDate, checkOutDate, checkInTime, checkOutTime],
      [2, "2027-05-04", "2027-05-07", "15:00", "11:00"]
    )
    assert.isTrue(Object.values(details).every((value) => value === undefined))
  })
})

describe("a phone number", () => {
  it("keeps its digits and a plus sign in front, and no other character", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."+0123456789 -()x\n:".split("")), maxLength: 30 }), (text) => {
        const digits = text.replace(/\D/g, "")
        const number = toDialedNumber(text)
        if (digits === "") assert.isUndefined(number)
        else assert.match(number ?? "", /^\+?[0-9]+$/)
        assert.strictEqual(number?.replace("+", "") ?? "", digits)
        assert.strictEqual(findLastFourDigits(text), digits.length < 4 ? undefined : digits.slice(-4))
      }),
      { numRuns: 200 }
    )
    assert.strictEqual(toDialedNumber(" +49 (0)151 1"), "+4901511")
  })
})

describe("a request for a feed", () => {
  it("is a house calendar with its fields in one order, by default without any", () => {
    assert.isUndefined(toHouseCalendar({}))
    assert.isUndefined(toHouseCalendar({ kind: "availability" }))
    assert.deepStrictEqual(toHouseCalendar({ kind: "house" }), { fields: [], doorCodeSource: "reservation" })
    assert.deepStrictEqual(
      toHouseCalendar({ kind: "house", fields: ["door_code", "phone"], door_code_source: "phone_last_four" }),
      { fields: ["phone", "door_code"], doorCodeSource: "phone_last_four" }
    )
  })

  it("names the field that contradicts another", () => {
    const fieldOf = (request: Parameters<typeof findContradiction>[0]) =>
      findContradiction(request)?.message.split(":")[0]
    assert.isUndefined(fieldOf({}))
    assert.isUndefined(fieldOf({ kind: "availability", calendar_id: 1 }))
    assert.isUndefined(fieldOf({ kind: "house" }))
    assert.isUndefined(fieldOf({ kind: "house", fields: ["door_code"], door_code_source: "reservation" }))
    assert.strictEqual(fieldOf({ fields: [] }), "fields")
    assert.strictEqual(fieldOf({ kind: "availability", door_code_source: "reservation" }), "door_code_source")
    assert.strictEqual(fieldOf({ kind: "house", calendar_id: 1 }), "calendar_id")
    assert.strictEqual(
      fieldOf({ kind: "house", fields: ["phone"], door_code_source: "reservation" }),
      "door_code_source"
    )
  })
})
