import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import type { IdempotencyKeyState } from "../../../../src/contract/actor.ts"
import { OfferStatus } from "../../../../src/domain/channels/port/channel-events.ts"
import {
  type OfferRequest,
  toNewOffer,
  toOfferReference
} from "../../../../src/domain/guests/special-offers/rules/created-offer.ts"
import {
  listPreviousStatuses,
  resolveOfferStatus
} from "../../../../src/domain/guests/special-offers/rules/offer-status.ts"
import { DAY_MS } from "../../../support/domain/guests/special-offers/offer-conversation.ts"

const aStatus = fc.constantFrom(...OfferStatus.literals)
const DECIDED = ["accepted", "declined", "withdrawn"]

/** How an offer stands after all that was said of it. */
const after = (said: ReadonlyArray<OfferStatus>): OfferStatus =>
  said.reduce<OfferStatus>((now, next) => (listPreviousStatuses(next).includes(now) ? next : now), "active")

it("what was decided stays so, and it is the first decision that counts", () => {
  fc.assert(
    fc.property(fc.array(aStatus), (said) => {
      const first = said.find((each) => DECIDED.includes(each))
      const last = after(said)
      if (first === undefined) assert.notInclude(DECIDED, last)
      else assert.strictEqual(last, first)
    })
  )
})

it("nothing comes from itself, and whatever is said twice is as said once", () => {
  fc.assert(
    fc.property(fc.array(aStatus), aStatus, (said, next) => {
      assert.notInclude(listPreviousStatuses(next), next)
      assert.strictEqual(after([...said, next, next]), after([...said, next]))
    })
  )
})

it("only an active one expires by the clock, in the very millisecond its time is over", () => {
  fc.assert(
    fc.property(aStatus, fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 10 }), (status, ends, at) => {
      const now = resolveOfferStatus(status, new Date(ends), new Date(at))
      assert.strictEqual(now, status === "active" && at >= ends ? "expired" : status)
    })
  )
})

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const aKey = fc
  .record({ operatorId: fc.integer({ min: 1 }), digest: bytes, fingerprint: bytes, grantId: fc.nat() })
  .map((named): IdempotencyKeyState => ({ ...named, isResuming: false, progress: "none", claimedUntil: undefined }))

it("a reference is one for a key and a call, tells nothing of the key, and without one is drawn", () => {
  fc.assert(
    fc.property(aKey, aKey, (one, other) => {
      assert.strictEqual(toOfferReference(one), toOfferReference({ ...one, isResuming: true, progress: "claimed" }))
      assert.match(toOfferReference(one), /^[0-9a-f]{32}$/)
      assert.notInclude(Buffer.from(one.digest).toString("hex"), toOfferReference(one))
      const isSame = JSON.stringify(one) === JSON.stringify(other)
      assert.strictEqual(toOfferReference(one) === toOfferReference(other), isSame)
      assert.notStrictEqual(toOfferReference({ ...one, operatorId: one.operatorId + 1 }), toOfferReference(one))
    })
  )
  assert.notStrictEqual(toOfferReference(undefined), toOfferReference(undefined))
})

const ASKED: OfferRequest = {
  offerType: "special_offer",
  listingId: "300-77",
  ratePlanId: null,
  checkInDate: "2027-05-04",
  checkOutDate: "2027-05-07",
  numberOfAdults: 2,
  numberOfChildren: 0,
  numberOfInfants: 0,
  numberOfPets: 0,
  price: 380,
  currency: null
}
const MADE = {
  offerId: "O-1",
  price: 380,
  currency: "EUR",
  createdAt: "2027-04-20T10:00:00+02:00",
  expiresAt: "2027-04-20T18:00:00+02:00"
}
const NOW = new Date("2027-04-20T08:00:01Z")

it("an offer lasts as long as its channel says, and else a day", () => {
  assert.deepInclude(toNewOffer(ASKED, MADE, NOW), {
    create_time: MADE.createdAt,
    expire_time: MADE.expiresAt,
    created_at: new Date("2027-04-20T08:00:00Z"),
    expires_at: new Date("2027-04-20T16:00:00Z")
  })
  assert.deepInclude(toNewOffer(ASKED, { ...MADE, createdAt: "", expiresAt: "soon" }, NOW), {
    create_time: null,
    expire_time: null,
    created_at: NOW,
    expires_at: new Date(NOW.getTime() + DAY_MS)
  })
})

it("an answer in which the offer cannot be known is none", () => {
  for (const wrong of [
    { offerId: "" },
    { offerId: "x".repeat(101) },
    { price: Number.NaN },
    { price: -1 },
    { price: 380.001 },
    { currency: "euro" }
  ]) {
    assert.isUndefined(toNewOffer(ASKED, { ...MADE, ...wrong }, NOW))
  }
})
