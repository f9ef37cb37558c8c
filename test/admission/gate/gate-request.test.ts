import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeGateRequest } from "../../../src/admission/gate/gate-request.ts"
import { bucketsOf } from "../../../src/admission/windows/call-buckets.ts"
import { Id } from "../../../src/contract/fields.ts"
import { defineFamily, isAllowedForReadOnlyToken, routeOf, toolMetadata } from "../../../src/contract/operation.ts"
import { operations } from "../../../src/service/Api.ts"

const operation = defineFamily({ category: "messaging", since: "3.4.0", openWorld: true })

const send = operation("send", {
  route: "POST /conversations/{conversation_id}",
  limits: { "1m": 7 },
  conversationField: "conversation_id",
  summary: "Send",
  payload: { conversation_id: Id, text: Schema.String },
  success: Schema.Struct({}),
  exposure: toolMetadata("Sends.", [], true)
})

const approach = makeGateRequest(send)
const to = (conversation_id: unknown) => approach({ headers: {}, params: { conversation_id } }).conversationId

it("a message counts in the windows of the conversation its declaration names, and in those of its own route", () => {
  const { route, limits, conversationId } = approach({ headers: {}, params: { conversation_id: 5 } })
  const { call } = bucketsOf({ operatorId: 1, tokenId: 2, route, limits, conversationId })
  const shown = call.map(({ key, scope, window, max }) => `${scope} ${window.label} ${max} ${key}`)
  assert.include(shown, "endpoint 1m 7 {op:1}:endpoint:POST /conversations/{conversation_id}")
  assert.include(shown, "conversation 5s 5 {op:1}:conversation:5")
})

it("a conversation is a text or a number, from either door; anything else reaches none", () => {
  assert.strictEqual(to("5"), to(5))
  for (const odd of [undefined, null, {}, { toString: 1 }, [5]]) assert.isUndefined(to(odd))
})

it("one operation sends messages, and each says whether it changes anything", () => {
  for (const each of operations) {
    const {
      conversationId,
      isRead: read,
      route
    } = makeGateRequest(each)({ headers: {}, params: { id: 1, conversation_id: 2 } })
    assert.strictEqual(conversationId, each._tag === "send_message" ? "1" : undefined)
    assert.strictEqual(read, isAllowedForReadOnlyToken(each))
    assert.strictEqual(route, `${routeOf(each).method} ${routeOf(each).path}`)
  }
})
