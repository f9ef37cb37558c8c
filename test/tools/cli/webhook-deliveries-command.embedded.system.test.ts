import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { createOperator } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const REASON = "The receiver returned 410 Gone, which ends deliveries to this address."

layer(layerRunningService, { excludeTestServices: true })("latchkey webhook deliveries", (it) => {
  it.effect("says of a waiting delivery why its webhook is paused", () =>
    Effect.gen(function* () {
      const [sql, { operatorId, accountId }] = [yield* SqlClient, yield* createOperator()]
      const url = "https://hooks.example.test/"
      yield* sql`
        INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at) VALUES (${operatorId}, ${url}, 't', now())`
      yield* sql`
        INSERT INTO webhook_subscriptions (operator_id, id, url, secret_token, events, account_id, secret, older_events,
          health, paused_at, paused_reason, created_at, updated_at)
        OVERRIDING SYSTEM VALUE
        VALUES (${operatorId}, 7, ${url}, 't', '{message_created}', ${accountId}, 's', '{}',
          '{"state": "paused", "failures": 1, "failingSince": 0}', now(), ${REASON}, now(), now())`
      const [event] = yield* sql<{ id: number }>`
        INSERT INTO events (operator_id, event, record, payload, queued_at)
        VALUES (${operatorId}, 'message_created', 'conversation:1', '{}', now()) RETURNING id`
      yield* sql`
        INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, state, due_at, attempts, failures)
        VALUES (${operatorId}, ${event?.id ?? 0}, 7, 'conversation:1', 'waiting', now(), 1, 1)`
      const args = ["webhook", "deliveries", "--webhook", "7"]
      const { stdout } = yield* runBesideService(args)
      assert.match(stdout, new RegExp(`^ {2}waiting; .*\\bpaused\\b.*${REASON}$`, "m"))
      const { deliveries } = JSON.parse((yield* runBesideService([...args, "--json"])).stdout)
      assert.strictEqual(deliveries[0].paused_reason, REASON)
      yield* sql`UPDATE webhook_subscriptions SET paused_at = NULL, paused_reason = NULL WHERE id = 7`
      assert.match((yield* runBesideService(args)).stdout, /^ {2}waiting, .*\b\d{4}-\d{2}-\d{2}/m)
    })
  )
})
