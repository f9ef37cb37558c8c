import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { applicationNameOf } from "../../../../src/domain/access/oauth/application-name.ts"
import { Grants } from "../../../../src/domain/access/oauth/Grants.ts"
import { endGrantsOfClient } from "../../../../src/domain/access/oauth/grant-ending.ts"
import type { AccountViewer } from "../../../../src/domain/access/operators/account-viewer.ts"
import { ConnectedApplications } from "../../../../src/transports/console/queries/ConnectedApplications.ts"
import { asCaller } from "../../../support/console-caller.ts"
import {
  connectClient,
  createPartner,
  layerOauthFlow,
  loadGrantState,
  PUBLIC_CLIENT,
  renewToken,
  tokenOutcomeOf
} from "../../../support/domain/access/oauth/oauth-flow.ts"
import { createOperator, insertAccount } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const list = (viewer: AccountViewer) => ConnectedApplications.use(({ list }) => list).pipe(asCaller(viewer))
const disconnect = (viewer: AccountViewer, id: number) => Grants.use((grants) => grants.disconnect(viewer, id))

layer(Layer.provideMerge(ConnectedApplications.layer, layerOauthFlow))("connections", (it) => {
  it.effect("are seen by their account and by the main account, and by nobody else", () =>
    Effect.gen(function* () {
      const client = yield* createPartner("Channel & Co")
      const { operatorId, accountId } = yield* createOperator()
      const helper = yield* insertAccount(operatorId, "sub", "Helper")
      const own = yield* connectClient(client, { scope: "read-only" }, { operatorId, accountId })
      const helpers = yield* connectClient(PUBLIC_CLIENT, {}, { operatorId, accountId: helper })
      const main: AccountViewer = { operatorId, accountId, role: "main" }
      const sub: AccountViewer = { operatorId, accountId: helper, role: "sub" }
      const [all, statements] = yield* countStatements(list(main))
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(
        all.map(({ connectedAt: _, ...connection }) => connection),
        [
          {
            id: helpers.grantId,
            clientId: "service_mcp",
            name: "partner.example",
            scope: "writable",
            accountId: helper,
            accountName: "Helper",
            lastUsedAt: null
          },
          {
            id: own.grantId,
            clientId: client.id,
            name: "Channel & Co",
            scope: "read-only",
            accountId,
            accountName: "Owner",
            lastUsedAt: null
          }
        ]
      )
      assert.deepStrictEqual(
        (yield* list(sub)).map(({ id }) => id),
        [helpers.grantId]
      )
      const stranger = yield* createOperator()
      assert.deepStrictEqual(yield* list({ ...stranger, role: "main" }), [])
    })
  )

  it.effect("end by the hand of who sees them, in one statement, and of nobody else", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operatorId, accountId } = yield* createOperator()
      const helper = yield* insertAccount(operatorId, "sub", "Helper")
      const own = yield* connectClient(client, {}, { operatorId, accountId })
      const helpers = yield* connectClient(client, {}, { operatorId, accountId: helper })
      const sub: AccountViewer = { operatorId, accountId: helper, role: "sub" }
      const stranger: AccountViewer = { ...(yield* createOperator()), role: "main" }
      assert.isFalse(yield* disconnect(sub, own.grantId))
      assert.isFalse(yield* disconnect(stranger, own.grantId))
      assert.isFalse(yield* disconnect({ operatorId, accountId, role: "main" }, 2 ** 40))
      assert.deepInclude(yield* loadGrantState(operatorId, own.grantId), { ended_by: null, tokens: 1 })
      assert.deepStrictEqual(yield* countStatements(disconnect(sub, helpers.grantId)), [true, 1])
      assert.isFalse(yield* disconnect(sub, helpers.grantId))
      assert.deepInclude(yield* loadGrantState(operatorId, helpers.grantId), { ended_by: "host", tokens: 0 })
      assert.notStrictEqual(yield* tokenOutcomeOf(renewToken(client, helpers.refreshToken)), "ok")
      assert.strictEqual(yield* tokenOutcomeOf(renewToken(client, own.refreshToken)), "ok")
      assert.deepStrictEqual(yield* list(sub), [])
    })
  )

  it.effect("tell the last use of any of their tokens, also of those that are forgotten", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const { operator, grantId, refreshToken } = yield* connectClient(client)
      yield* renewToken(client, refreshToken)
      const sql = yield* SqlClient.SqlClient
      const lastUse = Effect.map(list({ ...operator, role: "main" }), ([only]) => only?.lastUsedAt?.toISOString())
      yield* sql`UPDATE oauth_grants SET last_used_at = '2027-01-01T10:00:00Z' WHERE operator_id = ${operator.operatorId}`
      assert.strictEqual(yield* lastUse, "2027-01-01T10:00:00.000Z")
      yield* sql`
        UPDATE access_tokens SET last_used_at = '2027-01-02T10:00:00Z'
        WHERE operator_id = ${operator.operatorId} AND grant_id = ${grantId}`
      assert.strictEqual(yield* lastUse, "2027-01-02T10:00:00.000Z")
    })
  )

  it.effect("of a client end so many at a time", () =>
    Effect.gen(function* () {
      const client = yield* createPartner()
      const other = yield* connectClient(yield* createPartner())
      const all = yield* Effect.all(Array.from({ length: 5 }, () => connectClient(client)))
      const sql = yield* SqlClient.SqlClient
      const ended = yield* Effect.replicateEffect(endGrantsOfClient(sql, client.id, 3), 3)
      assert.deepStrictEqual(ended, [3, 2, 0])
      for (const { operator, grantId } of all) {
        assert.deepInclude(yield* loadGrantState(operator.operatorId, grantId), { ended_by: "client", tokens: 0 })
      }
      assert.deepInclude(yield* loadGrantState(other.operator.operatorId, other.grantId), { ended_by: null, tokens: 1 })
    })
  )

  it("have the name of a partner, and of the public client the place its host is led to", () => {
    const named = (uri: string) => applicationNameOf(PUBLIC_CLIENT, uri)
    assert.strictEqual(
      applicationNameOf({ name: "Channel & Co", isPublic: false }, "https://x.example/"),
      "Channel & Co"
    )
    assert.strictEqual(named("https://app.example:8443/cb?a=b"), "app.example")
    for (const host of ["127.0.0.1:1", "localhost:5", "[::1]:77"]) {
      assert.strictEqual(named(`http://${host}/cb`), "An app on this computer")
    }
    assert.strictEqual(named("cursor://anysphere.cursor-retrieval/oauth"), "An app on this device (cursor)")
    assert.strictEqual(named("com.example.app:/cb"), "An app on this device (com.example.app)")
    assert.strictEqual(named("no address"), "An app")
    assert.strictEqual(named(`https://${"a.".repeat(100)}example/`).length, 100)
  })
})
