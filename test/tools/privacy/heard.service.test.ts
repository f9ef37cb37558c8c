import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eraseGuestMatches } from "../../../src/tools/privacy/guest-erasure.ts"
import { findGuest } from "../../../src/tools/privacy/guest-search.ts"
import {
  layerConversations,
  makeThreadEvent,
  startChannelConversation
} from "../../support/domain/guests/conversations/channel-conversation.ts"
import { asSystemActor } from "../../support/harness.ts"

layer(layerConversations)("a channel's word about an erased guest", (it) => {
  it.effect("is late where it was said before, and news where it was not", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        ingestEvent: hear,
        conversationId: id,
        getConversation: conversation
      } = yield* startChannelConversation
      const said = makeThreadEvent({ version: 4 })
      yield* hear(said)
      const found = yield* findGuest(operatorId, { by: "order", value: id }, new Date())
      assert.lengthOf(found, 1)
      yield* asSystemActor(eraseGuestMatches(found))
      assert.deepStrictEqual(yield* hear(said), { outcome: "known" })
      assert.strictEqual((yield* conversation()).guest.name, "")
      const asksAnew = makeThreadEvent({ version: 5, guest: { name: "Ada King" } })
      assert.deepStrictEqual(yield* hear(asksAnew), { outcome: "applied" })
      assert.strictEqual((yield* conversation()).guest.name, "Ada King")
    })
  )
})
