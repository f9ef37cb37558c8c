import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const UNKNOWN_OPERATOR = ["--operator", "999999999"]

layer(layerRunningService, { excludeTestServices: true })("a command whose filter names an unknown operator", (it) => {
  for (const command of [
    ["calendar", "list"],
    ["webhook", "deliveries"],
    ["webhook", "replay", "--dead"],
    ["listing", "list"],
    ["listing", "pushes"]
  ]) {
    it.effect(`fails: ${command.join(" ")}`, () =>
      Effect.gen(function* () {
        const { code, stdout, stderr } = yield* runBesideService([...command, ...UNKNOWN_OPERATOR])
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.include(stderr, "--operator: there is no operator 999999999.")
      })
    )
  }
})
