import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AddressResolver } from "../src/domain/webhooks/deliveries/AddressResolver.ts"
import { parseAllowedHosts } from "../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { layerDeliveries } from "../src/domain/webhooks/deliveries/layer.ts"
import { OutboundHttp } from "../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { generateSecretToken, generateSigningSecret } from "../src/domain/webhooks/deliveries/signature.ts"
import { NewEventNotifier } from "../src/jobs/events/NewEventNotifier.ts"

/** Subscriptions of a new operator to paths of the receiver; answers the operator's id. */
export const prepared = Effect.fnUntraced(function* (port: number, subscriptions: number) {
  const sql = yield* SqlClient.SqlClient
  const [operator] = yield* sql<{ id: number }>`
    INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Bench', 'UTC', 'EUR', now()) RETURNING id`
  const operatorId = operator?.id ?? 0
  for (let n = 0; n < subscriptions; n++) {
    const url = `http://127.0.0.1:${port}/${operatorId}/${n}`
    const token = Redacted.value(yield* generateSecretToken)
    const secret = Redacted.value(yield* generateSigningSecret)
    yield* sql`INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at)
      VALUES (${operatorId}, ${url}, ${token}, now())`
    yield* sql`
      INSERT INTO webhook_subscriptions (operator_id, url, secret_token, events, secret, older_events, created_at, updated_at)
      VALUES (${operatorId}, ${url}, ${token}, '{transaction_created}', ${secret}, '{}', now(), now())`
  }
  return operatorId
})

/** The workers of a process, delivering to receivers of this machine. */
export const layerDelivering = layerDeliveries.pipe(
  Layer.provide(OutboundHttp.layer(Result.getOrThrow(parseAllowedHosts("127.0.0.1")))),
  Layer.provide([AddressResolver.layer, NewEventNotifier.layerProcess])
)
