import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DEMO_PROPERTIES } from "../../../src/tools/demo/properties.ts"
import { writePortfolio } from "../../../src/tools/demo/write-portfolio.ts"
import { createHostWithProperties } from "../../support/domain/host-client.ts"
import { asSystemActor, layerTest } from "../../support/harness.ts"

layer(layerTest)("the demo portfolio", (it) => {
  it.effect("sorts the flats in every way there is", () =>
    Effect.gen(function* () {
      const {
        api,
        as,
        operatorId,
        accountId,
        propertyIds: rooms
      } = yield* createHostWithProperties(...DEMO_PROPERTIES.map(({ title }) => title))
      yield* writePortfolio({
        operatorId,
        accountId,
        accountName: "Demo",
        timeZone: "Europe/Lisbon",
        now: new Date("2027-05-01T10:00:00Z"),
        today: "2027-05-01",
        propertyIds: rooms,
        orders: []
      }).pipe(asSystemActor)
      const { properties } = yield* api.search_properties({}).pipe(as)
      assert.deepStrictEqual(
        properties.map(({ groups }) => groups.map(({ name }) => name)),
        DEMO_PROPERTIES.map(({ city }) => [city])
      )
      assert.deepStrictEqual(
        properties.map(({ currency }) => currency),
        DEMO_PROPERTIES.map(({ currency }) => currency)
      )
      for (const { address, latitude, longitude, title } of properties) {
        assert.isNotNull(address, title)
        assert.match(latitude ?? "", /^-?\d{1,2}\.\d+$/)
        assert.match(longitude ?? "", /^-?\d{1,3}\.\d+$/)
      }
      assert.isTrue(properties.some(({ tags }) => tags.length > 0))
      const { room_types } = yield* api.search_room_types({}).pipe(as)
      assert.deepStrictEqual(
        room_types.map((type) => [type.properties.length, type.tags.length]),
        [[2, 1]]
      )
      const { reservation_tags } = yield* api.search_reservation_tags({}).pipe(as)
      assert.isTrue(reservation_tags.some(({ is_default }) => !is_default))
    })
  )
})
