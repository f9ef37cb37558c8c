import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PropertyEditStore } from "../../../../src/domain/properties/property-edits/PropertyEditStore.ts"
import { PORTFOLIO_ROWS_MAX } from "../../../../src/platform/limits.ts"
import { Portfolio, type PortfolioRange } from "../../../../src/transports/console/queries/Portfolio.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator, insertProperty, layerTest, typedClient, withToken } from "../../../support/harness.ts"
import { deactivateProperty } from "../../../support/property-activation.ts"
import { countStatements } from "../../../support/statement-count.ts"

const layerPortfolio = Layer.mergeAll(Portfolio.layer, PropertyEditStore.layer).pipe(Layer.provideMerge(layerTest))

const START = {
  today: "2027-05-01",
  propertiesOffset: 0,
  groupsOffset: 0,
  tagsOffset: 0,
  roomTypesOffset: 0,
  q: undefined
}

const shown = (operatorId: number, asked: Partial<PortfolioRange> = {}) =>
  Portfolio.use((portfolio) => portfolio.of({ ...START, ...asked })).pipe(asCaller({ operatorId }))

layer(layerPortfolio)("what an operator lets", (it) => {
  it.effect("is read in one statement, with all that is on it, and nobody else's", () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* createOperator(), yield* createOperator()]
      yield* insertProperty(other.operatorId, "Theirs")
      const [zoo, attic] = [
        yield* insertProperty(operator.operatorId, "Zoo"),
        yield* insertProperty(operator.operatorId, "Attic")
      ]
      const api = yield* typedClient
      yield* Effect.gen(function* () {
        const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [zoo] })
        yield* api.create_property_group({ name: "Sea", property_ids: [zoo, attic] })
        yield* api.create_property_tag({
          name: "Quiet",
          color: "#FD587B",
          property_ids: [zoo],
          room_type_ids: [room_type_id]
        })
        const { tag } = yield* api.create_property_tag({ name: "Gone", property_ids: [zoo] })
        yield* api.delete_property_tag({ id: tag.id })
      }).pipe(withToken(operator.token))
      yield* deactivateProperty(attic)
      const [{ properties, groups, tags, room_types }, statements] = yield* countStatements(shown(operator.operatorId))
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(
        properties.rows.map((row) => [row.title, row.deactivated_at !== null, row.room_type]),
        [
          ["Attic", true, null],
          ["Zoo", false, "Double"]
        ]
      )
      assert.deepStrictEqual(
        properties.rows.map((row) => [row.groups.map(({ name }) => name), row.tags.map(({ name }) => name)]),
        [
          [["Sea"], []],
          [["Sea"], ["Quiet"]]
        ]
      )
      assert.deepStrictEqual([groups.total, groups.rows[0]?.properties], [1, 2])
      assert.deepStrictEqual([tags.total, tags.rows[0]?.properties, tags.rows[0]?.room_types], [1, 1, 1])
      assert.deepStrictEqual([room_types.total, room_types.rows[0]?.properties], [1, 1])
      assert.deepStrictEqual(
        room_types.rows[0]?.tags.map(({ name }) => name),
        ["Quiet"]
      )
    })
  )

  it.effect("is told part by part, by name, and found by a part of a title in whatever case", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}, 'Home ' || lpad(n::text, 3, '0'), now() FROM generate_series(1, ${PORTFOLIO_ROWS_MAX + 1}::int) n`
      const first = yield* shown(operatorId)
      assert.deepStrictEqual(
        [first.properties.total, first.properties.rows.length, first.properties.rows[0]?.title],
        [PORTFOLIO_ROWS_MAX + 1, PORTFOLIO_ROWS_MAX, "Home 001"]
      )
      const rest = yield* shown(operatorId, { propertiesOffset: PORTFOLIO_ROWS_MAX })
      assert.deepStrictEqual(
        rest.properties.rows.map(({ title }) => title),
        [`Home 0${PORTFOLIO_ROWS_MAX + 1}`]
      )
      const beyond = yield* shown(operatorId, { propertiesOffset: 9_999_999, groupsOffset: 9_999_999 })
      assert.deepStrictEqual([beyond.properties.rows, beyond.properties.total], [[], PORTFOLIO_ROWS_MAX + 1])
      const found = yield* shown(operatorId, { q: "hOME 00" })
      assert.strictEqual(found.properties.total, 9)
      assert.strictEqual((yield* shown(operatorId, { q: "%" })).properties.total, 0)
    })
  )
})
