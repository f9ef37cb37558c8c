import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../../../src/contract/time.ts"
import {
  ChannelAccountMissing,
  ChannelDisconnected,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../../../src/domain/channels/port/errors.ts"
import { AMOUNT_MAX, GUESTS_MAX, RECORD_CODE_LENGTH, STAY_NIGHTS } from "../../../../src/platform/limits.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  TODAY
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  loadOfferRows,
  OFFER_DATES,
  prepareOfferConversation
} from "../../../support/domain/guests/special-offers/offer-conversation.ts"
import { fieldOfError } from "../../../support/error-messages.ts"
import { insertOrder, insertProperty } from "../../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../../support/listings.ts"
import { countStatements } from "../../../support/statement-count.ts"

const INQUIRY = { checkInDate: OFFER_DATES.check_in_date, checkOutDate: OFFER_DATES.check_out_date, adults: 3 }

layer(layerWithoutRateWindows, { excludeTestServices: false })("an offer", (it) => {
  it.effect("is made by the channel at once, is listed, and holds no night", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        offerFields: offered,
        sentOffers: told,
        offers,
        operatorId,
        listing_id,
        thread_id
      } = yield* prepareOfferConversation()
      const fields = { ...offered, number_of_children: 1, number_of_infants: 1, number_of_pets: 1 }
      const [sent, statements] = yield* countStatements(api.send_special_offer(fields).pipe(as))
      assert.deepStrictEqual(sent, {})
      assert.isAtMost(statements, 3, "the token and two")
      const [there] = yield* told
      assert.deepInclude(there, {
        threadId: thread_id,
        offerType: "special_offer",
        listingId: listing_id,
        ratePlanId: null,
        checkInDate: "2027-05-04",
        checkOutDate: "2027-05-07",
        numberOfAdults: 2,
        numberOfChildren: 1,
        numberOfInfants: 1,
        numberOfPets: 1,
        price: 380,
        currency: null
      })
      const [shown, ...none] = yield* offers
      assert.deepStrictEqual(shown, {
        id: `O-${there?.reference}`,
        offer_type: "special_offer",
        status: "active",
        listing_id,
        ...OFFER_DATES,
        nights: 3,
        number_of_guests: 3,
        price: 380,
        currency: "EUR",
        expire_time: "2027-04-21T10:00:00.000Z",
        create_time: "2027-04-20T10:00:00.000Z"
      })
      assert.isEmpty(none)
      assert.isEmpty(yield* loadNightHolders(operatorId))
      assert.isEmpty(yield* loadEvents(operatorId))
    })
  )

  it.effect("is listed in one statement, newest first", () =>
    Effect.gen(function* () {
      const { conversation_id, operatorId, api, as } = yield* prepareOfferConversation()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO special_offers (operator_id, conversation_id, offer_id, offer_type, status, check_in_date, check_out_date,
          number_of_adults, number_of_children, number_of_infants, number_of_pets, price, expires_at, created_at)
        SELECT operator_id, id, 'O-' || n, 'special_offer', 'active', '2027-05-04', '2027-05-05', 1, 0, 0, 0, 1, now(),
          timestamptz '2027-04-01' + n * interval '1 hour'
        FROM conversations, generate_series(1, 101) n WHERE operator_id = ${operatorId}`
      const asked = api.search_special_offers({ conversation_id }).pipe(as)
      yield* asked
      const [{ special_offers }, statements] = yield* countStatements(asked)
      assert.strictEqual(statements, 1)
      // One more than are shown.
      assert.deepStrictEqual(
        special_offers.map(({ id }) => id),
        Array.from({ length: 100 }, (_, at) => `O-${101 - at}`)
      )
    })
  )

  it.effect("to a guest of the booking site needs a rate plan and a currency, and tells both", () =>
    Effect.gen(function* () {
      const {
        sendOffer: send,
        sentOffers: told,
        offers,
        operatorId
      } = yield* prepareOfferConversation({ channelType: "booking_site" })
      for (const [fields, missing] of [
        [{}, "rate_plan_id"],
        [{ currency: "USD" }, "rate_plan_id"],
        [{ rate_plan_id: "R1" }, "currency"]
      ] as const) {
        const { error_code, error_msg } = yield* send(fields)
        assert.strictEqual(error_code, 400)
        assert.match(error_msg, new RegExp(`^${missing}: .*required`))
      }
      assert.isEmpty(yield* loadOfferRows(operatorId))
      assert.strictEqual((yield* send({ rate_plan_id: "R1", currency: "USD" })).error_code, 0)
      const [there, ...none] = yield* told
      assert.isEmpty(none)
      assert.deepInclude(there, { ratePlanId: "R1", currency: "USD", price: 380 })
      assert.deepInclude((yield* offers)[0], { currency: "USD", price: 380 })
    })
  )

  it.effect("to a guest of airbnb is in the listing's currency, whatever is said, and knows no rate plan", () =>
    Effect.gen(function* () {
      const { sendOffer: send, sentOffers: told } = yield* prepareOfferConversation({ listing: { currency: "JPY" } })
      const refused = yield* send({ price: 380.5, currency: "EUR" })
      assert.match(refused.error_msg, /^price: .*JPY/)
      assert.strictEqual((yield* send({ rate_plan_id: "R1", currency: "EUR" })).error_code, 0)
      assert.deepInclude((yield* told)[0], { ratePlanId: null, currency: null })
      // Ignored, but for what it is.
      assert.strictEqual((yield* send({ rate_plan_id: 7 })).error_code, 400)
      assert.strictEqual((yield* send({ currency: "XXX" })).error_code, 422)
    })
  )

  it.effect("has its bounds, and what is beyond them reaches no channel", () =>
    Effect.gen(function* () {
      const { sendOffer: send, sentOffers: told, operatorId } = yield* prepareOfferConversation()
      const from = OFFER_DATES.check_in_date
      const dates = (check_in_date: string, nights: number) => ({
        check_in_date,
        check_out_date: addDays(check_in_date, nights)
      })
      const refused = [
        [{ price: 0 }, 422, "price"],
        [{ price: -1 }, 422, "price"],
        [{ price: 380.001 }, 422, "price"],
        [{ price: AMOUNT_MAX + 1 }, 422, "price"],
        [{ price: "much" }, 400, "price"],
        [{ number_of_adults: 0 }, 422, "number_of_adults"],
        [{ number_of_adults: GUESTS_MAX + 1 }, 422, "number_of_adults"],
        [{ number_of_adults: 1.5 }, 400, "number_of_adults"],
        ...(["number_of_children", "number_of_infants", "number_of_pets"] as const).flatMap(
          (field) =>
            [
              [{ [field]: -1 }, 422, field],
              [{ [field]: GUESTS_MAX + 1 }, 422, field]
            ] as const
        ),
        [dates(from, 0), 422, "check_out_date"],
        [dates(from, -1), 422, "check_out_date"],
        [dates(from, STAY_NIGHTS + 1), 422, "check_out_date"],
        [dates(addDays(TODAY, -1), 2), 422, "check_in_date"],
        [dates(addDays(TODAY, -1), STAY_NIGHTS + 1), 422, "check_in_date"],
        [{ listing_id: "x".repeat(RECORD_CODE_LENGTH + 1) }, 422, "listing_id"],
        [{ rate_plan_id: "x".repeat(RECORD_CODE_LENGTH + 1) }, 422, "rate_plan_id"]
      ] as const
      for (const [fields, code, field] of refused) {
        const { error_code, error_msg } = yield* send(fields)
        assert.strictEqual(error_code, code, `${JSON.stringify(fields)}: ${error_msg}`)
        assert.match(error_msg, new RegExp(`^${field}: `))
      }
      assert.isEmpty(yield* told)
      assert.isEmpty(yield* loadOfferRows(operatorId))
      for (const fields of [
        { price: 0.01 },
        { price: AMOUNT_MAX },
        { number_of_adults: 1 },
        {
          number_of_adults: GUESTS_MAX,
          number_of_children: GUESTS_MAX,
          number_of_infants: 0,
          number_of_pets: GUESTS_MAX
        },
        dates(from, 1),
        dates(from, STAY_NIGHTS),
        dates(TODAY, 2),
        { rate_plan_id: "x".repeat(RECORD_CODE_LENGTH) }
      ]) {
        const { error_code, error_msg } = yield* send(fields)
        assert.strictEqual(error_code, 0, `${JSON.stringify(fields)}: ${error_msg}`)
      }
      assert.lengthOf(yield* told, 8)
    })
  )

  it.effect("begins no earlier than today where the host is", () =>
    Effect.gen(function* () {
      const { sendOffer: send } = yield* prepareOfferConversation({ operator: { timeZone: "Pacific/Kiritimati" } })
      assert.match((yield* send({ check_in_date: TODAY })).error_msg, /^check_in_date: .*today/)
      assert.strictEqual((yield* send({ check_in_date: addDays(TODAY, 1) })).error_code, 0)
    })
  )

  it.effect("is refused by what it is about: channel, conversation, listing, nights", () =>
    Effect.gen(function* () {
      const mine = yield* prepareOfferConversation()
      const theirs = yield* prepareOfferConversation()
      const vrbo = yield* prepareOfferConversation({ channelType: "vrbo", inquiry: INQUIRY })
      for (const operation of ["send_special_offer", "send_preapproval", "search_special_offers"] as const) {
        const at = (conversation_id: string) =>
          mine.callInConversation(operation, { ...mine.offerFields, conversation_id })
        const forbidden = yield* at(theirs.conversation_id)
        assert.deepStrictEqual([forbidden.error_code, fieldOfError(forbidden)], [403, "conversation_id"])
        const missing = yield* at("nowhere")
        assert.deepStrictEqual([missing.error_code, fieldOfError(missing)], [404, "conversation_id"])
      }
      const invalid = yield* vrbo.sendOffer()
      assert.deepStrictEqual([invalid.error_code, fieldOfError(invalid)], [422, "conversation_id"])
      assert.include(invalid.error_msg, "airbnb")
      const second = yield* insertChannelAccount(mine.operatorId)
      const elsewhere = yield* insertListing(mine.operatorId, second, { propertyId: mine.propertyId })
      for (const listing_id of [theirs.listing_id, elsewhere, "nothing"]) {
        const refusal = yield* mine.sendOffer({ listing_id })
        assert.deepStrictEqual([refusal.error_code, fieldOfError(refusal)], [404, "listing_id"])
      }
      yield* insertOrder(mine.operatorId, [
        { propertyId: mine.propertyId, checkIn: "2027-05-06", checkOut: "2027-05-09" }
      ])
      const conflict = yield* mine.sendOffer()
      assert.deepStrictEqual([conflict.error_code, fieldOfError(conflict)], [409, "listing_id"])
      // The night of leaving is not one of them.
      assert.strictEqual((yield* mine.sendOffer({ check_out_date: "2027-05-06" })).error_code, 0)
      assert.lengthOf(yield* mine.sentOffers, 1)
    })
  )

  it.effect("is refused for a day that is closed, busy elsewhere, or of a property that is not let", () =>
    Effect.gen(function* () {
      const { sendOffer: send, operatorId, propertyId: property } = yield* prepareOfferConversation()
      const sql = yield* SqlClient.SqlClient
      for (const reason of [{ closed: true }, { imported: 1 }]) {
        yield* sql`INSERT INTO calendar_days ${sql.insert({ operator_id: operatorId, property_id: property, day: "2027-05-04", ...reason })}`
        assert.strictEqual((yield* send()).error_code, 409)
        yield* sql`DELETE FROM calendar_days WHERE operator_id = ${operatorId}`
      }
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE operator_id = ${operatorId}`
      assert.strictEqual((yield* send()).error_code, 409)
      yield* sql`UPDATE properties SET deactivated_at = NULL WHERE operator_id = ${operatorId}`
      assert.strictEqual((yield* send()).error_code, 0)
    })
  )

  it.effect("of a room type needs one property with all its nights; of a listing that is linked to nothing, none", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        sendOffer: send,
        operatorId,
        propertyId: property,
        accountId
      } = yield* prepareOfferConversation()
      const second = yield* insertProperty(operatorId, "Harbour 2")
      const { room_type_id } = yield* api
        .create_room_type({ title: "Double", property_ids: [property, second] })
        .pipe(as)
      const listing_id = yield* insertListing(operatorId, accountId, { roomTypeId: room_type_id })
      const taken = (propertyId: number, checkIn: string, checkOut: string) =>
        insertOrder(operatorId, [{ propertyId, checkIn, checkOut }])
      yield* taken(property, "2027-05-04", "2027-05-05")
      assert.strictEqual((yield* send({ listing_id })).error_code, 0)
      // A room for each night, and none for all of them.
      yield* taken(second, "2027-05-06", "2027-05-07")
      assert.strictEqual((yield* send({ listing_id })).error_code, 409)
      const unlinked = yield* insertListing(operatorId, accountId)
      assert.strictEqual((yield* send({ listing_id: unlinked })).error_code, 0)
    })
  )

  it.effect("that the channel does not make changes nothing, and can be tried again", () =>
    Effect.gen(function* () {
      const {
        sendOffer: send,
        callInConversation: ask,
        channel,
        thread_id,
        operatorId
      } = yield* prepareOfferConversation({ inquiry: INQUIRY })
      const channelType = "airbnb"
      for (const [error, code, told] of [
        [new ChannelAccountMissing({ channelType }), 404, /^conversation_id: .*airbnb/],
        [new ChannelDisconnected({ channelType }), 400, /^conversation_id: .*airbnb/],
        [new ChannelRefused({ reason: "blocked" }), 409, /^conversation_id: .*blocked/],
        [new ChannelRefused({ reason: "too low", field: "price" }), 422, /^price: .*too low/],
        [new ChannelUnavailable({ code: 502 }), 502, /channel/],
        [new ChannelUnavailable({ code: 503 }), 503, /channel/],
        [new ChannelUnavailable({ code: 504 }), 504, /channel/],
        [new ChannelNotServed({ channelType }), 501, /airbnb/]
      ] as const) {
        yield* channel.setResponse(thread_id, Effect.fail(error))
        for (const asked of [send(), ask("send_preapproval")]) {
          const { error_code, error_msg } = yield* asked
          assert.strictEqual(error_code, code)
          assert.match(error_msg, told)
        }
      }
      assert.isEmpty(yield* loadOfferRows(operatorId))
      yield* channel.setResponse(thread_id, Effect.void)
      assert.strictEqual((yield* send()).error_code, 0)
      assert.lengthOf(yield* loadOfferRows(operatorId), 1)
    })
  )
})

layer(layerWithoutRateWindows, { excludeTestServices: false })("a pre-approval", (it) => {
  it.effect("is of what the guest asks for, at the standard price", () =>
    Effect.gen(function* () {
      const {
        callInConversation: ask,
        sentOffers: told,
        offers,
        listing_id,
        operatorId
      } = yield* prepareOfferConversation({ inquiry: INQUIRY })
      const [sent, statements] = yield* countStatements(ask("send_preapproval"))
      assert.deepInclude(sent, { error_code: 0, data: {} })
      assert.isAtMost(statements, 3, "the token and two")
      assert.deepInclude((yield* told)[0], { offerType: "preapproval", price: null, currency: null, numberOfAdults: 3 })
      assert.deepInclude((yield* offers)[0], {
        offer_type: "preapproval",
        status: "active",
        listing_id,
        ...OFFER_DATES,
        nights: 3,
        number_of_guests: 3,
        price: 100
      })
      assert.isEmpty(yield* loadNightHolders(operatorId))
    })
  )

  it.effect("needs airbnb, an inquiry that is open, its listing and its nights", () =>
    Effect.gen(function* () {
      const elsewhere = yield* prepareOfferConversation({ channelType: "booking_site", inquiry: INQUIRY })
      const nothing = yield* prepareOfferConversation()
      const over = yield* prepareOfferConversation({ inquiry: { ...INQUIRY, checkInDate: addDays(TODAY, -1) } })
      const taken = yield* prepareOfferConversation({ inquiry: INQUIRY })
      yield* insertOrder(taken.operatorId, [
        { propertyId: taken.propertyId, checkIn: "2027-05-01", checkOut: "2027-05-05" }
      ])
      const unknown = yield* prepareOfferConversation({ inquiry: INQUIRY })
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM listings WHERE operator_id = ${unknown.operatorId}`
      for (const [at, code, pattern] of [
        [elsewhere, 422, /^conversation_id: .*airbnb/],
        [nothing, 422, /^conversation_id: .*open inquiry/],
        [over, 422, /^conversation_id: .*begun/],
        [taken, 409, /^conversation_id: .*not all nights/],
        [unknown, 404, /^conversation_id: .*no such/]
      ] as const) {
        const { error_code, error_msg } = yield* at.callInConversation("send_preapproval")
        assert.strictEqual(error_code, code)
        assert.match(error_msg, pattern)
        assert.isEmpty(yield* at.sentOffers)
        assert.isEmpty(yield* loadOfferRows(at.operatorId))
      }
      const today = yield* prepareOfferConversation({ inquiry: { ...INQUIRY, checkInDate: TODAY } })
      assert.strictEqual((yield* today.callInConversation("send_preapproval")).error_code, 0)
    })
  )
})
