import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { trailOf } from "../../../support/changes/keyed.ts"
import { messagesIn } from "../../../support/messages.ts"
import {
  alertIn,
  fieldIn,
  filled,
  fillTwice,
  formsOf,
  look,
  madeUp,
  newHost,
  post,
  withoutToken
} from "../../../support/transports/console/host/hosting.ts"
import { mainAccountOf, says, talking, wordsOf } from "../../../support/transports/console/host/talking.ts"
import { layerSignedIn, signedIn } from "../../../support/transports/console/signed-in.ts"

const INQUIRY = { inquiry: { checkInDate: "2027-05-04", checkOutDate: "2027-05-07" } }
const OFFER = { check_in_date: "2027-05-04", check_out_date: "2027-05-07", price: "380", number_of_adults: "2" }

layer(layerSignedIn)("a form that was shown before its host signed in anew", (it) => {
  it.effect("comes back with what was filled in, and nothing is done until it is sent again", () =>
    Effect.gen(function* () {
      const { cookie, page, operatorId } = yield* talking()
      const before = yield* wordsOf(operatorId)
      const [standing] = formsOf(yield* look(cookie, page), "send")
      const form = filled(standing?.form ?? new URLSearchParams(), { message: "A <long> answer" })
      const anew = yield* signedIn(yield* mainAccountOf(operatorId))
      const back = yield* post(anew, page, form)
      assert.strictEqual(back.status, 403)
      assert.isDefined(alertIn(back))
      assert.deepStrictEqual(yield* wordsOf(operatorId), before)
      const [again] = formsOf(back, "send")
      assert.strictEqual(again?.form.get("message"), "A <long> answer")
      assert.strictEqual((yield* post(anew, page, again?.form ?? new URLSearchParams())).status, 303)
      assert.notDeepEqual(yield* wordsOf(operatorId), before)
      const other = yield* newHost()
      assert.lengthOf(formsOf(yield* post(other.cookie, page, form), "send"), 0)
    })
  )
})

layer(layerSignedIn)("every form of the page of a conversation", (it) => {
  it.effect("does nothing in another operator's conversation", () =>
    Effect.gen(function* () {
      const other = yield* talking(INQUIRY)
      yield* says(other.conversation_id, "Is it quiet?")
      yield* other.send()
      const [offer] = yield* other.offers
      const told = yield* other.told
      const before = yield* wordsOf(other.operatorId)
      const { cookie, operatorId } = yield* newHost()
      const forms = {
        send: { message: "Hello" },
        note: { note: "Mine now" },
        offer: { ...OFFER, listing_id: other.listing_id },
        preapprove: {},
        withdraw: { id: offer?.id ?? "" }
      }
      for (const [act, fields] of Object.entries(forms)) {
        const refused = yield* madeUp(cookie, other.page, act, fields)
        assert.strictEqual(refused.status, 403, act)
        assert.isDefined(alertIn(refused), act)
        assert.notInclude(refused.text, "Is it quiet?")
        assert.strictEqual((yield* madeUp(cookie, "/console/messages?id=none", act, fields)).status, 404, act)
        assert.isAtLeast((yield* madeUp(cookie, "/console/messages", act, fields)).status, 400, act)
      }
      assert.deepStrictEqual(yield* wordsOf(other.operatorId), before)
      assert.deepStrictEqual(yield* other.told, told)
      assert.isEmpty(yield* trailOf(operatorId))
    })
  )

  it.effect("takes no listing and no offer of another conversation", () =>
    Effect.gen(function* () {
      const [other, own] = [yield* talking(), yield* talking()]
      yield* other.send()
      const [offer] = yield* other.offers
      const before = yield* wordsOf(other.operatorId)
      const made = yield* madeUp(own.cookie, own.page, "offer", { ...OFFER, listing_id: other.listing_id })
      assert.deepStrictEqual([made.status, fieldIn(made)], [404, "listing_id"])
      const withdrawn = yield* madeUp(own.cookie, own.page, "withdraw", { id: offer?.id ?? "" })
      assert.strictEqual(withdrawn.status, 404)
      assert.deepStrictEqual(yield* wordsOf(other.operatorId), before)
      assert.isEmpty(yield* own.told)
    })
  )

  it.effect("is not taken without its token", () =>
    Effect.gen(function* () {
      const { cookie, page, operatorId } = yield* talking(INQUIRY)
      const before = yield* wordsOf(operatorId)
      for (const act of ["send", "note", "offer", "preapprove", "withdraw"]) {
        assert.strictEqual((yield* withoutToken(cookie, page, act)).status, 403, act)
      }
      assert.deepStrictEqual(yield* wordsOf(operatorId), before)
    })
  )

  it.effect("that is sent twice at once is done once", () =>
    Effect.gen(function* () {
      const { cookie, page, operatorId, conversation_id, told, offers } = yield* talking(INQUIRY)
      const twice = Effect.fnUntraced(function* (act: string, fields: Readonly<Record<string, string>> = {}) {
        const statuses = (yield* fillTwice(cookie, page, act, fields)).map(({ status }) => status)
        // The second may be told that the first is still under way.
        assert.include(statuses, 303, act)
        for (const status of statuses) assert.include([303, 409], status, act)
      })
      yield* twice("send", { message: "Hello" })
      assert.deepStrictEqual(yield* messagesIn(conversation_id), ["Hello: queued"])
      yield* twice("note", { note: "Nuts" })
      yield* twice("preapprove")
      yield* twice("offer", OFFER)
      assert.lengthOf(yield* offers, 2)
      assert.strictEqual(new Set((yield* told).map(({ reference }) => reference)).size, 2)
      yield* twice("withdraw")
      assert.deepStrictEqual((yield* offers).map(({ status }) => status).toSorted(), ["active", "withdrawn"])
      const changes = (yield* trailOf(operatorId)).map((each) => each.split(" ")[0])
      assert.deepStrictEqual(changes.toSorted(), [
        "send_message",
        "send_preapproval",
        "send_special_offer",
        "update_conversation_note",
        "withdraw_special_offer"
      ])
    })
  )
})
