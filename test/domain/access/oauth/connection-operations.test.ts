import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { callAsPerson } from "../../../support/console-caller.ts"
import {
  connectClient,
  createPartner,
  insertGrantSubscription,
  layerOauthFlowOver,
  loadGrantState
} from "../../../support/domain/access/oauth/oauth-flow.ts"
import { createOperator, insertAccount, layerService } from "../../../support/harness.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

const layerConnections = Layer.mergeAll(layerService(layerTestDatabase), layerOauthFlowOver(layerTestDatabase))

const disconnect = (
  person: Parameters<typeof callAsPerson>[0],
  id: number,
  options: Parameters<typeof callAsPerson>[3] = {}
) =>
  Effect.map(
    callAsPerson(person, "disconnect_application", { id }, options),
    ({ error_code, error_msg }) => `${error_code} ${error_msg}`
  )

layer(layerConnections)("a connection", (it) => {
  it.effect("ends with its tokens and what it made, once, also for an account that may do nothing else", () =>
    Effect.gen(function* () {
      const { operator, grantId } = yield* connectClient(yield* createPartner())
      yield* insertGrantSubscription(operator.operatorId, grantId)
      for (const _twice of [1, 2]) {
        assert.strictEqual(yield* disconnect(operator, grantId, { status: "banned", key: "form" }), "0 ")
      }
      assert.deepInclude(yield* loadGrantState(operator.operatorId, grantId), { ended_by: "host", tokens: 0 })
      assert.strictEqual(yield* disconnect(operator, grantId), "404 id: no such connection.")
      const by = `${operator.accountId} console: disconnect_application`
      const lines = yield* loadAuditLinesWithActor(operator.operatorId)
      for (const record of [`connection:${grantId} (ended_at)`, "webhook:"]) {
        assert.lengthOf(
          lines.filter((line) => line.startsWith(`${by} ${record}`)),
          1,
          record
        )
      }
    })
  )

  it.effect("of another account or operator is not there", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId } = yield* connectClient(client)
      const accountId = yield* insertAccount(operator.operatorId, "sub", "Helper")
      const own = yield* connectClient(client, {}, { operatorId: operator.operatorId, accountId })
      const sub = { operatorId: operator.operatorId, accountId, role: "sub" } as const
      for (const person of [sub, yield* createOperator()]) {
        assert.strictEqual(yield* disconnect(person, grantId), "404 id: no such connection.")
      }
      assert.deepInclude(yield* loadGrantState(operator.operatorId, grantId), { ended_by: null })
      assert.strictEqual(yield* disconnect(sub, own.grantId), "0 ")
    })
  )
})
