import { assert, describe, it } from "@effect/vitest"
import { isChange } from "../../../../src/contract/operation.ts"
import { Api } from "../../../../src/service/Api.ts"
import { actionLabel } from "../../../../src/transports/console/host/activity-log/activity-labels.ts"
import { OPERATION_LABELS } from "../../../../src/transports/console/host/activity-log/operation-labels.ts"

describe("labels of the activity log", () => {
  it("exist for each operation that changes records, and for no other", () => {
    const changes = Object.values(Api).filter(isChange)
    assert.sameMembers(
      Object.keys(OPERATION_LABELS),
      changes.map(({ _tag }) => _tag)
    )
  })

  it("say what was done, without names of the API", () => {
    for (const label of Object.values(OPERATION_LABELS)) assert.match(label, /^(?:[A-Z]|iCal)[^_;:]+$/)
    assert.strictEqual(actionLabel({ application: "console", operation: "create_webhook" }), "Webhook added")
    assert.strictEqual(actionLabel({ application: "Robot", operation: "put_event_consumer" }), "Feed position saved")
    assert.strictEqual(actionLabel({ application: "channel airbnb", operation: "ingest order" }), "Order received")
  })
})
