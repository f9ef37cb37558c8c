import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Sorting } from "../../../../src/transports/console/queries/Sorting.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator, insertProperty, layerTest, typedClient, withToken } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const NEW = { id: undefined, q: undefined }

layer(Sorting.layer.pipe(Layer.provideMerge(layerTest)))("a form that sorts properties", (it) => {
  it.effect("of a group has what is on it first, in one statement, and nobody else's", () =>
    Effect.gen(function* () {
      const [operator, other] = [yield* createOperator(), yield* createOperator()]
      const sorting = yield* Sorting
      const { operatorId } = operator
      yield* insertProperty(other.operatorId, "Theirs")
      const [attic, zoo] = [yield* insertProperty(operatorId, "Attic"), yield* insertProperty(operatorId, "Zoo")]
      const api = yield* typedClient
      const { group } = yield* api
        .create_property_group({ name: "Sea", property_ids: [zoo] })
        .pipe(withToken(operator.token))
      const [has, statements] = yield* countStatements(sorting.group({ id: group.id, q: undefined })).pipe(
        asCaller({ operatorId })
      )
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(has.it, { id: group.id, name: "Sea", property_ids: [zoo] })
      assert.deepStrictEqual(
        has.properties.map(({ id }) => id),
        [zoo, attic]
      )
      const made = yield* sorting.group(NEW).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual([made.it, made.properties.map(({ id }) => id)], [null, [attic, zoo]])
      const narrowed = yield* sorting.group({ id: group.id, q: "nothing of that kind" }).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual(
        narrowed.properties.map(({ id }) => id),
        [zoo]
      )
      const foreign = yield* sorting.group({ id: group.id, q: undefined }).pipe(asCaller(other))
      assert.deepStrictEqual([foreign.it, foreign.properties.map(({ title }) => title)], [null, ["Theirs"]])
    })
  )

  it.effect("of a tag has the room types too, and of a room type what is in none", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const sorting = yield* Sorting
      const [attic, zoo] = [yield* insertProperty(operatorId, "Attic"), yield* insertProperty(operatorId, "Zoo")]
      const api = yield* typedClient
      const { tag, room_type_id } = yield* Effect.gen(function* () {
        const { room_type_id } = yield* api.create_room_type({ title: "Double", property_ids: [zoo] })
        const made = yield* api.create_property_tag({
          ...{ name: "Sea", color: "#FD587B" },
          ...{ property_ids: [attic], room_type_ids: [room_type_id] }
        })
        return { ...made, room_type_id }
      }).pipe(withToken(token))
      const [has, statements] = yield* countStatements(sorting.tag({ id: tag.id, q: undefined })).pipe(
        asCaller({ operatorId })
      )
      assert.strictEqual(statements, 1)
      const on = { property_ids: [attic], room_type_ids: [room_type_id] }
      assert.deepStrictEqual(has.it, { id: tag.id, name: "Sea", color: "#FD587B", ...on })
      assert.deepStrictEqual(has.room_types, [{ id: room_type_id, title: "Double" }])
      const made = yield* sorting.tag(NEW).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual([made.it, made.properties.length, made.room_types.length], [null, 2, 1])
      const [type, count] = yield* countStatements(sorting.roomType({ q: undefined })).pipe(asCaller({ operatorId }))
      assert.deepStrictEqual([count, type.taken, type.properties.map(({ id }) => id)], [1, 1, [attic]])
      yield* api.delete_property_tag({ id: tag.id }).pipe(withToken(token))
      assert.strictEqual((yield* sorting.tag({ id: tag.id, q: undefined }).pipe(asCaller({ operatorId }))).it, null)
    })
  )
})
