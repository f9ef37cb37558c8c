import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { loadAuditLinesWithActor } from "../../../support/changes/audit-lines.ts"
import { callAsPerson } from "../../../support/console-caller.ts"
import {
  connectClient,
  createPartner,
  insertGrantSubscription,
  layerOauthFlowOver,
  loadGrantState,
  REDIRECT_URI
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

layer(layerConnections)("a consent", (it) => {
  it.effect("returns a code once, which the client exchanges", () =>
    Effect.gen(function* () {
      const [client, operator] = [yield* createPartner(), yield* createOperator()]
      const fields = { client_id: client.id, redirect_uri: REDIRECT_URI, scope: "read-only" }
      const consent = () => callAsPerson(operator, "connect_application", fields, { key: "form" })
      const { data } = yield* consent()
      assert.hasAllKeys(data, ["code"])
      assert.deepStrictEqual((yield* consent()).data, {})
      const trail = yield* loadAuditLinesWithActor(operator.operatorId)
      assert.deepStrictEqual(trail, [`${operator.accountId} console: connect_application application:${client.id}`])
    })
  )

  it.effect("is refused with the field that is wrong", () =>
    Effect.gen(function* () {
      const [client, operator] = [yield* createPartner(), yield* createOperator()]
      const fields = { client_id: client.id, redirect_uri: REDIRECT_URI, scope: "writable" }
      for (const [change, expected] of [
        [{ client_id: "lkapp_nobody" }, "404 client_id: no such client."],
        [{ redirect_uri: "https://other.example/" }, "422 redirect_uri: is not registered by the client."],
        [{ code_challenge: "short" }, "400 code_challenge: must be 43 characters of base64url."],
        [{ resource: "https://other.example/mcp" }, "422 resource: must be an address of this service."],
        [{ scope: "admin" }, "422 scope: must be one of read-only, writable."]
      ] as const) {
        const answer = yield* callAsPerson(operator, "connect_application", { ...fields, ...change })
        assert.strictEqual(`${answer.error_code} ${answer.error_msg}`, expected)
      }
      assert.deepStrictEqual(yield* loadAuditLinesWithActor(operator.operatorId), [])
    })
  )
})

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
