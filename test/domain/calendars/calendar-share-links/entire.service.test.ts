import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { newShareLinkToken } from "../../../../src/domain/calendars/calendar-share-links/share-link-url.ts"
import { ShareLinkStore } from "../../../../src/domain/calendars/calendar-share-links/store.ts"
import { asSystemActor, createOperator } from "../../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const NOW = new Date("2027-05-10T12:00:00Z")

describe.skipIf(!canOverlap)(withServerNote("links to the entire calendar that are created at once"), () => {
  layer(Layer.provideMerge(ShareLinkStore.layer, layerTestDatabase))((it) => {
    it.effect("are one link", () =>
      Effect.gen(function* () {
        const { operatorId } = yield* createOperator()
        const store = yield* ShareLinkStore
        const create = Effect.suspend(() =>
          store.createEntire(operatorId, { token: newShareLinkToken(), created_at: NOW })
        ).pipe(asSystemActor)
        const [one, two] = yield* runOverlapping(create, create)
        assert.deepStrictEqual(one, two)
      })
    )

    it.effect("are another link when the first is just being deleted", () =>
      Effect.gen(function* () {
        const { operatorId } = yield* createOperator()
        const store = yield* ShareLinkStore
        const create = Effect.suspend(() =>
          store.createEntire(operatorId, { token: newShareLinkToken(), created_at: NOW })
        ).pipe(asSystemActor)
        const first = yield* create
        const [, second] = yield* runOverlapping(asSystemActor(store.remove(operatorId, first.id)), create)
        assert.notStrictEqual(second.token, first.token)
        const { rows } = yield* store.search(operatorId, {}, { offset: 0, limit: 9 })
        assert.deepStrictEqual(rows, [second])
      })
    )
  })
})
