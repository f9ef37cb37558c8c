import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PublicUrl } from "../../../../../src/platform/installation.ts"
import {
  connectClient,
  createPartner,
  exchangeCode,
  issueCode,
  layerOauthFlowOver,
  makeConsent,
  renewToken,
  toCodeExchange,
  tokenOutcomeOf
} from "../../../../support/domain/access/oauth/oauth-flow.ts"
import { createOperator } from "../../../../support/harness.ts"
import { layerTestDatabase } from "../../../../support/test-database.ts"

const OURS = "https://api.example"

const layerOurs = layerOauthFlowOver(layerTestDatabase).pipe(Layer.provide(Layer.succeed(PublicUrl, OURS)))

const OK = "ok"
const INVALID = "BadRequest invalid_target"

layer(layerOurs)("the resource of a token", (it) => {
  it.effect("may be said again at the exchange, and must be the one of the consent", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const caller = yield* createOperator()
      const tried = Effect.fnUntraced(function* (consented: string | null, ...resources: ReadonlyArray<string>) {
        const code = yield* issueCode(makeConsent(client, caller, { resource: consented }))
        return yield* tokenOutcomeOf(exchangeCode(toCodeExchange(client, code, { resources })))
      })
      assert.strictEqual(yield* tried(`${OURS}/mcp`, `${OURS}/mcp`), OK)
      assert.strictEqual(yield* tried(`${OURS}/mcp`, `${OURS}/mcp/`), OK)
      assert.strictEqual(yield* tried(`${OURS}/mcp`), OK)
      assert.strictEqual(yield* tried(`${OURS}/mcp`, `${OURS}/v3`), INVALID)
      assert.strictEqual(yield* tried(`${OURS}/mcp`, "https://other.example/mcp"), INVALID)
      assert.strictEqual(yield* tried(null, `${OURS}/mcp`), OK)
      assert.strictEqual(yield* tried(null, "https://other.example/mcp"), INVALID)
      assert.strictEqual(yield* tried(null, `${OURS}/mcp/../v3`), INVALID)
      assert.strictEqual(yield* tried(null, `${OURS}/mcp`, `${OURS}/v3`, OURS), OK)
      assert.strictEqual(yield* tried(null, `${OURS}/mcp`, "https://other.example/mcp"), INVALID)
      assert.strictEqual(yield* tried(`${OURS}/mcp`, `${OURS}/mcp`, `${OURS}/mcp/`), OK)
      assert.strictEqual(yield* tried(`${OURS}/mcp`, `${OURS}/mcp`, `${OURS}/v3`), INVALID)
    })
  )

  it.effect("must be ours at a renewal, and refusing it costs the client nothing", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { refreshToken } = yield* connectClient(client, { resource: `${OURS}/mcp` })
      const other = "https://other.example/mcp"
      for (const resources of [[other], [`${OURS}/mcp`, other]])
        assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, refreshToken, { resources })), INVALID)
      assert.strictEqual(
        yield* tokenOutcomeOf(renewToken(client, refreshToken, { resources: [`${OURS}/mcp`, OURS] })),
        OK
      )
    })
  )
})
