import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChannelGateway } from "../../src/domain/channels/port/ChannelGateway.ts"
import { TagStore } from "../../src/domain/properties/tags/store.ts"
import { call, createOperator, insertOrder, layerServiceWithFakes } from "../support/harness.ts"

const fakeTag = { id: 7, name: "From a fake", color: "#FD587B", property_ids: [], room_type_ids: [] }
const approvedCodes: Array<string> = []

/** Methods that a fake does not have fail when they are called. */
const layerFakes = Layer.mergeAll(
  Layer.mock(TagStore)({ search: () => Effect.succeed({ rows: [fakeTag], total: 1 }) }),
  Layer.mock(ChannelGateway)({
    approve: (_account, { reservationCode }) => Effect.sync(() => void approvedCodes.push(reservationCode))
  })
)

layer(layerServiceWithFakes(layerFakes))("a service with a fake store and a fake channel", (it) => {
  it.effect("uses the fakes, and everything else as it is", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      assert.deepStrictEqual((yield* call(token, "query_tags")).data, { tags: [fakeTag], total: 1 })
      assert.strictEqual((yield* call(token, "create_property_tag", { name: "Real" })).error_code, 500)
      const options = { channelType: "airbnb", status: "wait_accept" } as const
      const reservation_code = yield* insertOrder(operatorId, [{ propertyId: null }], options)
      assert.strictEqual((yield* call(token, "approve_reservation", { reservation_code })).error_code, 0)
      assert.deepStrictEqual(approvedCodes, [reservation_code])
    })
  )
})
