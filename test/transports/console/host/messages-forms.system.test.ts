import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { loadAuditLines } from "../../../support/changes/keyed-calls.ts"
import { loadMessageLines } from "../../../support/messages.ts"
import {
  findMainAccountId,
  insertMessages,
  loadConversationRows,
  prepareHostConversation
} from "../../../support/transports/console/host/host-conversation.ts"
import {
  createSignedInHost,
  fillAndSendTwice,
  fillForm,
  findAlert,
  findForms,
  getPage,
  postForm,
  postInventedForm,
  postWithoutToken
} from "../../../support/transports/console/host/host-forms.ts"
import { layerSignedInPages, signIn } from "../../../support/transports/console/signed-in-pages.ts"

const INQUIRY = { inquiry: { checkInDate: "2027-05-04", checkOutDate: "2027-05-07" } }
const OFFER = { check_in_date: "2027-05-04", check_out_date: "2027-05-07", price: "380", number_of_adults: "2" }

layer(layerSignedInPages)("a form that was shown before its host signed in anew", (it) => {
  it.effect("comes back with what was filled in, and nothing is done until it is sent again", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, operatorId } = yield* prepareHostConversation()
      const before = yield* loadConversationRows(operatorId)
      const [standing] = findForms(yield* getPage(cookie, page), "send")
      const form = fillForm(standing?.form ?? new URLSearchParams(), { message: "A <long> answer" })
      const anew = yield* signIn(yield* findMainAccountId(operatorId))
      const back = yield* postForm(anew, page, form)
      assert.strictEqual(back.status, 403)
      assert.isDefined(findAlert(back))
      assert.deepStrictEqual(yield* loadConversationRows(operatorId), before)
      const [again] = findForms(back, "send")
      assert.strictEqual(again?.form.get("message"), "A <long> answer")
      assert.strictEqual((yield* postForm(anew, page, again?.form ?? new URLSearchParams())).status, 303)
      assert.notDeepEqual(yield* loadConversationRows(operatorId), before)
      const other = yield* createSignedInHost()
      assert.lengthOf(findForms(yield* postForm(other.cookie, page, form), "send"), 0)
    })
  )
})

layer(layerSignedInPages)("every form of the page of a conversation", (it) => {
  it.effect("does nothing in another operator's conversation", () =>
    Effect.gen(function* () {
      const other = yield* prepareHostConversation(INQUIRY)
      yield* insertMessages(other.conversation_id, "Is it quiet?")
      yield* other.sendOffer()
      const [offer] = yield* other.offers
      const told = yield* other.sentOffers
      const before = yield* loadConversationRows(other.operatorId)
      const { cookie, operatorId } = yield* createSignedInHost()
      const forms = {
        send: { message: "Hello" },
        note: { note: "Mine now" },
        offer: { ...OFFER, listing_id: other.listing_id },
        preapprove: {},
        withdraw: { id: offer?.id ?? "" }
      }
      for (const [act, fields] of Object.entries(forms)) {
        const refused = yield* postInventedForm(cookie, other.pagePath, act, fields)
        assert.strictEqual(refused.status, 403, act)
        assert.isDefined(findAlert(refused), act)
        assert.notInclude(refused.text, "Is it quiet?")
        assert.strictEqual((yield* postInventedForm(cookie, "/console/messages?id=none", act, fields)).status, 404, act)
        assert.isAtLeast((yield* postInventedForm(cookie, "/console/messages", act, fields)).status, 400, act)
      }
      assert.deepStrictEqual(yield* loadConversationRows(other.operatorId), before)
      assert.deepStrictEqual(yield* other.sentOffers, told)
      assert.isEmpty(yield* loadAuditLines(operatorId))
    })
  )

  it.effect("takes no listing and no offer of another conversation", () =>
    Effect.gen(function* () {
      const [other, own] = [yield* prepareHostConversation(), yield* prepareHostConversation()]
      yield* other.sendOffer()
      const [offer] = yield* other.offers
      const before = yield* loadConversationRows(other.operatorId)
      const made = yield* postInventedForm(own.cookie, own.pagePath, "offer", {
        ...OFFER,
        listing_id: other.listing_id
      })
      assert.strictEqual(made.status, 404)
      assert.match(findAlert(made) ?? "", /listing/i)
      const withdrawn = yield* postInventedForm(own.cookie, own.pagePath, "withdraw", { id: offer?.id ?? "" })
      assert.strictEqual(withdrawn.status, 404)
      assert.deepStrictEqual(yield* loadConversationRows(other.operatorId), before)
      assert.isEmpty(yield* own.sentOffers)
    })
  )

  it.effect("is not taken without its token", () =>
    Effect.gen(function* () {
      const { cookie, pagePath: page, operatorId } = yield* prepareHostConversation(INQUIRY)
      const before = yield* loadConversationRows(operatorId)
      for (const act of ["send", "note", "offer", "preapprove", "withdraw"]) {
        assert.strictEqual((yield* postWithoutToken(cookie, page, act)).status, 403, act)
      }
      assert.deepStrictEqual(yield* loadConversationRows(operatorId), before)
    })
  )

  it.effect("that is sent twice at once is done once", () =>
    Effect.gen(function* () {
      const {
        cookie,
        pagePath: page,
        operatorId,
        conversation_id,
        sentOffers: told,
        offers
      } = yield* prepareHostConversation(INQUIRY)
      const twice = Effect.fnUntraced(function* (act: string, fields: Readonly<Record<string, string>> = {}) {
        const statuses = (yield* fillAndSendTwice(cookie, page, act, fields)).map(({ status }) => status)
        // The second may be told that the first is still under way.
        assert.include(statuses, 303, act)
        for (const status of statuses) assert.include([303, 409], status, act)
      })
      yield* twice("send", { message: "Hello" })
      assert.deepStrictEqual(yield* loadMessageLines(conversation_id), ["Hello: queued"])
      yield* twice("note", { note: "Nuts" })
      yield* twice("preapprove")
      yield* twice("offer", OFFER)
      assert.lengthOf(yield* offers, 2)
      assert.strictEqual(new Set((yield* told).map(({ reference }) => reference)).size, 2)
      yield* twice("withdraw")
      assert.deepStrictEqual((yield* offers).map(({ status }) => status).toSorted(), ["active", "withdrawn"])
      const changes = (yield* loadAuditLines(operatorId)).map((each) => each.split(" ")[0])
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
