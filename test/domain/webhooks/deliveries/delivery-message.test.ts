import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  formatWebhookId,
  parseWebhookId,
  renderDeliveryBody
} from "../../../../src/domain/webhooks/deliveries/delivery-message.ts"

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

describe("a webhook-id", () => {
  it("names one delivery and no other", () => {
    fc.assert(
      fc.property(id, id, (event_id, subscription_id) => {
        assert.deepStrictEqual(parseWebhookId(formatWebhookId({ event_id, subscription_id })), {
          event_id,
          subscription_id
        })
      })
    )
  })

  it("is nothing else", () => {
    for (const text of [
      "",
      "evt_1",
      "evt_1_",
      "evt_0_1",
      "evt_1_0",
      "evt_1_2_3",
      " evt_1_2",
      "evt_01_2",
      "evt_1_2\n"
    ]) {
      assert.isUndefined(parseWebhookId(text), text)
    }
  })
})

describe("a body", () => {
  const payload = fc.dictionary(
    fc.string().filter((name) => !["event", "timestamp", "sub_event", "__proto__"].includes(name)),
    fc.jsonValue()
  )
  const queued_at = fc.date({ min: new Date("1970-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })

  it("is flat: the event, its fields, and the second it was queued", () => {
    fc.assert(
      fc.property(payload, queued_at, (fields, at) => {
        // As it comes out of the database.
        const stored = JSON.parse(JSON.stringify(fields))
        const { event, timestamp, ...own } = JSON.parse(
          renderDeliveryBody({ event: "message_created", payload: stored, queued_at: at })
        )
        assert.strictEqual(event, "message_created")
        assert.match(timestamp, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
        assert.strictEqual(Date.parse(timestamp), Math.floor(at.getTime() / 1000) * 1000)
        assert.deepStrictEqual(own, stored)
      })
    )
  })
})
