import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findCustomChannel } from "../../../../src/domain/channels/custom-channels/built-in-channels.ts"
import { Deployment } from "../../../../src/platform/installation.ts"
import { createHostClient } from "../../../support/domain/host-client.ts"
import { layerService } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const EVERYWHERE = [
  { id: 29, name: "Booking site" },
  { id: 30, name: "Direct" },
  { id: 31, name: "Phone" },
  { id: 32, name: "Walk-in" },
  { id: 33, name: "E-mail" },
  { id: 34, name: "Travel agency" }
]

const deployments = {
  international: [...EVERYWHERE, { id: 35, name: "International agency" }],
  regional: EVERYWHERE
} as const

for (const deployment of ["international", "regional"] as const) {
  const layerDeployed = layerService(layerTestDatabase).pipe(Layer.provide(Layer.succeed(Deployment, deployment)))

  layer(layerDeployed)(`custom channels of the ${deployment} deployment`, (it) => {
    it.effect("are the built-in ones, with 35 on the international one alone", () =>
      Effect.gen(function* () {
        const { api, as } = yield* createHostClient()
        const { custom_channels } = yield* api.query_custom_channels({}).pipe(as)
        assert.deepStrictEqual(custom_channels, deployments[deployment])
        const [, statements] = yield* countStatements(api.query_custom_channels({}).pipe(as))
        assert.strictEqual(statements, 0)
      })
    )

    it("are found by their id, where they are listed", () => {
      assert.deepStrictEqual(findCustomChannel(deployment, 29), { id: 29, name: "Booking site" })
      assert.strictEqual(findCustomChannel(deployment, 35) !== undefined, deployment === "international")
      assert.isUndefined(findCustomChannel(deployment, 28))
    })
  })
}
