import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DAY_MS, OFFER_DATES } from "../../../support/domain/guests/special-offers/offer-conversation.ts"
import { insertOrder } from "../../../support/harness.ts"
import { prepareHostConversation } from "../../../support/transports/console/host/host-conversation.ts"
import {
  fillAndFollow,
  fillAndSend,
  findAlert,
  findDoneAction,
  findForms,
  getPage
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages } from "../../../support/transports/console/signed-in-pages.ts"

const INQUIRY = { inquiry: { checkInDate: "2027-05-04", checkOutDate: "2027-05-07", adults: 3 } }

layer(layerSignedInPages)("offers on the page of a conversation", (it) => {
  it.effect("are made with what the guest asks for filled in, and withdrawn", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, sentOffers: told, listing_id } = yield* prepareHostConversation(INQUIRY)
      const made = yield* fillAndFollow(cookie, page, "offer", { price: "380", number_of_pets: "1" })
      assert.strictEqual(findDoneAction(made), "offer")
      const [offer] = yield* told
      assert.deepInclude(offer, {
        listingId: listing_id,
        checkInDate: OFFER_DATES.check_in_date,
        checkOutDate: OFFER_DATES.check_out_date,
        numberOfAdults: 3,
        numberOfPets: 1,
        price: 380
      })
      assert.include(made.text, "380.00 EUR")
      assert.include(made.text, ">Open</span>")
      const withdrawn = yield* fillAndFollow(cookie, page, "withdraw")
      assert.strictEqual(findDoneAction(withdrawn), "withdraw")
      assert.include(withdrawn.text, ">Withdrawn</span>")
      assert.isEmpty(findForms(withdrawn, "withdraw"))
    })
  )

  it.effect("are pre-approvals of an inquiry", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, sentOffers: told } = yield* prepareHostConversation(INQUIRY)
      const made = yield* fillAndFollow(cookie, page, "preapprove")
      assert.strictEqual(findDoneAction(made), "preapprove")
      assert.include(made.text, "Pre-approval")
      assert.deepInclude((yield* told)[0], { offerType: "preapproval", numberOfAdults: 3, price: null })
    })
  )

  it.effect("are shown as expired when their time is over, and are not to be withdrawn any more", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, sendOffer: send } = yield* prepareHostConversation()
      yield* send()
      yield* TestClock.adjust(DAY_MS - 1)
      assert.lengthOf(findForms(yield* getPage(cookie, page), "withdraw"), 1)
      yield* TestClock.adjust(1)
      const { text } = yield* getPage(cookie, page)
      assert.include(text, ">Expired</span>")
      assert.isEmpty(findForms(yield* getPage(cookie, page), "withdraw"))
    })
  )

  it.effect("keep what was filled in where the nights are not free, which is said before", () =>
    Effect.gen(function* () {
      const {
        cookie,
        pagePath: page,
        propertyId: property,
        operatorId,
        sentOffers: told
      } = yield* prepareHostConversation(INQUIRY)
      assert.notInclude((yield* getPage(cookie, page)).text, "Not all of these nights are free.")
      yield* insertOrder(operatorId, [{ propertyId: property, checkIn: "2027-05-06", checkOut: "2027-05-08" }])
      assert.include((yield* getPage(cookie, page)).text, "Not all of these nights are free.")
      const refused = yield* fillAndSend(cookie, page, "offer", { price: "380.50" })
      assert.strictEqual(refused.status, 409)
      assert.isDefined(findAlert(refused))
      assert.strictEqual(findForms(refused, "offer")[0]?.form.get("price"), "380.50")
      assert.include(refused.text, "<details open><summary>New special offer</summary>")
      assert.isEmpty(yield* told)
    })
  )

  it.effect("are there where the channel has them", () =>
    Effect.gen(function* () {
      const formsAt = Effect.fnUntraced(function* (channelType: string) {
        const { cookie, pagePath: page } = yield* prepareHostConversation({ ...INQUIRY, channelType })
        const seen = yield* getPage(cookie, page)
        const fields = Array.from(findForms(seen, "offer")[0]?.form.keys() ?? [])
        return {
          offer: findForms(seen, "offer").length,
          preapprove: findForms(seen, "preapprove").length,
          plan: fields.includes("rate_plan_id") && fields.includes("currency")
        }
      })
      assert.deepStrictEqual(yield* formsAt("airbnb"), { offer: 1, preapprove: 1, plan: false })
      assert.deepStrictEqual(yield* formsAt("booking_site"), { offer: 1, preapprove: 0, plan: true })
      assert.deepStrictEqual(yield* formsAt("booking.com"), { offer: 0, preapprove: 0, plan: false })
    })
  )

  it.effect("of a booking site begin with the currency of the listing", () =>
    Effect.gen(function* () {
      const { cookie, pagePath, operatorId } = yield* prepareHostConversation({
        ...INQUIRY,
        channelType: "booking_site"
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE listings SET currency = 'JPY' WHERE operator_id = ${operatorId}`
      const [offer] = findForms(yield* getPage(cookie, pagePath), "offer")
      assert.strictEqual(offer?.form.get("currency"), "JPY")
    })
  )

  it.effect("cannot be a pre-approval where nothing is asked, or what is asked has begun", () =>
    Effect.gen(function* () {
      const asksNothing = yield* prepareHostConversation()
      assert.isEmpty(findForms(yield* getPage(asksNothing.cookie, asksNothing.pagePath), "preapprove"))
      const { cookie, pagePath: page } = yield* prepareHostConversation({
        inquiry: { checkInDate: "2027-04-19", checkOutDate: "2027-04-22" }
      })
      const seen = yield* getPage(cookie, page)
      assert.isEmpty(findForms(seen, "preapprove"))
      assert.include(seen.text, "The check-in date has passed.")
    })
  )
})
